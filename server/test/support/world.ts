import { randomBytes } from 'node:crypto';
import type { InjectOptions } from 'fastify';
import { sandboxCarrier } from '../../src/adapters/carriers/sandbox/sandbox-carrier.ts';
import { type App, buildApp } from '../../src/app.ts';
import { type Config, readConfig } from '../../src/config.ts';
import { type Deps, onReserved } from '../../src/deps.ts';
import { issueApiKey, type UsagePlan, unlimited } from '../../src/domain/access/api-keys.ts';
import { addApplication } from '../../src/domain/access/applications.ts';
import { allScopes } from '../../src/domain/access/scopes.ts';
import { issueToken } from '../../src/domain/access/tokens.ts';
import { type Advisor, addAdvisor } from '../../src/domain/accounts/advisors.ts';
import { addFirm } from '../../src/domain/accounts/firms.ts';
import { type Dispatcher, dispatcher } from '../../src/domain/delivery/dispatcher.ts';
import { sendDueMessages } from '../../src/domain/messages/due-messages.ts';
import type { Carrier, Carriers, OpenCrm, Push, SandboxClock } from '../../src/domain/ports.ts';
import { startSandboxClock } from '../../src/domain/sandbox/sandbox-clock.ts';
import { type Log, makeLog } from '../../src/log.ts';
import type { Pool } from '../../src/store/database/db.ts';
import { connect } from '../../src/store/database/pool.ts';
import { appRole } from '../../src/store/database/schema/migrate.ts';
import { fixedCarriers } from './carriers.ts';
import { type DatabaseOptions, makeDatabase, type TestDatabase } from './database.ts';
import { depsOn, systemClock } from './deps.ts';
import { renewed } from './renewed.ts';

/** A small cast on its own database: a firm, two advisors, and an application with an unlimited key. */
export type World = {
  app: App;
  deps: Deps;
  database: TestDatabase;
  clock: SandboxClock;
  dispatcher: Dispatcher;
  config: Config;
  ann: Person;
  bob: Person;
  clientId: string;
  apiKey: string;
  newKey(plan: UsagePlan): Promise<{ keyId: number; apiKey: string }>;
  token(advisorId: number, scopes?: string[]): Promise<string>;
  close(): Promise<void>;
};

/** An advisor, and calls on their behalf with both credentials. */
export type Person = {
  advisor: Advisor;
  token: string;
  call(
    method: 'GET' | 'POST' | 'PUT' | 'DELETE',
    path: string,
    body?: unknown,
    headers?: Record<string, string>,
  ): Promise<Answer>;
};

export type Answer = {
  status: number;
  headers: Record<string, string | undefined>;
  /** The parsed body; the test knows its shape. */
  // biome-ignore lint/suspicious/noExplicitAny: tests read bodies of every shape.
  body: any;
};

export type WorldOptions = {
  env?: Record<string, string>;
  log?: Log;
  database?: DatabaseOptions;
  /** Separate connections for what must always get through; by default the pool is used for all. */
  reserved?: true;
  /** Instead of the sandbox's carrier; null: numbers have no carrier. */
  carrier?: Carrier | null;
  /** Instead of one carrier: those that the node has open. */
  carriers?: Carriers;
  /** Instead of real CRMs. */
  openCrm?: OpenCrm;
  /** Instead of real requests to webhooks. */
  push?: Push;
  /** False: texts stay in the outbox until the test starts `world.dispatcher` itself. */
  dispatch?: boolean;
};

/** A command that opens secrets of a world needs it too. */
export const credentialsKey = randomBytes(32).toString('base64');
const textingNumbers: Record<string, string> = { ann: '+15005552001', bob: '+15005552002' };

export async function makeWorld(options: WorldOptions = {}): Promise<World> {
  const config = readConfig({ LOG_LEVEL: 'silent', CREDENTIALS_KEY: credentialsKey, ...options.env });
  const database = await makeDatabase(options.database);
  const reserved = options.reserved ? connectAgain(database, options.database) : database.pool;
  const clock = await startSandboxClock(database.pool, systemClock);
  const { carrier = sandboxCarrier({ db: reserved, clock }) } = options;
  const { openCrm, push } = options;
  const deps = depsOn(database.pool, {
    reserved,
    clock,
    sandboxClock: clock,
    config,
    carriers: options.carriers ?? (carrier ? fixedCarriers(carrier) : fixedCarriers()),
    ...(openCrm ? { openCrm } : {}),
    ...(push ? { push } : {}),
  });
  const log = options.log ?? makeLog(config.logLevel);
  const dispatching = dispatcher(onReserved(deps), log);
  const deliverDue = () => sendDueMessages(deps).then(dispatching.settled);
  const app = await buildApp({ ...deps, pool: database.pool, log, deliverDue });
  if (options.dispatch !== false) dispatching.start();

  const firm = await addFirm(deps, 'Test Wealth');
  const { application } = await addApplication(deps, {
    name: 'Test CRM',
    redirectUris: ['https://crm.example/callback'],
  });
  const { clientId } = application;
  const { apiKey } = await issueApiKey(deps, clientId, unlimited);
  const token = (advisorId: number, scopes: string[] = allScopes) => issueToken(deps, { clientId, advisorId, scopes });

  async function person(name: string): Promise<Person> {
    const advisor = await addAdvisor(deps, {
      firmId: firm.firmId,
      name,
      email: `${name}@test.example`,
      textingNumber: textingNumbers[name],
      ...(carrier ? {} : { carrierId: null }),
    });
    const ownToken = renewed(() => token(advisor.advisorId));
    return {
      advisor,
      token: await ownToken(),
      call: async (method, path, body, headers = {}) =>
        inject(app, {
          method,
          url: `/v1${path}`,
          headers: { authorization: `Bearer ${await ownToken()}`, 'x-api-key': apiKey, ...headers },
          ...(body === undefined ? {} : { payload: body as object }),
        }),
    };
  }

  return {
    app,
    deps,
    database,
    clock,
    dispatcher: dispatching,
    config,
    clientId,
    apiKey,
    ann: await person('ann'),
    bob: await person('bob'),
    token,
    newKey: (plan) => issueApiKey(deps, clientId, plan),
    async close() {
      await app.close();
      await dispatching.stop();
      if (options.reserved) await reserved.end();
      await database.drop();
    },
  };
}

function connectAgain({ url }: TestDatabase, { timeoutMs = 5_000 }: DatabaseOptions = {}): Pool {
  return connect({ connectionString: url, size: 4, timeoutMs, role: appRole });
}

/** Sends one request to the app without a socket. */
export async function inject(app: App, request: InjectOptions): Promise<Answer> {
  const response = await app.inject(request);
  const headers = response.headers as Record<string, string | undefined>;
  const isJson = /json/.test(headers['content-type'] ?? '');
  return { status: response.statusCode, headers, body: isJson ? response.json() : response.body };
}

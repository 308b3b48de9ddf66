import { fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import pg from 'pg';
import { readConfig } from '../src/config.ts';
import { issueApiKey, unlimited } from '../src/domain/access/api-keys.ts';
import { addApplication } from '../src/domain/access/applications.ts';
import { allScopes } from '../src/domain/access/scopes.ts';
import { issueToken } from '../src/domain/access/tokens.ts';
import { addAdvisor } from '../src/domain/accounts/advisors.ts';
import { addFirm } from '../src/domain/accounts/firms.ts';
import { setInitialConsent } from '../src/domain/sandbox/initial-consent.ts';
import { ensureMembers } from '../src/domain/texting/recipients.ts';
import { makeLog } from '../src/log.ts';
import { type Runtime, startRuntime } from '../src/runtime.ts';
import type { EmbeddedPostgres } from '../src/store/database/embedded.ts';
import { ensureDatabase } from '../src/store/database/schema/migrate.ts';
import { postRequest } from './load.ts';
import { started } from './program.ts';
import type { Scratch } from './scratch.ts';
import type { Dispatch, Ready, Shape } from './send-server.ts';
import { say } from './tables.ts';

/** Advisors without a pace and people who have accepted, on their own database. */
export type Cast = {
  databaseUrl: string;
  /** The archive's key and its outside folder. */
  dataDir: string;
  /** As the owner, bypassing the restricted role. */
  owner: pg.Client;
  /** What the domain's functions need. */
  runtime: Runtime;
  firmId: number;
  /** Of the application that sends. */
  clientId: string;
  advisorIds: number[];
  /** One send per person, neighbors for different advisors, with tokens that last for minutes. */
  requests(): Promise<Buffer[]>;
  /** A send of this text to the first person. */
  request(text: string): Promise<Buffer>;
  firstPhone: string;
  close(): Promise<void>;
};

export type SendServer = { port: number; pid: number; stop(): Promise<void> };

export const advisorCount = 40;
export const peopleOfEach = 5;
export const firstDigits = 12_125_550_000;
export const sampleText =
  'Your annual review is due. Does Tuesday at 10 suit you? Reply with a better time if it does not.';

/** The tokens' issuer; the servers listen on any free port. */
export const publicUrl = 'http://localhost';
const program = fileURLToPath(new URL('send-server.ts', import.meta.url));
const readyMsMax = 60_000;
const stopMsMax = 30_000;
/** Tokens last 15 minutes; a load takes seconds. */
const tokensMs = 5 * 60_000;

export function phoneOf(person: number): string {
  return `+${firstDigits + person}`;
}

export async function makeCast(scratch: Scratch, embedded: Pick<EmbeddedPostgres, 'url'>, name: string): Promise<Cast> {
  await ensureDatabase(embedded.url('postgres'), name);
  const databaseUrl = embedded.url(name);
  const dataDir = join(scratch.folder, `data-${name}`);
  const settings = { DATABASE_URL: databaseUrl, PUBLIC_URL: publicUrl, ASSENT_DATA_DIR: dataDir };
  const config = readConfig({ ...settings, DATABASE_POOL_SIZE: '2' });
  const runtime = await startRuntime(config, makeLog('silent'), say);
  const connected = scratch.owns(runtime.stop);
  const owner = new pg.Client({ connectionString: databaseUrl });
  await owner.connect();
  const owned = scratch.owns(() => owner.end());

  const { firmId } = await addFirm(runtime, 'Bench Wealth');
  const application = await addApplication(runtime, { name: 'Bench CRM', redirectUris: ['https://bench.example/'] });
  const { clientId } = application.application;
  const { apiKey } = await issueApiKey(runtime, clientId, unlimited);
  const advisorIds: number[] = [];
  for (let index = 0; index < advisorCount; index++) {
    const advisor = { firmId, name: `Advisor ${index}`, email: `advisor${index}@bench.example` };
    const { advisorId } = await addAdvisor(runtime, { ...advisor, textingNumber: `+1500555${2000 + index}` });
    advisorIds.push(advisorId);
  }
  const people = Array.from({ length: advisorCount * peopleOfEach }, (_, person) => ({
    advisorId: advisorIds[person % advisorCount] as number,
    phone: phoneOf(person),
  }));
  await runtime.db.transaction((db) => ensureMembers({ ...runtime, db }, people));
  for (const advisorId of advisorIds) {
    const phones = people.filter((person) => person.advisorId === advisorId).map(({ phone }) => phone);
    await setInitialConsent(runtime, advisorId, phones, 'accepted');
  }
  await owner.query('vacuum (analyze)');

  const token = (advisorId: number) => issueToken(runtime, { clientId, advisorId, scopes: allScopes });
  let made = { at: Number.NEGATIVE_INFINITY, requests: [] as Buffer[] };

  async function makeRequests(): Promise<Buffer[]> {
    const tokens = new Map<number, string>();
    for (const advisorId of advisorIds) tokens.set(advisorId, await token(advisorId));
    return people.map(({ advisorId, phone }) =>
      requestBytes({ token: tokens.get(advisorId) ?? '', apiKey }, { phone, text: sampleText }),
    );
  }

  return {
    databaseUrl,
    dataDir,
    owner,
    runtime,
    firmId,
    clientId,
    advisorIds,
    async requests() {
      if (performance.now() > made.at + tokensMs) made = { at: performance.now(), requests: await makeRequests() };
      return made.requests;
    },
    request: async (text) =>
      requestBytes({ token: await token(advisorIds[0] as number), apiKey }, { phone: phoneOf(0), text }),
    firstPhone: phoneOf(0),
    async close() {
      await owned.stop();
      await connected.stop();
    },
  };
}

/** Adds advisors until there are that many, each with a person who has accepted. */
export async function addAdvisors(runtime: Runtime, { firmId, advisorIds }: Cast, count: number): Promise<void> {
  for (let index = advisorIds.length; index < count; index++) {
    const advisor = { firmId, name: `Advisor ${index}`, email: `advisor${index}@bench.example` };
    const { advisorId } = await addAdvisor(runtime, { ...advisor, textingNumber: null });
    const person = { advisorId, phone: phoneOf(advisorCount * peopleOfEach + index) };
    await runtime.db.transaction((db) => ensureMembers({ ...runtime, db }, [person]));
    await setInitialConsent(runtime, advisorId, [person.phone], 'accepted');
  }
}

/** A server of this shape in a separate process, which also ends with this process. */
export async function startSendServer(
  scratch: Scratch,
  { databaseUrl, dataDir }: Cast,
  shape: Shape,
  dispatch: Dispatch = 'paused',
): Promise<SendServer> {
  const { PATH, HOME, TMPDIR } = process.env;
  const settings = {
    DATABASE_URL: databaseUrl,
    PUBLIC_URL: publicUrl,
    ASSENT_DATA_DIR: dataDir,
  };
  const server = fork(program, [shape, dispatch], {
    env: { PATH, HOME, TMPDIR, ...started.environment, ...settings },
    execArgv: started.options,
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
  });
  const exited = once(server, 'exit');
  const { stop } = scratch.owns(async () => {
    const cutOff = setTimeout(() => server.kill('SIGKILL'), stopMsMax);
    if (server.connected) server.disconnect();
    await exited;
    clearTimeout(cutOff);
  });
  const died = exited.then(([code]) =>
    Promise.reject(new Error(`The server exited with ${code} before it was ready.`)),
  );
  const ready = once(server, 'message', { signal: AbortSignal.timeout(readyMsMax) });
  const [{ port }] = (await Promise.race([ready, died])) as [Ready];
  died.catch(() => {});
  return { port, pid: server.pid ?? 0, stop };
}

function requestBytes({ token, apiKey }: { token: string; apiKey: string }, message: object): Buffer {
  const headers = { authorization: `Bearer ${token}`, 'x-api-key': apiKey, 'content-type': 'application/json' };
  return postRequest('/v1/text/messaging/messages', headers, message);
}

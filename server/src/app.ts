import type { FastifyInstance } from 'fastify';
import { type Deps, onReserved } from './deps.ts';
import { callerFinder } from './domain/access/callers.ts';
import { makeLoadShedder, timeUntil } from './domain/access/load-shedder.ts';
import { poolShares } from './domain/access/pool-shares.ts';
import { type SigningKeyRing, signingKeyRing } from './domain/access/signing-keys.ts';
import { tokenVerifier } from './domain/access/tokens.ts';
import type { SharedBuckets } from './domain/ports.ts';
import { problem } from './domain/problems.ts';
import { makeCallLog } from './domain/sandbox/call-log.ts';
import { type FairQueue, makeFairQueue } from './domain/shared/fair-queue.ts';
import { addAdvisorApi, type OwnAdmission } from './http/advisor/api/routes.ts';
import { addAdvisorPages } from './http/advisor/routes.ts';
import { visits } from './http/advisor/visits.ts';
import { addWebPages } from './http/app/web-pages.ts';
import { browserSecrets } from './http/browser/browser-secrets.ts';
import { sendUnknownPath } from './http/browser/failures.ts';
import { errorPage } from './http/browser/page.ts';
import { addPages } from './http/browser/public-pages.ts';
import type { CarrierStatuses } from './http/carrier-metrics.ts';
import { addCarrierCalls } from './http/carriers/calls.ts';
import { addConsole } from './http/console/routes.ts';
import { addGuides } from './http/docs/guides-page.ts';
import { addRoutes } from './http/door/door.ts';
import { makeLongWork } from './http/door/long-work.ts';
import { makeServer } from './http/door/server.ts';
import { addHealth } from './http/health.ts';
import { addMetrics } from './http/metrics.ts';
import { addOAuth } from './http/oauth.ts';
import { serveDocument } from './http/openapi/partner.ts';
import { routes } from './http/partner/routes.ts';
import { addReferencePage } from './http/reference/reference-page.ts';
import { recordCalls, recordedClasses } from './http/sandbox/call-recorder.ts';
import { credentialsBar } from './http/sandbox/credentials.ts';
import type { SandboxWork } from './http/sandbox/own-routes.ts';
import { addSandbox } from './http/sandbox/routes.ts';
import type { Log } from './log.ts';
import { oauthServer } from './oauth/server.ts';
import type { Pool } from './store/database/db.ts';

/** What is around the app, besides what its routes work with. */
export type AppContext = SandboxWork & {
  pool: Pool;
  log: Log;
  /** How the carriers do that this process hands texts to. */
  carrierStatuses?: CarrierStatuses;
  /** The buckets of usage plans, if processes share them. */
  buckets?: SharedBuckets | null;
};
const revocationsAtOnce = 2;

export type App = FastifyInstance;

/** The whole server, ready to listen. Tests inject requests into it. */
export async function buildApp(deps: Deps & AppContext): Promise<App> {
  const { config, log, sandboxClock } = deps;
  const isSandbox = config.environment === 'sandbox';
  const calls = makeCallLog();
  const app = makeServer({
    ...config,
    log,
    sendPage: sendUnknownPath,
    ...(isSandbox && { classes: recordedClasses, addFirst: (app) => recordCalls(app, calls) }),
  });
  const shedder = makeLoadShedder(config.requestsMax, timeUntil(deps.signals.stopping.signal));
  // At the root, so that they also count requests that no route answers.
  addMetrics(app, deps, { ...deps, shedder });
  serveDocument(app, config, routes);
  await app.register(async (scope) => {
    // An API that is busy is not an API that is down.
    addHealth(scope, onReserved(deps));
    addPages(scope, config.environment);
    addGuides(scope, config);
    addReferencePage(scope, config.environment === 'sandbox' ? credentialsBar(deps) : undefined);
    // One key ring for both, so that this node verifies what it signs.
    const keys = signingKeyRing(deps);
    const verify = tokenVerifier(deps, keys);
    const share = poolShares(deps.db, config.databasePoolSize);
    const longWork = makeLongWork();
    const queues = {
      // Anyone may ask for these, signed in or not: a flood of them must leave connections for the API …
      visits: visitorsQueue(Math.max(1, Math.floor(config.databasePoolSize / 2))),
      // … and must not keep anyone from ending an application's access.
      revocations: visitorsQueue(revocationsAtOnce),
    };
    addAuthorizationServer(scope, deps, keys, { share, longWork, shedder, queues });
    addConsole(scope, deps, { share, longWork, visits: queues.visits });
    addWebPages(scope, config);
    const { buckets } = deps;
    addRoutes(scope, deps, { findCaller: callerFinder(deps, verify), share, longWork, shedder, buckets }, routes);
    addCarrierCalls(scope, deps);
    if (isSandbox && sandboxClock) addSandbox(scope, deps, sandboxClock, { ...deps, calls });
  });
  await app.ready();
  return app;
}

/** For a process that only works: how it does, and nothing else. */
export async function buildWorkApp(deps: Deps & AppContext): Promise<App> {
  const { config, log } = deps;
  const app = makeServer({ ...config, log });
  addMetrics(app, deps, deps);
  await app.register(async (scope) => addHealth(scope, onReserved(deps)));
  await app.ready();
  return app;
}

function addAuthorizationServer(
  scope: App,
  deps: Deps & AppContext,
  keys: SigningKeyRing,
  { queues, ...admission }: OwnAdmission & { queues: Record<'visits' | 'revocations', FairQueue> },
): void {
  const { config, log } = deps;
  const server = oauthServer(deps, {
    keys,
    log,
    errorPage: (failed) => errorPage(failed, config),
    browsers: browserSecrets(config.publicUrl),
  });
  addOAuth(scope, server, queues);
  addAdvisorPages(scope, deps, server, queues);
  addAdvisorApi(scope, visits(deps), admission, routes);
}

/** Nobody has all of its places: whatever holds one visitor's, the others still get in. */
function visitorsQueue(width: number): FairQueue {
  return makeFairQueue({ width, share: Math.max(1, width - 1), tooMany });
}

function tooMany() {
  return problem('downstream_unavailable', 'Too many requests are waiting; nothing was done.');
}

import type { IncomingMessage } from 'node:http';
import Fastify, { type FastifyInstance, LogController } from 'fastify';
import type { Config } from './config.ts';
import type { Deps } from './deps.ts';
import { callerFinder } from './domain/access/callers.ts';
import { externalVerifier } from './domain/access/external-issuer.ts';
import { signingKeyRing } from './domain/access/signing-keys.ts';
import { tokenVerifier } from './domain/access/tokens.ts';
import { problem } from './domain/problems.ts';
import { addAdvisorPages } from './http/advisor/routes.ts';
import { browserSecrets } from './http/browser/browser-secrets.ts';
import { errorPage } from './http/browser/page.ts';
import { addPages } from './http/browser/public-pages.ts';
import { readRawBody } from './http/door/body.ts';
import { answerClientError, takeOverFromNode } from './http/door/client-errors.ts';
import { addRoutes } from './http/door/door.ts';
import { commonHeaders } from './http/door/headers.ts';
import { makeLane } from './http/door/lane.ts';
import { sendProblem } from './http/door/problems.ts';
import { traceIdOf } from './http/door/trace.ts';
import { requireVersion } from './http/door/version.ts';
import { addHealth } from './http/health.ts';
import { addMetrics } from './http/metrics.ts';
import { addOAuth } from './http/oauth.ts';
import { addOpenapi, document } from './http/openapi.ts';
import { routes } from './http/partner/routes.ts';
import { addSandbox } from './http/sandbox/routes.ts';
import type { Log } from './log.ts';
import { oauthServer } from './oauth/server.ts';
import type { SandboxClock } from './sandbox/sandbox-clock.ts';
import type { Pool } from './store/database/db.ts';

export type AppDeps = Deps & {
  config: Config;
  pool: Pool;
  log: Log;
  sandboxClock?: SandboxClock;
  /** Hands on what is due; whoever moves the sandbox's clock waits for it. */
  handOn?: () => Promise<void>;
};
export type App = FastifyInstance;

const headerBytesMax = 16 * 1024;
const slowClientPollMs = 500;

/** The whole server, ready to listen; tests inject into it. */
export async function buildApp(deps: AppDeps): Promise<App> {
  const { config, log } = deps;
  const { publicUrl } = config;
  let stopping = false;

  const app = Fastify({
    loggerInstance: log,
    logController: new LogController({ disableRequestLogging: true, requestIdLogLabel: 'traceId' }),
    genReqId: traceIdOf,
    requestTimeout: config.requestTimeoutMs,
    keepAliveTimeout: 72_000,
    trustProxy: config.trustedProxies.length > 0 ? config.trustedProxies : false,
    http: {
      maxHeaderSize: headerBytesMax,
      // A request without Host, which Node would answer with an empty 400, is refused below.
      requireHostHeader: false,
      // Left at its minute, Node would give the body that minute too, and look at the time only every 30 s.
      headersTimeout: config.requestTimeoutMs,
      requestTimeout: config.requestTimeoutMs,
      connectionsCheckingInterval: slowClientPollMs,
    },
    rewriteUrl: originForm,
    return503OnClosing: false,
    routerOptions: { maxParamLength: headerBytesMax },
    clientErrorHandler: answerClientError(publicUrl, log),
    frameworkErrors: (error, request, reply) => {
      reply.headers(commonHeaders(request.id));
      sendProblem(error, request, reply, publicUrl);
      request.log.info({ status: reply.statusCode, code: request.problemCode ?? undefined }, 'request');
    },
  });
  takeOverFromNode(app.server, publicUrl);

  app.decorate('beginStop', () => {
    stopping = true;
  });
  app.decorateRequest('problemCode', null);
  app.decorateRequest('caller', null);
  app.decorateRequest('leaveLane', null);
  app.removeAllContentTypeParsers();
  app.addContentTypeParser('*', (_request: unknown, stream: IncomingMessage) => readRawBody(stream));
  // The door validates by itself, in the contract's order and words; here the schemas document and serialize.
  app.setValidatorCompiler(() => () => true);
  app.setErrorHandler((error, request, reply) => sendProblem(error, request, reply, publicUrl));
  app.setNotFoundHandler(() => {
    throw problem('not_found', 'There is no such route.');
  });

  app.addHook('onRequest', async (request, reply) => {
    reply.headers(commonHeaders(request.id));
    // Here too, since the authorization server answers by itself, past onSend.
    if (stopping) reply.header('connection', 'close');
    if (request.raw.httpVersion === '1.1' && request.headers.host === undefined)
      throw problem('invalid_request', 'The Host header is missing.');
    requireVersion(request);
    if (request.is404) throw problem('not_found', 'There is no such route.');
  });
  app.addHook('onSend', async (_request, reply) => {
    if (stopping) reply.header('connection', 'close');
  });
  app.addHook('onResponse', async (request, reply) => {
    request.log.info(
      {
        method: request.is404 ? undefined : request.method,
        route: request.routeOptions.url,
        status: reply.statusCode,
        code: request.problemCode ?? undefined,
        ms: Math.round(reply.elapsedTime * 10) / 10,
        applicationId: request.caller?.applicationId,
        advisorId: request.caller?.advisorId,
      },
      'request',
    );
  });

  // At the root, where it also sees what no route answers.
  addMetrics(app, deps, deps.pool);
  await addOpenapi(app, publicUrl);
  await app.register(async (scope) => {
    addHealth(scope, deps, () => stopping);
    addPages(scope, config.environment);
    // One reading of the keys for both: what this node signs, it also verifies.
    const keys = signingKeyRing(deps);
    if (!config.oauthIssuer) {
      const server = oauthServer(deps, { keys, log, errorPage, browsers: browserSecrets(config.publicUrl) });
      const lane = makeLane(Math.max(1, Math.floor(config.databasePoolSize / 2)));
      addOAuth(scope, server, lane);
      addAdvisorPages(scope, deps, server, lane);
    }
    const verify = config.oauthIssuer ? externalVerifier(config) : tokenVerifier(deps, keys);
    addRoutes(scope, deps, callerFinder(deps, verify), routes, document);
    if (config.environment === 'sandbox' && deps.sandboxClock) addSandbox(scope, deps, deps.sandboxClock, deps.handOn);
  });
  await app.ready();
  return app;
}

/** The target without scheme and host: RFC 9112 has a server take the absolute form too. */
function originForm({ url = '/' }: { url?: string }): string {
  const [, target] = (!url.startsWith('/') && /^https?:\/\/[^/?]*(.*)$/i.exec(url)) || [];
  if (target === undefined) return url;
  return target.startsWith('/') ? target : `/${target}`;
}

declare module 'fastify' {
  interface FastifyInstance {
    /** From now on `/readyz` says no, and each answer closes its connection. */
    beginStop(): void;
  }
}

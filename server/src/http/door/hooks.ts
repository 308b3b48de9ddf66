import type { FastifyInstance, FastifyRequest } from 'fastify';
import { problem } from '../../domain/problems.ts';
import { commonHeaders, isRepeated, isSecure } from './headers.ts';
import { collectRoutes, endsWithSlash, explainNotFound } from './unknown-routes.ts';
import { requireVersion } from './version.ts';

/** Runs for every request, whichever route it is for: common headers, the first checks, a line in the log. */
export function addHooks(app: FastifyInstance, publicUrl: string): void {
  const routes = collectRoutes(app);
  let stopping = false;
  app.decorate('beginStop', () => {
    stopping = true;
  });
  app.decorate('isStopping', () => stopping);

  app.addHook('onRequest', async (request, reply) => {
    reply.headers(commonHeaders(request.id, publicUrl));
    // Here too, because the authorization server writes its own responses, which skip onSend.
    if (stopping) reply.header('connection', 'close');
    if (request.raw.httpVersion === '1.1' && request.headers.host === undefined)
      throw problem('invalid_request', 'The Host header is missing: send it.');
    if (isRepeated(request.raw, 'host'))
      throw problem('invalid_request', 'The Host header was sent twice: send it once.');
    if (isSecure(publicUrl) && cameByHttp(request))
      throw problem('invalid_request', 'The request came over http: use https.');
    requireVersion(request);
    // The router takes a trailing slash for an empty parameter.
    if (request.is404 || endsWithSlash(request)) throw explainNotFound(request, reply, routes);
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
}

/** As the proxy in front of us says. Without its word we can't tell: TLS ends there. */
function cameByHttp({ headers }: FastifyRequest): boolean {
  const last = String(headers['x-forwarded-proto'] ?? '')
    .split(',')
    .at(-1);
  return last?.trim().toLowerCase() === 'http';
}

declare module 'fastify' {
  interface FastifyInstance {
    /** From now on `/readyz` says no, and each answer closes its connection. */
    beginStop(): void;
    isStopping(): boolean;
  }
}

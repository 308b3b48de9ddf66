import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { type Problem, problem } from '../../domain/problems.ts';
import { commonHeaders, isRepeated, isSecure } from './headers.ts';
import { collectRoutes, decoded, endsWithSlash, explainNotFound } from './unknown-routes.ts';

/** Runs for every request, whichever route it is for: common headers, the first checks, a line in the log. */
export function addHooks(app: FastifyInstance, publicUrl: string): void {
  const routes = collectRoutes(app);
  let stopping = false;
  app.decorate('beginStop', () => {
    stopping = true;
  });
  app.decorate('isStopping', () => stopping);

  // Hooks with a callback: a promise for each would take longer than what most of them do.
  app.addHook('onRequest', (request, reply, next) => {
    reply.headers(commonHeaders(request.id, publicUrl));
    // Here too, because answers on the bare response skip onSend.
    if (stopping) reply.header('connection', 'close');
    const refusal = refusalOf(request, reply);
    // After Node has read on: if what follows is not HTTP, that is the response.
    if (refusal) queueMicrotask(() => next(refusal));
    else next();
  });
  app.addHook('onSend', (_request, reply, payload, next) => {
    if (stopping) reply.header('connection', 'close');
    next(null, payload);
  });

  function refusalOf(request: FastifyRequest, reply: FastifyReply): Problem | null {
    if (request.raw.httpVersion === '1.1' && request.headers.host === undefined)
      return problem('invalid_request', 'The Host header is missing: send it.');
    if (isRepeated(request.raw, 'host'))
      return problem('invalid_request', 'The Host header was sent twice: send it once.');
    if (isSecure(publicUrl) && cameByHttp(request))
      return problem('invalid_request', 'The request came over http: use https.');
    // The router takes a trailing slash for an empty parameter.
    const isUnknown = request.is404 || endsWithSlash(request);
    return versionProblem(request) ?? (isUnknown ? explainNotFound(request, reply, routes) : null);
  }
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
    /** From now on `/readyz` says no, and each response closes its connection. */
    beginStop(): void;
    isStopping(): boolean;
  }
}

export const versionsServed = ['1', 'v1', '1.0', '1.0.0'];
const versionInPath = /^\/v(\d[^/?]*)(?=[/?]|$)/i;

/** The version in the path, and in the header if it is sent, must be the one that we serve. */
function versionProblem({ raw: { url = '/' }, headers }: FastifyRequest): Problem | null {
  const inPath = url.startsWith('/v1/') ? '/v1' : versionInPath.exec(decoded(url))?.[0];
  if (inPath !== undefined && inPath !== '/v1')
    return problem('version_mismatch', `The path asks for ${inPath.slice(1, 20)}; this server serves v1.`);
  const inHeader = headers['x-api-version'];
  if (inPath !== undefined && inHeader !== undefined && !versionsServed.includes(String(inHeader)))
    return problem('version_mismatch', `X-API-Version must be one of ${versionsServed.join(', ')}, or left out.`);
  return null;
}

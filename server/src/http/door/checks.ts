import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Caller, Credentials } from '../../domain/access/callers.ts';
import type { LoadShedder } from '../../domain/access/load-shedder.ts';
import type { UsagePlans } from '../../domain/access/usage-plans.ts';
import { invalid, type ProblemCode, problem, problemCodes } from '../../domain/problems.ts';
import { isRepeated } from './headers.ts';
import { overloaded, overPlan, rateLimitHeaders } from './rate-limit.ts';
import type { Route } from './route.ts';

/** Returns if the request may go on, and throws a problem otherwise. */
export type Check = (request: FastifyRequest, reply: FastifyReply) => Promise<void>;

/** After so long a slow body, a queue or a twin in flight may have outlasted what the caller may do. */
export const heldMsMax = 100;

export function authenticate(findCaller: (credentials: Credentials) => Promise<Caller>): Check {
  return async (request) => {
    setCaller(request, await findCaller(credentialsOf(request)));
  };
}

export function setCaller(request: FastifyRequest, caller: Caller): void {
  request.caller = caller;
  request.authenticatedMs = performance.now();
}

/** Authenticates again if the request was held up since: nothing else is checked twice, so that it counts once in the usage plan. */
export function stillAllowed(authenticated: Check): Check {
  return async (request, reply) => {
    if (performance.now() - request.authenticatedMs > heldMsMax) await authenticated(request, reply);
  };
}

/** The problem that the caller asks for, so that they can test how they handle it. */
export function sandboxFault({ scope }: Route, { look }: UsagePlans): Check {
  const wouldNeed = scope === 'any' ? 'This route needs no particular scope.' : `The scope would be ${scope}.`;
  return async (request, reply) => {
    const fault = request.headers['x-sandbox-fault'];
    if (fault === undefined) return;
    reply.headers(rateLimitHeaders(await look(callerOf(request).key)));
    if (!problemCodes.some((code) => code === fault)) throw unknownFault();
    const more = fault === 'forbidden' ? ` ${wouldNeed}` : '';
    throw problem(fault as ProblemCode, `Asked for by x-sandbox-fault: ${fault}.${more} Nothing was done.`, {
      isInvalidToken: fault === 'unauthorized',
    });
  };
}

function unknownFault() {
  const message = `x-sandbox-fault must be one of ${problemCodes.join(', ')}.`;
  return invalid([{ path: '/x-sandbox-fault', rule: 'enum', message }]);
}

/** Requests that it turns away don’t count against the usage plan. */
export function room(shedder: LoadShedder, { look }: UsagePlans): Check {
  return async (request, reply) => {
    const caller = callerOf(request);
    request.leave = shedder.enter(caller);
    if (request.leave) return;
    await shedder.turnAway();
    reply.headers(rateLimitHeaders(await look(caller.key)));
    throw overloaded();
  };
}

export function usagePlan({ take }: UsagePlans): Check {
  return async (request, reply) => {
    const use = await take(callerOf(request).key);
    reply.headers(rateLimitHeaders(use));
    if (use.retryAfterSeconds !== null) throw overPlan(use, use.retryAfterSeconds);
  };
}

export function requireScope({ scope }: Route): Check {
  return async (request) => {
    if (scope !== 'any' && !callerOf(request).scopes.has(scope))
      throw problem('forbidden', `The access token lacks the scope ${scope}: request a token with that scope.`, {
        details: { scope },
      });
  };
}

export function callerOf(request: FastifyRequest): Caller {
  if (!request.caller) throw new Error('The request has not been authenticated.');
  return request.caller;
}

declare module 'fastify' {
  interface FastifyRequest {
    caller: Caller | null;
    /** When its caller was known, by performance.now(). */
    authenticatedMs: number;
    /** Gives its place to another request, and may be called more than once. */
    leave: (() => void) | null;
    /** Its response waits for something to happen, so how long it takes says nothing. */
    waits: boolean;
  }
}

/** The request's two credentials. */
function credentialsOf(request: FastifyRequest): Credentials {
  if (isRepeated(request.raw, 'authorization'))
    throw problem('unauthorized', 'The Authorization header was sent twice: send one access token.', {
      isInvalidToken: true,
    });
  const { authorization = '' } = request.headers;
  const [, accessToken] = /^Bearer +([^\s]+) *$/i.exec(authorization) ?? [];
  if (accessToken) return { accessToken, apiKey: apiKeyOf(request) };
  const what = authorization === '' ? 'The access token is missing' : 'The Authorization header has no access token';
  throw problem('unauthorized', `${what}: send Authorization: Bearer <token>.`, {
    isInvalidToken: /^Bearer +\S/i.test(authorization),
  });
}

export function apiKeyOf(request: FastifyRequest): string {
  const apiKey = request.headers['x-api-key'];
  if (typeof apiKey !== 'string' || apiKey === '')
    throw problem('unauthorized', 'The API key is missing: send x-api-key: <key>.');
  // Node joins two headers with a comma, which no key contains.
  if (apiKey.includes(',') && isRepeated(request.raw, 'x-api-key'))
    throw problem('unauthorized', 'The x-api-key header was sent twice: send one API key.');
  return apiKey;
}

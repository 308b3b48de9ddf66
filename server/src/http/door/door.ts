import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Deps } from '../../deps.ts';
import type { Caller, Credentials } from '../../domain/access/callers.ts';
import { idempotency } from '../../domain/access/idempotency.ts';
import type { LoadShedder } from '../../domain/access/load-shedder.ts';
import type { PoolShares } from '../../domain/access/pool-shares.ts';
import { usagePlans } from '../../domain/access/usage-plans.ts';
import type { SharedBuckets } from '../../domain/ports.ts';
import { requireRightTime } from '../../domain/shared/database-clock.ts';
import { authenticate, type Check, requireScope, room, sandboxFault, usagePlan } from './checks.ts';
import type { LongWork } from './long-work.ts';
import { sendProblem } from './problems.ts';
import { responder } from './responses.ts';
import type { Route } from './route.ts';
import { makeWaitingRoom } from './waiting-room.ts';

/** How the door learns who calls, and what of the database their key may use. */
type Admission = {
  findCaller(credentials: Credentials): Promise<Caller>;
  share: PoolShares;
  longWork: LongWork;
  shedder: LoadShedder;
  buckets?: SharedBuckets | null;
};

/**
 * The door that every `/v1` request passes, in the documented order: version and route (hooks.ts), both credentials, a
 * sandbox fault, room, the usage plan, the scope; then, with the body read, an idempotent replay, type, size and schema; then
 * the domain. Fastify finds the route and writes problems; everything in between is here, because its own hooks, parsers and
 * replies would take as long again.
 */
export function addRoutes(app: FastifyInstance, deps: Deps, admission: Admission, routes: Route[]): void {
  const { findCaller, share, longWork, shedder, buckets } = admission;
  const isSandbox = deps.config.environment === 'sandbox';
  const plans = usagePlans(deps, buckets);
  const authenticated = authenticate((credentials) =>
    // In its place: a clock that is wrong takes a token that is good for one that isn't.
    findCaller(credentials).finally(() => requireRightTime(deps)),
  );
  const turnOf = ({ key }: Caller) => String(key.keyId);
  const respondOnce = idempotency();
  const responses = { deps, share, turnOf, respondOnce, room: makeWaitingRoom(), longWork, authenticated };

  for (const row of routes) {
    const checks = [
      authenticated,
      ...(isSandbox ? [sandboxFault(row, plans)] : []),
      room(shedder, plans),
      usagePlan(plans),
      requireScope(row),
    ];
    addPassage(app, { ...row, path: `/v1${row.path}` }, checks, responder(row, responses));
  }
}

/** A route whose request passes the checks, one after the other, and is then answered. */
export function addPassage(
  app: FastifyInstance,
  { method, path }: Pick<Route, 'method' | 'path'>,
  checks: Check[],
  response: Check,
): void {
  async function pass(request: FastifyRequest, reply: FastifyReply): Promise<void> {
    try {
      for (const check of checks) await check(request, reply);
      await response(request, reply);
    } catch (error) {
      sendProblem(error, request, reply);
    } finally {
      request.leave?.();
    }
  }

  app.route({
    method,
    url: path,
    // It never calls the third parameter, so nothing comes after it.
    onRequest: (request, reply, _next) => void pass(request, reply),
    handler: () => {},
  });
}

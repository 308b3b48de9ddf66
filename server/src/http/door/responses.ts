import type { OutgoingHttpHeaders } from 'node:http';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { TSchema } from 'typebox';
import type { Deps } from '../../deps.ts';
import { actFor, byCaller, type Caller } from '../../domain/access/callers.ts';
import type { idempotency, WorkResult } from '../../domain/access/idempotency.ts';
import type { PoolShares } from '../../domain/access/pool-shares.ts';
import { fingerprintOf, jsonIn, parseBody, type RawBody, readRawBody } from './body.ts';
import { type Check, callerOf, stillAllowed } from './checks.ts';
import { inputValidator, isIdempotencyKey } from './input.ts';
import type { LongWork } from './long-work.ts';
import type { Input, Route } from './route.ts';
import type { WaitingRoom } from './waiting-room.ts';

const shortBytesMax = 1_000;

type ResponseContext = {
  deps: Deps;
  share: PoolShares;
  /** Who takes turns for the database: an API key, or an advisor in their own app. */
  turnOf(caller: Caller): string;
  respondOnce: ReturnType<typeof idempotency>;
  room: WaitingRoom;
  longWork: LongWork;
  /** Authenticates again after a wait: access may have ended meanwhile. */
  authenticated: Check;
};

/** Does the row's work and answers. With an Idempotency-Key it runs once, and a repeat gets the same response. */
export function responder(
  row: Route,
  { deps: all, share, turnOf, respondOnce, room, longWork, authenticated }: ResponseContext,
) {
  const validate = inputValidator(row);
  const noBody = Promise.resolve(Buffer.alloc(0));
  const admit = stillAllowed(authenticated);

  return async (request: FastifyRequest, reply: FastifyReply): Promise<void> => {
    // Without a schema nothing is read: Node discards it.
    const body = await (row.body ? readRawBody(request.raw) : noBody);
    await admit(request, reply);
    const exchange = { request, reply, body };
    const act = (deps: Deps) =>
      row.method === 'GET' ? respond(deps, exchange) : actFor(all, callerOf(request), () => respond(deps, exchange));
    const { advisorId } = callerOf(request);
    await (isLong(body) ? longWork(all, { reply, who: `advisor ${advisorId}` }, act) : act(all));
  };

  function isLong(body: RawBody): boolean {
    if (typeof row.isLong !== 'function') return row.isLong === true;
    // Fewer bytes have no hundred numbers.
    return body !== 'too large' && body.length > shortBytesMax && row.isLong(jsonIn(body));
  }

  async function respond(given: Deps, { request, reply, body }: Exchange): Promise<void> {
    const caller = callerOf(request);
    const { advisorId, applicationId } = caller;
    const deps = { ...given, db: share(turnOf(caller), row.cost ?? 1, () => admit(request, reply)) };
    const key = row.method === 'POST' ? request.headers['idempotency-key'] : undefined;
    if (!isIdempotencyKey(key)) return send(reply, (await perform(deps, { request, reply, body })).response);
    const { response, replayed } = await respondOnce(
      deps,
      { advisorId, applicationId, method: row.method, path: pathOf(request), key },
      fingerprintOf(body),
      {
        run: (deps) => perform(deps, { request, reply, body }),
        together: row.together ?? false,
      },
    ).catch((refused) => {
      // Only a replay comes before the body's type and size: that it differs from the first comes after.
      if (row.body) parseBody(body, request.headers);
      throw refused;
    });
    if (replayed) {
      await admit(request, reply);
      reply.header('idempotent-replayed', 'true');
    }
    send(reply, response);
  }

  async function perform(deps: Deps, { request, reply, body }: Exchange): Promise<WorkResult> {
    await admit(request, reply);
    const caller = callerOf(request);
    const { advisorId, key, scopes } = caller;
    const input = validate(request, body);
    const waits = asksToWait(input);
    request.waits = waits;
    const leave = waits ? room.enter(key.keyId) : null;
    // A request that only waits doesn't hold a slot.
    if (leave) request.leave?.();
    const by = byCaller(caller, request.id);
    const result = await row
      .handler(deps, advisorId, waits && !leave ? atOnce(input) : input, by, scopes)
      .finally(leave ?? undefined);
    if (waits) await authenticated(request, reply);
    const tookEffect = row.tookEffect?.(result) ?? true;
    if (!row.response || result === undefined) return { response: { status: 204, body: '' }, tookEffect };
    return { response: { status: 200, body: write(result, row.response, reply) }, tookEffect };
  }

  /** By the row's own shape: a field that it doesn't list can't leak. Fastify compiles it at the first use and keeps it. */
  function write(result: unknown, response: TSchema, reply: FastifyReply): string {
    if (row.write) return row.write(result);
    return String(reply.serializeInput(result as Record<string, unknown>, response as Record<string, unknown>));
  }
}

type Exchange = { request: FastifyRequest; reply: FastifyReply; body: RawBody };

function asksToWait({ query }: Input): boolean {
  return Boolean((query as { wait?: number } | undefined)?.wait);
}

/** The same request without `wait`. */
function atOnce(input: Input): Input {
  return { ...input, query: { ...(input.query as object), wait: 0 } };
}

/** The route with its parameters, however the path was spelled: %6dessages is messages. */
function pathOf({ routeOptions, params }: FastifyRequest): string {
  const values = params as Record<string, string>;
  return (routeOptions.url ?? '').replace(/:(\w+)/g, (_, name) => encodeURIComponent(values[name] ?? ''));
}

/** On the bare response: nothing of ours changes a response that is ready. */
function send(reply: FastifyReply, { status, body }: WorkResult['response']): void {
  const headers = reply.getHeaders();
  if (reply.server.isStopping()) headers.connection = 'close';
  if (status !== 204) {
    headers['content-type'] = 'application/json; charset=utf-8';
    headers['content-length'] = Buffer.byteLength(body);
  }
  reply.hijack();
  reply.raw.writeHead(status, headers as OutgoingHttpHeaders).end(body);
}

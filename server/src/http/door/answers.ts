import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Deps } from '../../deps.ts';
import type { idempotency } from '../../domain/access/idempotency.ts';
import type { PoolShares } from '../../domain/access/pool-shares.ts';
import { byApplication } from '../../domain/archive/archive.ts';
import type { Problem } from '../../domain/problems.ts';
import { fingerprintOf } from './body.ts';
import { callerOf } from './checks.ts';
import { inputValidator, isIdempotencyKey, rawBody } from './input.ts';
import { instanceOf, type ProblemBody, problemBody, problemType } from './problems.ts';
import type { Input, Route } from './route.ts';
import type { WaitingRoom } from './waiting-room.ts';

/** The answer to a request. With an Idempotency-Key it is stored. */
type Answer = { status: number; body: string };

type Answering = {
  deps: Deps;
  share: PoolShares;
  answerOnce: ReturnType<typeof idempotency>;
  room: WaitingRoom;
};

/** The row's handler as Fastify calls it. With an Idempotency-Key it runs once, and a repeat gets the same answer. */
export function answerer(row: Route, { deps: all, share, answerOnce, room }: Answering) {
  const validate = inputValidator(row);

  return async (request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> => {
    const { advisorId, applicationId, key: apiKey } = callerOf(request);
    const deps = { ...all, db: share(apiKey.keyId, row.cost ?? 1) };
    const key = row.method === 'POST' ? request.headers['idempotency-key'] : undefined;
    if (!isIdempotencyKey(key)) return send(reply, await perform(deps, request, reply));
    const { answer, replayed } = await answerOnce(
      deps,
      { advisorId, applicationId, method: row.method, path: pathOf(request), key },
      fingerprintOf(rawBody(request)),
      {
        run: (deps) => perform(deps, request, reply),
        refuse: (refused) => refusal(refused, request),
        together: row.together ?? false,
      },
    );
    if (replayed) reply.header('idempotent-replayed', 'true');
    return send(reply, answer);
  };

  async function perform(deps: Deps, request: FastifyRequest, reply: FastifyReply): Promise<Answer> {
    const { advisorId, applicationId, key } = callerOf(request);
    const input = validate(request);
    const leave = asksToWait(input) ? room.enter(key.keyId) : null;
    const result = await row
      .handler(deps, advisorId, leave ? input : atOnce(input), byApplication(applicationId, request.id))
      .finally(leave ?? undefined);
    if (!row.answer) return { status: 204, body: '' };
    // By the row's own shape: a field that it doesn't list can't leak.
    return {
      status: 200,
      body: String(reply.serializeInput(result as Record<string, unknown>, '200', 'application/json')),
    };
  }

  function refusal(refused: Problem, request: FastifyRequest): Answer {
    const occurrence = { publicUrl: all.config.publicUrl, instance: instanceOf(request), traceId: request.id };
    return { status: refused.status, body: JSON.stringify(problemBody(refused, occurrence)) };
  }
}

function asksToWait({ query }: Input): boolean {
  return Boolean((query as { wait?: number } | undefined)?.wait);
}

/** The same request without `wait`. */
function atOnce(input: Input): Input {
  return asksToWait(input) ? { ...input, query: { ...(input.query as object), wait: 0 } } : input;
}

/** The route with its parameters, however the path was spelled: %6dessages is messages. */
function pathOf({ routeOptions, params }: FastifyRequest): string {
  const values = params as Record<string, string>;
  return (routeOptions.url ?? '').replace(/:(\w+)/g, (_, name) => encodeURIComponent(values[name] ?? ''));
}

function send(reply: FastifyReply, { status, body }: Answer): FastifyReply {
  if (status >= 400) return sendRefusal(reply, status, JSON.parse(body));
  if (status === 204) return reply.code(204).send();
  return reply.code(status).header('content-type', 'application/json; charset=utf-8').send(body);
}

/** A stored problem may come from an earlier request. The trace id is this request's, as in the header and the log. */
function sendRefusal(reply: FastifyReply, status: number, refused: ProblemBody): FastifyReply {
  reply.request.problemCode = refused.code;
  const body = JSON.stringify({ ...refused, traceId: reply.request.id });
  return reply.code(status).header('content-type', problemType).send(body);
}

import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Static, TSchema } from 'typebox';
import type { Deps } from '../../deps.ts';
import type { Caller, Credentials } from '../../domain/access/callers.ts';
import { idempotency } from '../../domain/access/idempotency.ts';
import type { Scope } from '../../domain/access/scopes.ts';
import { usagePlans } from '../../domain/access/usage-plans.ts';
import { type By, byApplication } from '../../domain/archive/archive.ts';
import { invalid, type Problem, type ProblemCode, problem, problemCodes } from '../../domain/problems.ts';
import { type Validated, validator } from '../../schemas/shared/validate.ts';
import { credentialsOf } from './authenticate.ts';
import { fingerprintOf, parseBody, type RawBody } from './body.ts';
import { instanceOf, type ProblemBody, problemBody, problemType } from './problems.ts';
import { parseQuery, withIntegers } from './query.ts';
import { overPlan, rateLimitHeaders } from './rate-limit.ts';

/** One endpoint of the contract: a row of http/partner/routes.ts. */
export type Route = {
  method: 'GET' | 'POST' | 'PUT' | 'DELETE';
  path: string;
  /** The scope it needs, or `any`: both credentials and no particular scope. */
  scope: Scope | 'any';
  summary: string;
  description?: string;
  params?: TSchema;
  query?: TSchema;
  body?: TSchema;
  /** The shape of the 200; without it the answer is 204. */
  answer?: TSchema;
  /** The problems of its own, beside those that every route can answer. */
  problems: ProblemCode[];
  /** Many of them can share a transaction: see domain/access/idempotency.ts. */
  together?: true;
  handler: Handler;
};

/** What the schemas parsed; which of the three there are, and their types, the row says. */
export type Input = { params: unknown; query: unknown; body: unknown };
type Handler = (deps: Deps, advisorId: number, input: Input, by: By) => Promise<unknown>;

type Parsed<Schema> = Schema extends TSchema ? Static<Schema> : undefined;

/** A row of the table, its handler typed by its schemas. */
export function route<P extends TSchema | undefined, Q extends TSchema | undefined, B extends TSchema | undefined>(
  row: Omit<Route, 'params' | 'query' | 'body' | 'handler'> & {
    params?: P;
    query?: Q;
    body?: B;
    handler(
      deps: Deps,
      advisorId: number,
      input: { params: Parsed<P>; query: Parsed<Q>; body: Parsed<B> },
      by: By,
    ): Promise<unknown>;
  },
): Route {
  return row as Route;
}

const idempotencyKeyLengthMax = 255;
const brokenIdempotencyKey = {
  path: '/Idempotency-Key',
  rule: 'length',
  message: `Idempotency-Key must have 1 to ${idempotencyKeyLengthMax} characters.`,
};

/**
 * The door that every `/v1` request passes, in the order of the decisions: version and route (app.ts), both
 * credentials, a sandbox fault, the usage plan, the scope; then, with the body read, an idempotent replay, type, size
 * and schema; then the domain.
 */
export function addRoutes(
  app: FastifyInstance,
  deps: Deps,
  findCaller: (credentials: Credentials) => Promise<Caller>,
  routes: Route[],
  document: (row: Route) => object,
): void {
  const takeFromPlan = usagePlans(deps);
  const answerOnce = idempotency(deps);

  for (const row of routes) {
    if (!row.scope) throw new Error(`${row.method} ${row.path} declares no scope.`);
    const validate = inputValidator(row);

    app.route({
      method: row.method,
      url: `/v1${row.path}`,
      schema: document(row),
      onRequest: [authenticate, sandboxFault, usagePlan, scope, ...(row.body ? [] : [ignoreContentType])],
      handler: answer,
    });

    async function authenticate(request: FastifyRequest): Promise<void> {
      request.caller = await findCaller(credentialsOf(request));
    }

    async function sandboxFault(request: FastifyRequest): Promise<void> {
      const fault = request.headers['x-sandbox-fault'];
      if (fault === undefined || deps.config.environment !== 'sandbox') return;
      if (problemCodes.some((code) => code === fault))
        throw problem(fault as ProblemCode, faultDetail(fault as ProblemCode));
      const rule = {
        path: '/x-sandbox-fault',
        rule: 'enum',
        message: `x-sandbox-fault must be one of ${problemCodes.join(', ')}.`,
      };
      throw invalid([rule]);
    }

    function faultDetail(fault: ProblemCode): string {
      const scope = fault === 'forbidden' ? ` The scope would be ${row.scope}.` : '';
      return `Asked for by x-sandbox-fault: ${fault}.${scope} Nothing was done.`;
    }

    async function usagePlan(request: FastifyRequest, reply: FastifyReply): Promise<void> {
      const use = await takeFromPlan(callerOf(request).key);
      reply.headers(rateLimitHeaders(use));
      if (use.retryAfterSeconds !== null) throw overPlan(use.retryAfterSeconds);
    }

    async function scope(request: FastifyRequest): Promise<void> {
      if (row.scope !== 'any' && !callerOf(request).scopes.has(row.scope))
        throw problem('forbidden', `The access token lacks the scope ${row.scope}.`, { details: { scope: row.scope } });
    }

    /** Where no body is wanted its type doesn't matter; of a garbled one, which Fastify refuses, not even the form. */
    async function ignoreContentType(request: FastifyRequest): Promise<void> {
      delete request.raw.headers['content-type'];
    }

    async function answer(request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
      const key = row.method === 'POST' ? request.headers['idempotency-key'] : undefined;
      if (!isIdempotencyKey(key)) return send(reply, await perform(deps, request, reply));
      const { advisorId, applicationId } = callerOf(request);
      const { answer, replayed } = await answerOnce(
        { advisorId, applicationId, method: row.method, path: instanceOf(request), key },
        fingerprintOf(rawBody(request)),
        {
          run: (inTransaction) => perform(inTransaction, request, reply),
          refuse: (refused) => refusal(refused, request),
          together: row.together ?? false,
        },
      );
      if (replayed) reply.header('idempotent-replayed', 'true');
      return send(reply, answer);
    }

    async function perform(within: Deps, request: FastifyRequest, reply: FastifyReply): Promise<Answer> {
      const { advisorId, applicationId } = callerOf(request);
      const result = await row.handler(within, advisorId, validate(request), byApplication(applicationId, request.id));
      if (!row.answer) return { status: 204, body: '' };
      // By the row's own shape: what it doesn't list can't leak out.
      return {
        status: 200,
        body: String(reply.serializeInput(result as Record<string, unknown>, '200', 'application/json')),
      };
    }

    function refusal(refused: Problem, request: FastifyRequest): Answer {
      const occurrence = { publicUrl: deps.config.publicUrl, instance: instanceOf(request), traceId: request.id };
      return { status: refused.status, body: JSON.stringify(problemBody(refused, occurrence)) };
    }
  }
}

/** The answer to a request, and what is kept of it with an Idempotency-Key. */
type Answer = { status: number; body: string };

function send(reply: FastifyReply, { status, body }: Answer): FastifyReply {
  if (status >= 400) return sendRefusal(reply, status, JSON.parse(body));
  if (status === 204) return reply.code(204).send();
  return reply.code(status).header('content-type', 'application/json; charset=utf-8').send(body);
}

/** A problem that was kept, of another request perhaps: the trace is this one's, as in the header and the log. */
function sendRefusal(reply: FastifyReply, status: number, refused: ProblemBody): FastifyReply {
  reply.request.problemCode = refused.code;
  const body = JSON.stringify({ ...refused, traceId: reply.request.id });
  return reply.code(status).header('content-type', problemType).send(body);
}

/** Path, query and body by the row's schemas, and the Idempotency-Key: every broken rule of them all at once. */
function inputValidator(row: Route): (request: FastifyRequest) => Input {
  const [params, query, body] = [row.params, row.query, row.body].map((schema) => schema && validator(schema));
  return (request) => {
    const parsed = body && parseBody(rawBody(request), request.headers);
    const asked = parseQuery(request.raw.url ?? '', row.query);
    const results = {
      params: params?.(withIntegers(row.params as TSchema, request.params as Record<string, unknown>)),
      query: query?.(withIntegers(row.query as TSchema, asked)),
      body: body?.(parsed),
    };
    const broken = Object.values(results).flatMap((result) => (result && 'broken' in result ? result.broken : []));
    const key = request.headers['idempotency-key'];
    if (row.method === 'POST' && key !== undefined && !isIdempotencyKey(key)) broken.push(brokenIdempotencyKey);
    if (broken.length > 0) throw invalid(broken);
    return { params: parsedBy(results.params), query: parsedBy(results.query), body: parsedBy(results.body) };
  };
}

function parsedBy(result: Validated<unknown> | undefined): unknown {
  return result && 'value' in result ? result.value : undefined;
}

function isIdempotencyKey(key: unknown): key is string {
  return typeof key === 'string' && key !== '' && key.length <= idempotencyKeyLengthMax;
}

function callerOf(request: FastifyRequest): Caller {
  if (!request.caller) throw new Error('The request has not passed the door.');
  return request.caller;
}

function rawBody(request: FastifyRequest): RawBody {
  return (request.body as RawBody | undefined) ?? Buffer.alloc(0);
}

declare module 'fastify' {
  interface FastifyRequest {
    caller: Caller | null;
  }
}

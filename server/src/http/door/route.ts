import type { TSchema } from 'typebox';
import type { Deps } from '../../deps.ts';
import type { Scope } from '../../domain/access/scopes.ts';
import type { By } from '../../domain/archive/archive.ts';
import type { ProblemCode } from '../../domain/problems.ts';
import type { ValueOf } from '../../schemas/shared/validate.ts';

/** An endpoint with its place: a line of http/partner/routes.ts, or of the app's own. */
export type Route = Endpoint & {
  method: 'GET' | 'POST' | 'PUT' | 'DELETE';
  path: string;
  /** The scope it needs, or `any`: both credentials and no particular scope. */
  scope: Scope | 'any';
};

/** What openapi.json says of an endpoint of the contract, besides its shapes. */
type Documentation = {
  summary: string;
  description?: string;
  /** Its own problems, in addition to those that every route can answer. */
  problems: ProblemCode[];
};

export type PartnerEndpoint = Endpoint & Documentation;
export type PartnerRoute = Route & Documentation;

/** What an endpoint takes, does and answers. */
export type Endpoint = {
  params?: TSchema;
  query?: TSchema;
  body?: TSchema;
  /** The shape of the 200. Without it, or a result, the response is 204. */
  response?: TSchema;
  /**
   * The handler lists every field of the response, in the order of its shape, so that no other can leak. This writes it: V8 does so in
   * a third of the time.
   */
  write?(result: unknown): string;
  /** How many connections one of its queries counts for in its key's share of the pool; 1 if it is a short one. */
  cost?: number;
  /** Whether it is about more than a hundred people or rows, or much text: http/door/long-work.ts. */
  isLong?: true | ((body: unknown) => boolean);
  /** Many of these requests can share a transaction: see domain/access/idempotency.ts. */
  together?: true;
  /** Whether this response did anything; one that didn't leaves its Idempotency-Key unspent. */
  tookEffect?(result: unknown): boolean;
  handler: Handler;
};

/** The input as parsed. The endpoint's schemas say which of the three exist, and their types. */
export type Input = { params: unknown; query: unknown; body: unknown };
type Handler = (deps: Deps, advisorId: number, input: Input, by: By, scopes: ReadonlySet<string>) => Promise<unknown>;

/** Its types follow from the schemas, never the other way: to infer a schema, the compiler would go through all that there can be. */
export type ParsedInput<P, Q, B> = NoInfer<{ params: ValueOf<P>; query: ValueOf<Q>; body: ValueOf<B> }>;

/** One of the app's own: its types are the app's, too. */
export type OwnEndpoint<Result = unknown, Body = unknown> = Omit<Endpoint, 'handler'> & {
  handler(...given: Parameters<Handler>): Promise<Result>;
  /** Only a type: what it takes. */
  takes?: Body;
};

type Details<P, Q, B, Result> = Omit<Endpoint, 'params' | 'query' | 'body' | 'handler'> & {
  params?: P;
  query?: Q;
  body?: B;
  handler(
    deps: Deps,
    advisorId: number,
    input: ParsedInput<P, Q, B>,
    by: By,
    /** Those of the access token. */
    scopes: ReadonlySet<string>,
  ): Promise<Result>;
};
type Shape = TSchema | undefined;

/** Its schemas give its handler's types. One of the app's own is in no document. */
export function endpoint<P extends Shape, Q extends Shape, B extends Shape>(
  details: Details<P, Q, B, unknown> & Documentation,
): PartnerEndpoint;
export function endpoint<P extends Shape, Q extends Shape, B extends Shape, Result>(
  details: Details<P, Q, B, Result>,
): OwnEndpoint<Result, ValueOf<B>>;
export function endpoint(details: object): object {
  return details;
}

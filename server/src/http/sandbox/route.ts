import type { FastifyInstance } from 'fastify';
import type { TSchema } from 'typebox';
import { type ValueOf, valid, validator } from '../../schemas/shared/validate.ts';
import { parseBody, type RawBody } from '../door/body.ts';

/** One of the sandbox's own endpoints. They need the API key alone. */
export type SandboxRoute = {
  method: 'GET' | 'POST';
  path: string;
  params?: TSchema;
  body?: TSchema;
  response?: TSchema;
  /** 200 by default if there is a response, and otherwise 204. */
  status?: number;
  handler(input: { params: unknown; body: unknown }): Promise<unknown>;
};

/** A row of their tables. Its schemas give its handler's types. */
export function sandboxRoute<P extends TSchema | undefined, B extends TSchema | undefined>(
  row: Omit<SandboxRoute, 'params' | 'body' | 'handler'> & {
    params?: P;
    body?: B;
    handler(input: NoInfer<{ params: ValueOf<P>; body: ValueOf<B> }>): Promise<unknown>;
  },
): SandboxRoute {
  return row as SandboxRoute;
}

export function addSandboxRoute(app: FastifyInstance, row: SandboxRoute): void {
  const { method, path: url, response, status = response ? 200 : 204, handler } = row;
  const [params, body] = [row.params, row.body].map((schema) => schema && validator(schema));
  app.route({
    method,
    url,
    schema: { response: response ? { [status]: response } : {} },
    handler: async (request, reply) => {
      const input = {
        params: params && valid(params(request.params)),
        body: body && valid(body(parseBody(request.body as RawBody, request.headers))),
      };
      return reply.code(status).send(await handler(input));
    },
  });
}

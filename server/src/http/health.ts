import type { FastifyInstance } from 'fastify';
import type { Deps } from '../deps.ts';
import { isReady } from '../domain/shared/readiness.ts';

/** `/healthz` is 200 while the process lives; `/readyz` is 200 while it can serve and isn't stopping. */
export function addHealth(app: FastifyInstance, deps: Deps): void {
  app.get('/healthz', { schema: { hide: true } }, async () => ({ status: 'ok' }));
  app.get('/readyz', { schema: { hide: true } }, async (_request, reply) => {
    const status = app.isStopping() ? 'stopping' : (await isReady(deps)) ? 'ready' : 'database unreachable';
    return reply.code(status === 'ready' ? 200 : 503).send({ status });
  });
}

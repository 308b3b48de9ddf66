import type { FastifyInstance } from 'fastify';
import type { Deps } from '../deps.ts';
import { isReady } from '../domain/shared/readiness.ts';

/** `/healthz` while the process lives; `/readyz` while it can serve, and not once it is stopping. */
export function addHealth(app: FastifyInstance, deps: Deps, isStopping: () => boolean): void {
  app.get('/healthz', { schema: { hide: true } }, async () => ({ status: 'ok' }));
  app.get('/readyz', { schema: { hide: true } }, async (_request, reply) => {
    const status = isStopping() ? 'stopping' : (await isReady(deps)) ? 'ready' : 'database unreachable';
    return reply.code(status === 'ready' ? 200 : 503).send({ status });
  });
}

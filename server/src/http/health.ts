import type { FastifyInstance } from 'fastify';
import type { Deps } from '../deps.ts';
import { archiveHealth } from '../domain/archive/archive-status.ts';
import { readiness } from '../domain/shared/readiness.ts';

/**
 * `/healthz` is 200 while the process lives; `/readyz` is 200 while it can serve and isn't stopping. Something wrong with
 * the archive is shown but takes no traffic away: texts and opt-outs must get through, and each is recorded.
 */
export function addHealth(app: FastifyInstance, deps: Deps): void {
  const isReady = readiness(deps);
  app.get('/healthz', async () => ({ status: 'ok' }));
  app.get('/readyz', async (_request, reply) => {
    const status = app.isStopping() ? 'stopping' : await isReady();
    if (status !== 'ready') return reply.code(503).send({ status });
    const { faults } = await archiveHealth(deps);
    const archive = Object.values(faults).some(Boolean) ? 'fault' : 'ok';
    return reply.send({ status, archive });
  });
}

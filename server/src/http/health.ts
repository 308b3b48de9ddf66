import type { FastifyInstance } from 'fastify';
import type { Deps } from '../deps.ts';
import { archiveHealth } from '../domain/archive/archive-status.ts';
import { readiness } from '../domain/shared/readiness.ts';
import type { WorkerView } from './worker-metrics.ts';

/**
 * `/healthz` is 200 while the process lives; `/readyz` is 200 while it can serve and isn't stopping. Something wrong with
 * the archive is shown but takes no traffic away: texts and opt-outs must get through, and each is recorded. Nor does a
 * worker that is being replaced: what is accepted meanwhile goes out in a moment, or at once from another node.
 */
export function addHealth(app: FastifyInstance, deps: Deps, worker?: WorkerView): void {
  const isReady = readiness(deps);
  app.get('/healthz', async () => ({ status: 'ok' }));
  app.get('/readyz', async (_request, reply) => {
    const status = app.isStopping() ? 'stopping' : await isReady();
    if (status !== 'ready') return reply.code(503).send({ status });
    const { faults } = await archiveHealth(deps);
    const archive = Object.values(faults).some(Boolean) ? 'fault' : 'ok';
    return reply.send({ status, archive, ...(worker && { worker: worker.isRunning() ? 'running' : 'restarting' }) });
  });
}

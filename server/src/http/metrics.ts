import { timingSafeEqual } from 'node:crypto';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { collectDefaultMetrics, Gauge, Registry } from 'prom-client';
import type { Deps } from '../deps.ts';
import { longestWaitSeconds } from '../domain/delivery/dispatcher.ts';
import { problem } from '../domain/problems.ts';
import { hashSecret } from '../domain/shared/secrets.ts';
import { addArchiveMetrics } from './archive-metrics.ts';
import { routeOf } from './door/request-log.ts';
import { requestMetrics } from './request-metrics.ts';

/** The library's sums over gauges that it also has by type. A name that ends in `_total` promises a counter. */
const misnamed = ['nodejs_active_handles_total', 'nodejs_active_requests_total', 'nodejs_active_resources_total'];

/** Prometheus metrics for one server: requests by route and code, their latency, waiting texts, the pool, the process. */
export function addMetrics(
  app: FastifyInstance,
  deps: Deps,
  { pool, metricsToken }: { pool: { counts(): Record<string, number> }; metricsToken: string },
): void {
  const registry = new Registry();
  const registers = [registry];
  collectDefaultMetrics({ register: registry });
  for (const name of misnamed) registry.removeSingleMetric(name);
  const observe = requestMetrics(registry);
  new Gauge({
    name: 'assent_database_connections',
    help: 'Connections in the pool by state, and requests waiting for one.',
    labelNames: ['state'],
    registers,
    collect() {
      for (const [state, count] of Object.entries(pool.counts())) this.set({ state }, count);
    },
  });

  new Gauge({
    name: 'assent_texts_wait_seconds',
    help: 'How long the next text to send has been waiting for its turn; 0 if none is late.',
    registers,
    async collect() {
      this.set(await longestWaitSeconds(deps).catch(() => Number.NaN));
    },
  });

  new Gauge({
    name: 'assent_replies_behind',
    help: '1 while people’s replies don’t get through on this node: until they do, it hands no text to the carrier.',
    registers,
    collect() {
      this.set(deps.signals.replies.isBehind() ? 1 : 0);
    },
  });

  addArchiveMetrics(registry, deps);

  app.addHook('onResponse', (request, reply, next) => {
    const route = routeOf(request) ?? 'unknown';
    // Clients can send any method: only those that we serve become labels.
    const method = request.is404 ? 'unknown' : request.method;
    const { statusCode: status, elapsedTime } = reply;
    observe({ method, route, status, code: request.problemCode ?? '', seconds: elapsedTime / 1000 });
    next();
  });
  app.get('/metrics', async (request, reply) => {
    requireToken(request, metricsToken);
    return reply.type(registry.contentType).send(await registry.metrics());
  });
}

/** Compared by hash, which takes the same time wherever they differ. */
function requireToken({ headers }: FastifyRequest, wanted: string): void {
  if (wanted === '') return;
  if (!timingSafeEqual(hashSecret(headers.authorization ?? ''), hashSecret(`Bearer ${wanted}`)))
    throw problem('unauthorized', 'Send Authorization: Bearer <METRICS_TOKEN>.');
}

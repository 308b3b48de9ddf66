import { timingSafeEqual } from 'node:crypto';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client';
import type { Deps } from '../deps.ts';
import { longestWaitSeconds } from '../domain/delivery/dispatcher.ts';
import { problem } from '../domain/problems.ts';
import { hashSecret } from '../domain/shared/secrets.ts';
import { addArchiveMetrics } from './archive-metrics.ts';

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
  const requests = new Counter({
    name: 'assent_http_requests_total',
    help: 'Requests answered, by route, status and problem code.',
    labelNames: ['method', 'route', 'status', 'code'],
    registers,
  });
  const seconds = new Histogram({
    name: 'assent_http_request_seconds',
    help: 'Time from the request’s headers to the end of the response.',
    labelNames: ['method', 'route'],
    buckets: [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10],
    registers,
  });
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

  app.addHook('onResponse', async (request, reply) => {
    const route = request.routeOptions.url ?? 'unknown';
    // Clients can send any method: only those that we serve become labels.
    const method = request.is404 ? 'unknown' : request.method;
    requests.inc({ method, route, status: reply.statusCode, code: request.problemCode ?? '' });
    seconds.observe({ method, route }, reply.elapsedTime / 1000);
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

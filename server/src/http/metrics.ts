import { timingSafeEqual } from 'node:crypto';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client';
import type { Deps } from '../deps.ts';
import type { LoadShedder } from '../domain/access/load-shedder.ts';
import { archiveHealth } from '../domain/archive/archive-status.ts';
import { longestWaitSeconds } from '../domain/delivery/dispatcher.ts';
import { problem } from '../domain/problems.ts';
import { type Environment, hashSecret } from '../domain/shared/secrets.ts';
import { type TrafficCounts, unknownKey, wentWell } from '../domain/shared/traffic-counts.ts';
import { countDisabled } from '../domain/webhooks/webhooks.ts';
import { addCarrierMetrics, type CarrierStatuses } from './carrier-metrics.ts';
import { routeOf } from './door/request-log.ts';

type MetricsOptions = {
  pool: { counts(): Record<string, number> };
  config: { environment: Environment; metricsToken: string };
  /** For a process that hands texts over. */
  carrierStatuses?: CarrierStatuses;
  /** For a process that answers requests. */
  shedder?: LoadShedder;
};

/** The library's sums over gauges that it also has by type. A name that ends in `_total` promises a counter. */
const misnamed = ['nodejs_active_handles_total', 'nodejs_active_requests_total', 'nodejs_active_resources_total'];

/** Prometheus metrics for one server: requests by route and code, their latency, waiting texts, the pool, the process. */
export function addMetrics(app: FastifyInstance, deps: Deps, options: MetricsOptions): void {
  const { pool, config, carrierStatuses, shedder } = options;
  const registry = processMetrics(pool);
  const observe = requestMetrics(registry);
  addGauge(
    registry,
    'assent_texts_wait_seconds',
    'How long the next text to send has been waiting for its turn; 0 if none is late.',
    () => longestWaitSeconds(deps),
  );
  addGauge(
    registry,
    'assent_replies_behind',
    '1 from when a person’s reply doesn’t get through on this node until one does. While they fail, it hands no text to the carrier.',
    () => Number(deps.signals.replies.isFailing()),
  );
  addGauge(
    registry,
    'assent_clock_ahead_seconds',
    'How far this machine’s clock is ahead of the database’s.',
    () => deps.databaseClock.aheadMs() / 1000,
  );
  addGauge(
    registry,
    'assent_clock_wrong',
    '1 while this node accepts and hands over nothing, since a clock is wrong or the database’s can’t be read.',
    () => Number(deps.databaseClock.fault() !== null),
  );
  addGauge(registry, 'assent_webhooks_off', 'Webhooks that are switched off: assent webhooks list says why.', () =>
    countDisabled(deps),
  );
  addArchiveMetrics(registry, deps);
  if (shedder) addLoadShedderMetrics(registry, shedder);
  addCarrierMetrics(registry, deps.carriers, carrierStatuses);

  app.addHook('onResponse', (request, reply, next) => {
    const route = routeOf(request) ?? 'unknown';
    // Clients can send any method: only those that we serve become labels.
    const method = request.is404 ? 'unknown' : request.method;
    const { statusCode: status, elapsedTime } = reply;
    observe({ method, route, status, code: request.problemCode ?? '', seconds: elapsedTime / 1000 });
    countRequest(deps.signals.traffic, request, reply);
    next();
  });
  // Nobody must find them open because a setting was forgotten.
  if (config.environment === 'production' && config.metricsToken === '') return;
  app.get('/metrics', async (request, reply) => {
    requireToken(request, config.metricsToken);
    return reply.type(registry.contentType).send(await registry.metrics());
  });
}

/** What applications and advisors' apps ask for: no pages, and nothing that asks how we do. */
function countRequest(
  traffic: TrafficCounts,
  request: FastifyRequest,
  { statusCode, elapsedTime }: FastifyReply,
): void {
  const { caller, problemCode, waits } = request;
  if (!caller && !routeOf(request)?.startsWith('/v1/')) return;
  const outcome = problemCode ?? (statusCode < 400 ? wentWell : String(statusCode));
  traffic.request(caller?.key.keyId ?? unknownKey, outcome, waits ? null : elapsedTime);
}

/** What the process measures about itself: its event loop, its heap, its connections. */
function processMetrics(pool: MetricsOptions['pool']): Registry {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry });
  for (const name of misnamed) registry.removeSingleMetric(name);
  new Gauge({
    name: 'assent_database_connections',
    help: 'Connections in the pool by state, and requests waiting for one.',
    labelNames: ['state'],
    registers: [registry],
    collect() {
      for (const [state, count] of Object.entries(pool.counts())) this.set({ state }, count);
    },
  });
  return registry;
}

function addLoadShedderMetrics(registry: Registry, shedder: LoadShedder): void {
  addGauge(registry, 'assent_requests_inside', 'Requests that are being answered.', () => shedder.counts().inside);
  addGauge(
    registry,
    'assent_requests_places',
    'How many can be answered at once: REQUESTS_MAX, or fewer while requests are slow.',
    () => shedder.counts().places,
  );
  new Counter({
    name: 'assent_requests_turned_away_total',
    help: 'Requests that were turned away with 429, since there was no room for more.',
    registers: [registry],
    collect() {
      this.reset();
      this.inc(shedder.counts().turnedAway);
    },
  });
}

/** Compared by hash, which takes the same time wherever they differ. */
function requireToken({ headers }: FastifyRequest, wanted: string): void {
  if (wanted === '') return;
  if (!timingSafeEqual(hashSecret(headers.authorization ?? ''), hashSecret(`Bearer ${wanted}`)))
    throw problem('unauthorized', 'Send Authorization: Bearer <METRICS_TOKEN>.');
}

/** The archive on this node: what is wrong with it, and how far it is signed and copied. */
function addArchiveMetrics(registry: Registry, deps: Deps): void {
  // The gauges of one scrape share one question.
  let asked: ReturnType<typeof archiveHealth> | null = null;
  const health = async () => {
    asked ??= archiveHealth(deps).finally(() => {
      asked = null;
    });
    return asked.catch(() => null);
  };
  addGauge(
    registry,
    'assent_archive_signed_entries',
    'Entries of the archive that a checkpoint covers.',
    async () => (await health())?.signed,
  );
  addGauge(
    registry,
    'assent_archive_outside_entries',
    'Entries that the copies outside the database cover; NaN if this node makes none.',
    async () => (await health())?.copied,
  );
  addGauge(
    registry,
    'assent_archive_remembered_since_entries',
    'The size of the tree when this node began to remember what was signed: 0 if from the beginning, NaN if never.',
    async () => (await health())?.rememberedSince,
  );
  new Gauge({
    name: 'assent_archive_fault',
    help: '1 while something is wrong with signing the archive, with its copies outside, with this node’s memory of it, or the database is from before what was signed; texts: once this node refused one whose row isn’t what its entry says.',
    labelNames: ['about'],
    registers: [registry],
    async collect() {
      const { faults = {} } = (await health()) ?? {};
      for (const [about, fault] of Object.entries(faults)) this.set({ about }, fault ? 1 : 0);
    },
  });
}

type RequestSample = { method: string; route: string; status: number; code: string; seconds: number };

const buckets = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];

function requestMetrics(registry: Registry): (observed: RequestSample) => void {
  const registers = [registry];
  const requests = new Counter({
    name: 'assent_http_requests_total',
    help: 'Requests answered, by route, status and problem code.',
    labelNames: ['method', 'route', 'status', 'code'],
    registers,
  });
  const latencies = new Histogram({
    name: 'assent_http_request_seconds',
    help: 'Time from the request’s headers to the end of the response.',
    labelNames: ['method', 'route'],
    buckets,
    registers,
  });
  return ({ method, route, status, code, seconds }) => {
    requests.inc({ method, route, status, code });
    latencies.observe({ method, route }, seconds);
  };
}

/** A number that is asked for with each scrape; NaN if it can't be said. */
function addGauge(
  registry: Registry,
  name: string,
  help: string,
  read: () => number | null | undefined | Promise<number | null | undefined>,
): void {
  new Gauge({
    name,
    help,
    registers: [registry],
    async collect() {
      this.set((await Promise.try(read).catch(() => null)) ?? Number.NaN);
    },
  });
}

import { Counter, Gauge, Histogram, type Registry } from 'prom-client';

type RequestSample = { method: string; route: string; status: number; code: string; seconds: number };

const buckets = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];

export function requestMetrics(registry: Registry): (observed: RequestSample) => void {
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
export function addGauge(
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

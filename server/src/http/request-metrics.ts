import type { Metric, Registry } from 'prom-client';

type Observed = { method: string; route: string; status: number; code: string; seconds: number };
type Sample = { labels: Record<string, string | number>; value: number; metricName?: string };
type Latency = { labels: { method: string; route: string }; counts: number[]; sum: number; count: number };

const bucketsSeconds = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];
const seconds = 'assent_http_request_seconds';

/**
 * Counts requests in plain numbers, which become samples when somebody asks for them. The library's own counters hash the
 * labels of every request, which takes as long as checking its credentials.
 */
export function requestMetrics(registry: Registry): (observed: Observed) => void {
  const counts = new Map<string, Sample>();
  const latencies = new Map<string, Latency>();

  add('assent_http_requests_total', 'counter', 'Requests answered, by route, status and problem code.', () => [
    ...counts.values(),
  ]);
  add(seconds, 'histogram', 'Time from the request’s headers to the end of the response.', () =>
    [...latencies.values()].flatMap(samplesOf),
  );

  function add(name: string, type: string, help: string, values: () => Sample[]): void {
    const get = async () => ({ name, help, type, values: values(), aggregator: 'sum' });
    registry.registerMetric({ name, get, reset() {} } as unknown as Metric<string>);
  }

  return ({ method, route, status, code, seconds: took }) => {
    const place = `${method} ${route}`;
    const id = `${place} ${status} ${code}`;
    const count = counts.get(id) ?? { labels: { method, route, status, code }, value: 0 };
    const latency = latencies.get(place) ?? newLatency(method, route);
    if (count.value === 0) counts.set(id, count);
    if (latency.count === 0) latencies.set(place, latency);
    count.value += 1;
    latency.sum += took;
    latency.count += 1;
    const bucket = bucketsSeconds.findIndex((most) => took <= most);
    if (bucket >= 0) latency.counts[bucket] = (latency.counts[bucket] ?? 0) + 1;
  };
}

function newLatency(method: string, route: string): Latency {
  return { labels: { method, route }, counts: bucketsSeconds.map(() => 0), sum: 0, count: 0 };
}

/** A bucket of a histogram counts everything up to its limit. */
function samplesOf({ labels, counts, sum, count }: Latency): Sample[] {
  let upTo = 0;
  const buckets = bucketsSeconds.map((le, index) => {
    upTo += counts[index] ?? 0;
    return { labels: { le, ...labels }, value: upTo, metricName: `${seconds}_bucket` };
  });
  return [
    ...buckets,
    { labels: { le: '+Inf', ...labels }, value: count, metricName: `${seconds}_bucket` },
    { labels, value: sum, metricName: `${seconds}_sum` },
    { labels, value: count, metricName: `${seconds}_count` },
  ];
}

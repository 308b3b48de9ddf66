import { collectDefaultMetrics, Gauge, Registry } from 'prom-client';

/** The library's sums over gauges that it also has by type. A name that ends in `_total` promises a counter. */
const misnamed = ['nodejs_active_handles_total', 'nodejs_active_requests_total', 'nodejs_active_resources_total'];

/** What every thread of the process measures about itself: its event loop, its heap, its connections. */
export function threadMetrics(pool: { counts(): Record<string, number> }): Registry {
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

import { setTimeout as pause } from 'node:timers/promises';
import { Counter, type Metric, Registry } from 'prom-client';
import type { NodeStatus } from '../domain/carriers/status.ts';

/** What the side that answers requests knows about the worker: whether it runs, how often it was replaced, its metrics, its carriers. */
export type WorkerView = {
  isRunning(): boolean;
  restarts(): number;
  metrics(): Promise<unknown>;
  carriers(): Promise<NodeStatus[]>;
};

type Sample = { labels: Record<string, string | number> };
type Measured = { name: string; values: Sample[] };

const answerMs = 1_000;

export function addWorkerMetrics(registry: Registry, worker: WorkerView): void {
  new Counter({
    name: 'assent_worker_restarts_total',
    help: 'How often the worker, which hands texts over and runs the jobs, died and was replaced.',
    registers: [registry],
    collect() {
      this.reset();
      this.inc(worker.restarts());
    },
  });
}

/** The same metrics, with the worker's beside ours: its event loop, its heap, its connections. */
export async function withWorker(registry: Registry, worker: WorkerView | undefined): Promise<Registry> {
  if (!worker) return registry;
  const [own, theirs] = await Promise.all([registry.getMetricsAsJSON(), metricsOf(worker)]);
  const both = new Registry();
  for (const metric of own as unknown as Measured[]) {
    const samples = theirs.find(({ name }) => name === metric.name)?.values ?? [];
    const values = [...metric.values, ...samples.map(ofWorker)];
    const { name } = metric;
    both.registerMetric({ name, get: async () => ({ ...metric, values }), reset() {} } as unknown as Metric<string>);
  }
  return both;
}

function ofWorker(sample: Sample): Sample {
  return { ...sample, labels: { ...sample.labels, thread: 'work' } };
}

/** A worker that is busy or being replaced must not hold up the rest. What the process has once, we report. */
async function metricsOf(worker: WorkerView): Promise<Measured[]> {
  const answer = worker.metrics().catch(() => []) as Promise<Measured[]>;
  const measured = await Promise.race([answer, pause(answerMs, [], { ref: false })]);
  return measured.filter(({ name }) => !name.startsWith('process_') && name !== 'nodejs_version_info');
}

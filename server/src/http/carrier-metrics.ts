import { setTimeout as pause } from 'node:timers/promises';
import { Gauge, type Registry } from 'prom-client';
import type { NodeStatus } from '../domain/carriers/status.ts';
import type { WorkerView } from './worker-metrics.ts';

type Sample = { labels?: Record<string, string>; value: number };
type Measure = { name: string; help: string; labels?: string[]; of(status: NodeStatus): Sample[] };

/** A worker that is busy or being replaced must not hold up the rest. */
const answerMs = 1_000;

const one = (value: number | null | undefined): Sample[] => (value === null || value === undefined ? [] : [{ value }]);
const byReason = (counts: Record<string, number> = {}) =>
  Object.entries(counts).map(([reason, value]) => ({ labels: { reason }, value }));

/** Counts start again when the node opens the carrier again, so all of these are gauges. */
const measures: Measure[] = [
  {
    name: 'open',
    help: '1 if this node has the carrier open, 0 if it can’t be opened: assent carriers status says why.',
    of: ({ lastFault }) => one(lastFault === null ? 1 : 0),
  },
  {
    name: 'connections',
    help: 'The carrier’s connections by state.',
    labels: ['state'],
    of: ({ carrier }) =>
      Array.from(
        Map.groupBy(carrier?.connections ?? [], ({ state }) => state),
        ([state, some]) => ({ labels: { state }, value: some.length }),
      ),
  },
  {
    name: 'window',
    help: 'How many texts may wait for the carrier’s answer at once, on all of its connections.',
    of: ({ carrier }) => one(carrier?.connections.reduce((sum, { window }) => sum + window, 0)),
  },
  { name: 'in_flight', help: 'Texts that have no answer yet.', of: ({ inFlight }) => one(inFlight) },
  { name: 'accepted', help: 'Texts that the carrier accepted.', of: ({ carrier }) => one(carrier?.accepted) },
  {
    name: 'refused',
    help: 'Texts that the carrier refused, by its reason.',
    labels: ['reason'],
    of: ({ carrier }) => byReason(carrier?.refused),
  },
  {
    name: 'not_taken',
    help: 'Texts that the carrier didn’t take, which are retried, by its reason.',
    labels: ['reason'],
    of: ({ carrier }) => byReason(carrier?.notTaken),
  },
  {
    name: 'throttled',
    help: 'How often the carrier asked to slow down.',
    of: ({ carrier }) => one(carrier?.throttled),
  },
  {
    name: 'receipt_lag_seconds',
    help: 'How long after the answer the last receipt came.',
    of: ({ carrier }) => one(carrier?.receipts.lagMs && carrier.receipts.lagMs / 1000),
  },
  { name: 'in_doubt', help: 'Texts whose answer was lost.', of: ({ carrier }) => one(carrier?.inDoubt) },
  { name: 'strays', help: 'Replies to numbers that the carrier doesn’t have here.', of: ({ strays }) => one(strays) },
];

/** How this node's carriers do, each since the node opened it. */
export function addCarrierMetrics(registry: Registry, worker: WorkerView): void {
  let asked: Promise<NodeStatus[]> = Promise.resolve([]);
  const [first] = measures;
  for (const measure of measures)
    new Gauge({
      name: `assent_carrier_${measure.name}`,
      help: measure.help,
      labelNames: ['carrier', ...(measure.labels ?? [])],
      registers: [registry],
      async collect() {
        // One question for all of them.
        if (measure === first) asked = ask(worker);
        this.reset();
        for (const status of await asked)
          for (const { labels, value } of measure.of(status)) this.set({ carrier: status.name, ...labels }, value);
      },
    });
}

async function ask(worker: WorkerView): Promise<NodeStatus[]> {
  const answer = worker.carriers().catch(() => []);
  return Promise.race([answer, pause(answerMs, [], { ref: false })]);
}

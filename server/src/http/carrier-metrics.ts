import { Gauge, type Registry } from 'prom-client';
import { callStatuses, type NodeStatus } from '../domain/carriers/status.ts';
import type { CallCounts, Carriers } from '../domain/ports.ts';

/** How this process's carriers do, if it hands texts to them. */
export type CarrierStatuses = () => Promise<NodeStatus[]>;

type Sample = { labels?: Record<string, string>; value: number };
type Measure = { name: string; help: string; labels?: string[]; of(status: NodeStatus): Sample[] };
/** What carriers bring: over their own connections, or in calls to this process. */
type CallMeasure = { name: string; help: string; labels?: string[]; of(counts: Partial<CallCounts>): Sample[] };

const one = (value: number | null | undefined): Sample[] => (value === null || value === undefined ? [] : [{ value }]);
const byReason = (counts: Record<string, number> = {}) =>
  Object.entries(counts).map(([reason, value]) => ({ labels: { reason }, value }));

const byLabel = (label: string, names: string[], counts: Record<string, unknown> | undefined) =>
  names.flatMap((name) => (counts ? [{ labels: { [label]: name }, value: Number(counts[name]) }] : []));

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
    help: 'How many texts may wait for the carrier’s response at once, on all of its connections.',
    of: ({ carrier }) => one(carrier?.connections.reduce((sum, { window }) => sum + window, 0)),
  },
  { name: 'in_flight', help: 'Texts that have no response yet.', of: ({ inFlight }) => one(inFlight) },
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
    help: 'How long after the response the last receipt came.',
    of: ({ carrier }) => one(carrier?.receipts.lagMs && carrier.receipts.lagMs / 1000),
  },
  {
    name: 'in_doubt',
    help: 'Texts that this process handed over and that are in doubt now.',
    of: ({ carrier }) => one(carrier?.inDoubt),
  },
  {
    name: 'lookups',
    help: 'Numbers that the carrier was asked about, by what became of that.',
    labels: ['result'],
    of: ({ carrier }) => byLabel('result', ['answered', 'failed'], carrier?.lookups),
  },
];

const broughtMeasures: CallMeasure[] = [
  {
    name: 'receipts',
    help: 'Receipts that the carrier brought, by status; unmatched ones name no text that the node remembers.',
    labels: ['status'],
    of: ({ receipts }) => byLabel('status', ['delivered', 'undelivered', 'unmatched'], receipts),
  },
  {
    name: 'replies',
    help: 'Replies that the carrier brought, by what became of them.',
    labels: ['result'],
    of: ({ replies }) => byLabel('result', ['taken', 'failed', 'incomplete'], replies),
  },
  {
    name: 'misrouted_replies',
    help: 'Replies to numbers that the carrier doesn’t have here.',
    of: ({ misroutedReplies }) => one(misroutedReplies),
  },
];

/** How this process's carriers do, each since it was opened. If it hands no text over, only what they bring in calls. */
export function addCarrierMetrics(registry: Registry, carriers: Carriers, statuses: CarrierStatuses | undefined): void {
  let asked: Promise<NodeStatus[]> = Promise.resolve([]);
  // One question for all of them: prom-client collects in the order in which they were made.
  const [first] = measures;
  for (const measure of statuses ? measures : [])
    addCarrierGauge(registry, measure, async () => {
      if (statuses && measure === first) asked = statuses().catch(() => []);
      return (await asked).map((status) => ({ name: status.name, samples: measure.of(status) }));
    });
  for (const measure of broughtMeasures)
    addCarrierGauge(registry, measure, async () => {
      const brought = statuses ? await asked : callStatuses(carriers.list()).map(({ status }) => status);
      return brought.map(({ name, misroutedReplies, carrier, calls }) => {
        return { name, samples: measure.of(calls ?? { misroutedReplies, ...carrier }) };
      });
    });
}

function addCarrierGauge(
  registry: Registry,
  { name, help, labels = [] }: Pick<Measure, 'name' | 'help' | 'labels'>,
  measured: () => Promise<{ name: string; samples: Sample[] }[]>,
): void {
  new Gauge({
    name: `assent_carrier_${name}`,
    help,
    labelNames: ['carrier', ...labels],
    registers: [registry],
    async collect() {
      const all = await measured();
      this.reset();
      for (const { name: carrier, samples } of all)
        for (const { labels, value } of samples) this.inc({ carrier, ...labels }, value);
    },
  });
}

/** What a process counts of its traffic until it is written (domain/operations/traffic.ts). */
export type TrafficCounts = ReturnType<typeof makeTrafficCounts>;

/** What became of a text. One that its carrier didn't take is tried again; one that was altered has failed, too. */
export type TextOutcome = (typeof textOutcomes)[number];
export const textOutcomes = [
  'accepted',
  'refused',
  'not_taken',
  'sent',
  'delivered',
  'undelivered',
  'failed',
  'in_doubt',
  'altered',
] as const;

export type TrafficCell = {
  /** Since 1970, in real time: traffic is about the machines, and the sandbox's clock may be moved back. */
  minute: number;
  kind: 'request' | 'text';
  subjectId: number;
  outcome: string;
  amount: number;
  latencies: number[];
};

/** The outcome of a request that went well; of any other it is the problem's code. */
export const wentWell = 'ok';
/** Stands for the key of a request whose credentials were refused. */
export const unknownKey = -1;
/** Stands for the carrier of a text that has none: no row has this id. */
export const noCarrier = 0;

const minuteMs = 60_000;
/** More is forgotten: the database has been away for hours. */
const keptMax = 20_000;

const firstBoundMs = 0.5;
const perDoubling = 2;
/** The last one has everything that takes longer than 32 s, which no request may. */
export const latencyBuckets = 34;

/** Each bucket ends at 1.4 times the one before, whoever counts: so histograms add up. */
export function latencyBound(bucket: number): number {
  return firstBoundMs * 2 ** (bucket / perDoubling);
}

export function latencyBucket(tookMs: number): number {
  if (!(tookMs > firstBoundMs)) return 0;
  return Math.min(latencyBuckets - 1, Math.ceil(perDoubling * Math.log2(tookMs / firstBoundMs)));
}

/** How long the given share of them took at most, in ms, to within a bucket; null if there are none. */
export function percentile(latencies: readonly number[], share: number): number | null {
  const total = latencies.reduce((sum, amount) => sum + amount, 0);
  if (total === 0) return null;
  let left = share * total;
  for (const [bucket, amount] of latencies.entries()) {
    if (amount > 0 && left <= amount) return within(bucket, left / amount);
    left -= amount;
  }
  return latencyBound(latencyBuckets - 2);
}

/** Between the bounds of a bucket, as if all of its latencies were evenly spread on its scale. The last bucket has no upper one. */
function within(bucket: number, part: number): number {
  if (bucket === 0) return firstBoundMs * part;
  if (bucket >= latencyBuckets - 1) return latencyBound(latencyBuckets - 2);
  return latencyBound(bucket - 1 + part);
}

export function makeTrafficCounts(nowMs: () => number = Date.now) {
  let minute = 0;
  let requests = new Map<number, Map<string, TrafficCell>>();
  let texts = new Map<number, Map<string, TrafficCell>>();
  let earlier: TrafficCell[] = [];

  function cellOf(kind: TrafficCell['kind'], subjectId: number, outcome: string): TrafficCell {
    const now = Math.floor(nowMs() / minuteMs);
    if (now !== minute) {
      earlier = taken();
      minute = now;
    }
    const subjects = kind === 'request' ? requests : texts;
    const cells = subjects.getOrInsertComputed(subjectId, () => new Map());
    return cells.get(outcome) ?? put(cells, { minute, kind, subjectId, outcome, amount: 0, latencies: [] });
  }

  function taken(): TrafficCell[] {
    const all = [...earlier, ...cellsIn(requests), ...cellsIn(texts)].slice(-keptMax);
    earlier = [];
    requests = new Map();
    texts = new Map();
    return all;
  }

  return {
    /** A request by its key; `tookMs` is null if it only waited for something to happen. */
    request(keyId: number, outcome: string, tookMs: number | null): void {
      const cell = cellOf('request', keyId, outcome);
      cell.amount += 1;
      if (tookMs !== null) addLatency(cell, tookMs);
    },
    texts(carrierId: number, outcome: TextOutcome, amount = 1): void {
      if (amount > 0) cellOf('text', carrierId, outcome).amount += amount;
    },
    answered(carrierId: number, tookMs: number): void {
      const cell = cellOf('text', carrierId, 'answered');
      cell.amount += 1;
      addLatency(cell, tookMs);
    },
    /** Everything since it was called last. */
    take: taken,
    /** What could not be written, for the next time. */
    putBack(cells: TrafficCell[]): void {
      earlier = [...cells, ...earlier].slice(-keptMax);
    },
  };
}

function put(cells: Map<string, TrafficCell>, cell: TrafficCell): TrafficCell {
  cells.set(cell.outcome, cell);
  return cell;
}

function cellsIn(subjects: Map<number, Map<string, TrafficCell>>): TrafficCell[] {
  return [...subjects.values()].flatMap((cells) => [...cells.values()]);
}

function addLatency({ latencies }: TrafficCell, tookMs: number): void {
  const bucket = latencyBucket(tookMs);
  while (latencies.length <= bucket) latencies.push(0);
  latencies[bucket] = (latencies[bucket] ?? 0) + 1;
}

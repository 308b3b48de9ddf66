import type * as store from '../../store/operations/traffic.ts';
import { problems } from '../problems.ts';
import { latencyBuckets, percentile, type TextOutcome, textOutcomes, wentWell } from '../shared/traffic-counts.ts';

/** Sums over rows of traffic, by what operators ask about. */

/** Good, refused because of the request, and failed because of us. */
type RequestClass = 'ok' | 'refused' | 'failed';
export type Totals = { requests: RequestTotals; texts: Record<TextOutcome, number> };
type RequestTotals = Record<RequestClass | 'all', number> & Percentiles;
type Percentiles = Record<'p50' | 'p95' | 'p99', number | null>;

export const isRequest = ({ kind }: { kind: store.TrafficKind }) => kind !== 'text';

export function classOf(outcome: string): RequestClass {
  if (outcome === wentWell) return 'ok';
  const status = outcome in problems ? problems[outcome as keyof typeof problems].status : Number(outcome);
  return status >= 500 ? 'failed' : 'refused';
}

export function byClass<Value>(of: (wanted: RequestClass) => Value): Record<RequestClass, Value> {
  return { ok: of('ok'), refused: of('refused'), failed: of('failed') };
}

export function byOutcome<Value>(of: (wanted: TextOutcome) => Value): Record<TextOutcome, Value> {
  return Object.fromEntries(textOutcomes.map((outcome) => [outcome, of(outcome)])) as Record<TextOutcome, Value>;
}

export function seriesOf(
  steps: number,
  rows: store.TrafficSum[],
  isWanted: (row: store.TrafficSum) => boolean,
): number[] {
  const series = new Array<number>(steps).fill(0);
  for (const row of rows) if (isWanted(row)) series[row.step] = (series[row.step] ?? 0) + row.amount;
  return series;
}

function sumOf(rows: store.TrafficSum[], isWanted: (row: store.TrafficSum) => boolean): number {
  return rows.reduce((sum, row) => sum + (isWanted(row) ? row.amount : 0), 0);
}

export function percentilesOf(rows: store.TrafficSum[]): Percentiles {
  const histogram = new Array<number>(latencyBuckets).fill(0);
  for (const { latencies } of rows)
    latencies.forEach((amount, bucket) => {
      histogram[bucket] = (histogram[bucket] ?? 0) + amount;
    });
  return { p50: percentile(histogram, 0.5), p95: percentile(histogram, 0.95), p99: percentile(histogram, 0.99) };
}

export function latencySeries(steps: number, rows: store.TrafficSum[]): Record<keyof Percentiles, (number | null)[]> {
  const byStep = Map.groupBy(rows, ({ step }) => step);
  const all = Array.from({ length: steps }, (_, step) => percentilesOf(byStep.get(step) ?? []));
  return { p50: all.map(({ p50 }) => p50), p95: all.map(({ p95 }) => p95), p99: all.map(({ p99 }) => p99) };
}

export function requestTotals(rows: store.TrafficSum[]): RequestTotals {
  const requests = rows.filter(isRequest);
  const classes = byClass((wanted) => sumOf(requests, ({ outcome }) => classOf(outcome) === wanted));
  return { ...classes, all: sumOf(requests, () => true), ...percentilesOf(requests) };
}

export function textTotals(rows: store.TrafficSum[]): Record<TextOutcome, number> {
  return byOutcome((wanted) => sumOf(rows, (row) => !isRequest(row) && row.outcome === wanted));
}

export function totalsOf(rows: store.TrafficSum[]): Totals {
  return { requests: requestTotals(rows), texts: textTotals(rows) };
}

/** What requests failed for, most frequent first. */
export function problemsIn(rows: store.TrafficSum[]): { code: string; amount: number }[] {
  const failed = rows.filter((row) => isRequest(row) && row.outcome !== wentWell);
  return Array.from(
    Map.groupBy(failed, ({ outcome }) => outcome),
    ([code, some]) => ({ code, amount: sumOf(some, () => true) }),
  ).sort((one, other) => other.amount - one.amount);
}

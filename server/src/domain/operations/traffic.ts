import type { Deps } from '../../deps.ts';
import { listCarriers } from '../../store/carriers/carriers.ts';
import * as store from '../../store/operations/traffic.ts';
import { dayMs, dayOf, realTimeIn } from '../shared/time.ts';
import type { TrafficCell } from '../shared/traffic-counts.ts';
import {
  byClass,
  byOutcome,
  classOf,
  isRequest,
  latencySeries,
  percentilesOf,
  problemsIn,
  requestTotals,
  seriesOf,
  textTotals,
  totalsOf,
} from './traffic-sums.ts';

/**
 * Traffic is about the machines, so all of its times are real: the sandbox's clock may be moved back, and then one minute would be counted
 * twice. A node counts in memory and adds what it counted to minutes, hours and days at once: no other job has to roll them up.
 */

export const writeTrafficEveryMs = 10_000;

const minuteMs = 60_000;
const hourMs = 60 * minuteMs;
type Grain = store.Grain;
/** The finest first. */
const grains: readonly Grain[] = ['minute', 'hour', 'day'];
const grainMs: Record<Grain, number> = { minute: minuteMs, hour: hourMs, day: dayMs };
const keptMs: Record<Grain, number> = { minute: 48 * hourMs, hour: 90 * dayMs, day: 731 * dayMs };

export const ranges = {
  hour: { grain: 'minute', stepMs: minuteMs, lengthMs: hourMs, beforeMs: hourMs },
  // Compared with the same day of the week before.
  day: { grain: 'minute', stepMs: 15 * minuteMs, lengthMs: dayMs, beforeMs: 7 * dayMs },
  week: { grain: 'hour', stepMs: hourMs, lengthMs: 7 * dayMs, beforeMs: 7 * dayMs },
  month: { grain: 'hour', stepMs: 6 * hourMs, lengthMs: 30 * dayMs, beforeMs: 30 * dayMs },
  year: { grain: 'day', stepMs: dayMs, lengthMs: 365 * dayMs, beforeMs: 365 * dayMs },
} as const satisfies Record<string, { grain: Grain; stepMs: number; lengthMs: number; beforeMs: number }>;
export type Range = keyof typeof ranges;

/** Writes what this process counted since it did so last. What can't be written is kept for the next time. */
export async function writeTraffic({ db, signals }: Pick<Deps, 'db' | 'signals'>): Promise<void> {
  const cells = signals.traffic.take();
  if (cells.length === 0) return;
  try {
    await store.addTraffic(db, rolledUp(cells));
  } catch (error) {
    signals.traffic.putBack(cells);
    throw error;
  }
}

/** Each cell in its minute, hour and day; one row for all that belong together, since a statement can add to a row only once. */
function rolledUp(cells: TrafficCell[]): store.TrafficRow[] {
  const rows = new Map<string, store.TrafficRow>();
  const all = cells.filter(isRequest).map((cell) => ({ ...cell, kind: 'all_requests' as const, subjectId: 0 }));
  for (const { minute, kind, subjectId, outcome, amount, latencies } of [...cells, ...all])
    for (const grain of grains) {
      const dateTime = new Date(startOf(minute * minuteMs, grainMs[grain]));
      const key = [grain, dateTime.getTime(), kind, subjectId, outcome].join(' ');
      const row = rows.getOrInsertComputed(key, () => {
        return { grain, dateTime, kind, subjectId, outcome, amount: 0, latencies: [] };
      });
      row.amount += amount;
      latencies.forEach((count, bucket) => {
        row.latencies[bucket] = (row.latencies[bucket] ?? 0) + count;
      });
    }
  return [...rows.values()];
}

export async function forgetOldTraffic({ db, databaseClock }: Pick<Deps, 'db' | 'databaseClock'>): Promise<void> {
  const before = (grain: Grain) => realTimeIn({ databaseClock }, -keptMs[grain]);
  await store.deleteTraffic(db, { minute: before('minute'), hour: before('hour'), day: before('day') });
}

/** By key: its requests, and the texts of all. */
export type TrafficQuery = { range: Range; until?: Date | undefined; keyId?: number | undefined };

/** Amounts for each step of the time asked for, 0 where there was nothing; latencies are in ms, null where nothing was measured. */
export async function readTraffic(deps: Pick<Deps, 'db' | 'databaseClock'>, query: TrafficQuery) {
  const now = deps.databaseClock.now();
  const period = periodOf(query, now);
  const { grain, from, until, stepSeconds } = period;
  const { keyId } = query;
  const rows = await rowsOf(deps, period, keyId);
  const sums = await sumsOf(deps, period);
  const isWanted = (row: store.TrafficSum) => !isRequest(row) || keyId === undefined || row.subjectId === keyId;
  const steps = Math.round((until.getTime() - from.getTime()) / 1000 / stepSeconds);
  return {
    range: query.range,
    grain,
    stepSeconds,
    from,
    until,
    /** When each step begins. The last one isn't over yet. */
    times: Array.from({ length: steps }, (_, step) => new Date(from.getTime() + step * stepSeconds * 1000)),
    requests: byClass((wanted) => seriesOf(steps, rows, (row) => isRequest(row) && classOf(row.outcome) === wanted)),
    latencies: latencySeries(steps, rows.filter(isRequest)),
    texts: byOutcome((wanted) => seriesOf(steps, rows, (row) => !isRequest(row) && row.outcome === wanted)),
    totals: totalsOf(sums.filter(isWanted)),
    /** The same time of the period before, a week earlier for a day. */
    before: totalsOf(await rowsOf(deps, earlierOf(query, period, now), keyId)),
    keys: await keysOf(deps, sums, now),
    carriers: await carriersOf(deps, { rows, sums, steps }),
    problems: problemsIn(sums.filter(isWanted)),
  };
}

async function rowsOf(
  { db }: Pick<Deps, 'db'>,
  period: store.TrafficPeriod,
  keyId: number | undefined,
): Promise<store.TrafficSum[]> {
  if (keyId === undefined) return store.listTraffic(db, ['all_requests', 'text'], period);
  return [
    ...(await store.listTraffic(db, ['request'], period, keyId)),
    ...(await store.listTraffic(db, ['text'], period)),
  ];
}

/** For the whole period, with a row for each part of it: whole hours instead of their minutes, and whole days instead of their hours. */
async function sumsOf(
  { db }: Pick<Deps, 'db'>,
  { grain, from, until }: store.TrafficPeriod,
): Promise<store.TrafficSum[]> {
  const stepSeconds = (until.getTime() - from.getTime()) / 1000;
  const coarser = grains[grains.indexOf(grain) + 1] ?? grain;
  const first = new Date(-startOf(-from.getTime(), grainMs[coarser]));
  const last = new Date(startOf(until.getTime(), grainMs[coarser]));
  const parts =
    first < last
      ? [
          { grain, from, until: first },
          { grain: coarser, from: first, until: last },
          { grain, from: last, until },
        ]
      : [{ grain, from, until }];
  const rows: store.TrafficSum[] = [];
  for (const part of parts.filter(({ from, until }) => from < until))
    rows.push(...(await store.listTraffic(db, ['request', 'text'], { ...part, stepSeconds })));
  return rows;
}

/** In the finest grain of its range that is still kept; then steps are at least that long. */
function periodOf({ range, until: wanted }: TrafficQuery, now: Date): store.TrafficPeriod {
  const { grain: finest, stepMs, lengthMs } = ranges[range];
  const end = Math.min(wanted?.getTime() ?? now.getTime(), now.getTime());
  const grain = keptGrain(finest, end - lengthMs, now);
  const step = Math.max(stepMs, grainMs[grain]);
  const until = startOf(end - 1, step) + step;
  const length = Math.max(lengthMs, step);
  return {
    grain,
    from: new Date(until - length),
    until: new Date(until),
    stepSeconds: step / 1000,
  };
}

function keptGrain(finest: Grain, fromMs: number, now: Date): Grain {
  const possible = grains.slice(grains.indexOf(finest));
  return possible.find((grain) => now.getTime() - fromMs <= keptMs[grain]) ?? 'day';
}

/** Up to the same moment as now, so that a day that isn't over is compared with as much of the one before. */
function earlierOf({ range }: TrafficQuery, period: store.TrafficPeriod, now: Date): store.TrafficPeriod {
  const { beforeMs } = ranges[range];
  const from = new Date(period.from.getTime() - beforeMs);
  const until = new Date(Math.min(period.until.getTime(), now.getTime()) - beforeMs);
  return { ...period, from, until, grain: keptGrain(period.grain, from.getTime(), now) };
}

function startOf(timeMs: number, lengthMs: number): number {
  return Math.floor(timeMs / lengthMs) * lengthMs;
}

/**
 * Every key that can be used, and whatever else called, the busiest first. The key is null for the advisors' own app and for refused
 * credentials, which have none.
 */
async function keysOf({ db }: Pick<Deps, 'db'>, sums: store.TrafficSum[], now: Date) {
  const keys = new Map((await store.listTrafficKeys(db, dayOf(now))).map((key) => [key.keyId, key]));
  const called = Map.groupBy(sums.filter(isRequest), ({ subjectId }) => Number(subjectId));
  const usable = [...keys.values()].filter(({ revoked }) => !revoked).map(({ keyId }) => keyId);
  return Array.from(new Set([...usable, ...called.keys()]), (keyId) => {
    return { keyId, key: keys.get(keyId) ?? null, ...requestTotals(called.get(keyId) ?? []) };
  }).sort((one, other) => other.all - one.all);
}

async function carriersOf(
  { db }: Pick<Deps, 'db'>,
  { rows, sums, steps }: { rows: store.TrafficSum[]; sums: store.TrafficSum[]; steps: number },
) {
  const names = new Map((await listCarriers(db)).map(({ carrierId, name }) => [carrierId, name]));
  const texts = sums.filter((row) => !isRequest(row));
  const ids = new Set([...names.keys(), ...texts.map(({ subjectId }) => Number(subjectId))]);
  return Array.from(ids, (carrierId) => {
    const isOwn = (row: store.TrafficSum) => !isRequest(row) && row.subjectId === carrierId;
    const series = (...outcomes: string[]) =>
      seriesOf(steps, rows, (row) => isOwn(row) && outcomes.includes(row.outcome));
    const own = texts.filter(isOwn);
    return {
      carrierId,
      name: names.get(carrierId) ?? null,
      texts: textTotals(own),
      sent: series('sent'),
      failed: series('failed', 'undelivered'),
      ...percentilesOf(own),
    };
  });
}

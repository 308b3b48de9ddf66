import type { Deps } from '../../deps.ts';
import * as store from '../../store/shared/daily-runs.ts';

/** Days of the domain's time, in UTC, and what is done once on each of them over all nodes. */
export type DailyJob = 'disposal' | 'reconciliation';

export const dayMs = 24 * 60 * 60 * 1000;
/** After this, whoever was at it is gone. */
const leaseMs = 60 * 60 * 1000;

/** `2031-05-04` */
export function dayOf(date: Date): string {
  return date.toISOString().slice(0, 10);
}

/** Its first moment. */
export function startOf(day: string): Date {
  return new Date(`${day}T00:00:00Z`);
}

export function nextDay(day: string): string {
  return dayOf(new Date(startOf(day).getTime() + dayMs));
}

/** Does the day's work unless it is done, or another node is at it. What fails is done again, by whoever comes next. */
export async function oncePerDay(
  deps: Deps,
  job: DailyJob,
  day: string,
  work: (finish: (db: Deps['db']) => Promise<void>) => Promise<void>,
): Promise<void> {
  const leasedUntil = new Date(Date.now() + leaseMs);
  if (!(await store.claimDay(deps.db, { job, day }, { realNow: new Date(), leasedUntil }))) return;
  try {
    await work(async (db) => {
      if (!(await store.finishDay(db, { job, day })))
        throw new Error('Another node has done the day’s work meanwhile.');
    });
  } catch (error) {
    await store.releaseDay(deps.db, { job, day }, new Date());
    throw error;
  }
}

/** The last day that was done; null where none was. */
export async function lastDayDone(deps: Deps, job: DailyJob): Promise<string | null> {
  return store.findLastDay(deps.db, job);
}

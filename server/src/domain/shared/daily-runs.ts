import type { Deps } from '../../deps.ts';
import * as store from '../../store/shared/daily-runs.ts';
import { realTimeIn } from './time.ts';

type DailyJob = 'disposal' | 'reconciliation';

/** After this a node that hasn't finished is taken for dead. */
const leaseMs = 60 * 60 * 1000;

/** Does the day's work unless it is done or another node is doing it. If it fails, the next node to ask retries it. */
export async function oncePerDay(
  deps: Deps,
  job: DailyJob,
  day: string,
  work: (finish: (db: Deps['db']) => Promise<void>) => Promise<void>,
): Promise<void> {
  const leasedUntil = realTimeIn(deps, leaseMs);
  if (!(await store.claimDay(deps.db, { job, day }, { realNow: deps.databaseClock.now(), leasedUntil }))) return;
  try {
    await work(async (db) => {
      if (!(await store.finishDay(db, { job, day })))
        throw new Error('Another node has finished the day’s work in the meantime.');
    });
  } catch (error) {
    await store.releaseDay(deps.db, { job, day }, deps.databaseClock.now());
    throw error;
  }
}

export async function lastDayDone(deps: Deps, job: DailyJob): Promise<string | null> {
  return store.findLastDay(deps.db, job);
}

import type { Db } from '../database/db.ts';

/** The day is like `2031-05-04`. */
type DailyRun = { job: string; day: string };

/** True if the caller got the run. It is theirs until the lease ends. */
export async function claimDay(
  db: Db,
  { job, day }: DailyRun,
  { realNow, leasedUntil }: { realNow: Date; leasedUntil: Date },
): Promise<boolean> {
  return db.has(
    `insert into daily_runs as run (job, day, leased_until)
     values ($1, $2, $3)
     on conflict (job, day) do update
     set leased_until = excluded.leased_until
     where not run.done and run.leased_until <= $4
     returning 1`,
    [job, day, leasedUntil, realNow],
  );
}

/** False if it was done already. */
export async function finishDay(db: Db, { job, day }: DailyRun): Promise<boolean> {
  return db.has(
    `update daily_runs
     set done = true
     where job = $1 and day = $2 and not done
     returning 1`,
    [job, day],
  );
}

export async function releaseDay(db: Db, { job, day }: DailyRun, realNow: Date): Promise<void> {
  await db.query('update daily_runs set leased_until = $3 where job = $1 and day = $2 and not done', [
    job,
    day,
    realNow,
  ]);
}

export async function findLastDay(db: Db, job: string): Promise<string | null> {
  return db.value<string>('select max(day) as day from daily_runs where job = $1 and done', [job]);
}

import type { Db } from '../database/db.ts';

/** In milliseconds: what the database's clock says, and the latest time that it has said to anybody. */
type DatabaseTime = { nowMs: number; latestMs: number };

const inMs = (time: string) => `extract(epoch from ${time}) * 1000`;

export async function findDatabaseTime(db: Db): Promise<DatabaseTime> {
  return db.one<DatabaseTime>(
    `select (${inMs('clock_timestamp()')})::float8 as "nowMs", (${inMs('latest')})::float8 as "latestMs"
     from database_time`,
    [],
    'find-database-time',
  );
}

/** One of all processes does it, every few seconds. */
export async function updateLatestTime(db: Db): Promise<void> {
  await db.write('update database_time set latest = greatest(latest, clock_timestamp())', [], 'update-latest-time');
}

/** The database's clock is right, although it has said a later time: `from` that one, `to` what it says. */
export async function resetLatestTime(db: Db): Promise<{ from: Date; to: Date }> {
  const { from } = await db.one<{ from: Date }>('select latest as "from" from database_time for update');
  const { to } = await db.one<{ to: Date }>(
    'update database_time set latest = clock_timestamp() returning latest as "to"',
  );
  return { from, to };
}

import type { Db } from '../database/db.ts';

export type ClockRow = {
  offsetMs: number;
  resets: number;
  /** A process is about to reset the sandbox. */
  isResetting: boolean;
};

const columns = `offset_ms as "offsetMs", resets, coalesce(resetting_until > now(), false) as "isResetting"`;
const none = { offsetMs: 0, resets: 0, isResetting: false };

export async function findClock(db: Db): Promise<ClockRow> {
  return (await db.find<ClockRow>(`select ${columns} from sandbox_clock`)) ?? none;
}

/** In two statements: a distributed database returns nothing of an update that depends on the time. */
export async function addToClockOffset(db: Db, advanceMs: number): Promise<ClockRow> {
  await db.query('update sandbox_clock set offset_ms = offset_ms + $1', [advanceMs]);
  return findClock(db);
}

export async function updateResetting(db: Db, withinMs: number): Promise<void> {
  await db.query(`update sandbox_clock set resetting_until = now() + $1 * interval '1 millisecond'`, [withinMs]);
}

import type { Db } from '../database/db.ts';

export async function findClockOffset(db: Db): Promise<number> {
  const [row] = await db.query<{ offsetMs: number }>('select offset_ms as "offsetMs" from sandbox_clock');
  return row?.offsetMs ?? 0;
}

export async function addToClockOffset(db: Db, advanceMs: number): Promise<number> {
  const [row] = await db.query<{ offsetMs: number }>(
    'update sandbox_clock set offset_ms = offset_ms + $1 returning offset_ms as "offsetMs"',
    [advanceMs],
  );
  return row?.offsetMs ?? 0;
}

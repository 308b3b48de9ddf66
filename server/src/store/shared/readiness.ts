import type { Db } from '../database/db.ts';

export async function ping(db: Db): Promise<true> {
  await db.query('select 1');
  return true;
}

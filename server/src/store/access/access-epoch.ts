import type { Db } from '../database/db.ts';

/**
 * For the `with` of every statement that may end somebody's access. A test finds those that lack it. In a distributed database every
 * node has it: a statement about a table of the coordinator writes that in its `with`, too, or inserts what it selects.
 */
export const accessEnds = 'access as (update access_epoch set epoch = epoch + 1)';

export async function findAccessEpoch(db: Db): Promise<number> {
  const [row] = await db.lookUp<{ epoch: number }>('select epoch from access_epoch', [], 'find-access-epoch');
  if (!row) throw new Error('There is no access epoch.');
  return row.epoch;
}

import type { Db } from '../database/db.ts';
import { leafColumns, type StoredLeaf } from './archive-tree.ts';

export type TimesOf = { advisorId: number; from: number; to: number };

/** Entries that may explain times, or accept a step, if a checkpoint covers them: only the tree says where they stand. */
export async function listTimeRules(db: Db): Promise<StoredLeaf[]> {
  return db.query<StoredLeaf>(
    `select r.first_leaf + e.number - r.first_number as leaf, ${leafColumns}, null as salt, null as body
     from archive_entries e
     join archive_runs r on r.advisor_id = 0 and e.number >= r.first_number and e.number < r.first_number + r.entries
     where e.advisor_id = 0 and e.kind = 'setting'
       and (e.meta like '{"what":"times explained",%' or e.meta like '{"what":"clock step accepted",%')
     order by e.number`,
  );
}

/** Whether the advisor has both entries. */
export async function hasEntries(db: Db, { advisorId, from, to }: TimesOf): Promise<boolean> {
  const found = await db.query('select from archive_entries where advisor_id = $1 and number = any ($2)', [
    advisorId,
    [from, to],
  ]);
  return found.length === new Set([from, to]).size;
}

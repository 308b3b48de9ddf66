import type { Db } from '../database/db.ts';

/** An entry that says why the times of others are wrong: those of one advisor from one number to another that came before it. */
export type Explanation = { number: number; leaf: number; of: { advisorId: number; from: number; to: number } };

export const explained = 'times explained';

/** Those that a checkpoint covers, and somebody of the staff signed in for. Only the tree says where they stand. */
export async function listExplanations(db: Db): Promise<Explanation[]> {
  return db.query<Explanation>(
    `select e.number, r.first_leaf + e.number - r.first_number as leaf, e.meta::json -> 'of' as of
     from archive_entries e
     join archive_runs r on r.advisor_id = 0 and e.number >= r.first_number and e.number < r.first_number + r.entries
     where e.advisor_id = 0 and e.kind = 'setting' and e.actor like 'staff:%'
       and e.meta like '{"what":"${explained}",%' and e.meta::json ->> 'via' is null
     order by e.number`,
  );
}

/** Whether the advisor has both entries. */
export async function hasEntries(db: Db, { advisorId, from, to }: Explanation['of']): Promise<boolean> {
  const found = await db.query('select from archive_entries where advisor_id = $1 and number = any ($2)', [
    advisorId,
    [from, to],
  ]);
  return found.length === new Set([from, to]).size;
}

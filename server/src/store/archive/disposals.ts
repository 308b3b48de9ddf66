import { columnsOf } from '../database/columns.ts';
import type { Db } from '../database/db.ts';
import { forAdvisors } from '../database/for-advisors.ts';

export type AdvisorFirm = { advisorId: number; firmId: number; meta: string | null };
/** A retention, a hold or a disposal, as it is archived. */
export type RuleRow = {
  advisorId: number;
  number: number;
  kind: string;
  memberId: number | null;
  meta: string;
  /** Null if it isn't in the tree yet. */
  leaf: number | null;
  /** Only a disposal's. */
  body: Buffer | null;
};

/** In the order of advisors and numbers. Spans advisors: a verification looks at everything. */
export async function listRules(
  db: Db,
  after: { advisorId: number; number: number },
  limit: number,
): Promise<RuleRow[]> {
  const rows = await db.query<Omit<RuleRow, 'leaf'>>(
    `select e.advisor_id as "advisorId", e.number, e.kind, e.member_id as "memberId", e.meta, b.body
     from archive_entries e
     left join archive_bodies b on b.advisor_id = e.advisor_id and b.number = e.number and e.kind = 'disposal'
     where e.kind in ('disposal', 'hold', 'retention') and (e.advisor_id, e.number) > ($1, $2)
     order by e.advisor_id, e.number
     limit $3`,
    [after.advisorId, after.number, limit],
  );
  const leaves = await listLeavesOf(db, rows);
  return rows.map((row, index) => ({ ...row, leaf: leaves[index] ?? null }));
}

/** The leaf of each of these entries; null for those that are not in the tree yet. */
async function listLeavesOf(db: Db, entries: { advisorId: number; number: number }[]): Promise<(number | null)[]> {
  const rows = await forAdvisors(db, entries, (db, entries) =>
    db.query<{ leaf: number | null }>(
      `select r.first_leaf + e.number - r.first_number as leaf
     from unnest($1::bigint[], $2::bigint[]) with ordinality as e (advisor_id, number, position)
     left join lateral (
       select first_leaf, first_number, entries
       from archive_runs
       where advisor_id = e.advisor_id and first_number <= e.number
       order by first_number desc
       limit 1
     ) as r on e.number < r.first_number + r.entries
     order by position`,
      columnsOf(entries, 'advisorId', 'number'),
    ),
  );
  return rows.map(({ leaf }) => leaf);
}

/**
 * The firm that each advisor's row has, and the facts of the entry that added them. Spans advisors: it is asked for several advisors
 * at once.
 */
export async function listFirms(db: Db, advisorIds: number[]): Promise<AdvisorFirm[]> {
  return db.query<AdvisorFirm>(
    `select a.advisor_id as "advisorId", a.firm_id as "firmId", e.meta
     from advisors a
     left join archive_entries e on e.advisor_id = a.advisor_id and e.number = 1 and e.kind = 'setting'
     where a.advisor_id = any ($1)`,
    [advisorIds],
  );
}

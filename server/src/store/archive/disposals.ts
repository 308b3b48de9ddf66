import type { Db } from '../database/db.ts';

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
  return db.query<RuleRow>(
    `select
       e.advisor_id as "advisorId", e.number, e.kind, e.member_id as "memberId", e.meta,
       r.first_leaf + e.number - r.first_number as leaf, b.body
     from archive_entries e
     left join lateral (
       select first_leaf, first_number, entries
       from archive_runs
       where advisor_id = e.advisor_id and first_number <= e.number
       order by first_number desc
       limit 1
     ) as r on e.number < r.first_number + r.entries
     left join archive_bodies b on b.advisor_id = e.advisor_id and b.number = e.number and e.kind = 'disposal'
     where e.kind in ('disposal', 'hold', 'retention') and (e.advisor_id, e.number) > ($1, $2)
     order by e.advisor_id, e.number
     limit $3`,
    [after.advisorId, after.number, limit],
  );
}

/**
 * The firm of each advisor: by the entry that added them, which is signed, or else by their row. Spans advisors: it is asked for
 * several advisors at once.
 */
export async function listFirms(db: Db, advisorIds: number[]): Promise<Map<number, number>> {
  const rows = await db.query<{ advisorId: number; firmId: number }>(
    `select
       a.advisor_id as "advisorId",
       coalesce(
         (
           select (e.meta::json ->> 'firmId')::bigint
           from archive_entries e
           where e.advisor_id = a.advisor_id and e.number = 1 and e.kind = 'setting'
         ),
         a.firm_id
       ) as "firmId"
     from advisors a
     where a.advisor_id = any ($1)`,
    [advisorIds],
  );
  return new Map(rows.map(({ advisorId, firmId }) => [advisorId, firmId]));
}

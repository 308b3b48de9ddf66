import type { Db } from '../database/db.ts';
import { forAllAdvisors } from '../database/for-advisors.ts';

/** A table of what happened, numbered for each advisor. */
export type FeedTable = 'events' | 'contact_changes';

/** The numbers that are kept, which have no gaps; if there are none, `first` is the number to come. */
export type KeptRange = { first: number; last: number };

export function keptOf(row: { first: number | null; last: number | null } | undefined): KeptRange {
  const last = row?.last ?? 0;
  return { first: row?.first ?? last + 1, last };
}

/** The advisors whose oldest row is from before that time. Spans advisors: it finds out whose rows are old. */
export async function listAdvisorsBefore(db: Db, table: FeedTable, before: Date): Promise<number[]> {
  const rows = await forAllAdvisors(db, (db) =>
    db.query<{ advisorId: number }>(
      `select a.advisor_id as "advisorId"
       from advisors a
       cross join lateral (
         select recorded_at
         from ${table}
         where advisor_id = a.advisor_id
         order by number
         limit 1
       ) as first
       where first.recorded_at < $1
       order by a.advisor_id`,
      [before],
    ),
  );
  return rows.map(({ advisorId }) => advisorId);
}

/** Deletes up to `limit` rows from before that time, from the oldest on and without a gap. Returns how many. */
export async function deleteOldest(
  db: Db,
  advisorId: number,
  { table, before, limit }: { table: FeedTable; before: Date; limit: number },
): Promise<number> {
  const rows = await db.query(
    `with oldest as materialized (
       select number, recorded_at
       from ${table}
       where advisor_id = $1
       order by number
       limit $3
     )
     delete from ${table}
     using oldest
     where ${table}.advisor_id = $1
       and ${table}.number = oldest.number
       and oldest.number < coalesce((select min(number) from oldest where recorded_at >= $2), oldest.number + 1)
     returning 1`,
    [advisorId, before, limit],
  );
  return rows.length;
}

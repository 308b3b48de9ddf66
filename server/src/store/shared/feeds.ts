import type { Db } from '../database/db.ts';

/** A table of what happened, numbered for each advisor. */
export type FeedTable = 'events' | 'contact_changes';

/** The numbers that are kept, which have no gaps; if there are none, `first` is the number to come. */
export type Kept = { first: number; last: number };

export function keptOf(row: { first: number | null; last: number | null } | undefined): Kept {
  const last = row?.last ?? 0;
  return { first: row?.first ?? last + 1, last };
}

/** The advisors whose oldest row is from before that time. Spans advisors: it finds out whose rows are old. */
export async function listAdvisorsBefore(db: Db, table: FeedTable, before: Date): Promise<number[]> {
  const oldest = (await db.isDistributed()) ? oldestOnNodes(table) : oldestOf(table);
  const rows = await db.query<{ advisorId: number }>(
    `select advisor_id as "advisorId"
     from (${oldest}) as oldest
     where recorded_at < $1
     order by advisor_id`,
    [before],
  );
  return rows.map(({ advisorId }) => advisorId);
}

/** One index lookup for each advisor. */
const oldestOf = (table: FeedTable) => `
  select a.advisor_id, first.recorded_at
  from advisors a
  cross join lateral (
    select recorded_at
    from ${table}
    where advisor_id = a.advisor_id
    order by number
    limit 1
  ) as first`;

/** Each node does this with its own advisors, and reads the whole index. */
const oldestOnNodes = (table: FeedTable) => `
  select each.advisor_id, each.recorded_at
  from ${table} each
  join (select advisor_id, min(number) as number from ${table} group by advisor_id) as first
    on first.advisor_id = each.advisor_id and first.number = each.number`;

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

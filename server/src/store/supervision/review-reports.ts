import type { Db } from '../database/db.ts';
import type { ReviewKind } from './reviews.ts';

export type ReportPeriod = { from: Date; until: Date };

/** How many reviews were decided, and how long they had been open. What it isn't grouped by is null. */
export type DecidedRow = {
  staffId: number | null;
  name: string | null;
  kind: ReviewKind | null;
  decided: number;
  approved: number;
  rejected: number;
  medianSeconds: number;
  slowestSeconds: number;
};

/** Decisions of a period. Spans advisors: the report is of a whole firm. */
export async function listDecided(
  db: Db,
  firmId: number,
  { from, until }: ReportPeriod,
  grouping: 'all' | 'staff' | 'kind' | 'staff and kind',
): Promise<DecidedRow[]> {
  const staff = grouping.includes('staff');
  const kind = grouping.includes('kind');
  const keys = [...(staff ? ['r.decided_by', 's.name'] : []), ...(kind ? ['r.kind'] : [])];
  return db.query<DecidedRow>(
    `select
       ${staff ? 'r.decided_by' : 'null::bigint'} as "staffId", ${staff ? 's.name' : 'null::text'} as name,
       ${kind ? 'r.kind' : 'null::text'} as kind,
       count(*)::integer as decided,
       count(*) filter (where r.status = 'approved')::integer as approved,
       count(*) filter (where r.status = 'rejected')::integer as rejected,
       coalesce(percentile_cont(0.5) within group (order by extract(epoch from r.decided_at - r.date_time_created)), 0)::double precision as "medianSeconds",
       coalesce(max(extract(epoch from r.decided_at - r.date_time_created)), 0)::double precision as "slowestSeconds"
     from reviews r
     left join staff s on s.staff_id = r.decided_by
     where r.firm_id = $1 and r.status <> 'open' and r.decided_at >= $2 and r.decided_at < $3
     ${keys.length > 0 ? `group by ${keys.join(', ')} order by count(*) desc, ${keys.join(', ')}` : ''}`,
    [firmId, from, until],
  );
}

/** Reviews that were opened in the period. Spans advisors: the report is of a whole firm. */
export async function countOpened(db: Db, firmId: number, { from, until }: ReportPeriod): Promise<number> {
  const found = await db.value<number>(
    `select count(*)::integer as opened
     from reviews
     where firm_id = $1 and date_time_created >= $2 and date_time_created < $3`,
    [firmId, from, until],
  );
  return found ?? 0;
}

type OpenRow = {
  kind: ReviewKind;
  open: number;
  oldest: Date;
  overDay: number;
  overThreeDays: number;
  overWeek: number;
};

/** What is still open, and for how long. Spans advisors: the report is of a whole firm. */
export async function listOpen(db: Db, firmId: number, now: Date): Promise<OpenRow[]> {
  return db.query<OpenRow>(
    `select
       kind, count(*)::integer as open, min(date_time_created) as oldest,
       count(*) filter (where date_time_created < $2::timestamptz - interval '1 day')::integer as "overDay",
       count(*) filter (where date_time_created < $2::timestamptz - interval '3 days')::integer as "overThreeDays",
       count(*) filter (where date_time_created < $2::timestamptz - interval '7 days')::integer as "overWeek"
     from reviews
     where firm_id = $1 and status = 'open'
     group by kind
     order by count(*) desc, kind`,
    [firmId, now],
  );
}

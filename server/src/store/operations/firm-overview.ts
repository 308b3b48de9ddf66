import type { Db } from '../database/db.ts';

/** How much of a firm's archive there is, and how much of it is signed. */
type FirmArchiveRow = { entries: number; signed: number };
type OpenReviewsRow = { kind: string; count: number; oldest: Date };
type ReconciliationRow = { meta: string; body: string; dateTimeCreated: Date };

/** Spans advisors: it is about all of a firm's. */
export async function findFirmArchive(db: Db, firmId: number): Promise<FirmArchiveRow> {
  return db.one<FirmArchiveRow>(
    `select coalesce(sum(h.last_number), 0)::bigint as entries, coalesce(sum(t.last_number), 0)::bigint as signed
     from advisors a
     join archive_heads h on h.advisor_id = a.advisor_id
     left join archive_taken t on t.advisor_id = h.advisor_id
     where a.firm_id = $1`,
    [firmId],
  );
}

/** Spans advisors: a reviewer sees all of a firm. */
export async function listOpenReviewCounts(db: Db, firmId: number): Promise<OpenReviewsRow[]> {
  return db.query<OpenReviewsRow>(
    `select kind, count(*) as count, min(date_time_created) as oldest
     from reviews
     where firm_id = $1 and status = 'open'
     group by kind
     order by kind`,
    [firmId],
  );
}

/** Of the deployment's own book, which has one at least every day. */
export async function findLastReconciliation(db: Db): Promise<ReconciliationRow | null> {
  return db.find<ReconciliationRow>(
    `select e.meta, convert_from(b.body, 'UTF8') as body, e.date_time_created as "dateTimeCreated"
     from archive_entries e
     join archive_bodies b on b.advisor_id = e.advisor_id and b.number = e.number
     where e.advisor_id = $1 and e.kind = 'reconciliation'
     order by e.number desc
     limit 1`,
    [0],
  );
}

/** The firm's holds that aren't lifted, and its advisors. */
export async function countHoldsAndAdvisors(db: Db, firmId: number) {
  return db.one<{ holds: number; advisors: number }>(
    `select
       (
         select count(*)
         from holds h
         where h.firm_id = $1 and not exists (select from hold_lifts l where l.hold_id = h.hold_id)
       ) as holds,
       (select count(*) from advisors where firm_id = $1) as advisors`,
    [firmId],
  );
}

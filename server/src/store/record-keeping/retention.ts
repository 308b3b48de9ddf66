import type { Db } from '../database/db.ts';

/** With its archive entry. */
export async function insertRetention(
  db: Db,
  firmId: number,
  { years, actor, traceId }: { years: number; actor: string; traceId: string | null },
): Promise<void> {
  await db.query('select set_retention($1, $2, $3, $4)', [firmId, years, actor, traceId]);
}

/** In force, and what was set last if that doesn't count yet. */
export type RetentionRow = { years: number; nextYears: number | null; nextFrom: Date | null };

export async function findRetention(db: Db, firmId: number): Promise<RetentionRow> {
  return db.one<RetentionRow>(
    `select retention_years($1) as years, next.years as "nextYears", next.counts_from as "nextFrom"
     from (select max(retention_id) as id from retentions where firm_id = $1) as last
     left join retentions next on next.retention_id = last.id and next.counts_from > settled_until()`,
    [firmId],
  );
}

/** An advisor whose records may be due for disposal; held if a hold keeps all of them. */
export type KeeperRow = { advisorId: number; advisor: string; isHeld: boolean };

/** Of one firm, or of all. */
export async function listKeepers(
  db: Db,
  { firmId, after, limit }: { firmId: number | null; after: number; limit: number },
): Promise<KeeperRow[]> {
  return db.query<KeeperRow>(
    `select
       advisor_id as "advisorId", name as advisor,
       exists (
         select
         from holds h
         where h.firm_id = a.firm_id
           and (h.advisor_id is null or h.advisor_id = a.advisor_id)
           and h.member_id is null
           and not exists (select from hold_lifts l where l.hold_id = h.hold_id and l.counts_from <= settled_until())
       ) as "isHeld"
     from advisors a
     where advisor_id > $1 and ($3::bigint is null or a.firm_id = $3)
     order by advisor_id
     limit $2`,
    [after, limit, firmId],
  );
}

/** A body that was checked: whether its retention is over, and whether it goes. */
type CheckedBody = { number: number; isOld: boolean; goes: boolean };
type CheckFrom = { advisorId: number; afterNumber: number; bodiesMax: number };

/**
 * Checks the next bodies by number, removes those that can go, and archives which. The database itself checks retention and
 * holds.
 */
export async function disposeBodies(
  db: Db,
  { advisorId, afterNumber, bodiesMax }: CheckFrom,
  actor: string,
): Promise<CheckedBody[]> {
  return db.query<CheckedBody>(
    `select body_number as number, is_old as "isOld", is_disposed as goes
     from dispose_bodies($1, $2, $3, $4)`,
    [advisorId, afterNumber, bodiesMax, actor],
  );
}

export async function listDisposable(db: Db, { advisorId, afterNumber, bodiesMax }: CheckFrom): Promise<CheckedBody[]> {
  return db.query<CheckedBody>(
    `select body_number as number, is_old as "isOld", is_disposable as goes
     from disposable_bodies($1, $2, $3)`,
    [advisorId, afterNumber, bodiesMax],
  );
}

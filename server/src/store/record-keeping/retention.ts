import type { Db } from '../database/db.ts';

export async function insertRetention(
  db: Db,
  firmId: number,
  { years, now }: { years: number; now: Date },
): Promise<void> {
  await db.query(
    `insert into retentions (firm_id, years, date_time_created)
     values ($1, $2, $3)`,
    [firmId, years, now],
  );
}

export async function findRetention(db: Db, firmId: number): Promise<number> {
  const [row] = await db.query<{ years: number }>('select retention_years($1) as years', [firmId]);
  if (!row) throw new Error('The function returned no years.');
  return row.years;
}

/** An advisor whose records may be due for disposal; held if a hold keeps all of them. */
export type KeeperRow = { advisorId: number; advisor: string; firmId: number; isHeld: boolean };

export async function listKeepers(db: Db, afterAdvisorId: number, limit: number): Promise<KeeperRow[]> {
  return db.query<KeeperRow>(
    `select
       advisor_id as "advisorId", name as advisor, firm_id as "firmId",
       exists (
         select
         from holds h
         where h.firm_id = a.firm_id
           and (h.advisor_id is null or h.advisor_id = a.advisor_id)
           and h.member_id is null
           and not exists (select from hold_lifts l where l.hold_id = h.hold_id)
       ) as "isHeld"
     from advisors a
     where advisor_id > $1
     order by advisor_id
     limit $2`,
    [afterAdvisorId, limit],
  );
}

/** A body that was checked: whether its retention is over, and whether it goes. */
export type CheckedBody = { number: number; isOld: boolean; goes: boolean };
export type CheckFrom = { advisorId: number; afterNumber: number; bodiesMax: number };

/** Checks the next bodies by number, and removes those that can go. The database itself checks retention and holds. */
export async function disposeBodies(db: Db, { advisorId, afterNumber, bodiesMax }: CheckFrom): Promise<CheckedBody[]> {
  return db.query<CheckedBody>(
    `select body_number as number, is_old as "isOld", is_disposed as goes
     from dispose_bodies($1, $2, $3)`,
    [advisorId, afterNumber, bodiesMax],
  );
}

/** The same check without removing anything. */
export async function listDisposable(db: Db, { advisorId, afterNumber, bodiesMax }: CheckFrom): Promise<CheckedBody[]> {
  return db.query<CheckedBody>(
    `select body_number as number, is_old as "isOld", is_disposable as goes
     from disposable_bodies($1, $2, $3)`,
    [advisorId, afterNumber, bodiesMax],
  );
}

export type DisposalRow = {
  advisorId: number;
  number: number;
  meta: string;
  body: Buffer | null;
  dateTime: string;
};

/** The entries about disposals, in the order of advisors and numbers. */
export async function listDisposals(
  db: Db,
  after: { advisorId: number; number: number },
  limit: number,
): Promise<DisposalRow[]> {
  return db.query<DisposalRow>(
    `select
       advisor_id as "advisorId", number, meta, b.body,
       to_char(date_time_created at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"') as "dateTime"
     from archive_entries
     left join archive_bodies b using (advisor_id, number)
     where kind = 'disposal' and (advisor_id, number) > ($1, $2)
     order by advisor_id, number
     limit $3`,
    [after.advisorId, after.number, limit],
  );
}

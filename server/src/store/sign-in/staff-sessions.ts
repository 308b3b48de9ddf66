import type { StaffRow } from '../accounts/staff.ts';
import type { Db } from '../database/db.ts';
import type { ListedSession, NewSessionRow, SignInMethod } from './sessions.ts';

/** Who is signed in to the console, as long as they are. */
export type StaffSessionRow = StaffRow & {
  /** Null for operators, like its id. */
  firmName: string | null;
  method: SignInMethod;
  signedInAt: Date;
  seenAt: Date;
};
export type NewStaffSessionRow = Omit<NewSessionRow, 'advisorId'> & { staffId: number };

/** Inserts the session unless they are disabled. */
export async function insertStaffSession(db: Db, session: NewStaffSessionRow): Promise<boolean> {
  const inserted = await db.query(
    `insert into staff_sessions (
       session_hash, staff_id, method, browser, date_time_created, date_time_seen, date_time_expires
     )
     select $1, staff_id, $3, $4, $5, $5, $6
     from staff
     where staff_id = $2 and not disabled
     for share
     returning 1`,
    [session.sessionHash, session.staffId, session.method, session.browser, session.created, session.expires],
  );
  return inserted.length > 0;
}

/** Sessions end at a time, and when nobody has used them since another. */
export type Lasting = { now: Date; seenSince: Date };

export async function findStaffSession(
  db: Db,
  sessionHash: Buffer,
  { now, seenSince }: Lasting,
): Promise<StaffSessionRow | null> {
  return db.find<StaffSessionRow>(
    `select staff_id as "staffId", s.firm_id as "firmId", f.name as "firmName", s.name, email, role, disabled,
       s.date_time_created as "dateTimeCreated", method, o.date_time_created as "signedInAt", date_time_seen as "seenAt"
     from staff_sessions o
     join staff s using (staff_id)
     left join firms f on f.firm_id = s.firm_id
     where session_hash = $1 and date_time_expires > $2 and date_time_seen > $3 and not disabled`,
    [sessionHash, now, seenSince],
    'find-staff-session',
  );
}

export async function updateStaffSeen(db: Db, sessionHash: Buffer, seen: Date): Promise<void> {
  await db.query('update staff_sessions set date_time_seen = $2 where session_hash = $1', [sessionHash, seen]);
}

export async function deleteStaffSession(db: Db, sessionHash: Buffer): Promise<void> {
  await db.query('delete from staff_sessions where session_hash = $1', [sessionHash]);
}

/** The last seen first. */
export async function listStaffSessions(
  db: Db,
  staffId: number,
  { now, seenSince }: Lasting,
  limit: number,
): Promise<ListedSession[]> {
  return db.query(
    `select session_hash as "sessionHash", method, browser, date_time_created as "signedInAt", date_time_seen as "seenAt"
     from staff_sessions
     where staff_id = $1 and date_time_expires > $2 and date_time_seen > $3
     order by date_time_seen desc, session_hash
     limit $4`,
    [staffId, now, seenSince, limit],
  );
}

/** Of their sessions only this one, or all but this one. Returns how many have ended. */
export async function deleteStaffSessionsOf(
  db: Db,
  staffId: number,
  which: { only: Buffer } | { except: Buffer },
): Promise<number> {
  const rows = await db.query(
    `delete from staff_sessions
     where staff_id = $1 and (session_hash = $2) = $3
     returning 1`,
    [staffId, 'only' in which ? which.only : which.except, 'only' in which],
  );
  return rows.length;
}

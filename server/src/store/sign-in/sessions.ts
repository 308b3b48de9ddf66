import type { StaffRow } from '../accounts/staff.ts';
import type { Db } from '../database/db.ts';
import { type Owner, ownerOf } from './owners.ts';

/** `sandbox`: with a click, where everybody may. */
export type SignInMethod = 'password' | 'passkey' | 'sandbox';
type SignedIn = { method: SignInMethod; signedInAt: Date; seenAt: Date };
export type SessionRow = SignedIn & { advisorId: number; name: string; email: string; timeZone: string };
/** Who is signed in to the console. Operators have no firm. */
export type StaffSessionRow = SignedIn & StaffRow & { firmName: string | null };
type NewSessionRow = {
  sessionHash: Buffer;
  method: SignInMethod;
  browser: string;
  created: Date;
  expires: Date;
};
/** A session as its owner sees it among their others. */
export type ListedSession = SignedIn & { sessionHash: Buffer; browser: string };

/**
 * Inserts the session unless its owner is disabled, or an advisor's password is no longer the one that was checked, if one
 * was. It waits for a concurrent password change, which ends existing sessions: none may slip in behind it.
 */
export async function insertSession(
  db: Db,
  owner: Owner,
  { sessionHash, method, browser, created, expires }: NewSessionRow,
  checkedPasswordHash: string | null,
): Promise<boolean> {
  const [column, id] = ownerOf(owner);
  const checked = checkedPasswordHash === null ? [] : [checkedPasswordHash];
  return db.has(
    `insert into sessions (
       session_hash, ${column}, method, browser, date_time_created, date_time_seen, date_time_expires
     )
     select $1, ${column}, $3, $4, $5, $5, $6
     from ${owner.staffId === undefined ? 'advisors' : 'staff'}
     where ${column} = $2 and not disabled ${checked.length > 0 ? 'and password_hash = $7' : ''}
     for share
     returning 1`,
    [sessionHash, id, method, browser, created, expires, ...checked],
  );
}

export async function findSession(db: Db, sessionHash: Buffer, now: Date): Promise<SessionRow | null> {
  return db.find<SessionRow>(
    `select advisor_id as "advisorId", name, email, time_zone as "timeZone", method,
       sessions.date_time_created as "signedInAt", date_time_seen as "seenAt"
     from sessions
     join advisors using (advisor_id)
     where session_hash = $1 and date_time_expires > $2 and not disabled`,
    [sessionHash, now],
  );
}

/** One that ends at a time, and when nobody has used it since another. */
export async function findStaffSession(
  db: Db,
  sessionHash: Buffer,
  { now, seenSince }: { now: Date; seenSince: Date },
): Promise<StaffSessionRow | null> {
  return db.find<StaffSessionRow>(
    `select staff_id as "staffId", s.firm_id as "firmId", f.name as "firmName", s.name, email, role, disabled,
       s.date_time_created as "dateTimeCreated", method, o.date_time_created as "signedInAt", date_time_seen as "seenAt"
     from sessions o
     join staff s using (staff_id)
     left join firms f on f.firm_id = s.firm_id
     where session_hash = $1 and date_time_expires > $2 and date_time_seen > $3 and not disabled`,
    [sessionHash, now, seenSince],
    'find-staff-session',
  );
}

/** The owner's, the last seen first. */
export async function listSessions(
  db: Db,
  owner: Owner,
  { now, seenSince, limit }: { now: Date; seenSince: Date; limit: number },
): Promise<ListedSession[]> {
  const [column, id] = ownerOf(owner);
  return db.query(
    `select session_hash as "sessionHash", method, browser, date_time_created as "signedInAt", date_time_seen as "seenAt"
     from sessions
     where ${column} = $1 and date_time_expires > $2 and date_time_seen > $3
     order by date_time_seen desc, session_hash
     limit $4`,
    [id, now, seenSince, limit],
  );
}

export async function updateSeen(db: Db, sessionHash: Buffer, seen: Date): Promise<void> {
  await db.query('update sessions set date_time_seen = $2 where session_hash = $1', [sessionHash, seen]);
}

/** Those of the advisors' sessions that go on. */
export async function listOpenSessions(db: Db, sessionHashes: Buffer[], now: Date): Promise<Buffer[]> {
  const rows = await db.query<{ sessionHash: Buffer }>(
    `select session_hash as "sessionHash"
     from sessions
     join advisors using (advisor_id)
     where session_hash = any ($1) and date_time_expires > $2 and not disabled`,
    [sessionHashes, now],
    'list-open-sessions',
  );
  return rows.map(({ sessionHash }) => sessionHash);
}

export async function deleteSession(db: Db, sessionHash: Buffer): Promise<void> {
  await db.query('delete from sessions where session_hash = $1', [sessionHash]);
}

/** Of the owner's sessions only this one, or all but this one. Returns how many have ended. */
export async function deleteSessionsOf(
  db: Db,
  owner: Owner,
  which: { only: Buffer } | { except: Buffer },
): Promise<number> {
  const [column, id] = ownerOf(owner);
  const rows = await db.query(
    `delete from sessions
     where ${column} = $1 and (session_hash = $2) = $3
     returning 1`,
    [id, 'only' in which ? which.only : which.except, 'only' in which],
  );
  return rows.length;
}

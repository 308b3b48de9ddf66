import type { Db } from '../database/db.ts';

/** `sandbox`: with a click, where everybody may. */
export type SignInMethod = 'password' | 'passkey' | 'sandbox';
export type SessionRow = {
  advisorId: number;
  name: string;
  email: string;
  timeZone: string;
  method: SignInMethod;
  signedInAt: Date;
  seenAt: Date;
};
export type NewSessionRow = {
  sessionHash: Buffer;
  advisorId: number;
  method: SignInMethod;
  browser: string;
  created: Date;
  expires: Date;
};
/** A session as its advisor sees it among their others. */
export type ListedSession = Pick<SessionRow, 'method' | 'signedInAt' | 'seenAt'> & {
  sessionHash: Buffer;
  browser: string;
};

/**
 * Inserts the session unless the advisor is disabled, or their password is no longer the one that was checked, if one
 * was. It waits for a concurrent password change, which ends existing sessions: none may slip in behind it.
 */
export async function insertSession(
  db: Db,
  session: NewSessionRow,
  checkedPasswordHash: string | null,
): Promise<boolean> {
  const inserted = await db.query(
    `insert into sessions (
       session_hash, advisor_id, method, browser, date_time_created, date_time_seen, date_time_expires
     )
     select $1, advisor_id, $3, $7, $4, $4, $5
     from advisors
     where advisor_id = $2 and not disabled and ($6::text is null or password_hash = $6)
     for share
     returning 1`,
    [
      session.sessionHash,
      session.advisorId,
      session.method,
      session.created,
      session.expires,
      checkedPasswordHash,
      session.browser,
    ],
  );
  return inserted.length > 0;
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

/** The advisor's, the last seen first. */
export async function listSessions(db: Db, advisorId: number, now: Date, limit: number): Promise<ListedSession[]> {
  return db.query(
    `select session_hash as "sessionHash", method, browser, date_time_created as "signedInAt", date_time_seen as "seenAt"
     from sessions
     where advisor_id = $1 and date_time_expires > $2
     order by date_time_seen desc, session_hash
     limit $3`,
    [advisorId, now, limit],
    'list-sessions',
  );
}

export async function updateSeen(db: Db, sessionHash: Buffer, seen: Date): Promise<void> {
  await db.query('update sessions set date_time_seen = $2 where session_hash = $1', [sessionHash, seen]);
}

/** Those of the sessions that go on. */
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

/** Of the advisor's sessions only this one, or all but this one. Returns how many have ended. */
export async function deleteSessionsOf(
  db: Db,
  advisorId: number,
  which: { only: Buffer } | { except: Buffer },
): Promise<number> {
  const rows = await db.query(
    `delete from sessions
     where advisor_id = $1 and (session_hash = $2) = $3
     returning 1`,
    [advisorId, 'only' in which ? which.only : which.except, 'only' in which],
  );
  return rows.length;
}

export async function deleteSessions(db: Db, advisorId: number): Promise<void> {
  await db.query('delete from sessions where advisor_id = $1', [advisorId]);
}

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
};
export type NewSession = { sessionHash: Buffer; advisorId: number; method: SignInMethod; created: Date; expires: Date };

/**
 * Inserts the session unless the advisor is disabled, or their password is no longer the one that was checked, if one
 * was. It waits for a concurrent password change, which ends existing sessions: none may slip in behind it.
 */
export async function insertSession(db: Db, session: NewSession, checkedPasswordHash: string | null): Promise<boolean> {
  const inserted = await db.query(
    `insert into sessions (session_hash, advisor_id, method, date_time_created, date_time_expires)
     select $1, advisor_id, $3, $4, $5
     from advisors
     where advisor_id = $2 and not disabled and ($6::text is null or password_hash = $6)
     for share
     returning 1`,
    [session.sessionHash, session.advisorId, session.method, session.created, session.expires, checkedPasswordHash],
  );
  return inserted.length > 0;
}

export async function findSession(db: Db, sessionHash: Buffer, now: Date): Promise<SessionRow | null> {
  const [row] = await db.query<SessionRow>(
    `select advisor_id as "advisorId", name, email, time_zone as "timeZone", method,
       sessions.date_time_created as "signedInAt"
     from sessions
     join advisors using (advisor_id)
     where session_hash = $1 and date_time_expires > $2 and not disabled`,
    [sessionHash, now],
  );
  return row ?? null;
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

export async function deleteSessions(db: Db, advisorId: number): Promise<void> {
  await db.query('delete from sessions where advisor_id = $1', [advisorId]);
}

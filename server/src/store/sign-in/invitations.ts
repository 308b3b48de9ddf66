import type { Db } from '../database/db.ts';

/** An advisor has one at a time: a new one replaces the one before. */
export async function upsertInvitation(db: Db, advisorId: number, codeHash: Buffer, expires: Date): Promise<void> {
  await db.query(
    `insert into invitations (advisor_id, code_hash, date_time_expires)
     values ($1, $2, $3)
     on conflict (advisor_id) do update
     set code_hash = excluded.code_hash, date_time_expires = excluded.date_time_expires`,
    [advisorId, codeHash, expires],
  );
}

/** Whom a code invites, if it is still good and the email is theirs. */
export async function findInvited(
  db: Db,
  { codeHash, email }: { codeHash: Buffer; email: string },
  now: Date,
): Promise<number | null> {
  const [row] = await db.query<{ advisorId: number }>(
    `select advisor_id as "advisorId"
     from invitations
     join advisors using (advisor_id)
     where code_hash = $1 and date_time_expires > $3 and lower(email) = lower($2) and not disabled`,
    [codeHash, email, now],
  );
  return row?.advisorId ?? null;
}

/** Spends the code. False if somebody else has, or a new one has replaced it. */
export async function deleteInvitation(db: Db, codeHash: Buffer): Promise<boolean> {
  return (await db.query('delete from invitations where code_hash = $1 returning 1', [codeHash])).length > 0;
}

export async function deleteInvitationOf(db: Db, advisorId: number): Promise<void> {
  await db.query('delete from invitations where advisor_id = $1', [advisorId]);
}

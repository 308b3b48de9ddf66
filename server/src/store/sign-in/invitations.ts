import type { Db } from '../database/db.ts';
import { type Owner, ownerOf } from './owners.ts';

/** Everybody has one at a time: a new one replaces the one before. */
export async function upsertInvitation(db: Db, owner: Owner, codeHash: Buffer, expires: Date): Promise<void> {
  const [column, id] = ownerOf(owner);
  await db.query(
    `insert into invitations (${column}, code_hash, date_time_expires)
     values ($1, $2, $3)
     on conflict (${column}) do update
     set code_hash = excluded.code_hash, date_time_expires = excluded.date_time_expires`,
    [id, codeHash, expires],
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

/** Which of the staff a code invites, as above. */
export async function findInvitedStaff(
  db: Db,
  { codeHash, email }: { codeHash: Buffer; email: string },
  now: Date,
): Promise<{ staffId: number; name: string; email: string } | null> {
  return db.find<{ staffId: number; name: string; email: string }>(
    `select staff_id as "staffId", name, email
     from invitations
     join staff using (staff_id)
     where code_hash = $1 and date_time_expires > $3 and lower(email) = lower($2) and not disabled`,
    [codeHash, email, now],
  );
}

/** Spends the code. False if somebody else has, or a new one has replaced it. */
export async function deleteInvitation(db: Db, codeHash: Buffer): Promise<boolean> {
  return (await db.query('delete from invitations where code_hash = $1 returning 1', [codeHash])).length > 0;
}

export async function deleteInvitationOf(db: Db, owner: Owner): Promise<void> {
  const [column, id] = ownerOf(owner);
  await db.query(`delete from invitations where ${column} = $1`, [id]);
}

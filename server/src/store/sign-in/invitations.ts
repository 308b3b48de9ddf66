import type { Db } from '../database/db.ts';
import { type Owner, type OwnerKind, ownerOf } from './owners.ts';

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

export type Invitee = { ownerId: number; name: string; email: string; firmName: string | null };

/** Whom a code invites, if it is still good and the email is theirs. */
export async function findInvited(
  db: Db,
  kind: OwnerKind,
  { codeHash, email }: { codeHash: Buffer; email: string },
  now: Date,
): Promise<Invitee | null> {
  return db.find<Invitee>(
    `select ${kind}_id as "ownerId", o.name, email, f.name as "firmName"
     from invitations
     join ${kind === 'advisor' ? 'advisors' : 'staff'} o using (${kind}_id)
     left join firms f using (firm_id)
     where code_hash = $1 and date_time_expires > $3 and lower(email) = lower($2) and not disabled`,
    [codeHash, email, now],
  );
}

/** Spends the code. False if somebody else has, or a new one has replaced it. */
export async function deleteInvitation(db: Db, codeHash: Buffer): Promise<boolean> {
  return db.has('delete from invitations where code_hash = $1 returning 1', [codeHash]);
}

export async function deleteInvitationOf(db: Db, owner: Owner): Promise<void> {
  const [column, id] = ownerOf(owner);
  await db.query(`delete from invitations where ${column} = $1`, [id]);
}

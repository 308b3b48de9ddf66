import type { Db } from '../database/db.ts';
import type { OwnerKind } from './owners.ts';

/** Where each kind of owner has an email and a password. */
const accounts = { advisor: 'advisors', staff: '(staff left join staff_credentials using (staff_id))' };

type FoundPassword = { foldedEmail: string; ownerId: number | null; passwordHash: string | null };

/** The email, case-folded for comparison, with its owner's id and password hash; nulls if nobody may sign in. */
export async function findPassword(db: Db, kind: OwnerKind, email: string): Promise<FoundPassword> {
  const row = await db.find<FoundPassword>(
    `select lower($1) as "foldedEmail", ${kind}_id as "ownerId", password_hash as "passwordHash"
     from (select 1) as asked
     left join ${accounts[kind]} on lower(email) = lower($1) and not disabled`,
    [email],
  );
  if (!row) throw new Error('A left join returned no row.');
  return row;
}

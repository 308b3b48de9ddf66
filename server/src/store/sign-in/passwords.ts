import type { Db } from '../database/db.ts';

type FoundPassword = { foldedEmail: string; advisorId: number | null; passwordHash: string | null };

/** The email, case-folded for comparison, with its advisor's id and password hash; nulls if nobody may sign in. */
export async function findPassword(db: Db, email: string): Promise<FoundPassword> {
  return db.one<FoundPassword>(
    `select lower($1) as "foldedEmail", advisor_id as "advisorId", password_hash as "passwordHash"
     from (select 1) as asked
     left join advisors on lower(email) = lower($1) and not disabled`,
    [email],
  );
}

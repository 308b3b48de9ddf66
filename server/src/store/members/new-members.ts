import type { Db, Transaction } from '../database/db.ts';
import { falseIfTaken } from '../database/errors.ts';
import { copyRow } from '../database/running/copy.ts';
import type { NewMember } from './members.ts';

/** Those of these numbers that the advisor doesn't know. */
export async function listUnknownNumbers(db: Db, advisorId: number, phones: string[]): Promise<string[]> {
  const rows = await db.query<{ phone: string }>(
    `select phone
     from members
     where advisor_id = $1 and phone = any ($2)`,
    [advisorId, phones],
    'list-known-numbers',
  );
  const known = new Set(rows.map(({ phone }) => phone));
  return known.size === 0 ? phones : phones.filter((phone) => !known.has(phone));
}

/**
 * Creates a member for each of many numbers, in the order of the numbers to avoid deadlocks. `copy` writes a page of them at a
 * time: that takes half of what `insertMembers` takes. False if somebody else has created one of them in the meantime: then it
 * has created none.
 */
export async function copyMembers(db: Transaction, advisorId: number, phones: string[], now: Date): Promise<boolean> {
  const time = now.toISOString();
  const rows = phones
    .toSorted()
    .values()
    .map((phone) => copyRow([advisorId, phone, time, time]));
  const text = 'copy members (advisor_id, phone, last_changed, date_time_created) from stdin';
  return db
    .savepoint(() => db.copy(text, rows))
    .then(() => true)
    .catch(falseIfTaken);
}

/** The members whom an earlier stop may concern: where one counts for the whole firm, those with these numbers, otherwise only some. */
export async function listMembersToStop(
  db: Db,
  advisorId: number,
  phones: string[],
  always: string[],
): Promise<NewMember[]> {
  return db.query<NewMember>(
    `select advisor_id as "advisorId", member_id as "memberId", phone
     from members
     where advisor_id = $1
       and phone = any ($2)
       -- Asked once, so that thousands of members of an import are not gone through where the firm doesn't have that scope.
       and (
         phone = any ($3)
         or (select opt_out_scope from advisors join firms using (firm_id) where advisor_id = $1) = 'firm'
       )`,
    [advisorId, phones, always],
    'list-members-to-stop',
  );
}

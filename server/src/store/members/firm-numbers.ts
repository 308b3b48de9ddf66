import { columnsOf } from '../database/columns.ts';
import type { Db } from '../database/db.ts';

/**
 * A stop that counts for a whole firm must see every member of the firm with that number, and a new member must see every
 * such stop. Neither sees what the other has not committed, so they take turns: whoever creates a member shares an advisory
 * lock on the firm's number, and whoever stops it for the firm excludes them. The lock comes before any member's row.
 * Numbers share a fixed count of locks per firm, because an import of many numbers would fill PostgreSQL's lock table.
 */
export const firmNumberSlots = 64;

/** The slot of a number. */
export const slotOf = (phone: string) => `(hashtext(${phone}) & ${firmNumberSlots - 1})`;

/** The key of the lock, from SQL for the firm's id and the phone. */
const firmNumberKey = (firmId: string, phone: string) => slotKey(firmId, slotOf(phone));

const slotKey = (firmId: string, slot: string) =>
  `hashtextextended('firm numbers', ${firmId} * ${firmNumberSlots} + ${slot})`;

/** Until the transaction ends, nobody stops these numbers for the whole firms of the advisors, who are about to know them. */
export async function shareFirmNumbers(db: Db, numbers: { advisorId: number; phone: string }[]): Promise<void> {
  const locks = await db.query(
    `select pg_advisory_xact_lock_shared(key)
     from (
       select distinct ${firmNumberKey('firm_id', 'phone')} as key
       from unnest($1::bigint[], $2::text[]) as given (advisor_id, phone)
       join advisors using (advisor_id)
       order by key
     ) as keys`,
    columnsOf(numbers, 'advisorId', 'phone'),
    'share-firm-numbers',
  );
  // Members have no foreign key to tell.
  if (locks.length === 0) throw new Error(`There is no advisor ${numbers[0]?.advisorId}.`);
}

/** Until the transaction ends, no advisor of these firms gets to know these numbers. */
export async function lockFirmNumbers(db: Db, firmIds: number[], phones: string[]): Promise<void> {
  await db.query(
    `select pg_advisory_xact_lock(key)
     from (
       select distinct ${firmNumberKey('firm_id', 'phone')} as key
       from unnest($1::bigint[]) as firm_id
       cross join unnest($2::text[]) as phone
       order by key
     ) as keys`,
    [firmIds, phones],
    'lock-firm-numbers',
  );
}

/** The same for every number of a slot. */
export async function lockFirmSlot(db: Db, firmId: number, slot: number): Promise<void> {
  await db.query(`select pg_advisory_xact_lock(${slotKey('$1::bigint', '$2::integer')})`, [firmId, slot]);
}

import { columnsOf } from '../database/columns.ts';
import type { Db } from '../database/db.ts';
import { deleteBatch } from '../shared/old-rows.ts';

export type LineType = 'mobile' | 'landline' | 'unreachable' | 'unknown';
type WantedLookup = { phone: string; carrierId: number };
export type ClaimedLookup = WantedLookup & { failures: number };

/** Any number will do that nobody else uses for locks with two keys. */
const lookupLocks = 1;

/**
 * Queues numbers that nobody has looked up or is about to. Never waits, since sends call it in their transactions: a number that
 * another transaction is queuing right now is left to that one.
 */
export async function insertLookups(db: Db, wanted: WantedLookup[], realNow: Date): Promise<void> {
  await db.query(
    `insert into number_lookups as known (phone, carrier_id, not_before)
     select distinct on (phone) phone, carrier_id, $3::timestamptz
     from unnest($1::text[], $2::smallint[]) as wanted (phone, carrier_id)
     where pg_try_advisory_xact_lock($4, hashtext(phone))
     order by phone
     on conflict (phone) do update
     set carrier_id = excluded.carrier_id, failures = 0, not_before = excluded.not_before
     where known.not_before is null and known.valid_until <= excluded.not_before`,
    [...columnsOf(wanted, 'phone', 'carrierId'), realNow, lookupLocks],
    'insert-lookups',
  );
}

/** Claims a carrier's lookups that are due. Nobody else has them `until` then. */
export async function claimLookups(
  db: Db,
  carrierId: number,
  { realNow, until, limit }: { realNow: Date; until: Date; limit: number },
): Promise<ClaimedLookup[]> {
  return db.query<ClaimedLookup>(
    `update number_lookups l
     set not_before = $3
     from (
       select phone
       from number_lookups
       where carrier_id = $1 and not_before <= $2
       order by not_before
       limit $4
       for update skip locked
     ) as due
     where l.phone = due.phone
     returning l.phone, l.carrier_id::integer as "carrierId", l.failures`,
    [carrierId, realNow, until, limit],
    'claim-lookups',
  );
}

export async function updateAnsweredLookup(
  db: Db,
  phone: string,
  { lineType, validUntil }: { lineType: LineType; validUntil: Date },
): Promise<void> {
  await db.query(
    `update number_lookups
     set line_type = $2, valid_until = $3, failures = 0, not_before = null
     where phone = $1`,
    [phone, lineType, validUntil],
  );
}

export async function updateFailedLookup(
  db: Db,
  phone: string,
  { failures, again }: { failures: number; again: Date },
): Promise<void> {
  await db.query('update number_lookups set failures = $2, not_before = $3 where phone = $1', [phone, failures, again]);
}

/** Deletes answers that no longer count, and what nobody has asked for since `unasked`. */
export function deleteOldLookups(db: Db, { realNow, unasked }: { realNow: Date; unasked: Date }, limit: number) {
  const where = '((not_before is null and valid_until <= $1) or not_before <= $2)';
  return deleteBatch(db, { table: 'number_lookups', key: 'phone', where }, [realNow, unasked], limit);
}

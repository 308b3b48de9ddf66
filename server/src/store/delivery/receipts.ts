import { columnsOf } from '../database/columns.ts';
import type { Db } from '../database/db.ts';
import { forAllAdvisors } from '../database/for-advisors.ts';
import { few } from '../shared/few.ts';
import { type MessageKey, maintainedMax, type Times } from './dispatches.ts';
import { isDone, moveByReceipt, type ReceiptRow } from './receipt-moves.ts';

export type { ReceiptRow } from './receipt-moves.ts';

/** A text in doubt, and the receipt that is about it and no other. */
export type FittingReceipt = MessageKey & { attempt: number; carrierId: number; carrierMessageId: string };

/** Whom the text was for that the carrier gave that id. Spans advisors: a carrier knows only its own ids. */
export async function findRecipientOf(db: Db, carrierId: number, carrierMessageId: string) {
  return db.find<{ advisorId: number; memberId: number }>(
    `select advisor_id as "advisorId", member_id as "memberId"
     from carrier_texts
     join messages using (advisor_id, message_id)
     where carrier_texts.carrier_message_id = $2 and carrier_texts.carrier_id = $1
     limit 1`,
    [carrierId, carrierMessageId],
    'find-recipient-of',
  );
}

/**
 * Records receipts, with an entry for each that says something new. Duplicates and a different order make no difference:
 * delivered is final. A receipt whose id no message has yet is kept until one does. Returns those that said something new.
 */
export async function recordReceipts(
  db: Db,
  receipts: ReceiptRow[],
  { now, realNow }: Times,
): Promise<MovedByReceipt[]> {
  const known = await moveTexts(db, receipts, now);
  const matched = new Set(known.map(keyOf));
  const unmatched = receipts.filter((receipt) => !matched.has(keyOf(receipt)));
  if (unmatched.length > 0) await insertUnmatched(db, unmatched, realNow);
  return known.filter(isMoved);
}

/**
 * A receipt and the response that it overtook may be written at the same moment, without seeing each other. So receipts that
 * match no message are checked again. Returns those that match one now, and those of them that said something new. One that opts
 * the person out stays until that is done.
 */
export async function applyEarlyReceipts(
  db: Db,
  now: Date,
): Promise<{ matched: ReceiptRow[]; moved: MovedByReceipt[] }> {
  return db.transaction(async (db) => {
    const waiting = await db.query<ReceiptRow>(
      `select carrier_id as "carrierId", carrier_message_id as "carrierMessageId", status, code, failure_code as reason
       from unmatched_receipts
       where advisor_id = 0
       limit ${maintainedMax}
       for update skip locked`,
    );
    const matched = await moveTexts(db, waiting, now);
    await db.query(
      `delete from unmatched_receipts
       using unnest($1::smallint[], $2::text[]) as given (carrier_id, carrier_message_id)
       where advisor_id = 0
         and unmatched_receipts.carrier_id = given.carrier_id
         and unmatched_receipts.carrier_message_id = given.carrier_message_id
         and ${isDone}`,
      columnsOf(matched, 'carrierId', 'carrierMessageId'),
    );
    const found = new Set(matched.map(keyOf));
    return { matched: waiting.filter((receipt) => found.has(keyOf(receipt))), moved: matched.filter(isMoved) };
  });
}

/** False if another node has handled it. */
export async function deleteEarlyOptOut(db: Db, { carrierId, carrierMessageId }: ReceiptKey): Promise<boolean> {
  const deleted = await db.query(
    `delete from unmatched_receipts
     where advisor_id = 0 and carrier_id = $1 and carrier_message_id = $2 and not ${isDone}
     returning 1`,
    [carrierId, carrierMessageId],
  );
  return deleted.length > 0;
}

type ReceiptKey = Pick<ReceiptRow, 'carrierId' | 'carrierMessageId'>;
/** `moved` is the text's new status; null if it had that already. */
type MatchedReceipt = ReceiptKey & { moved: ReceiptRow['status'] | null };
export type MovedByReceipt = MatchedReceipt & { moved: ReceiptRow['status'] };

function isMoved(receipt: MatchedReceipt): receipt is MovedByReceipt {
  return receipt.moved !== null;
}

function keyOf({ carrierId, carrierMessageId }: ReceiptKey): string {
  return `${carrierId}:${carrierMessageId}`;
}

/** Returns the receipts that some message is about. Spans advisors: a carrier knows only its own ids. */
async function moveTexts(db: Db, receipts: ReceiptRow[], now: Date): Promise<MatchedReceipt[]> {
  return forAllAdvisors(db, (db) =>
    db.query<MatchedReceipt>(
      `with given as materialized (
       select distinct on (carrier_id, carrier_message_id) *
       from unnest($2::smallint[], $3::text[], $4::text[], $5::text[], $6::text[]) with ordinality
         as g (carrier_id, carrier_message_id, status, code, failure_code, position)
       where ${few('position')}
       order by carrier_id, carrier_message_id, status
     ),
     known as materialized (
       select given.*, t.advisor_id, t.message_id
       from given
       cross join lateral (
         select advisor_id, message_id
         from carrier_texts
         where carrier_texts.carrier_message_id = given.carrier_message_id
           and carrier_texts.carrier_id = given.carrier_id
         limit 1
       ) as t
       order by t.message_id
     ),
     ${moveByReceipt}
     select
       known.carrier_id::integer as "carrierId", known.carrier_message_id as "carrierMessageId", moved.status as moved
     from known
     left join moved on moved.advisor_id = known.advisor_id and moved.message_id = known.message_id`,
      [now, ...columnsOf(receipts, 'carrierId', 'carrierMessageId', 'status', 'code', 'reason')],
      'move-by-receipts',
    ),
  );
}

/** Nobody's yet: the deployment is advisor 0. */
async function insertUnmatched(db: Db, receipts: ReceiptRow[], realNow: Date): Promise<void> {
  await db.query(
    `insert into unmatched_receipts as kept (
       advisor_id, carrier_id, carrier_message_id, status, code, failure_code, reference, from_number, to_number,
       date_time_created
     )
     select distinct on (carrier_id, carrier_message_id)
       0, carrier_id, carrier_message_id, status, code, failure_code, reference, from_number, to_number,
       $1::timestamptz
     from unnest($2::smallint[], $3::text[], $4::text[], $5::text[], $6::integer[], $7::text[], $8::text[], $9::text[])
       as given (carrier_id, carrier_message_id, status, code, reference, from_number, to_number, failure_code)
     order by carrier_id, carrier_message_id, status
     on conflict (carrier_id, carrier_message_id, advisor_id) do update
     set status = excluded.status, code = excluded.code, failure_code = excluded.failure_code
     where kept.status <> 'delivered'`,
    [
      realNow,
      ...columnsOf(receipts, 'carrierId', 'carrierMessageId', 'status', 'code', 'reference', 'from', 'to', 'reason'),
    ],
    'insert-unmatched',
  );
}

/**
 * Texts in doubt that a receipt is about: it repeats both numbers and the last bits of our reference, and exactly one text since
 * `since` (domain time) fits. A text with several parts may have several such receipts; one that says undelivered comes first.
 * Spans advisors: a receipt doesn't say whose text it is about.
 */
export async function listFittingReceipts(db: Db, since: Date): Promise<FittingReceipt[]> {
  return db.query<FittingReceipt>(
    `with r as materialized (
       select *
       from unmatched_receipts
       where reference is not null
     ),
     fitting as (
       select
         r.carrier_id, r.carrier_message_id, r.status, t.advisor_id, t.message_id, t.attempt,
         count(*) over (partition by r.carrier_id, r.carrier_message_id) as texts
       from r
       join advisors a on a.texting_number = r.from_number
       join members m on m.advisor_id = a.advisor_id and m.phone = r.to_number
       join messages t on t.advisor_id = m.advisor_id and t.member_id = m.member_id
       where t.carrier_id = r.carrier_id
         and t.rare_status = 'in_doubt'
         and t.date_time_created >= $1
         and t.message_id % 65536 = r.reference % 65536
     )
     select distinct on (advisor_id, message_id)
       advisor_id as "advisorId", message_id as "messageId", attempt, carrier_id::integer as "carrierId",
       carrier_message_id as "carrierMessageId"
     from fitting
     where texts = 1
     order by advisor_id, message_id, status desc
     limit ${maintainedMax}`,
    [since],
  );
}

/** Usually there is none, and then what handles them isn't even planned, which takes milliseconds. */
export async function hasUnmatchedReceipts(db: Db): Promise<boolean> {
  const [row] = await db.query<{ found: boolean }>(
    'select exists (select from unmatched_receipts where advisor_id = 0) as found',
    [],
    'has-unmatched-receipts',
  );
  return row?.found ?? false;
}

/** Old receipts that match no message of ours: carriers deliver those of others too. */
export async function deleteUnmatchedReceipts(db: Db, before: Date): Promise<void> {
  await db.query('delete from unmatched_receipts where advisor_id = 0 and date_time_created < $1', [before]);
}

import { sandboxCarrierId } from '../carriers/carriers.ts';
import type { Db } from '../database/db.ts';
import { few } from '../shared/few.ts';
import { type MessageKey, maintainedMax, type Times } from './dispatches.ts';
import { moveByReceipt, type ReceiptRow } from './receipt-moves.ts';
import { applyByAdvisor, recordByAdvisor } from './receipts-by-advisor.ts';

export type { ReceiptRow } from './receipt-moves.ts';

/** A text in doubt, and the receipt that is about it and no other. */
export type FittingReceipt = MessageKey & { attempt: number; carrierId: number; carrierMessageId: string };

/** SQL for the message that the carrier gave that id. Ids are unique for one carrier only. */
function messageWith(receipt: string): string {
  return `select advisor_id, message_id
         from messages
         where messages.carrier_message_id = ${receipt}.carrier_message_id
           and coalesce(messages.carrier_id, ${sandboxCarrierId}) = ${receipt}.carrier_id
         limit 1`;
}

/** Whom the text was for that the carrier gave that id. Spans advisors: a carrier knows only its own ids. */
export async function findRecipientOf(
  db: Db,
  carrierId: number,
  carrierMessageId: string,
): Promise<{ advisorId: number; memberId: number } | null> {
  const [row] = await db.query<{ advisorId: number; memberId: number }>(
    `select advisor_id as "advisorId", member_id as "memberId"
     from messages
     where carrier_message_id = $2 and coalesce(carrier_id, ${sandboxCarrierId}) = $1
     limit 1`,
    [carrierId, carrierMessageId],
    'find-recipient-of',
  );
  return row ?? null;
}

/**
 * Records receipts, with an entry for each that says something new. Duplicates and a different order make no difference:
 * delivered is final. A receipt whose id no message has yet is kept until one does. Spans advisors: a carrier knows only its
 * own ids.
 */
export async function recordReceipts(db: Db, receipts: ReceiptRow[], { now, realNow }: Times): Promise<void> {
  const isDistributed = db.isDistributed();
  if (isDistributed !== false && (await isDistributed)) return recordByAdvisor(db, receipts, { now, realNow });
  await db.query(
    `with given as materialized (
       select distinct on (carrier_id, carrier_message_id) *
       from unnest(
         $2::text[], $3::text[], $4::text[], $6::smallint[], $7::integer[], $8::text[], $9::text[], $10::text[]
       ) with ordinality as g (
         carrier_message_id, status, code, carrier_id, reference, from_number, to_number, failure_code, position
       )
       where ${few('position')}
       order by carrier_id, carrier_message_id, status
     ),
     known as materialized (
       select given.*, t.advisor_id, t.message_id
       from given
       left join lateral (
         ${messageWith('given')}
       ) as t on true
       order by t.message_id
     ),
     kept as (
       insert into unmatched_receipts as kept (
         carrier_id, carrier_message_id, status, code, failure_code, reference, from_number, to_number, date_time_created
       )
       select carrier_id, carrier_message_id, status, code, failure_code, reference, from_number, to_number, $5::timestamptz
       from known
       where message_id is null
       order by carrier_id, carrier_message_id
       on conflict (carrier_id, carrier_message_id) do update
       set status = excluded.status, code = excluded.code, failure_code = excluded.failure_code
       where kept.status <> 'delivered'
     ),
     ${moveByReceipt}
     select`,
    [
      now,
      receipts.map(({ carrierMessageId }) => carrierMessageId),
      receipts.map(({ status }) => status),
      receipts.map(({ code }) => code ?? null),
      realNow,
      receipts.map(({ carrierId }) => carrierId),
      receipts.map(({ reference }) => reference ?? null),
      receipts.map(({ from }) => from ?? null),
      receipts.map(({ to }) => to ?? null),
      receipts.map(({ reason }) => reason ?? null),
    ],
    'record-receipts',
  );
}

/**
 * A receipt and the answer that it overtook may be written at the same moment, without seeing each other. So receipts that
 * match no message are checked again. Returns how many there were. Spans advisors: a receipt doesn't say whose text it is about.
 */
export async function applyEarlyReceipts(db: Db, now: Date): Promise<number> {
  if (await db.isDistributed()) return db.transaction((own) => applyByAdvisor(own, maintainedMax, now));
  const rows = await db.query(
    `with known as materialized (
       select e.carrier_id, e.carrier_message_id, e.status, e.code, e.failure_code, t.advisor_id, t.message_id
       from unmatched_receipts e
       cross join lateral (
         ${messageWith('e')}
       ) as t
       limit ${maintainedMax}
       for update of e skip locked
     ),
     applied as (
       delete from unmatched_receipts
       using known
       where unmatched_receipts.carrier_id = known.carrier_id
         and unmatched_receipts.carrier_message_id = known.carrier_message_id
     ),
     ${moveByReceipt}
     select
     from known`,
    [now],
  );
  return rows.length;
}

/**
 * Texts in doubt that a receipt is about: it repeats both numbers and the last bits of our reference, and exactly one text since
 * `since` (domain time) fits. A text with several parts may have several such receipts; one that says undelivered comes first.
 * Spans advisors: a receipt doesn't say whose text it is about.
 */
export async function listFittingReceipts(db: Db, since: Date): Promise<FittingReceipt[]> {
  return db.query<FittingReceipt>(
    `with fitting as (
       select
         r.carrier_id, r.carrier_message_id, r.status, t.advisor_id, t.message_id, t.attempt,
         count(*) over (partition by r.carrier_id, r.carrier_message_id) as texts
       from unmatched_receipts r
       join advisors a on a.texting_number = r.from_number
       join members m on m.advisor_id = a.advisor_id and m.phone = r.to_number
       join messages t on t.advisor_id = m.advisor_id and t.member_id = m.member_id
       where r.reference is not null
         and t.carrier_id = r.carrier_id
         and t.status = 'in_doubt'
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
    'select exists (select from unmatched_receipts) as found',
    [],
    'has-unmatched-receipts',
  );
  return row?.found ?? false;
}

/** Old receipts that match no message of ours: carriers deliver those of others too. */
export async function deleteUnmatchedReceipts(db: Db, before: Date): Promise<void> {
  await db.query('delete from unmatched_receipts where date_time_created < $1', [before]);
}

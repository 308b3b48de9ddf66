import type { Db } from '../database/db.ts';
import { few } from '../shared/few.ts';
import { oneStep, outcomeColumns, outcomeEntries } from '../texting/text-outcomes.ts';
import { maintainedMax, type Times } from './dispatches.ts';

export type ReceiptRow = { carrierMessageId: string; status: 'delivered' | 'undelivered'; code?: string };

/**
 * Records receipts, with an entry for each that says something new. Duplicates and a different order make no difference:
 * delivered is final. A receipt whose id no message has yet is kept until one does.
 */
export async function recordReceipts(db: Db, receipts: ReceiptRow[], { now, realNow }: Times): Promise<void> {
  await db.query(
    `with given as materialized (
       select distinct on (carrier_message_id) carrier_message_id, status, code
       from unnest($2::text[], $3::text[], $4::text[]) with ordinality as g (carrier_message_id, status, code, position)
       where ${few('position')}
       order by carrier_message_id, status
     ),
     known as materialized (
       select given.*, t.advisor_id, t.message_id
       from given
       left join lateral (
         select advisor_id, message_id
         from messages
         where messages.carrier_message_id = given.carrier_message_id
         limit 1
       ) as t on true
       order by t.message_id
     ),
     kept as (
       insert into early_receipts as kept (carrier_message_id, status, code, date_time_created)
       select carrier_message_id, status, code, $5::timestamptz
       from known
       where message_id is null
       order by carrier_message_id
       on conflict (carrier_message_id) do update
       set status = excluded.status, code = excluded.code
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
    ],
    'record-receipts',
  );
}

/**
 * A receipt and the answer that it overtook may be written at the same moment, without seeing each other. So early receipts
 * are checked again. Returns how many there were.
 */
export async function applyEarlyReceipts(db: Db, now: Date): Promise<number> {
  const rows = await db.query(
    `with known as materialized (
       select e.carrier_message_id, e.status, e.code, t.advisor_id, t.message_id
       from early_receipts e
       cross join lateral (
         select advisor_id, message_id
         from messages
         where messages.carrier_message_id = e.carrier_message_id
         limit 1
       ) as t
       limit ${maintainedMax}
       for update of e skip locked
     ),
     applied as (
       delete from early_receipts
       using known
       where early_receipts.carrier_message_id = known.carrier_message_id
     ),
     ${moveByReceipt}
     select
     from known`,
    [now],
  );
  return rows.length;
}

/** Old receipts that match no message of ours: carriers deliver those of others too. */
export async function deleteEarlyReceipts(db: Db, before: Date): Promise<void> {
  await db.query('delete from early_receipts where date_time_created < $1', [before]);
}

/** Updates the messages in `known` by their receipts; $1 is the time. */
const moveByReceipt = `
  moved as (
    update messages
    set status = known.status,
        failure_code = case when known.status = 'undelivered' then coalesce(known.code, 'undelivered') end,
        date_time_delivered = case when known.status = 'delivered' then $1::timestamptz end
    from known
    where messages.advisor_id = known.advisor_id
      and messages.message_id = known.message_id
      and (messages.status = 'sent' or (messages.status = 'undelivered' and known.status = 'delivered'))
    returning ${outcomeColumns}, 'carrier' as actor, ${oneStep}
  ),
  ${outcomeEntries('moved', '$1')}`;

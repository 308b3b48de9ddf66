import { archivedStep, carrierCode, outcomeColumns, outcomeEntries } from '../texting/text-outcomes.ts';

export type ReceiptRow = {
  carrierId: number;
  carrierMessageId: string;
  status: 'delivered' | 'undelivered';
  /** The carrier's own code, and what it means in our words. */
  code?: string;
  reason?: string;
  /** What the carrier repeats of the text, if it does: the last 16 bits of our reference, and both numbers. */
  reference?: number;
  from?: string;
  to?: string;
};

/** Whether a receipt that came early has nothing more to say once its text is known. One that opts the person out stays for that. */
export const isDone = `unmatched_receipts.failure_code is distinct from 'opted_out'`;

/** Updates the messages in `known` by their receipts; $1 is the time. */
export const moveByReceipt = `
  moved as (
    update messages
    set status = known.status,
        failure_code = case when known.status = 'undelivered' then coalesce(known.failure_code, 'undelivered') end,
        date_time_delivered = case when known.status = 'delivered' then $1::timestamptz end
    from known
    where messages.advisor_id = known.advisor_id
      and messages.message_id = known.message_id
      and (messages.status = 'sent' or (messages.status = 'undelivered' and known.status = 'delivered'))
    returning ${outcomeColumns}, 'carrier' as actor, ${archivedStep}, ${carrierCode('known.code')} as facts
  ),
  ${outcomeEntries('moved', '$1')}`;

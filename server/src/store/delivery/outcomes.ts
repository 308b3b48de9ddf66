import type { Db } from '../database/db.ts';
import { outcomeColumns, type TextOutcome } from '../texting/text-outcomes.ts';
import { type MessageKey, maintainedMax, type Times } from './dispatches.ts';

/** The outcome of an attempt, and the message's status from then on. */
export type OutcomeRow = MessageKey & {
  attempt: number;
  outcome: 'accepted' | 'refused' | 'not_taken' | 'unknown';
  code: string | null;
  status: 'sent' | 'failed' | 'queued' | 'in_doubt';
  failureCode: string | null;
  carrierMessageId: string | null;
  /** Real time; for a text that is queued again. */
  retryAt: Date | null;
};

/**
 * Records the outcomes of attempts. The attempt's number is the fence: an outcome counts only for the message's last attempt,
 * while it is being submitted. If the lease has expired meanwhile, a definite answer still settles the doubt, but nothing is
 * retried. A receipt that came before the answer is applied with it. Returns the texts that have ended, whose doubt began or
 * whose doubt was settled. Messages are locked first, because only a lock tells for sure which of them were in doubt.
 */
export async function recordOutcomes(db: Db, outcomes: OutcomeRow[], now: Date): Promise<TextOutcome[]> {
  return db.query<TextOutcome>(
    `with given as materialized (
       select *
       from unnest(
         $1::bigint[], $2::bigint[], $3::smallint[], $4::text[], $5::text[], $6::text[], $7::text[], $8::text[],
         $9::timestamptz[]
       ) as g (
         advisor_id, message_id, attempt, outcome, code, status, failure_code, carrier_message_id, retry_at
       )
       order by message_id
     ),
     known as materialized (
       select given.*, t.status = 'in_doubt' as doubted, e.status as receipt, e.code as receipt_code
       from given
       cross join lateral (
         select status
         from messages
         where advisor_id = given.advisor_id and message_id = given.message_id
         for no key update
       ) as t
       left join lateral (
         select status, code
         from early_receipts
         where carrier_message_id = given.carrier_message_id
         for update
       ) as e on true
     ),
     applied as (
       delete from early_receipts
       using known
       where receipt is not null and early_receipts.carrier_message_id = known.carrier_message_id
     ),
     moved as (
       update messages
       set status = case
             when known.status = 'queued' and messages.status = 'in_doubt' then 'failed'
             else coalesce(receipt, known.status)
           end,
           failure_code = case
             when known.status = 'queued' and messages.status = 'submitting' then null
             when receipt = 'undelivered' then coalesce(receipt_code, 'undelivered')
             else known.failure_code
           end,
           carrier_message_id = known.carrier_message_id,
           date_time_sent = case when known.status = 'sent' then $10::timestamptz end,
           date_time_delivered = case when receipt = 'delivered' then $10::timestamptz end
       from known
       where messages.advisor_id = known.advisor_id
         and messages.message_id = known.message_id
         and messages.attempt = known.attempt
         and (messages.status = 'submitting' or (messages.status = 'in_doubt' and known.status <> 'in_doubt'))
       returning messages.advisor_id, messages.message_id, outcome, code, retry_at, doubted, ${outcomeColumns('service')}
     ),
     ended as (
       update attempts
       set outcome = moved.outcome, code = moved.code, date_time_ended = $10
       from moved
       where attempts.advisor_id = moved.advisor_id
         and attempts.message_id = moved.message_id
         and attempts.attempt = moved.attempt
     ),
     requeued as (
       update dispatches
       set leased_until = null, not_before = retry_at
       from moved
       where moved.status = 'queued'
         and dispatches.advisor_id = moved.advisor_id
         and dispatches.message_id = moved.message_id
     ),
     removed as (
       delete from dispatches
       using moved
       where moved.status <> 'queued'
         and dispatches.advisor_id = moved.advisor_id
         and dispatches.message_id = moved.message_id
     )
     select
       "advisorId", "messageId", "memberId", "archiveNumber", status, coalesce(reason, code) as reason, attempt,
       "carrierMessageId", case when outcome in ('accepted', 'refused') then 'carrier' else actor end as actor
     from moved
     where status in ('failed', 'in_doubt', 'delivered', 'undelivered') or (status = 'sent' and doubted)`,
    [
      outcomes.map(({ advisorId }) => advisorId),
      outcomes.map(({ messageId }) => messageId),
      outcomes.map(({ attempt }) => attempt),
      outcomes.map(({ outcome }) => outcome),
      outcomes.map(({ code }) => code),
      outcomes.map(({ status }) => status),
      outcomes.map(({ failureCode }) => failureCode),
      outcomes.map(({ carrierMessageId }) => carrierMessageId),
      outcomes.map(({ retryAt }) => retryAt),
      now,
    ],
    'record-outcomes',
  );
}

/**
 * Ends expired leases: the node that held them is gone, and nobody knows whether the carrier took the text. A locked message
 * is left for later, because its outcome is just being written. Returns the texts that are in doubt from now on.
 */
export async function expireLeases(db: Db, { now, realNow }: Times): Promise<TextOutcome[]> {
  return db.query<TextOutcome>(
    `with lost as materialized (
       select advisor_id, message_id
       from dispatches
       where leased_until < $1
       order by leased_until
       limit ${maintainedMax}
       for update skip locked
     ),
     held as materialized (
       select lost.*
       from lost
       cross join lateral (
         select
         from messages
         where advisor_id = lost.advisor_id and message_id = lost.message_id
         for update skip locked
       ) as t
     ),
     doubted as (
       update messages
       set status = 'in_doubt'
       from held
       where messages.advisor_id = held.advisor_id
         and messages.message_id = held.message_id
         and messages.status = 'submitting'
       returning ${outcomeColumns('service')}
     ),
     ended as (
       update attempts
       set outcome = 'unknown', code = 'lease_expired', date_time_ended = $2
       from doubted
       where attempts.advisor_id = doubted."advisorId"
         and attempts.message_id = doubted."messageId"
         and attempts.attempt = doubted.attempt
     ),
     removed as (
       delete from dispatches
       using held
       where dispatches.advisor_id = held.advisor_id and dispatches.message_id = held.message_id
     )
     select
       "advisorId", "messageId", "memberId", "archiveNumber", status, 'lease_expired' as reason, attempt,
       "carrierMessageId", actor
     from doubted`,
    [realNow, now],
  );
}

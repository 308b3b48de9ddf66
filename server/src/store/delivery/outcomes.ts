import { columnsOf } from '../database/columns.ts';
import type { Db } from '../database/db.ts';
import { forAdvisors } from '../database/for-advisors.ts';
import { few } from '../shared/few.ts';
import { carrierCode, jsonMembers, outcomeColumns, outcomeEntries } from '../texting/text-outcomes.ts';
import type { MessageKey } from './dispatches.ts';
import { isDone, type ReceiptRow } from './receipt-moves.ts';

/** The outcome of an attempt, and the message's status from then on. */
export type OutcomeRow = MessageKey & {
  attempt: number;
  carrierId: number;
  /** Domain time. */
  dateTimeStarted: Date;
  outcome: 'accepted' | 'refused' | 'not_taken' | 'unknown';
  code: string | null;
  status: 'sent' | 'failed' | 'queued' | 'in_doubt';
  failureCode: string | null;
  carrierMessageId: string | null;
  /** A receipt that came with the response. */
  receipt: Pick<ReceiptRow, 'status' | 'code' | 'reason'> | null;
  /** More facts for the archive, such as the carrier's own code. */
  facts: Record<string, string | number> | null;
  /** For a text that is queued again: real time, and its hours. */
  retryAt: Date | null;
  openUntil: Date | null;
  expiresAt: Date | null;
  tries: number;
};

/** What an outcome has only if there is something to say. */
export const noDetails = {
  code: null,
  failureCode: null,
  carrierMessageId: null,
  receipt: null,
  facts: null,
  retryAt: null,
  openUntil: null,
  expiresAt: null,
  tries: 0,
} as const;

/** How many outcomes counted, by the status that their texts have now: an accepted one may be delivered already. */
export type CountedOutcomes = {
  carrierId: number;
  status: OutcomeRow['status'] | ReceiptRow['status'];
  wasAccepted: boolean;
  counted: number;
};

/**
 * Records the outcomes of claimed texts; those of them that have ended, or whose doubt began, get an entry, and every new
 * status is an event. The number of the attempt is the fence: an outcome counts only if the attempt before it is the last that is known. An attempt that the
 * carrier accepted is what the message itself says; any other has a row of its own. A receipt that came before the response is
 * applied with it. `endedClaims` are the claims whose last outcomes these are. Returns what counted.
 */
export async function recordOutcomes(
  db: Db,
  outcomes: OutcomeRow[],
  { now, endedClaims }: { now: Date; endedClaims: string[] },
): Promise<CountedOutcomes[]> {
  return forAdvisors(db, outcomes, (db, outcomes) =>
    db.query<CountedOutcomes>(
      `${knownOutcomes},
     moved as (
       update messages
       set status = coalesce(known.receipt, known.status),
           attempt = known.attempt,
           failure_code = case
             when known.status = 'queued' then null
             when known.receipt = 'undelivered' then coalesce(known.receipt_reason, 'undelivered')
             else known.failure_code
           end,
           date_time_sent = case when known.status = 'sent' then known.date_time_started end,
           date_time_ended = case known.status when 'failed' then $1::timestamptz when 'in_doubt' then known.date_time_started end,
           ${sentColumns}
       from known
       where messages.advisor_id = known.advisor_id
         and messages.message_id = known.message_id
         and messages.status = 'queued'
         and messages.attempt = known.attempt - 1
       returning ${movedColumns}, date_time_started, retry_at, open_until, expires_at, tries
     ),
     ${appliedReceipts}
     ${receivable(`status <> 'delivered'`)}
     tried as (
       insert into attempts (advisor_id, message_id, attempt, date_time_started, date_time_ended, outcome, code)
       select advisor_id, message_id, attempt, date_time_started, $1, outcome, code
       from moved
       where outcome <> 'accepted'
     ),
     requeued as (
       insert into dispatches (advisor_id, message_id, carrier_id, not_before, open_until, expires_at, tries)
       select advisor_id, message_id, carrier_id, retry_at, open_until, expires_at, tries
       from moved
       where status = 'queued'
     ),
     -- Claims that nobody is ending already.
     finished as (
       delete from claims
       where claim_id = any (
         array(select claim_id from claims where claim_id = any ($20::uuid[]) for update skip locked)
       )
     ),
     ${toldOf({ isArchived: `status <> 'sent'` })},
     ${outcomeEntries('changed', '$1')}
     select
       carrier_id::integer as "carrierId", status, outcome = 'accepted' as "wasAccepted", count(*)::integer as counted
     from moved
     group by 1, 2, 3`,
      [...valuesOf(outcomes, now), endedClaims],
      'record-outcomes',
    ),
  );
}

/**
 * Records definite answers that come after the lease has expired or the carrier's time was up: they settle the doubt, each
 * with an entry, but nothing is retried. A response for any other attempt doesn't count.
 */
export async function settleDoubts(db: Db, outcomes: OutcomeRow[], now: Date): Promise<void> {
  await forAdvisors(db, outcomes, (db, outcomes) =>
    db.write(
      `${knownOutcomes},
     moved as (
       update messages
       set status = case when known.status = 'queued' then 'failed' else coalesce(known.receipt, known.status) end,
           failure_code = case
             when known.receipt = 'undelivered' then coalesce(known.receipt_reason, 'undelivered')
             else known.failure_code
           end,
           date_time_sent = case when known.status = 'sent' then ${doubtBegan} end,
           date_time_ended = case when known.status <> 'sent' then $1::timestamptz end,
           ${sentColumns}
       from known
       where messages.advisor_id = known.advisor_id
         and messages.message_id = known.message_id
         and messages.status = 'in_doubt'
         and messages.attempt = known.attempt
         and known.status <> 'in_doubt'
       returning ${movedColumns}
     ),
     ${appliedReceipts}
     ${receivable('true')}
     tried as (
       update attempts
       set outcome = moved.outcome, code = moved.code, date_time_ended = $1
       from moved
       where attempts.advisor_id = moved.advisor_id
         and attempts.message_id = moved.message_id
         and attempts.attempt = moved.attempt
     ),
     ${toldOf({ isArchived: 'true' })},
     ${outcomeEntries('changed', '$1')}
     select`,
      valuesOf(outcomes, now),
    ),
  );
}

/** Outcomes in the order in which their messages are locked, each with its receipt; $1 is the time. */
const knownOutcomes = `
  with given as materialized (
    select *
    from unnest(
      $2::bigint[], $3::bigint[], $4::smallint[], $5::timestamptz[], $6::text[], $7::text[], $8::text[], $9::text[],
      $10::text[], $11::text[], $12::text[], $13::timestamptz[], $14::timestamptz[], $15::timestamptz[], $16::smallint[],
      $17::text[], $18::text[], $19::smallint[]
    ) as g (
      advisor_id, message_id, attempt, date_time_started, outcome, code, status, failure_code, carrier_message_id,
      brought, brought_code, retry_at, open_until, expires_at, carrier_id, brought_reason, facts, tries
    )
    where ${few('message_id')}
    order by message_id
  ),
  known as materialized (
    select given.*,
      case when brought = 'delivered' then brought else coalesce(early.status, brought) end as receipt,
      case when early.status is null then brought_code else early.code end as receipt_code,
      case when early.status is null then brought_reason else early.failure_code end as receipt_reason,
      early.status is not null as was_early
    from given
    left join lateral (
      select status, code, failure_code
      from unmatched_receipts
      where carrier_id = given.carrier_id and carrier_message_id = given.carrier_message_id
      for update
    ) as early on true
  )`;

/**
 * When a text in doubt was handed over. The attempt of one that was set aside in a restored database only seems to begin when the text was
 * accepted, which may be before what it waited for.
 */
const doubtBegan = `(
             select case when code = 'restored' then date_time_ended else date_time_started end
             from attempts
             where advisor_id = known.advisor_id and message_id = known.message_id and attempt = known.attempt
           )`;

const sentColumns = `
  carrier_id = known.carrier_id,
  carrier_message_id = known.carrier_message_id,
  date_time_delivered = case when known.receipt = 'delivered' then $1::timestamptz end`;

const movedColumns = `${outcomeColumns}, outcome, code, was_early, coalesce(facts, ${carrierCode('known.receipt_code')}) as facts`;

const appliedReceipts = `
  applied as (
    delete from unmatched_receipts
    using moved
    where was_early
      and unmatched_receipts.carrier_id = any (array(select carrier_id from moved where was_early))
      and unmatched_receipts.carrier_message_id = any (array(select carrier_message_id from moved where was_early))
      and unmatched_receipts.carrier_id = moved.carrier_id
      and unmatched_receipts.carrier_message_id = moved.carrier_message_id
      and ${isDone}
  ),`;

/** Those that later receipts may be about; and doubts that were settled: they are at another time than the carrier's own records. */
function receivable(condition: string): string {
  return `expected as (
       insert into carrier_texts (advisor_id, carrier_id, carrier_message_id, message_id)
       select advisor_id, carrier_id, carrier_message_id, message_id
       from moved
       where carrier_message_id is not null and ${condition}
       on conflict do nothing
     ),`;
}

/** Those that are not queued again. One whose receipt came with the response was sent, and then more. */
function toldOf({ isArchived }: { isArchived: string }): string {
  return `changed as (
       select
         advisor_id, message_id, member_id, kind, scheduled_message_id, archive_number, status,
         coalesce(reason, code) as reason, attempt, carrier_id, carrier_message_id, date_time_sent,
         case when outcome in ('accepted', 'refused') then 'carrier' else 'service' end as actor,
         outcome = 'accepted' and status <> 'sent' as was_sent, ${isArchived} as is_archived, facts
       from moved
       where status <> 'queued'
     )`;
}

function valuesOf(outcomes: OutcomeRow[], now: Date): unknown[] {
  return [
    now,
    ...columnsOf(
      outcomes,
      'advisorId',
      'messageId',
      'attempt',
      'dateTimeStarted',
      'outcome',
      'code',
      'status',
      'failureCode',
      'carrierMessageId',
    ),
    outcomes.map(({ receipt }) => receipt?.status ?? null),
    outcomes.map(({ receipt }) => receipt?.code ?? null),
    outcomes.map(({ retryAt }) => retryAt),
    outcomes.map(({ retryAt, openUntil }) => (retryAt ? openUntil : null)),
    outcomes.map(({ retryAt, expiresAt }) => (retryAt ? expiresAt : null)),
    outcomes.map(({ carrierId }) => carrierId),
    outcomes.map(({ receipt }) => receipt?.reason ?? null),
    outcomes.map(({ facts }) => facts && jsonMembers(facts)),
    outcomes.map(({ tries }) => tries),
  ];
}

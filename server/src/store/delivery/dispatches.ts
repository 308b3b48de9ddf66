import type { ConsentState } from '../consent/consents.ts';
import type { Db } from '../database/db.ts';
import type { TextKind } from '../messages/messages.ts';

type MessageKey = { advisorId: number; messageId: number };
/** Domain time, and real time for leases, tries and the pace. */
type Times = { now: Date; realNow: Date };

/**
 * A text whose turn it was. Only `go` may be submitted: then the attempt is written and the row leased. `refused` is for
 * want of consent, `closed` outside the recipient's hours, `numberless` when the advisor has no number to text from any
 * more, `gone` when the message waits no longer.
 */
export type ClaimedRow = MessageKey & {
  memberId: number;
  kind: TextKind;
  phone: string;
  textingNumber: string;
  text: string;
  attempt: number;
  state: ConsentState;
  decision: 'go' | 'expired' | 'refused' | 'closed' | 'numberless' | 'gone';
};

export type Claim = Times & {
  limit: number;
  leasedUntil: Date;
  /** What may be sent, as `kind:consentRequired:state`: the gate's table. */
  allowed: string[];
};

/** What became of an attempt, and what the message is from then on. */
export type OutcomeRow = MessageKey & {
  attempt: number;
  outcome: 'accepted' | 'refused' | 'not_taken' | 'unknown';
  code: string | null;
  status: 'sent' | 'failed' | 'queued' | 'in_doubt';
  failureCode: string | null;
  carrierMessageId: string | null;
  /** Real time; for what is queued again. */
  retryAt: Date | null;
};

export type ReceiptRow = { carrierMessageId: string; status: 'delivered' | 'undelivered'; code?: string };

/**
 * How many are recovered or released at a time. Those statements are planned anew each time they run, once a second: a
 * plan from when the tables were empty would read all of them.
 */
export const recoveredMax = 500;

/**
 * Takes what is ready and decides on each row, in one statement: the person's consent is read from the locked, newest
 * version of the member's row. `for share` waits for a STOP that is being written and then sees it, because a lock
 * re-reads its row; a STOP that comes later waits until the attempt is committed. So no attempt is ever begun for a
 * person whose consent says otherwise at that instant. Rows are looked up one by one (`lateral`), never by reading a
 * whole table, and members are locked in the order of their numbers, as everybody does.
 */
export async function claimDispatches(db: Db, claim: Claim): Promise<ClaimedRow[]> {
  return db.query<ClaimedRow>(
    `with picked as materialized (
       select advisor_id, message_id, not_before, open_until, expires_at
       from dispatches
       where leased_until is null and deferred_until is null and not_before <= $1
       order by not_before, message_id
       limit $2
       for update skip locked
     ),
     addressed as materialized (
       select picked.*, t.member_id, t.kind, t.status, t.archive_number, m.phone, a.texting_number, a.consent_required
       from picked
       cross join lateral (
         select member_id, kind, status, archive_number
         from messages
         where advisor_id = picked.advisor_id and message_id = picked.message_id
         limit 1
       ) as t
       cross join lateral (
         select phone
         from members
         where advisor_id = picked.advisor_id and member_id = t.member_id
         limit 1
       ) as m
       cross join lateral (
         select texting_number, consent_required
         from advisors
         where advisor_id = picked.advisor_id
         limit 1
       ) as a
       order by picked.advisor_id, m.phone
     ),
     decided as materialized (
       select addressed.*, m.state,
         case
           when status <> 'queued' then 'gone'
           when expires_at < $3 then 'expired'
           when (kind || ':' || consent_required::text || ':' || m.state) <> all ($5::text[]) then 'refused'
           when open_until <= $3 then 'closed'
           when texting_number is null then 'numberless'
           else 'go'
         end as decision
       from addressed
       cross join lateral (
         select state
         from members
         where advisor_id = addressed.advisor_id and member_id = addressed.member_id
         for share
       ) as m
     ),
     submitted as (
       update messages
       set status = 'submitting', attempt = messages.attempt + 1
       from decided
       where decision = 'go'
         and messages.advisor_id = decided.advisor_id
         and messages.message_id = decided.message_id
         and messages.status = 'queued'
       returning decided.*, messages.attempt
     ),
     begun as (
       insert into attempts (advisor_id, message_id, attempt, date_time_started)
       select advisor_id, message_id, attempt, $3
       from submitted
     ),
     leased as (
       update dispatches
       set leased_until = $4
       from submitted
       where dispatches.advisor_id = submitted.advisor_id and dispatches.message_id = submitted.message_id
     )
     select
       advisor_id as "advisorId", message_id as "messageId", member_id as "memberId", kind, phone,
       texting_number as "textingNumber", convert_from(body, 'UTF8') as text, attempt, state, decision
     from (
       select * from submitted
       union all
       select *, 0 from decided where decision <> 'go'
     ) as claimed
     cross join lateral (
       select body
       from archive_bodies
       where advisor_id = claimed.advisor_id and number = claimed.archive_number
       limit 1
     ) as b
     order by not_before, message_id`,
    [claim.realNow, claim.limit, claim.now, claim.leasedUntil, claim.allowed],
    'claim-dispatches',
  );
}

/** Real time: when the next text is ready; null where none waits for its turn. */
export async function findNextTurn(db: Db): Promise<Date | null> {
  const [row] = await db.query<{ notBefore: Date }>(
    `select not_before as "notBefore"
     from dispatches
     where leased_until is null and deferred_until is null
     order by not_before, message_id
     limit 1`,
    [],
    'find-next-turn',
  );
  return row?.notBefore ?? null;
}

/**
 * Writes down what became of attempts. The attempt's number is the fence: an outcome counts for the message's last attempt
 * only, while it is being submitted; where the lease ran out meanwhile, a sure answer still ends the doubt, but nothing is
 * tried again. A receipt that came before the answer is applied with it.
 */
export async function recordOutcomes(db: Db, outcomes: OutcomeRow[], now: Date): Promise<void> {
  await db.query(
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
       select given.*, e.status as receipt, e.code as receipt_code
       from given
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
       returning messages.advisor_id, messages.message_id, messages.attempt, messages.status, outcome, code, retry_at
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
     )
     delete from dispatches
     using moved
     where moved.status <> 'queued'
       and dispatches.advisor_id = moved.advisor_id
       and dispatches.message_id = moved.message_id`,
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
 * Leases that ran out: whoever held them is gone, and nobody knows whether the carrier took the text. A message that is
 * locked is left for later, since its outcome is just being written. Returns how many there were.
 */
export async function expireLeases(db: Db, { now, realNow }: Times): Promise<number> {
  const rows = await db.query(
    `with lost as materialized (
       select advisor_id, message_id
       from dispatches
       where leased_until < $1
       order by leased_until
       limit ${recoveredMax}
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
       returning messages.advisor_id, messages.message_id, messages.attempt
     ),
     ended as (
       update attempts
       set outcome = 'unknown', code = 'lease_expired', date_time_ended = $2
       from doubted
       where attempts.advisor_id = doubted.advisor_id
         and attempts.message_id = doubted.message_id
         and attempts.attempt = doubted.attempt
     )
     delete from dispatches
     using held
     where dispatches.advisor_id = held.advisor_id and dispatches.message_id = held.message_id
     returning 1`,
    [realNow, now],
  );
  return rows.length;
}

/**
 * Texts that waited for the recipient's day and need wait no longer. Each takes its place in the advisor's pace, as a new
 * text does; its hours are over by definition, so that whoever claims it looks at them anew. Returns how many there were.
 */
export async function releaseDeferred(db: Db, { now, realNow }: Times): Promise<number> {
  const rows = await db.query(
    `with due as materialized (
       select advisor_id, message_id, deferred_until
       from dispatches
       where deferred_until <= $1
       order by deferred_until, message_id
       limit ${recoveredMax}
       for update skip locked
     ),
     paced as materialized (
       select due.*, coalesce(1.0 / a.texting_pace, 0) * interval '1 second' as spacing
       from due
       cross join lateral (
         select texting_pace
         from advisors
         where advisor_id = due.advisor_id
         limit 1
       ) as a
     ),
     durations as (
       select advisor_id, sum(spacing) as duration
       from paced
       group by advisor_id
     ),
     heads as (
       insert into archive_heads as head (advisor_id, last_number, next_slot)
       select advisor_id, 0, $2::timestamptz + duration
       from durations
       order by advisor_id
       on conflict (advisor_id) do update
       set next_slot = greatest(head.next_slot, $2) + (excluded.next_slot - $2)
       returning advisor_id, next_slot
     ),
     slots as (
       select paced.*,
         next_slot - duration + coalesce(sum(spacing) over earlier, interval '0') as slot
       from paced
       join heads using (advisor_id)
       join durations using (advisor_id)
       window earlier as (
         partition by advisor_id
         order by deferred_until, message_id
         rows between unbounded preceding and 1 preceding
       )
     )
     update dispatches
     set not_before = slot, deferred_until = null, open_until = slots.deferred_until
     from slots
     where dispatches.advisor_id = slots.advisor_id and dispatches.message_id = slots.message_id
     returning 1`,
    [now, realNow],
  );
  return rows.length;
}

/** Other hours for texts that wait: not before, and not after. */
export async function updateHours(
  db: Db,
  dispatches: (MessageKey & { deferredUntil: Date | null; openUntil: Date | null })[],
): Promise<void> {
  if (dispatches.length === 0) return;
  await db.query(
    `update dispatches
     set deferred_until = given.deferred_until, open_until = given.open_until
     from unnest($1::bigint[], $2::bigint[], $3::timestamptz[], $4::timestamptz[])
       as given (advisor_id, message_id, deferred_until, open_until)
     where dispatches.advisor_id = given.advisor_id and dispatches.message_id = given.message_id`,
    [
      dispatches.map(({ advisorId }) => advisorId),
      dispatches.map(({ messageId }) => messageId),
      dispatches.map(({ deferredUntil }) => deferredUntil),
      dispatches.map(({ openUntil }) => openUntil),
    ],
    'update-hours',
  );
}

/** Texts that will not go out: they wait no longer, and where they still waited they have failed. */
export async function failDispatches(db: Db, failed: (MessageKey & { failureCode: string })[]): Promise<void> {
  if (failed.length === 0) return;
  await db.query(
    `with given as materialized (
       select *
       from unnest($1::bigint[], $2::bigint[], $3::text[]) as g (advisor_id, message_id, failure_code)
     ),
     moved as (
       update messages
       set status = 'failed', failure_code = given.failure_code
       from given
       where messages.advisor_id = given.advisor_id
         and messages.message_id = given.message_id
         and messages.status = 'queued'
     )
     delete from dispatches
     using given
     where dispatches.advisor_id = given.advisor_id and dispatches.message_id = given.message_id`,
    [
      failed.map(({ advisorId }) => advisorId),
      failed.map(({ messageId }) => messageId),
      failed.map(({ failureCode }) => failureCode),
    ],
    'fail-dispatches',
  );
}

/**
 * What carriers say became of texts that they took. Said twice or in another order it comes to the same: delivered is
 * final. What no message has the id of yet is kept until one has.
 */
export async function recordReceipts(db: Db, receipts: ReceiptRow[], { now, realNow }: Times): Promise<void> {
  await db.query(
    `with given as materialized (
       select distinct on (carrier_message_id) carrier_message_id, status, code
       from unnest($2::text[], $3::text[], $4::text[]) as g (carrier_message_id, status, code)
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
     )
     ${updateByReceipt}`,
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
 * A receipt and the answer that it overtook may be written at the same moment, neither seeing the other. So what is kept is
 * looked at again. Returns how many were applied.
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
       limit ${recoveredMax}
       for update of e skip locked
     ),
     applied as (
       delete from early_receipts
       using known
       where early_receipts.carrier_message_id = known.carrier_message_id
     )
     ${updateByReceipt}
     returning 1`,
    [now],
  );
  return rows.length;
}

/** Receipts of nothing that we know: carriers bring those of others too. */
export async function deleteEarlyReceipts(db: Db, before: Date): Promise<void> {
  await db.query('delete from early_receipts where date_time_created < $1', [before]);
}

/** Moves the messages of `known` as their receipts say; $1 is the time. */
const updateByReceipt = `
  update messages
  set status = known.status,
      failure_code = case when known.status = 'undelivered' then coalesce(known.code, 'undelivered') end,
      date_time_delivered = case when known.status = 'delivered' then $1::timestamptz end
  from known
  where messages.advisor_id = known.advisor_id
    and messages.message_id = known.message_id
    and (messages.status = 'sent' or (messages.status = 'undelivered' and known.status = 'delivered'))`;

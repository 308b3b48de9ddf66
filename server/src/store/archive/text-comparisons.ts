import type { Db } from '../database/db.ts';
import { forAllAdvisors } from '../database/for-advisors.ts';
import { isoTime } from './archive-tree.ts';
import { type Difference, type Entries, selected } from './comparisons.ts';
import { tellsOfMedia } from './media-comparisons.ts';

/**
 * The message, its addressee and its time are not what the entry says. Facts are parsed, which takes long, only if the characters
 * alone don't show it. They are no pattern: whoever alters a table could make it fit.
 */
const isOther = `
  (t.archive_number, t.member_id, t.date_time_created) is distinct from (e.number, e.member_id, e.date_time_created)
  or case
    when starts_with(e.meta, '{"kind":"' || t.kind || '","from":') and strpos(e.meta, ',"to":"' || m.phone || '"') > 0 then false
    else (t.kind, m.phone) is distinct from (e.meta::json ->> 'kind', e.meta::json ->> 'to')
  end`;

/** How many attempts a message has a row for. The one that the carrier accepted last has none if it was never in doubt. */
const attemptsExpected = `t.attempt - (t.is_sent and tried.last_accepted is distinct from t.attempt)::integer`;
const isTriedMoreOrLess = `
  coalesce(tried.attempts, 0) <> ${attemptsExpected} or coalesce(tried.last, 0) <> ${attemptsExpected}`;

/**
 * The attempts are not what the message says: numbered without gaps up to the last. The one that the carrier accepted is the
 * message's last, and has a row only if it was in doubt before. A message says that it was sent, by its id and time, if and only
 * if an attempt was accepted.
 */
const isTriedOtherwise = `
  ${isTriedMoreOrLess}
  or coalesce(tried.accepted, 0) <> (t.is_sent and tried.last_accepted is not distinct from t.attempt)::integer
  or (t.carrier_message_id is not null) <> t.is_sent
  or (t.date_time_sent is not null) <> t.is_sent`;

const hasWaited = `(strpos(e.meta, '"awaitsConsent":') > 0 and e.meta::json -> 'awaitsConsent' is not null)`;
/** A text that awaited consent waits until the next entry that gives or withdraws it: only if that one gives it may it go out. */
const isUnconsented = `
  ${hasWaited} and t.status not in ('awaiting_consent', 'failed') and answer.state is distinct from 'accepted'`;
/** When it was handed over is in the last entry, if that is from since entries say it. */
const isSentAtOtherTime = `(
  strpos(last.meta, '"handedOver":') > 0
  and strpos(last.meta, ',"handedOver":"' || coalesce(${isoTime('t.date_time_sent')}, '') || '"') = 0)`;
const hasOtherCarrier = `(last.meta::json -> 'carrierId')::text <> coalesce(t.carrier_id::text, 'null')`;

/**
 * The status is not what the last outcome entry says. A text that was handed over has no entry yet, unless its doubt was settled
 * that way. The reason of a doubt is in the entry only.
 */
const isSettledOtherwise = `
  ${isUnconsented}
  or ${isSentAtOtherTime}
  or case
    when t.status = 'awaiting_consent' then last.number is not null or not ${hasWaited} or answer.state is not null
    when t.status in ('queued', 'held') then last.number is not null
    when t.status <> 'in_doubt'
      and starts_with(last.meta, '{"outcome":"' || t.status || '","reason":' || coalesce('"' || t.failure_code || '"', 'null') || ',')
      and strpos(last.meta, ',"carrierId":' || coalesce(t.carrier_id::text, 'null') || ',') > 0 then false
    when ${hasOtherCarrier} then true
    when t.status = 'sent' then coalesce(last.meta::json ->> 'outcome', 'sent') <> 'sent'
    else last.number is null
      or last.meta::json ->> 'outcome' <> t.status
      or case when t.status <> 'in_doubt' then last.meta::json ->> 'reason' end is distinct from t.failure_code
  end`;

/**
 * Entries of texts that went out without a message, or with one that says something else. In one statement, and what is compared
 * with them is read by ranges of messages, not message by message, so that each row is looked for once and most are found
 * beside the one before. It also tells whether there are media: to look for them would be to read all entries once more. Spans
 * advisors: a verification looks at everything.
 */
export async function listUnmatchedTexts(db: Db, entries: Entries, limit: number) {
  const { from, values } = selected(entries);
  const ofRange = 'advisor_id = range.advisor_id and message_id between range.first and range.last';
  const rows = await forAllAdvisors(db, (db) =>
    db.query<UnmatchedText>(
      `with e as materialized (
       select e.advisor_id, e.number, e.member_id, e.message_id, e.meta, e.date_time_created,
         e.kind = 'text_out' as is_text
       from ${from}
       where e.kind = 'text_out' or ${tellsOfMedia}
     ),
     ranges as materialized (
       select advisor_id, min(message_id) as first, max(message_id) as last
       from e
       where is_text
       group by advisor_id
     ),
     t as materialized (
       select t.*
       from ranges as range
       cross join lateral (
         select advisor_id, message_id, member_id, kind, archive_number, status, failure_code, attempt, carrier_id,
           carrier_message_id, date_time_created, date_time_sent, status in ('sent', 'delivered', 'undelivered') as is_sent
         from messages
         where ${ofRange}
         offset 0
       ) as t
     ),
     tried as materialized (
       select tried.*
       from ranges as range
       cross join lateral (
         select advisor_id, message_id, count(*) as attempts, max(attempt) as last,
           count(*) filter (where outcome = 'accepted') as accepted,
           max(attempt) filter (where outcome = 'accepted') as last_accepted
         from attempts
         where ${ofRange}
         group by advisor_id, message_id
       ) as tried
     ),
     last as materialized (
       select distinct on (advisor_id, message_id) advisor_id, message_id, number, meta
       from archive_entries
       where kind = 'outcome' and message_id between (select min(first) from ranges) and (select max(last) from ranges)
       order by advisor_id, message_id, number desc
     )
     (select e.advisor_id as "advisorId", e.message_id as id, e.number, coalesce(last.number, e.number) as "lastNumber",
       case when ${isOther} then
         case
           when t.member_id is null then 'removed'
           when t.archive_number <> e.number then 'entry'
           when t.member_id is distinct from e.member_id or m.phone is distinct from e.meta::json ->> 'to' then 'recipient'
           when t.kind is distinct from e.meta::json ->> 'kind' then 'kind'
           else 'time'
         end
       end as other,
       case when ${isTriedOtherwise} then
         case when ${isTriedMoreOrLess} then 'attempts' else 'status' end
       end as tried,
       case when ${isSettledOtherwise} then
         case
           when ${isUnconsented} then 'unconsented'
           when last.number is null then 'unsaid'
           when ${isSentAtOtherTime} then 'time'
           when ${hasOtherCarrier} then 'carrier'
           else 'outcome'
         end
       end as settled
     from e
     -- Left joins, but PostgreSQL expects few rows here, and would compare each with each. It can't do that for a full join.
     full join t on t.advisor_id = e.advisor_id and t.message_id = e.message_id
     full join tried on tried.advisor_id = e.advisor_id and tried.message_id = e.message_id
     full join last on last.advisor_id = e.advisor_id and last.message_id = e.message_id
     left join members m on m.advisor_id = e.advisor_id and m.member_id = e.member_id
     left join lateral (
       select consent_state as state
       from archive_entries
       where ${hasWaited}
         and advisor_id = e.advisor_id
         and member_id = e.member_id
         and kind = 'consent'
         and number > e.number
         and consent_state in ('accepted', 'opted_out')
       order by number
       limit 1
     ) as answer on true
     where coalesce(e.is_text, false) and (${isOther} or ${isTriedOtherwise} or ${isSettledOtherwise})
     limit $${values.length + 1})
     union all
     (select advisor_id, null, null, null, null, null, null
     from e
     where not is_text
     limit 1)`,
      [...values, limit],
    ),
  );
  const unmatched = rows.filter(({ number }) => number !== null);
  return {
    differences: unmatched.flatMap(({ advisorId, id, number, lastNumber, other, tried, settled }) => [
      ...[other, tried].flatMap((what) => (what ? { advisorId, id, number, what } : [])),
      ...(settled ? [{ advisorId, id, number: lastNumber, what: settled }] : []),
    ]),
    hasMedia: unmatched.length < rows.length,
  };
}

type UnmatchedText = {
  advisorId: number;
  id: number;
  number: number;
  /** The entry that says what became of it, if there is one. */
  lastNumber: number;
  other: string | null;
  tried: string | null;
  settled: string | null;
};

/**
 * Advisors who don't have as many messages as entries of texts that went out. If they have, and each entry has its own message,
 * each message has its own entry. Spans advisors: a verification looks at everything.
 */
export async function listMiscounted(db: Db): Promise<number[]> {
  const rows = await db.query<{ advisorId: number }>(
    `select advisor_id as "advisorId"
     from (
       select advisor_id, count(*) as texts
       from archive_entries
       where kind = 'text_out'
       group by advisor_id
     ) as e
     full join (
       select advisor_id, count(*) as messages
       from messages
       group by advisor_id
     ) as t using (advisor_id)
     where texts is distinct from messages`,
  );
  return rows.map(({ advisorId }) => advisorId);
}

/** An advisor's messages without an entry of their own. */
export async function listAddedMessages(db: Db, advisorId: number, limit: number): Promise<Difference[]> {
  return db.query<Difference>(
    `select t.advisor_id as "advisorId", t.archive_number as number, t.message_id as id, 'added' as what
     from messages t
     left join archive_entries e
       on e.advisor_id = t.advisor_id and e.number = t.archive_number and e.message_id = t.message_id and e.kind = 'text_out'
     where t.advisor_id = $1 and e.number is null
     order by t.message_id
     limit $2`,
    [advisorId, limit],
  );
}

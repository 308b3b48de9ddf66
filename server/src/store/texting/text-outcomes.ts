import { isoTime } from '../archive/archive-tree.ts';
import { endsOf } from '../archive/heads.ts';
import { columnsOf } from '../database/columns.ts';
import type { Db } from '../database/db.ts';
import { forAdvisors } from '../database/for-advisors.ts';
import { few } from '../shared/few.ts';

/** For the `returning` of an update of messages: what became of a text, without whose word it is. */
export const outcomeColumns = `
  messages.advisor_id, messages.message_id, messages.member_id, messages.kind, messages.scheduled_message_id,
  messages.archive_number, messages.status, messages.failure_code as reason, messages.attempt,
  messages.carrier_id, messages.carrier_message_id, messages.date_time_sent`;

/** For outcomes that are one step, and that the archive keeps. */
export const archivedStep = 'false as was_sent, true as is_archived';
/** The same for those that we know by ourselves. */
export const oneStep = `${archivedStep}, null::text as facts`;

/** More facts of an outcome, as they are added to those that every outcome has. */
export function jsonMembers(facts: object): string {
  return `,${JSON.stringify(facts).slice(1, -1)}`;
}

/** SQL for the same: the carrier's own code, which is beside ours in the archive; null if there is none. */
export function carrierCode(code: string): string {
  return `',"carrierCode":' || to_json(${code})::text`;
}

/** The commitment of an entry without a body: zeros, which are no body's hash. */
const noBody = `'\\x${'00'.repeat(32)}'::bytea`;

/**
 * The facts of an outcome, as JSON.stringify would write them. The carrier is the one that the text was handed to last, by its id,
 * which the message has, and by its name, which people know. When it was handed over is a fact of its own: the entry is as late as
 * the receipt.
 */
const meta = `
  '{"outcome":"' || status || '","reason":' || coalesce(to_json(reason)::text, 'null')
    || ',"text":' || archive_number || ',"attempt":' || attempt
    || ',"carrierMessageId":' || coalesce(to_json(carrier_message_id)::text, 'null')
    || ',"carrierId":' || coalesce(carrier_id::text, 'null') || ',"carrier":'
    || coalesce((select to_json(name)::text from carriers where carriers.carrier_id = numbered.carrier_id), 'null')
    || coalesce(',"handedOver":"' || ${isoTime('date_time_sent')} || '"', '') || coalesce(facts, '') || '}'`;

/** Earlier texts have smaller numbers: what follows a text is what comes before it in this order. */
const fromHere = 'over (partition by advisor_id order by message_id desc rows unbounded preceding)';

/**
 * SQL for the expressions of a `with` that archive what became of texts and tell partners, in the statement that records it.
 * `rows` has the columns above, an `actor`, `carrier` or `service`, and more `facts`; `was_sent` says that the text became `sent` on the
 * way to its status, which is an event of its own; `is_archived` that the archive keeps it. Only facts are kept, so the
 * entries have no bodies. The heads that number entries and events are locked after messages, because all of `rows` is there
 * before the first of them. `now` is the parameter with the time.
 */
export function outcomeEntries(rows: string, now: string): string {
  return `told as (
       select *, case when kind = 'text' then 1 + was_sent::integer else 0 end as events
       from ${rows}
     ),
     numbered as materialized (
       select *,
         dense_rank() over (order by advisor_id)::integer as place,
         sum(is_archived::integer) ${fromHere} as entries_left,
         sum(events) ${fromHere} as events_left
       from told
       where is_archived or events > 0
     ),
     ${endsOf(
       `select advisor_id, sum(is_archived::integer), sum(events)
       from numbered
       group by advisor_id
       order by advisor_id`,
     )},
     archived as (
       insert into archive_entries (
         advisor_id, number, kind, member_id, message_id, actor, meta, commitment, date_time_created
       )
       select
         advisor_id, (select last_numbers from ends)[place] - entries_left + 1, 'outcome', member_id, message_id, actor,
         ${meta}, ${noBody}, ${now}
       from numbered
       where is_archived
     ),
     added_events as (
       insert into events (
         advisor_id, number, type, member_id, message_id, scheduled_message_id, status, failure_code, was_sent, date_time
       )
       select
         advisor_id, (select last_events from ends)[place] - events_left + events, 'message.status', member_id, message_id,
         scheduled_message_id, status, case when status in ('failed', 'undelivered') then reason end, was_sent or null, ${now}
       from numbered
       where events > 0
     )`;
}

/**
 * The same for texts whose doubt began, in `doubted`: each has an attempt, which began at its `date_time_started`, with an unknown
 * outcome.
 */
export function doubtEntries({ code, actor, now, facts }: Record<'code' | 'actor' | 'now' | 'facts', string>): string {
  return `tried as (
       insert into attempts (advisor_id, message_id, attempt, date_time_started, date_time_ended, outcome, code)
       select advisor_id, message_id, attempt, date_time_started, ${now}, 'unknown', '${code}'
       from doubted
     ),
     ended as (
       select
         advisor_id, message_id, member_id, kind, scheduled_message_id, archive_number, status,
         '${code}' as reason, attempt, carrier_id, carrier_message_id, date_time_sent, '${actor}' as actor,
         ${archivedStep}, ${facts}::text as facts
       from doubted
     ),
     ${outcomeEntries('ended', now)}`;
}

/** Tells partners about texts whose status changed in this transaction, but which have not ended: held, or released. */
export async function insertStatusEvents(
  db: Db,
  texts: { advisorId: number; messageId: number }[],
  now: Date,
): Promise<void> {
  if (texts.length === 0) return;
  await forAdvisors(db, texts, (db, texts) =>
    db.write(
      `with changed as (
       select ${outcomeColumns}, 'service' as actor, false as was_sent, false as is_archived, null::text as facts
       from unnest($1::bigint[], $2::bigint[]) as given (advisor_id, message_id)
       join messages on messages.advisor_id = given.advisor_id and messages.message_id = given.message_id
       where ${few('given.message_id')}
     ),
     ${outcomeEntries('changed', '$3')}
     select`,
      [...columnsOf(texts, 'advisorId', 'messageId'), now],
      'insert-status-events',
    ),
  );
}

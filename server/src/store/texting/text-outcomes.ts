import { endsOf } from '../archive/heads.ts';

/** For the `returning` of an update of messages: what became of a text, without whose word it is. */
export const outcomeColumns = `
  messages.advisor_id, messages.message_id, messages.member_id, messages.archive_number, messages.status,
  messages.failure_code as reason, messages.attempt, messages.carrier_message_id`;

/** The commitment of an entry without a body: zeros, which are no body's hash. */
const noBody = `'\\x${'00'.repeat(32)}'::bytea`;

/** The facts of an outcome, as JSON.stringify would write them. */
const meta = `
  '{"outcome":"' || status || '","reason":' || coalesce(to_json(reason)::text, 'null')
    || ',"text":' || archive_number || ',"attempt":' || attempt
    || ',"carrierMessageId":' || coalesce(to_json(carrier_message_id)::text, 'null') || '}'`;

/**
 * SQL for the expressions of a `with` that archive what became of texts, in the statement that records it. `rows` has the
 * columns above, and an `actor`: `carrier` or `service`. Only facts are kept, so the entries have no bodies. The heads that
 * number them are locked after messages, because all of `rows` is there before the first of them. `now` is the parameter
 * with the time.
 */
export function outcomeEntries(rows: string, now: string): string {
  return `numbered as materialized (
       select *,
         dense_rank() over (order by advisor_id)::integer as place,
         row_number() over (partition by advisor_id order by message_id desc) - 1 as after
       from ${rows}
     ),
     ${endsOf('select advisor_id, count(*) from numbered group by advisor_id order by advisor_id')},
     archived as (
       insert into archive_entries (
         advisor_id, number, kind, member_id, message_id, actor, meta, commitment, date_time_created
       )
       select
         advisor_id, (select last_numbers from ends)[place] - after, 'outcome', member_id, message_id, actor, ${meta},
         ${noBody}, ${now}
       from numbered
     )`;
}

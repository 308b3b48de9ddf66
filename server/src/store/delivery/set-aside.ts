import type { Db } from '../database/db.ts';
import { oneStep, outcomeColumns, outcomeEntries } from '../texting/text-outcomes.ts';
import { maintainedMax } from './dispatches.ts';

/**
 * Takes texts out of the outbox of a restored database, and puts them in doubt, with an attempt that began when they were
 * accepted: so carriers that can tell are asked about them. Returns how many were taken, up to a limit. Spans
 * advisors: a restored database is set aside as a whole.
 */
export async function setAside(db: Db, now: Date): Promise<number> {
  const rows = await db.query(
    `with waiting as materialized (
       select advisor_id, message_id, carrier_id
       from dispatches
       order by message_id
       limit ${maintainedMax}
       for update
     ),
     taken as (
       delete from dispatches
       where message_id = any (array(select message_id from waiting))
     ),
     doubted as (
       update messages
       set status = 'in_doubt', attempt = messages.attempt + 1, carrier_id = waiting.carrier_id
       from waiting
       where messages.advisor_id = waiting.advisor_id
         and messages.message_id = waiting.message_id
         and messages.status = 'queued'
       returning ${outcomeColumns}, messages.date_time_created
     ),
     tried as (
       insert into attempts (advisor_id, message_id, attempt, date_time_started, date_time_ended, outcome, code)
       select advisor_id, message_id, attempt, date_time_created, $1, 'unknown', 'restored'
       from doubted
     ),
     ended as (
       select
         advisor_id, message_id, member_id, kind, scheduled_message_id, archive_number, status,
         'restored' as reason, attempt, carrier_id, carrier_message_id, 'operator' as actor, ${oneStep}
       from doubted
     ),
     ${outcomeEntries('ended', '$1')}
     select
     from waiting`,
    [now],
  );
  return rows.length;
}

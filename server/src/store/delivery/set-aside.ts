import type { Db, Due } from '../database/db.ts';
import { takeDue } from '../database/for-advisors.ts';
import { doubtEntries, outcomeColumns } from '../texting/text-outcomes.ts';
import { maintainedMax } from './dispatches.ts';

/**
 * Takes texts out of the outbox of a restored database, and puts them in doubt, with an attempt that began when they were
 * accepted: so carriers that can tell are asked about them. Returns how many were taken, a part of them at a time. Spans advisors: its job works for all of them.
 */
export async function setAside(db: Db, now: Date): Promise<number> {
  const due: Due = ['select from dispatches limit 1', [], 'has-waiting'];
  const { rows } = await takeDue(db, due, (db) =>
    db.query(
      `with waiting as materialized (
       select advisor_id, message_id, carrier_id
       from dispatches
       where true
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
       set status = 'in_doubt', attempt = messages.attempt + 1, carrier_id = waiting.carrier_id,
         date_time_ended = $1::timestamptz
       from waiting
       where messages.advisor_id = waiting.advisor_id
         and messages.message_id = waiting.message_id
         and messages.status = 'queued'
       returning ${outcomeColumns}, messages.date_time_created as date_time_started
     ),
     ${doubtEntries({ code: 'restored', actor: 'operator', now: '$1', facts: 'null' })}
     select
     from waiting`,
      [now],
    ),
  );
  return rows.length;
}

import type { Db } from '../database/db.ts';
import { forAllAdvisors } from '../database/for-advisors.ts';
import { later, spacingAt } from '../texting/pace.ts';
import type { Times } from './dispatches.ts';

/** Advisors with texts whose turn or day is yet to come. Spans advisors: a clock that was wrong was wrong for all of them. */
export async function listWaitingAdvisors(db: Db, { now, realNow }: Times): Promise<number[]> {
  const rows = await forAllAdvisors(db, (db) =>
    db.query<{ advisorId: number }>(
      `select distinct advisor_id as "advisorId"
       from dispatches
       where deferred_until > $1 or (deferred_until is null and not_before > $2)`,
      [now, realNow],
    ),
  );
  return rows.map(({ advisorId }) => advisorId).sort((a, b) => a - b);
}

/** Those of texts to groups that aren't accepted yet: what is left of each is looked at now. Spans advisors: as above. */
export async function freeBroadcasts(db: Db, now: Date): Promise<void> {
  await forAllAdvisors(db, (db) =>
    db.query(`update broadcasts set due_at = $1 where status = 'sending' and due_at > $1`, [now]),
  );
}

/**
 * Gives an advisor's texts turns from now on, in the order that they had and at the number's pace, and ends the wait of those that wait
 * for a day. The hours of both have ended by definition, so the claim asks the gate again, which may have one wait as before: its life
 * is as long as it was. Returns how many there were.
 */
export async function freeDispatches(db: Db, advisorId: number, { now, realNow }: Times): Promise<number> {
  const rows = await db.query(
    `with waiting as materialized (
       select message_id, not_before, deferred_until
       from dispatches
       where advisor_id = $1 and (deferred_until > $2 or (deferred_until is null and not_before > $3))
       order by message_id
       for update
     ),
     pace as materialized (
       select ${spacingAt('texting_pace')} as spacing
       from advisors
       where advisor_id = $1
     ),
     turns as materialized (
       select message_id, (row_number() over (order by not_before, message_id) - 1) * spacing as after
       from waiting
       cross join pace
       where deferred_until is null
     ),
     heads as (
       update archive_heads
       set next_slot = ${later('$3::timestamptz', '(select count(*) from turns) * (select spacing from pace)')}
       where advisor_id = $1
     ),
     paced as (
       update dispatches
       set not_before = ${later('$3::timestamptz', 'turns.after')}, open_until = $2
       from turns
       where dispatches.advisor_id = $1
         and dispatches.message_id = any (array(select message_id from turns))
         and dispatches.message_id = turns.message_id
     ),
     deferred as (
       update dispatches
       set deferred_until = $2, expires_at = ${later('expires_at', '$2::timestamptz - deferred_until')}
       where dispatches.advisor_id = $1
         and message_id = any (array(select message_id from waiting where deferred_until is not null))
     )
     select
     from waiting`,
    [advisorId, now, realNow],
  );
  return rows.length;
}

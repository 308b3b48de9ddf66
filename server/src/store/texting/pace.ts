import type { Db } from '../database/db.ts';
import { forAdvisors, forAllAdvisors } from '../database/for-advisors.ts';

/**
 * An advisor's pace, in texts per second, gives each text its own slot: the real time before which it doesn't go out. The
 * next free slot is in the advisor's archive head, the row that also numbers archive entries. Without a pace there are no slots.
 */

/** SQL for the interval that a text takes up; zero without a pace. */
export function spacingAt(pace: string): string {
  return `coalesce(1.0 / ${pace}, 0) * interval '1 second'`;
}

/**
 * SQL for the expressions of a `with`. The last one, `slots`, adds a `slot` to each row of `rows`, in the given order. Rows
 * have an advisor_id and a spacing; null or zero takes up no slot. `realNow` is the parameter with the time.
 */
export function slotsOf(rows: string, { order, realNow }: { order: string; realNow: string }): string {
  return `totals as (
       select advisor_id, coalesce(sum(spacing), interval '0') as duration
       from ${rows}
       group by advisor_id
     ),
     heads as (
       insert into archive_heads as head (advisor_id, last_number, next_slot)
       select advisor_id, 0, ${realNow}::timestamptz + duration
       from totals
       order by advisor_id
       ${onHeads(realNow)}
       returning advisor_id, next_slot
     ),
     slots as materialized (
       select r.*,
         case
           when spacing > interval '0' then next_slot - duration + coalesce(sum(spacing) over earlier, interval '0')
           else ${realNow}
         end as slot
       from ${rows} as r
       join heads using (advisor_id)
       join totals using (advisor_id)
       window earlier as (partition by r.advisor_id order by ${order} rows between unbounded preceding and 1 preceding)
     )`;
}

/** SQL for the end of an insert into heads: adds the entries, and the time that texts take up from now on. */
export function onHeads(realNow: string): string {
  return `on conflict (advisor_id) do update
       set last_number = head.last_number + excluded.last_number,
           next_slot = case
             when excluded.next_slot > ${realNow}
             then ${later(`greatest(head.next_slot, ${realNow})`, `excluded.next_slot - ${realNow}`)}
             else head.next_slot
           end`;
}

/** How much further ahead than what waits a slot may lie for a moment: ten seconds, and a tenth. */
const slackSeconds = 10;
const slackShare = 0.1;

/** Advisors with a slot that is far ahead. Spans advisors: its job works for all of them. */
export async function listFarAhead(db: Db, realNow: Date): Promise<{ advisorId: number }[]> {
  return forAllAdvisors(db, (db) =>
    db.query(
      `select advisor_id as "advisorId"
       from archive_heads
       where next_slot > $1::timestamptz + interval '${slackSeconds} seconds'
       order by advisor_id`,
      [realNow],
      'list-far-ahead',
    ),
  );
}

/**
 * Gives the texts of these advisors, whose heads are locked, new slots where theirs lie further ahead than what waits: a clock was wrong,
 * the pace was changed, or texts before them were withdrawn. Returns how many texts.
 */
export async function shortenWaits(db: Db, advisors: { advisorId: number }[], realNow: Date): Promise<number> {
  const rows = await forAdvisors(db, advisors, (db, advisors) =>
    db.query(
      `with heads as materialized (
       select head.advisor_id, head.next_slot, ${spacingAt('a.texting_pace')} as spacing
       from unnest($2::bigint[]) as given (advisor_id)
       join archive_heads head on head.advisor_id = given.advisor_id
       left join advisors a on a.advisor_id = given.advisor_id
     ),
     waiting as materialized (
       select
         d.advisor_id, d.message_id, d.not_before, spacing,
         row_number() over (partition by d.advisor_id order by d.not_before, d.message_id) - 1 as before
       from dispatches d
       join heads on heads.advisor_id = d.advisor_id
       where d.deferred_until is null and d.not_before > $1
     ),
     far as materialized (
       select heads.advisor_id, $1 + spacing * count(message_id) as free
       from heads
       left join waiting using (advisor_id, spacing)
       group by heads.advisor_id, spacing, next_slot
       having next_slot > $1 + spacing * count(message_id) * ${1 + slackShare} + interval '${slackSeconds} seconds'
     ),
     freed as (
       update archive_heads
       set next_slot = free
       from far
       where archive_heads.advisor_id = any (array(select advisor_id from far)) and archive_heads.advisor_id = far.advisor_id
     ),
     moved as materialized (
       select message_id, not_before, $1 + spacing * before as slot
       from waiting
       join far using (advisor_id)
     )
     update dispatches
     set not_before = slot, expires_at = expires_at - (moved.not_before - slot)
     from moved
     where dispatches.message_id = any (array(select message_id from moved)) and dispatches.message_id = moved.message_id
     returning 1`,
      [realNow, advisors.map(({ advisorId }) => advisorId)],
    ),
  );
  return rows.length;
}

/** SQL for a later time. By way of UTC it is the same whatever the session's time zone, so a distributed database takes it too. */
export function later(time: string, interval: string): string {
  return `(${time} at time zone 'UTC' + (${interval})) at time zone 'UTC'`;
}

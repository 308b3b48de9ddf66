/**
 * An advisor's pace, in texts per second, gives each text its own slot: the real time before which it doesn't go out. The
 * next free slot is in the advisor's archive head, the row that also numbers archive entries.
 */

/** SQL for the interval that a text takes up; zero without a pace. */
export function spacingAt(pace: string): string {
  return `coalesce(1.0 / ${pace}, 0) * interval '1 second'`;
}

/**
 * SQL for the expressions of a `with`. The last one, `slots`, adds a `slot` to each row of `rows`, in the given order. Rows
 * have an advisor_id and a spacing; null takes up no time. `realNow` is the parameter with the time.
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
       select r.*, next_slot - duration + coalesce(sum(spacing) over earlier, interval '0') as slot
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
           next_slot = ${later(`greatest(head.next_slot, ${realNow})`, `excluded.next_slot - ${realNow}`)}`;
}

/** SQL for a later time. By way of UTC it is the same whatever the session's time zone, so a distributed database takes it too. */
export function later(time: string, interval: string): string {
  return `(${time} at time zone 'UTC' + (${interval})) at time zone 'UTC'`;
}

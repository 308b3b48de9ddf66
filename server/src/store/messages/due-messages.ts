import { columnsOf } from '../database/columns.ts';
import type { Db, Due } from '../database/db.ts';
import { forAdvisors, isDue, takeDue } from '../database/for-advisors.ts';
import { type NewScheduledMessage, phoneOf, type ScheduledMessageRow } from './scheduled-messages.ts';

export type DueRow = Omit<ScheduledMessageRow, 'status' | 'reason'> &
  Pick<NewScheduledMessage, 'advisorId' | 'actor' | 'traceId'>;

/** What happened to a message that was due. */
export type DueChange = Pick<DueRow, 'advisorId' | 'scheduledMessageId'> &
  Pick<ScheduledMessageRow, 'deliveryDate' | 'status' | 'reason'> & { wasDue: Date };

/** Spans advisors: its job works for all of them. */
export function hasDue(db: Db, now: Date): Promise<boolean> {
  return isDue(db, dueMessages(now));
}

function dueMessages(now: Date): Due {
  return [
    `select from scheduled_messages where status = 'scheduled' and delivery_date <= $1 limit 1`,
    [now],
    'has-due',
  ];
}

/**
 * Locks messages that are due, earliest first. Those of a number that has no carrier wait for one. A message that somebody else is sending or canceling is skipped; with `wait`
 * it is waited for, and returned only if it is still due. The limit is a sub-select to hide it from the planner, which
 * expects few due rows: after downtime it would sort all of them again for every batch. Locking 500 of a backlog of
 * 100,000 took 330 ms, and takes 2. Spans advisors: its job works for all of them.
 */
export async function lockDue(
  db: Db,
  now: Date,
  { limit, wait = false }: { limit: number; wait?: boolean },
): Promise<DueRow[]> {
  const { rows } = await takeDue(db, dueMessages(now), (db) =>
    db.query<DueRow>(
      `with due as materialized (
       select *
       from scheduled_messages
       where status = 'scheduled'
         and delivery_date <= $1
         and not exists (
           select
           from advisors a
           where a.advisor_id = scheduled_messages.advisor_id
             and a.texting_number is not null
             and a.carrier_id is null
         )
       order by delivery_date, scheduled_message_id
       limit (select $2::integer)
       for update${wait ? '' : ' skip locked'}
     )
     select
       advisor_id as "advisorId", scheduled_message_id as "scheduledMessageId", member_id as "memberId",
       ${phoneOf('due')} as phone, text, first_date as "firstDate", time_zone as "timeZone", frequency,
       delivery_date as "deliveryDate", actor, trace_id as "traceId"
     from due
     order by delivery_date, scheduled_message_id`,
      [now, limit],
      wait ? 'lock-due-waiting' : 'lock-due',
    ),
  );
  return rows;
}

/** Those of these schedules of which a text is held. */
export async function listHeldSchedules(
  db: Db,
  schedules: Pick<DueRow, 'advisorId' | 'memberId' | 'scheduledMessageId'>[],
): Promise<number[]> {
  if (schedules.length === 0) return [];
  const found = await forAdvisors(db, schedules, (db, schedules) =>
    db.query<{ scheduledMessageId: number }>(
      `select g.scheduled_message_id as "scheduledMessageId"
       from unnest($1::bigint[], $2::bigint[], $3::bigint[]) as g (advisor_id, member_id, scheduled_message_id)
       cross join lateral (
         select
         from messages
         where advisor_id = g.advisor_id
           and member_id = g.member_id
           and scheduled_message_id = g.scheduled_message_id
           and rare_status = 'held'
         limit 1
       ) as held`,
      columnsOf(schedules, 'advisorId', 'memberId', 'scheduledMessageId'),
      'list-held-schedules',
    ),
  );
  return found.map(({ scheduledMessageId }) => scheduledMessageId);
}

/**
 * Records what happened to each message that is still due at the same date, and returns how many those are. The status is a
 * sub-select to hide it from the planner, which would otherwise read the whole index of scheduled messages: with 100,000
 * that took 190 ms, and looking up 500 takes 4.
 */
export async function updateDue(db: Db, changes: DueChange[]): Promise<number> {
  if (changes.length === 0) return 0;
  const updated = await forAdvisors(db, changes, (db, changes) =>
    db.query(
      `update scheduled_messages s
     set delivery_date = given.delivery_date, status = given.status, reason = given.reason
     from unnest($1::bigint[], $2::bigint[], $3::timestamptz[], $4::timestamptz[], $5::text[], $6::text[]) as given (
       advisor_id, scheduled_message_id, was_due, delivery_date, status, reason
     )
     where s.advisor_id = given.advisor_id
       and s.scheduled_message_id = given.scheduled_message_id
       and s.status = (select 'scheduled')
       and s.delivery_date = given.was_due
     returning s.scheduled_message_id`,
      columnsOf(changes, 'advisorId', 'scheduledMessageId', 'wasDue', 'deliveryDate', 'status', 'reason'),
      'update-due',
    ),
  );
  return updated.length;
}

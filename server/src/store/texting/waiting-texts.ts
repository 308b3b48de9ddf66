import { columnsOf } from '../database/columns.ts';
import type { Db, Due } from '../database/db.ts';
import { forAdvisors, takeDue } from '../database/for-advisors.ts';
import { few } from '../shared/few.ts';
import { oneStep, outcomeColumns, outcomeEntries } from './text-outcomes.ts';

/** A text that waits for the person's consent, as it will go out: `added` is the line of a first text, if it has one. */
export type WaitingText = {
  messageId: number;
  archiveNumber: number;
  text: string;
  added: string | null;
  dateTimeCreated: Date;
};

/** What was accepted until then has waited long enough now, and fails with that code. */
export type Lapse = { acceptedUntil: Date; failureCode: string; now: Date };

/** How many waits one statement ends. */
const lapsedMax = 500;

/** A person's texts that wait for their consent, in the order in which they came. */
export async function listWaitingTexts(db: Db, advisorId: number, memberId: number): Promise<WaitingText[]> {
  return db.query<WaitingText>(
    `select
       t.message_id as "messageId", t.archive_number as "archiveNumber", convert_from(b.body, 'UTF8') as text,
       e.meta::json ->> 'added' as added, t.date_time_created as "dateTimeCreated"
     from messages t
     join archive_entries e on e.advisor_id = t.advisor_id and e.number = t.archive_number
     join archive_bodies b on b.advisor_id = t.advisor_id and b.number = t.archive_number
     where t.advisor_id = $1 and t.member_id = $2 and t.rare_status = 'awaiting_consent'
     order by t.message_id`,
    [advisorId, memberId],
  );
}

/** How many texts wait for each of these people, of those that were accepted after a time. */
export async function countWaitingTexts(
  db: Db,
  members: { advisorId: number; memberId: number }[],
  since: Date,
): Promise<{ memberId: number; texts: number }[]> {
  if (members.length === 0) return [];
  return forAdvisors(db, members, (db, members) =>
    db.query(
      `select given.member_id as "memberId", count(*)::integer as texts
     from (
       select distinct advisor_id, member_id
       from unnest($1::bigint[], $2::bigint[]) as g (advisor_id, member_id)
     ) as given
     join messages t on t.advisor_id = given.advisor_id and t.member_id = given.member_id
     where t.rare_status = 'awaiting_consent' and t.date_time_created > $3 and ${few('given.member_id')}
     group by given.member_id`,
      [...columnsOf(members, 'advisorId', 'memberId'), since],
    ),
  );
}

/** Fails all texts that wait for a person's consent, with entries; those that had waited since before a time lapsed. */
export async function failWaiting(
  db: Db,
  advisorId: number,
  memberId: number,
  { failureCode, lapse }: { failureCode: string; lapse: Lapse },
): Promise<void> {
  await db.write(
    `with failed as (
       update messages
       set status = 'failed', failure_code = case when date_time_created <= $4 then $5 else $3 end, date_time_ended = $6
       where advisor_id = $1 and member_id = $2 and rare_status = 'awaiting_consent'
       returning ${outcomeColumns}, 'service' as actor, ${oneStep}
     ),
     ${outcomeEntries('failed', '$6')}
     select`,
    [advisorId, memberId, failureCode, lapse.acceptedUntil, lapse.failureCode, lapse.now],
  );
}

/**
 * Fails texts that have waited since before a time, with entries, and returns how many there were. Their people are locked
 * first, in the usual order: whoever changes a person's consent decides about their texts. Spans advisors: its job works for all of them.
 */
export async function lapseWaiting(db: Db, { acceptedUntil, failureCode, now }: Lapse): Promise<number> {
  const due: Due = [
    `select from messages where rare_status = 'awaiting_consent' and date_time_created <= $1 limit 1`,
    [acceptedUntil],
    'has-lapsed',
  ];
  const { rows } = await takeDue(db, due, (db) =>
    db.query(
      `with due as materialized (
       select advisor_id, member_id, message_id
       from messages
       where rare_status = 'awaiting_consent' and date_time_created <= $1
       order by date_time_created
       limit ${lapsedMax}
     ),
     people as materialized (
       select due.*
       from due
       cross join lateral (
         select phone
         from members
         where advisor_id = due.advisor_id and member_id = due.member_id
         limit 1
       ) as m
       order by due.advisor_id, m.phone
     ),
     locked as materialized (
       select people.*
       from people
       cross join lateral (
         select advisor_id
         from members
         where advisor_id = people.advisor_id and member_id = people.member_id
         for update
       ) as m
     ),
     failed as (
       update messages
       set status = 'failed', failure_code = $2, date_time_ended = $3
       from locked
       where messages.advisor_id = locked.advisor_id
         and messages.message_id = locked.message_id
         and messages.status = 'awaiting_consent'
       returning ${outcomeColumns}, 'service' as actor, ${oneStep}
     ),
     ${outcomeEntries('failed', '$3')}
     select
     from failed`,
      [acceptedUntil, failureCode, now],
      'lapse-waiting',
    ),
  );
  return rows.length;
}

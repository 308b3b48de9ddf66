import { columnsOf } from '../database/columns.ts';
import type { Db } from '../database/db.ts';
import { drawIds, forAdvisors } from '../database/for-advisors.ts';

/** A number from the enumerations. */
export type Frequency = 0 | 1 | 2 | 3 | 4;
export type ScheduledStatus = 'scheduled' | 'skipped' | 'completed' | 'canceled';
export type ScheduledMessageSort = keyof typeof sortColumns;
export type ScheduledMessagePage = {
  sortBy: ScheduledMessageSort;
  descending: boolean;
  offset: bigint;
  limit: number;
};

export type NewScheduledMessage = {
  advisorId: number;
  memberId: number;
  text: string;
  firstDate: Date;
  timeZone: string;
  frequency: Frequency;
  actor: string;
  traceId: string | null;
};

export type ScheduledMessageRow = {
  scheduledMessageId: number;
  memberId: number;
  phone: string;
  text: string;
  firstDate: Date;
  timeZone: string;
  frequency: Frequency;
  /** The next date; the last one once there are no more. */
  deliveryDate: Date;
  status: ScheduledStatus;
  /** Why it was skipped; if it repeats, why its last occurrence was. */
  reason: string | null;
};

/** With the last text that it sent. */
export type SentScheduledMessage = ScheduledMessageRow & { lastMessageId: number | null };

const sortColumns = { deliveryDate: 'delivery_date' } as const;
export const scheduledMessageSorts = Object.keys(sortColumns) as ScheduledMessageSort[];

/** One lookup per row, for a few hundred rows: for a join, the planner might read every member. */
export const phoneOf = (rows: string) =>
  `(select m.phone from members m where m.advisor_id = ${rows}.advisor_id and m.member_id = ${rows}.member_id)`;

const columns = (rows: string) => `
  scheduled_message_id as "scheduledMessageId", member_id as "memberId", ${phoneOf(rows)} as phone, text,
  first_date as "firstDate", time_zone as "timeZone", frequency, delivery_date as "deliveryDate", status, reason`;

/** One lookup per row, too, in an index that has only the texts of schedules. */
const sentColumns = (rows: string) => `
  ${columns(rows)},
  (
    select t.message_id
    from messages t
    where t.advisor_id = ${rows}.advisor_id and t.scheduled_message_id = ${rows}.scheduled_message_id and t.kind = 'text'
    order by t.date_time_created desc, t.message_id desc
    limit 1
  ) as "lastMessageId"`;

const idSequence = 'scheduled_messages_scheduled_message_id_seq';

/** For any number of advisors. Returns the ids in order. */
export async function insertScheduledMessages(db: Db, rows: NewScheduledMessage[], now: Date): Promise<number[]> {
  if (rows.length === 0) return [];
  const ids = await drawIds(db, idSequence, rows.length);
  const numbered = rows.map((row, index) => ({ ...row, id: ids[index] }));
  const inserted = await forAdvisors(db, numbered, (db, rows) =>
    db.query<{ scheduledMessageId: number }>(
      `insert into scheduled_messages (
       scheduled_message_id, advisor_id, member_id, text, first_date, time_zone, frequency, delivery_date, status, actor,
       trace_id, date_time_created
     )
     overriding system value
     select
       coalesce(id, nextval('${idSequence}')), advisor_id, member_id, text, first_date, time_zone, frequency, first_date,
       'scheduled', actor, trace_id, $9
     from unnest(
       $1::bigint[], $2::bigint[], $3::text[], $4::timestamptz[], $5::text[], $6::smallint[], $7::text[], $8::text[],
       $10::bigint[]
     ) with ordinality as given (
       advisor_id, member_id, text, first_date, time_zone, frequency, actor, trace_id, id, position
     )
     order by position
     returning scheduled_message_id as "scheduledMessageId"`,
      [
        ...columnsOf(rows, 'advisorId', 'memberId', 'text', 'firstDate', 'timeZone', 'frequency', 'actor', 'traceId'),
        now,
        rows.map(({ id }) => id),
      ],
      'insert-scheduled-messages',
    ),
  );
  return inserted.map(({ scheduledMessageId }) => scheduledMessageId);
}

/**
 * The status is a sub-select to hide it from the planner: for 'scheduled' it might walk the index of every account's due
 * messages to find this account's few.
 */
export async function listScheduledMessages(
  db: Db,
  advisorId: number,
  status: ScheduledStatus,
  page: ScheduledMessagePage,
): Promise<{ total: number; scheduledMessages: SentScheduledMessage[] }> {
  const direction = page.descending ? 'desc' : 'asc';
  const order = `${sortColumns[page.sortBy]} ${direction}, scheduled_message_id`;
  const rows = await db.query<{ total: number } & SentScheduledMessage>(
    `select total, ${sentColumns('page')}
     from (
       select count(*) as total
       from scheduled_messages
       where advisor_id = $1 and status = (select $2)
     ) as totals
     left join (
       select *
       from scheduled_messages
       where advisor_id = $1 and status = (select $2)
       order by ${order}
       offset $3
       limit $4
     ) as page on true
     order by ${order}`,
    [advisorId, status, page.offset, page.limit],
    `list-scheduled-messages-${direction}`,
  );
  const scheduledMessages = rows.filter((row) => row.scheduledMessageId !== null);
  return { total: rows[0]?.total ?? 0, scheduledMessages };
}

/** Those of one person that are still to come, the next one first. */
export async function listScheduledWith(
  db: Db,
  advisorId: number,
  memberId: number,
  limit: number,
): Promise<SentScheduledMessage[]> {
  return db.query(
    `select ${sentColumns('s')}
     from scheduled_messages s
     where advisor_id = $1 and member_id = $2 and status = 'scheduled'
     order by delivery_date, scheduled_message_id
     limit $3`,
    [advisorId, memberId, limit],
    'list-scheduled-with',
  );
}

/** In any status. */
export async function findScheduledMessage(
  db: Db,
  advisorId: number,
  scheduledMessageId: number,
): Promise<SentScheduledMessage | null> {
  const [row] = await db.lookUp<SentScheduledMessage>(
    `select ${sentColumns('s')}
     from scheduled_messages s
     where advisor_id = $1 and scheduled_message_id = $2`,
    [advisorId, scheduledMessageId],
    'find-scheduled-message',
  );
  return row ?? null;
}

/** Returns the canceled message, or null if the advisor has no such message that is still scheduled. */
export async function cancelScheduledMessage(
  db: Db,
  advisorId: number,
  scheduledMessageId: number,
): Promise<ScheduledMessageRow | null> {
  return db.find<ScheduledMessageRow>(
    `update scheduled_messages s
     set status = 'canceled', reason = null
     where advisor_id = $1 and scheduled_message_id = $2 and status = 'scheduled'
     returning ${columns('s')}`,
    [advisorId, scheduledMessageId],
    'cancel-scheduled-message',
  );
}

/** A message that is still scheduled, locked; null if the advisor has no such message. */
export async function lockScheduledMessage(
  db: Db,
  advisorId: number,
  scheduledMessageId: number,
): Promise<ScheduledMessageRow | null> {
  return db.find<ScheduledMessageRow>(
    `select ${columns('s')}
     from scheduled_messages s
     where advisor_id = $1 and scheduled_message_id = $2 and status = 'scheduled'
     for update`,
    [advisorId, scheduledMessageId],
    'lock-scheduled-message',
  );
}

/** Also records who changed it: its texts are theirs from now on. */
export async function updateScheduledMessage(
  db: Db,
  advisorId: number,
  message: ScheduledMessageRow & Pick<NewScheduledMessage, 'actor' | 'traceId'>,
): Promise<void> {
  const { scheduledMessageId, text, firstDate, timeZone, frequency, deliveryDate, actor, traceId } = message;
  await db.query(
    `update scheduled_messages
     set text = $3, first_date = $4, time_zone = $5, frequency = $6, delivery_date = $7, actor = $8, trace_id = $9
     where advisor_id = $1 and scheduled_message_id = $2`,
    [advisorId, scheduledMessageId, text, firstDate, timeZone, frequency, deliveryDate, actor, traceId],
    'update-scheduled-message',
  );
}

import type { Db } from '../database/db.ts';

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
  frequency: number;
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
  frequency: number;
  /** The next date; the last one once there are no more. */
  deliveryDate: Date;
  status: ScheduledStatus;
  /** Why it was skipped; if it repeats, why its last occurrence was. */
  reason: string | null;
};

const sortColumns = { deliveryDate: 'delivery_date' } as const;
export const scheduledMessageSorts = Object.keys(sortColumns) as ScheduledMessageSort[];

/** One lookup per row, for a few hundred rows: for a join, the planner might read every member. */
export const phoneOf = (rows: string) =>
  `(select m.phone from members m where m.advisor_id = ${rows}.advisor_id and m.member_id = ${rows}.member_id)`;

/** For any number of advisors. Returns the ids in order. */
export async function insertScheduledMessages(db: Db, rows: NewScheduledMessage[], now: Date): Promise<number[]> {
  if (rows.length === 0) return [];
  const inserted = await db.query<{ scheduledMessageId: number }>(
    `insert into scheduled_messages (
       advisor_id, member_id, text, first_date, time_zone, frequency, delivery_date, status, actor, trace_id,
       date_time_created
     )
     select advisor_id, member_id, text, first_date, time_zone, frequency, first_date, 'scheduled', actor, trace_id, $9
     from unnest(
       $1::bigint[], $2::bigint[], $3::text[], $4::timestamptz[], $5::text[], $6::smallint[], $7::text[], $8::text[]
     ) with ordinality as given (
       advisor_id, member_id, text, first_date, time_zone, frequency, actor, trace_id, position
     )
     order by position
     returning scheduled_message_id as "scheduledMessageId"`,
    [
      rows.map(({ advisorId }) => advisorId),
      rows.map(({ memberId }) => memberId),
      rows.map(({ text }) => text),
      rows.map(({ firstDate }) => firstDate),
      rows.map(({ timeZone }) => timeZone),
      rows.map(({ frequency }) => frequency),
      rows.map(({ actor }) => actor),
      rows.map(({ traceId }) => traceId),
      now,
    ],
    'insert-scheduled-messages',
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
): Promise<{ total: number; scheduledMessages: ScheduledMessageRow[] }> {
  const direction = page.descending ? 'desc' : 'asc';
  const order = `${sortColumns[page.sortBy]} ${direction}, scheduled_message_id`;
  const rows = await db.query<{ total: number } & ScheduledMessageRow>(
    `select
       total, scheduled_message_id as "scheduledMessageId", member_id as "memberId", ${phoneOf('page')} as phone, text,
       first_date as "firstDate", time_zone as "timeZone", frequency, delivery_date as "deliveryDate", status, reason
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

/** Returns the canceled message, or null if the advisor has no such message that is still scheduled. */
export async function findScheduledStatus(
  db: Db,
  advisorId: number,
  scheduledMessageId: number,
): Promise<ScheduledStatus | null> {
  const [row] = await db.query<{ status: ScheduledStatus }>(
    `select status
     from scheduled_messages
     where advisor_id = $1 and scheduled_message_id = $2`,
    [advisorId, scheduledMessageId],
  );
  return row?.status ?? null;
}

export async function cancelScheduledMessage(
  db: Db,
  advisorId: number,
  scheduledMessageId: number,
): Promise<ScheduledMessageRow | null> {
  const [row] = await db.query<ScheduledMessageRow>(
    `update scheduled_messages s
     set status = 'canceled', reason = null
     where advisor_id = $1 and scheduled_message_id = $2 and status = 'scheduled'
     returning
       scheduled_message_id as "scheduledMessageId", member_id as "memberId", ${phoneOf('s')} as phone, text,
       first_date as "firstDate", time_zone as "timeZone", frequency, delivery_date as "deliveryDate", status, reason`,
    [advisorId, scheduledMessageId],
    'cancel-scheduled-message',
  );
  return row ?? null;
}

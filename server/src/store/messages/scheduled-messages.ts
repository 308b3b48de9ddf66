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
  /** When it is due next; when it was due last once nothing is left. */
  deliveryDate: Date;
  status: ScheduledStatus;
  /** Why it was skipped; of one that repeats, why its last occurrence was. */
  reason: string | null;
};

export type DueRow = Omit<ScheduledMessageRow, 'status' | 'reason'> &
  Pick<NewScheduledMessage, 'advisorId' | 'actor' | 'traceId'>;

/** What became of one that was due. */
export type DueChange = Pick<DueRow, 'advisorId' | 'scheduledMessageId'> &
  Pick<ScheduledMessageRow, 'deliveryDate' | 'status' | 'reason'> & { wasDue: Date };

const sortColumns = { deliveryDate: 'delivery_date' } as const;
export const scheduledMessageSorts = Object.keys(sortColumns) as ScheduledMessageSort[];

/** A lookup for each row of a few hundred: as a join, the planner may prefer to read every member there is. */
const phoneOf = (rows: string) =>
  `(select m.phone from members m where m.advisor_id = ${rows}.advisor_id and m.member_id = ${rows}.member_id)`;

/** For as many advisors as there are; their ids in order. */
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
 * What is due, locked, in the order in which it became so. What somebody else is firing or canceling is left to them, or
 * waited for and then looked at again: it is in the list only if it is still due. The limit is a sub-select so that the
 * planner can't hold it against the few rows that it expects to be due: after downtime it would sort all that are, for
 * each batch again. A backlog of 100,000 took 330 ms to lock 500 of, and takes 2.
 */
export async function lockDue(
  db: Db,
  now: Date,
  { limit, wait = false }: { limit: number; wait?: boolean },
): Promise<DueRow[]> {
  return db.query<DueRow>(
    `with due as materialized (
       select *
       from scheduled_messages
       where status = 'scheduled' and delivery_date <= $1
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
  );
}

/**
 * Writes down what became of each where it is still due as it was, and returns how many those are. The status is a
 * sub-select because the planner, sure of it, would read the index of all that is scheduled: with 100,000 in it that took
 * 190 ms, and looking 500 up takes 4.
 */
export async function updateDue(db: Db, changes: DueChange[]): Promise<number> {
  if (changes.length === 0) return 0;
  const updated = await db.query(
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
    [
      changes.map(({ advisorId }) => advisorId),
      changes.map(({ scheduledMessageId }) => scheduledMessageId),
      changes.map(({ wasDue }) => wasDue),
      changes.map(({ deliveryDate }) => deliveryDate),
      changes.map(({ status }) => status),
      changes.map(({ reason }) => reason),
    ],
    'update-due',
  );
  return updated.length;
}

/**
 * The status is a sub-select so that the planner doesn't know it: where it is 'scheduled', it may otherwise walk the index
 * of all that is due on anybody's account, looking for the few of this one.
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

/** As it is then; null where there is none of the advisor's that is still to come. */
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

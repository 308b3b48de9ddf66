import { columnsOf } from '../database/columns.ts';
import type { Db } from '../database/db.ts';
import { forAdvisors } from '../database/for-advisors.ts';
import { type KeptRange, keptOf } from '../shared/feeds.ts';
import type { EventFacts } from './new-events.ts';

export type EventType = EventFacts['type'];

/** An event as the database has it: what its type doesn't have is null. */
export type EventRow = {
  number: number;
  type: EventType;
  memberId: number | null;
  phone: string | null;
  messageId: number | null;
  scheduledMessageId: number | null;
  status: string | null;
  failureCode: string | null;
  state: string | null;
  previousState: string | null;
  reason: string | null;
  applicationId: number | null;
  broadcastId: number | null;
  dateTime: Date;
};

type StoredRow = EventRow & { wasSent: boolean | null };

const columns = `
  e.number, e.was_sent as "wasSent", e.type, e.member_id as "memberId", m.phone, e.message_id as "messageId",
  e.scheduled_message_id as "scheduledMessageId", e.status, e.failure_code as "failureCode", e.state,
  e.previous_state as "previousState", e.reason, e.application_id as "applicationId", e.broadcast_id as "broadcastId",
  e.date_time as "dateTime"`;

/** The events of an advisor's rows, of which one with `wasSent` is two. */
function eventsIn(rows: StoredRow[], { after, limit }: { after: number; limit: number }): EventRow[] {
  const events = rows.flatMap(({ wasSent, ...event }) => {
    const sent = { ...event, number: event.number - 1, status: 'sent', failureCode: null };
    return wasSent && sent.number > after ? [sent, event] : event;
  });
  return events.slice(0, limit);
}

/** The events after a number, or from the first, in order; and what is kept, as of the same moment. */
export async function listEvents(
  db: Db,
  advisorId: number,
  { after, limit }: { after: number | null; limit: number },
): Promise<{ kept: KeptRange; events: EventRow[] }> {
  const rows = await db.query<StoredRow & { first: number | null; last: number | null }>(
    `select first, last, ${columns}
     from (
       select
         (select last_event from archive_heads where advisor_id = $1) as last,
         (
           select number - coalesce(was_sent, false)::integer
           from events
           where advisor_id = $1
           order by number
           limit 1
         ) as first
     ) as kept
     left join lateral (
       select *
       from events
       where advisor_id = $1 and number > $2
       order by number
       limit $3
     ) as e on true
     left join members m on m.advisor_id = e.advisor_id and m.member_id = e.member_id
     order by e.number`,
    [advisorId, after ?? 0, limit],
    'list-events',
  );
  const found = rows.filter(({ number }) => number !== null);
  return { kept: keptOf(rows[0]), events: eventsIn(found, { after: after ?? 0, limit }) };
}

/** A place in an advisor's events, and how many to read after it. */
export type EventPlace = { advisorId: number; after: number; limit: number };

/** The events after each of these places, in order, by one statement. */
export async function listEventsAfter(db: Db, places: EventPlace[]): Promise<EventRow[][]> {
  return forAdvisors(db, places, async (db, places) => {
    const rows = await db.query<StoredRow & { place: number }>(
      `select place, ${columns}
     from unnest($1::bigint[], $2::bigint[], $3::integer[]) with ordinality as given (advisor_id, after, count, place)
     cross join lateral (
       select *
       from events
       where advisor_id = given.advisor_id and number > given.after
       order by number
       limit given.count
     ) as e
     left join members m on m.advisor_id = e.advisor_id and m.member_id = e.member_id
     order by place, e.number`,
      columnsOf(places, 'advisorId', 'after', 'limit'),
      'list-events-after',
    );
    const byPlace = Map.groupBy(rows, ({ place }) => place);
    return places.map((place, index) => eventsIn(byPlace.get(index + 1) ?? [], place));
  });
}

/**
 * Those of these readers whose advisor has an event that they haven't seen: one query, however many they are. Spans advisors: a
 * node asks once for all who wait.
 */
export async function listBehind(db: Db, readers: { advisorId: number; after: number }[]) {
  return db.query<{ advisorId: number; after: number }>(
    `select given.advisor_id as "advisorId", given.after
     from unnest($1::bigint[], $2::bigint[]) as given (advisor_id, after)
     join archive_heads h on h.advisor_id = given.advisor_id
     where h.last_event > given.after`,
    columnsOf(readers, 'advisorId', 'after'),
    'list-behind',
  );
}

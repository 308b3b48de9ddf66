import { endsOf } from '../archive/heads.ts';
import type { Db } from '../database/db.ts';
import { forAdvisors } from '../database/for-advisors.ts';

/** Everything that partners or the advisor's own app are told about, and what is known of each. */
export type NewEvent = { advisorId: number } & EventFacts;
export type EventFacts =
  | { type: 'consent.changed'; memberId: number; state: string; previousState: string }
  | {
      type: 'message.status';
      memberId: number;
      messageId: number;
      status: string;
      failureCode: string | null;
      scheduledMessageId: number | null;
    }
  | { type: 'message.received'; memberId: number }
  | { type: 'scheduled_message.fired'; memberId: number; scheduledMessageId: number; messageId: number }
  | { type: 'scheduled_message.skipped'; memberId: number; scheduledMessageId: number; reason: string }
  /** Only the advisor's own app is told. */
  | { type: 'conversation.changed'; memberId: number; scheduledMessageId?: number }
  | { type: 'saved_replies.changed' }
  | { type: 'book.changed' }
  | { type: 'signature.changed' }
  | { type: 'broadcast.changed'; broadcastId: number }
  /** Only that application is told. */
  | { type: 'authorization.ended'; applicationId: number; reason: string };

/** Adds events that no archive entry is about, in a transaction. */
export async function insertEvents(db: Db, events: NewEvent[], now: Date): Promise<void> {
  if (events.length === 0) return;
  await forAdvisors(db, events, async (db, events) => {
    const advisorIds = [...new Set(events.map(({ advisorId }) => advisorId))].sort((a, b) => a - b);
    const { given, counts } = eventsAt(events, advisorIds);
    await db.query(
      `with ${endsOf('select advisor_id, 0, events from unnest($3::bigint[], $4::bigint[]) as g (advisor_id, events)')},
     ${insertedEvents({ events: '$1', now: '$2' })}
     select`,
      [JSON.stringify(given), now, advisorIds, counts],
      'insert-events',
    );
  });
}

/** Where each event stands: its advisor's place among these, from 1, and how many of that advisor's events follow. */
export function eventsAt(events: NewEvent[], advisorIds: number[]) {
  const counts = advisorIds.map(() => 0);
  const given = events.toReversed().map((event) => {
    const index = advisorIds.indexOf(event.advisorId);
    const after = counts[index] ?? 0;
    counts[index] = after + 1;
    return { ...event, place: index + 1, after };
  });
  return { given: given.reverse(), counts };
}

/**
 * SQL for an expression of a `with` that inserts the events of `eventsAt`, after `endsOf`. The parameters have the events and
 * the time.
 */
export function insertedEvents({ events, now }: { events: string; now: string }): string {
  return `added_events as (
       insert into events (
         advisor_id, number, type, member_id, message_id, scheduled_message_id, status, failure_code, state,
         previous_state, reason, application_id, broadcast_id, date_time
       )
       select
         "advisorId", (select last_events from ends)[place] - after, type, "memberId", "messageId",
         "scheduledMessageId", status, "failureCode", state, "previousState", reason, "applicationId", "broadcastId",
         ${now}
       from json_to_recordset(${events}) as (
         "advisorId" bigint, type text, "memberId" bigint, "messageId" bigint, "scheduledMessageId" bigint,
         status text, "failureCode" text, state text, "previousState" text, reason text, "applicationId" bigint,
         "broadcastId" bigint, place integer, after integer
       )
     )`;
}

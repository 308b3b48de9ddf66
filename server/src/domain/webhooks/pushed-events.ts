import type { Deps } from '../../deps.ts';
import type { Batch } from '../../store/database/db.ts';
import { type EventPlace, type EventRow, listEventsAfter } from '../../store/events/events.ts';
import { listScopes, type StreamRow } from '../../store/webhooks/streams.ts';
import { type FoundChange, findChanges, type Position } from '../address-book/contact-changes.ts';
import { eventOf } from '../events/events.ts';
import { problem } from '../problems.ts';

/** An event as it is pushed: its body, and where the stream is after it. */
export type PushedEvent = { id: string; type: string; body: string; position: Position };

export type Next = {
  events: PushedEvent[];
  /** Where it is after all of it, also after events that the application may not see. */
  end: Position;
  isLast: boolean;
};

const eventScope = 'text.messaging.read';
const changeScope = 'core.contacts.read';

/** Up to `limit` events after a stream's position. What is no longer kept is passed over. */
export async function findNext(deps: Deps, stream: StreamRow, limit: number): Promise<Next> {
  return stream.feed === 'events' ? nextEvents(deps, stream, limit) : nextChanges(deps, stream, limit);
}

/** Many streams are told something at once, so they read together. */
const reading: Batch<EventPlace, EventRow[]> = { run: listEventsAfter, isRepeatable: true };

async function nextEvents({ db }: Deps, stream: StreamRow, limit: number): Promise<Next> {
  const { advisorId, applicationId, number: after, endsAt, scopes } = stream;
  const rows = await db.batch(reading, { advisorId, after, limit });
  const events = rows
    .filter(({ number }) => endsAt === null || number <= endsAt)
    .filter(({ type, applicationId: of }) =>
      type === 'authorization.ended' ? of === applicationId : endsAt !== null || scopes.includes(eventScope),
    )
    .map((row) => {
      const { id, type, dateTime, data } = eventOf(advisorId, row);
      return pushed({ id, type, dateTime, advisorId, data }, { number: row.number, contactId: null });
    });
  return { events, end: { number: rows.at(-1)?.number ?? after, contactId: null }, isLast: rows.length < limit };
}

async function nextChanges(deps: Deps, stream: StreamRow, limit: number): Promise<Next> {
  const { advisorId, number, contactId, scopes } = stream;
  const position = contactId === null ? { number, contactId } : { number: number + 1, contactId };
  const { found, next, more } = await findChanges(deps, advisorId, position, limit);
  const events = scopes.includes(changeScope) ? found.map((each) => pushedChange(advisorId, each)) : [];
  return { events, end: inStream(next), isLast: !more };
}

function pushedChange(advisorId: number, { contactId, change, position }: FoundChange): PushedEvent {
  const { number, change: what, dateTime } = change;
  const id = `chg_${advisorId}_${number}_${contactId}`;
  return pushed({ id, type: `contact.${what}`, dateTime, advisorId, data: { contactId } }, inStream(position));
}

/** A stream has the last row that is complete, so that it is seen to be behind while it is within a row. */
function inStream({ number, contactId }: Position): Position {
  return contactId === null ? { number, contactId } : { number: number - 1, contactId };
}

type Payload = { id: string; type: string; dateTime: Date; advisorId: number; data: object };

function pushed(payload: Payload, position: Position): PushedEvent {
  return { id: payload.id, type: payload.type, body: JSON.stringify(payload), position };
}

/** An event by the id that the feed and its deliveries have; 404 if the application can't see it, or it isn't kept. */
export async function findPushedEvent(
  deps: Deps,
  id: string,
  applicationId: number,
): Promise<PushedEvent & { advisorId: number }> {
  const [, kind, ...parts] = /^(evt|chg)_(\d{1,15})_(\d{1,15})(?:_(\d{1,15}))?$/.exec(id) ?? [];
  const [advisorId = 0, number = 0, contactId = 0] = parts.map((part) => Number(part ?? 0));
  const scopes = await listScopes(deps.db, { applicationId, advisorId });
  const none = { endsAt: null, failures: 0, failingSince: null };
  const before: StreamRow =
    kind === 'chg'
      ? { applicationId, advisorId, feed: 'changes', number: number - 1, contactId: contactId - 1, scopes, ...none }
      : { applicationId, advisorId, feed: 'events', number: number - 1, contactId: null, scopes, ...none };
  const [event] = kind ? (await findNext(deps, before, 1)).events : [];
  if (event?.id !== id)
    throw problem('not_found', `There is no event ${id} that the application can see, or it is older than 30 days.`);
  return { ...event, advisorId };
}

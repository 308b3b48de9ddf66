import type { Deps } from '../../deps.ts';
import type { Batch } from '../../store/database/db.ts';
import { type EventPlace, type EventRow, listEventsAfter } from '../../store/events/events.ts';
import { listScopes, type StreamRow } from '../../store/webhooks/streams.ts';
import type { WebhookRow } from '../../store/webhooks/webhooks.ts';
import { eventScope } from '../access/scopes.ts';
import { type FoundChange, findChanges, type Position } from '../address-book/contact-changes.ts';
import { eventOf, eventTypes } from '../events/events.ts';
import { problem } from '../problems.ts';

/** Everything that an endpoint can ask for. A test reaches the endpoint that it is for, whatever that asked for. */
export const pushedTypes: readonly string[] = [
  ...eventTypes,
  'contact.created',
  'contact.updated',
  'contact.deleted',
  'webhook.test',
];

/** An event as it is pushed: its body, and where the stream is after it. */
export type PushedEvent = { id: string; type: string; body: string; position: Position };

export type Next = {
  events: PushedEvent[];
  /** Where it is after all of it, also after events that the application may not see, or the endpoint didn't ask for. */
  end: Position;
  isLast: boolean;
};

const changeScope = 'core.contacts.read';

type Listener = Pick<WebhookRow, 'webhookId' | 'applicationId' | 'types'>;

/** Up to `limit` events after a stream's position. What is no longer kept is passed over. */
export async function findNext(deps: Deps, listener: Listener, stream: StreamRow, limit: number): Promise<Next> {
  const next =
    stream.feed === 'events' ? await nextEvents(deps, listener, stream, limit) : await nextChanges(deps, stream, limit);
  const { types } = listener;
  return types ? { ...next, events: next.events.filter(({ type }) => types.includes(type)) } : next;
}

/** Many streams are told something at once, so they read together. */
const reading: Batch<EventPlace, EventRow[]> = { run: listEventsAfter, isRepeatable: true };

async function nextEvents({ db }: Deps, { applicationId }: Listener, stream: StreamRow, limit: number): Promise<Next> {
  const { advisorId, number: after, endsAt, scopes } = stream;
  const rows = await db.batch(reading, { advisorId, after, limit });
  const events = rows
    .filter(({ number, type }) => eventTypes.includes(type) && (endsAt === null || number <= endsAt))
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

/** An event by the id that the feed and its deliveries have; 404 if the endpoint doesn't get it, or it isn't kept. */
export async function findPushedEvent(deps: Deps, listener: Listener, id: string) {
  const [, kind, ...parts] = /^(evt|chg)_(\d{1,15})_(\d{1,15})(?:_(\d{1,15}))?$/.exec(id) ?? [];
  const [advisorId = 0, number = 0, contactId = 0] = parts.map((part) => Number(part ?? 0));
  const { webhookId } = listener;
  const scopes = await listScopes(deps.db, { webhookId, advisorId });
  const none = { endsAt: null, failures: 0, failingSince: null };
  const before: StreamRow =
    kind === 'chg'
      ? { webhookId, advisorId, feed: 'changes', number: number - 1, contactId: contactId - 1, scopes, ...none }
      : { webhookId, advisorId, feed: 'events', number: number - 1, contactId: null, scopes, ...none };
  const [event] = kind ? (await findNext(deps, listener, before, 1)).events : [];
  if (event?.id !== id)
    throw problem('not_found', `There is no event ${id} that the endpoint gets, or it is older than 30 days.`);
  return { ...event, advisorId };
}

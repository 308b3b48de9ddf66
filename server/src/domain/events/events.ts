import type { Deps } from '../../deps.ts';
import type { EventRow, EventType } from '../../store/events/events.ts';
import * as store from '../../store/events/events.ts';
import { failureCodeOf } from '../shared/failure-codes.ts';
import { cursorAt, type Feed, type FeedKey, numbersIn, requireKept } from '../shared/feeds.ts';
import { endOf } from '../shared/signals.ts';

/** An event as partners read it. */
export type Event = { id: string; type: EventType; dateTime: Date; data: object };
export type EventQuery = {
  cursor?: string;
  pageSize: number;
  waitSeconds?: number;
  /** For the advisor's own app: what only it is told is among them. */
  isOwn?: boolean;
};

/** Which of an event's columns its data has. */
const fields: Record<EventType, (keyof EventRow)[]> = {
  'consent.changed': ['memberId', 'phone', 'state', 'previousState'],
  'message.status': ['messageId', 'memberId', 'phone', 'status', 'failureCode', 'scheduledMessageId'],
  'message.received': ['memberId', 'phone'],
  'scheduled_message.fired': ['scheduledMessageId', 'messageId', 'memberId', 'phone'],
  'scheduled_message.skipped': ['scheduledMessageId', 'memberId', 'phone', 'reason'],
  'authorization.ended': ['reason'],
  'conversation.changed': ['memberId', 'scheduledMessageId'],
  'saved_replies.changed': [],
  'book.changed': [],
  'signature.changed': [],
  'broadcast.changed': ['broadcastId'],
};

/** At once, to pass what only the app is told: there may be thousands. */
const rowsReadMax = 200;

/** Only the advisor's own app is told; partners are not. */
const ownTypes: readonly EventType[] = [
  'conversation.changed',
  'saved_replies.changed',
  'book.changed',
  'signature.changed',
  'broadcast.changed',
];

/** What partners are told. */
export const eventTypes = (Object.keys(fields) as EventType[]).filter((type) => !ownTypes.includes(type));

/**
 * An advisor's events in the order of commits, after a cursor or from the first that is kept. With waitSeconds, an empty answer
 * waits that long for an event. It holds no connection while it waits, and looks again only if there is something to see.
 */
export async function listEvents(
  deps: Deps,
  advisorId: number,
  { cursor, pageSize, waitSeconds = 0, isOwn = false }: EventQuery,
): Promise<Feed<Event>> {
  const deadline = Date.now() + waitSeconds * 1000;
  const { eventAdded } = deps.signals;
  const until = endOf(deps.signals);
  const place: FeedKey = { feed: 'events', advisorId };
  let rowsRead = pageSize;
  let after = cursor === undefined ? null : (numbersIn(cursor, place)[0] ?? 0);
  for (;;) {
    const { kept, events } = await store.listEvents(deps.db, advisorId, { after, limit: rowsRead + 1 });
    if (after !== null) requireKept(after, kept);
    const rows = events.slice(0, rowsRead);
    const shown = rows.filter(({ type }) => isInFeed(type, isOwn));
    const page = shown.slice(0, pageSize);
    const data = page.map((row) => eventOf(advisorId, row));
    const isCut = shown.length > pageSize;
    const more = isCut || events.length > rowsRead;
    after = (isCut ? page : rows).at(-1)?.number ?? after ?? kept.first - 1;
    if (data.length === 0 && more) {
      rowsRead = rowsReadMax;
      continue;
    }
    const leftMs = deadline - Date.now();
    const mayWait = data.length === 0 && leftMs > 0 && !until.aborted;
    if (!mayWait || !(await eventAdded.wait({ advisorId, after }, leftMs, until)))
      return { data, cursor: cursorAt(place, [after]), more };
  }
}

/** The end of an authorization is pushed to the application that lost it, and can't be read any more. */
function isInFeed(type: EventType, isOwn: boolean): boolean {
  return type !== 'authorization.ended' && (isOwn || eventTypes.includes(type));
}

/** Wakes those who wait for an event: one query for a node, however many they are. */
export async function wakeReaders({ db, signals }: Pick<Deps, 'db' | 'signals'>): Promise<void> {
  const awaited = signals.eventAdded.awaited();
  if (awaited.length === 0) return;
  for (const reader of await store.listBehind(db, awaited)) signals.eventAdded.raise(reader);
}

export function eventOf(advisorId: number, row: EventRow): Event {
  const kept = { ...row, failureCode: failureCodeOf(row.failureCode) };
  const data = Object.fromEntries(fields[row.type].map((name) => [name, kept[name]]));
  return { id: `evt_${advisorId}_${row.number}`, type: row.type, dateTime: row.dateTime, data };
}

/** A cursor at the end of what has happened. */
export async function latestCursor({ db }: Pick<Deps, 'db'>, advisorId: number): Promise<string> {
  const { kept } = await store.listEvents(db, advisorId, { after: Number.MAX_SAFE_INTEGER, limit: 1 });
  return cursorAt({ feed: 'events', advisorId }, [kept.last]);
}

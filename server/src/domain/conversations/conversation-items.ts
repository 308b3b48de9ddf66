import type { Deps } from '../../deps.ts';
import type { ConsentState } from '../../store/consent/consents.ts';
import type { ItemPlace, ItemRow } from '../../store/conversations/conversation-items.ts';
import * as store from '../../store/conversations/conversation-items.ts';
import type { MessageStatus } from '../../store/messages/messages.ts';
import { listScheduledWith } from '../../store/messages/scheduled-messages.ts';
import { type ListedContact, listWithTexting } from '../address-book/listed-contacts.ts';
import { type ScheduledMessage, withNextDates } from '../messages/scheduled-messages.ts';
import { problem, requireFound } from '../problems.ts';
import { type FailureCode, failureCodeOf } from '../shared/failure-codes.ts';
import { cursorOf, cutTo, placeIn } from '../shared/paging.ts';
import { listedText } from '../shared/text/text-rules.ts';
import { type Part, type ShownKind, shownKind } from './conversations.ts';

export type Media = { replyNumber: number; place: number; contentType: string; size: number; isPending: boolean };

/** Something in a thread, at the time at which it was said or written. */
export type Item = { id: string; dateTime: Date } & (
  | {
      type: 'text';
      messageId: number;
      kind: ShownKind;
      text: string | null;
      /** `deferred` while quiet hours keep it until `deliverAfter`. */
      status: MessageStatus | 'deferred';
      failureCode: FailureCode | null;
      heldReason: ItemRow['heldReason'];
      deliverAfter: Date | null;
      /** Where it stands in the thread: when it was handed to the carrier, or failed; until then both are null, and it stands at the end. */
      handedOver: Date | null;
      ended: Date | null;
      waitedFor: ItemRow['waitedFor'];
      segments: number;
      actor: 'advisor' | 'application' | 'service';
      application: string | null;
    }
  | { type: 'reply'; replyId: number; text: string | null; media: Media[]; isPossibleOptOut: boolean }
  | { type: 'consent'; state: ConsentState; previousState: ConsentState; reason: string }
  | ({ type: 'scheduled' } & Pick<ScheduledMessage, 'scheduledMessageId' | 'text' | 'frequency' | 'nextDeliveryDates'>)
);

/** One of those that aren't still to come. */
type PastItem = Exclude<Item, { type: 'scheduled' }>;

const pageSize = 50;
/** How far back a text may be that somebody jumps to. */
const reachMax = 2_000;
/** As much of each text is shown then. Ours are shorter. */
const farLengthMax = 4_000;
const scheduledMax = 50;
const foundMax = 25;
const wordsMax = 4;

/** Before a place of the list; or everything from a text on, which somebody looks for. */
export type ItemQuery = { before?: string | undefined; from?: string | undefined };

/** A part of a thread, oldest first, and where to go on to what is older. What is still to come is in the latest part. */
export async function listItems(
  deps: Deps,
  advisorId: number,
  memberId: number,
  { before, from }: ItemQuery,
): Promise<Part<Item>> {
  const after = before === undefined ? null : placeIn('before', before, ['isText', 'archiveNumber']);
  const limit = from === undefined ? pageSize : reachMax;
  // Two thousand of the longest replies would be 80 MB.
  const shown = from === undefined ? {} : { lengthMax: farLengthMax };
  const rows = await store.listItems(deps.db, advisorId, memberId, { after, limit: limit + 1, ...shown });
  const { page, last } = cutTo(from === undefined ? pageSize : placeFor(rows, from) + pageSize / 2, rows);
  const [media, scheduled] = await Promise.all([
    mediaOf(deps, advisorId, page),
    after ? [] : listScheduledWith(deps.db, advisorId, memberId, scheduledMax),
  ]);
  const now = deps.clock.now();
  const items = page.toReversed().map((row) => itemOf(row, media, now));
  const cursor = last ? cursorOf(last.dateTime, last.isText, last.archiveNumber) : null;
  return { data: [...items, ...scheduled.map((row) => scheduledItem(withNextDates(row)))], cursor };
}

/** The thread around an entry's item: what led to it, and what came after if that isn't too much. */
export async function listItemsAround(
  deps: Deps,
  advisorId: number,
  memberId: number,
  entry: { dateTime: Date; archiveNumber: number },
): Promise<{ data: (PastItem & { archiveNumber: number })[]; hasEarlier: boolean; hasLater: boolean }> {
  const place = (await store.findItemPlace(deps.db, advisorId, entry.archiveNumber)) ?? { ...entry, isText: 0 };
  const after = { ...place, archiveNumber: place.archiveNumber + 1 };
  const [before, latest] = await Promise.all([
    store.listItems(deps.db, advisorId, memberId, { after, limit: pageSize / 2 + 1 }),
    store.listItems(deps.db, advisorId, memberId, { after: null, limit: pageSize + 1 }),
  ]);
  const later = latest.filter((row) => isLater(row, place));
  const hasLater = later.length > pageSize;
  const shown = [...(hasLater ? [] : later), ...before.slice(0, pageSize / 2)];
  const media = await mediaOf(deps, advisorId, shown);
  const now = deps.clock.now();
  const data = shown.toReversed().map((row) => {
    const text = row.text && row.archiveNumber !== place.archiveNumber ? listedText(row.text) : row.text;
    return { ...itemOf({ ...row, text }, media, now), archiveNumber: row.archiveNumber };
  });
  return { data, hasEarlier: before.length > pageSize / 2, hasLater };
}

function isLater(row: ItemPlace, place: ItemPlace): boolean {
  const differences = [
    row.dateTime.getTime() - place.dateTime.getTime(),
    row.isText - place.isText,
    row.archiveNumber - place.archiveNumber,
  ];
  return (differences.find((each) => each !== 0) ?? 0) > 0;
}

/** Where the text is in its thread, from the latest. */
function placeFor(rows: ItemRow[], itemId: string): number {
  const index = rows.findIndex(({ type, id }) => `${type === 'reply' ? 'r' : 'm'}${id}` === itemId);
  if (index < 0) throw problem('not_found', 'There is no such text in the conversation, or it is too far back.');
  return index;
}

async function mediaOf({ db }: Deps, advisorId: number, rows: ItemRow[]): Promise<Map<number, Media[]>> {
  const numbers = rows.flatMap(({ type, archiveNumber }) => (type === 'reply' ? archiveNumber : []));
  const found = numbers.length > 0 ? await store.listConversationMedia(db, advisorId, numbers) : [];
  const media = found.map(({ mediaNumber, ...each }) => ({ ...each, isPending: mediaNumber === null }));
  return Map.groupBy(media, ({ replyNumber }) => replyNumber);
}

function itemOf(row: ItemRow, media: Map<number, Media[]>, now: Date): PastItem {
  const { type, written: dateTime, archiveNumber, id, text } = row;
  if (type === 'consent') {
    const { state, previousState, reason } = row;
    const moved = { state: state ?? 'none', previousState: previousState ?? 'none', reason: reason ?? '' };
    return { id: `c${archiveNumber}`, type, dateTime, ...moved };
  }
  if (type === 'reply') {
    const { isPossibleOptOut } = row;
    const came = { media: media.get(archiveNumber) ?? [], isPossibleOptOut };
    return { id: `r${id}`, type, dateTime, replyId: id ?? 0, text, ...came };
  }
  const {
    kind,
    status,
    failureCode,
    heldReason,
    deferredUntil,
    handedOver,
    ended,
    waitedFor,
    segments,
    actor,
    application,
  } = row;
  const deliverAfter = status === 'queued' && deferredUntil && deferredUntil > now ? deferredUntil : null;
  return {
    id: `m${id}`,
    type,
    dateTime,
    messageId: id ?? 0,
    kind: shownKind(kind ?? 'text'),
    text,
    status: deliverAfter ? 'deferred' : (status ?? 'queued'),
    failureCode: failureCodeOf(failureCode),
    heldReason,
    deliverAfter,
    handedOver,
    ended,
    waitedFor,
    segments: segments ?? 1,
    actor: actorOf(actor),
    application,
  };
}

function actorOf(actor: string): 'advisor' | 'application' | 'service' {
  const [who = ''] = actor.split(':');
  return who === 'advisor' || who === 'application' ? who : 'service';
}

function scheduledItem(scheduled: ScheduledMessage): Item {
  const { scheduledMessageId, text, frequency, nextDeliveryDates, deliveryDate } = scheduled;
  const said = { scheduledMessageId, text, frequency, nextDeliveryDates };
  return { id: `s${scheduledMessageId}`, type: 'scheduled', dateTime: deliveryDate, ...said };
}

/** The bytes of what came with a reply, of this member if one is given. */
export async function getMedia(
  { db }: Deps,
  advisorId: number,
  of: { replyNumber: number; place: number; memberId?: number },
): Promise<Buffer> {
  return requireFound(
    await store.findMediaBytes(db, advisorId, of),
    'There is no such picture on the advisor’s account.',
  );
}

/** People by name, number or email, and texts by their words. */
export async function searchConversations(
  deps: Deps,
  advisorId: number,
  text: string,
): Promise<{ people: ListedContact[]; texts: store.FoundText[] }> {
  const words = text.trim().split(/\s+/).filter(Boolean).slice(0, wordsMax);
  if (words.length === 0) return { people: [], texts: [] };
  const page = { page: 1, pageSize: foundMax, sortBy: 'fullName', sortDirection: 'asc' } as const;
  const [people, texts] = await Promise.all([
    listWithTexting(deps, advisorId, { ...page, search: words.join(' ') }),
    store.searchTexts(deps.db, advisorId, { words, limit: foundMax }),
  ]);
  return { people: people.data, texts };
}

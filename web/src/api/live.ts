import type { InfiniteData } from '@tanstack/react-query';
import { useSyncExternalStore } from 'react';
import { now } from './clock.ts';
import { CallFailed, signIn } from './http.ts';
import {
  client,
  conversationQuery,
  conversationsQuery,
  itemsQuery,
  loadItems,
  refreshBook,
  savedRepliesQuery,
} from './queries.ts';
import { sessionQuery } from './session.ts';
import { follow, type Link, type LiveEvent } from './stream.ts';
import type { Conversation, Item, ItemPage, OpenConversation, Session, TextItem, View } from './types.ts';
import { tell } from './witnesses.ts';

const views: View[] = ['inbox', 'unread', 'snoozed', 'done'];
/** A send changes its status several times within a moment: they are fetched together. */
const gatherMs = 60;
/** A text to a group changes many conversations: when there are more at a time, they are gathered longer, and the lists fetched as a whole. */
const refreshedMax = 8;
const gatherManyMs = 1_000;

let link: Link = 'connecting';
const listeners = new Set<() => void>();
const changed = new Set<number>();
const fetching = new Set<number>();
const fetchAgainMs = 2_000;
const snoozes = new Map<number, number>();
const wakeMs = 15_000;
const looking = 'assent-looking';
let isGathering = false;
let isBookStale = false;
const bookMs = 1_000;
let areMany = false;
let isTelling = false;

export function useLink(): Link {
  return useSyncExternalStore(
    (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    () => link,
  );
}

export function goLive(session: Session, notify: (conversation: Conversation) => void): void {
  follow(session, {
    event(event, isLeader) {
      applyEvent(event);
      if (isLeader && event.type === 'message.received') announce(Number(dataOf(event).memberId), notify);
    },
    link(next) {
      link = next;
      for (const listener of listeners) listener();
    },
    missed: () => void client.invalidateQueries(),
    ended: signIn,
  });
  holdWhileLooking();
  setTimeout(knowSnoozes, wakeMs);
  setInterval(wakeSnoozed, wakeMs);
}

async function knowSnoozes(): Promise<void> {
  const { pages } = await client.fetchInfiniteQuery(conversationsQuery('snoozed'));
  for (const { memberId, snoozedUntil } of pages.flatMap((page) => page.data))
    if (snoozedUntil !== null) snoozes.set(memberId, snoozedUntil);
}

/** A snooze that ends is no event: its conversation is fetched when its time has come. */
function wakeSnoozed(): void {
  for (const [memberId, until] of snoozes) {
    if (until > now()) continue;
    snoozes.delete(memberId);
    refresh(memberId);
  }
}

/** The event's own facts at once, and then everything that follows from it, fetched. */
function applyEvent(event: LiveEvent): void {
  const data = dataOf(event);
  const memberId = Number(data.memberId);
  if (event.type !== 'conversation.changed') tell({ event: { type: event.type, data } });
  if (event.type === 'message.status') patchText(memberId, data as Partial<TextItem>);
  if (typeof data.scheduledMessageId === 'number') void client.invalidateQueries({ queryKey: ['scheduled'] });
  if (event.type === 'signature.changed') void client.invalidateQueries(sessionQuery);
  if (event.type === 'saved_replies.changed') void client.invalidateQueries(savedRepliesQuery);
  if (event.type === 'book.changed' || event.type === 'consent.changed') bookChanged();
  if (['message.status', 'broadcast.changed', 'consent.changed'].includes(event.type)) followBroadcasts();
  if (Number.isSafeInteger(memberId)) refresh(memberId);
}

/** An import or a large send changes thousands of people: the list follows once a second. */
function bookChanged(): void {
  if (isBookStale) return;
  isBookStale = true;
  setTimeout(() => {
    isBookStale = false;
    void refreshBook();
    void client.invalidateQueries({ queryKey: ['broadcast-check'] });
  }, bookMs);
}

/** What becomes of a text to a group, at most once a second. */
function followBroadcasts(): void {
  if (isTelling) return;
  isTelling = true;
  setTimeout(() => {
    isTelling = false;
    void client.invalidateQueries({ queryKey: ['broadcasts'] });
  }, gatherManyMs);
}

/** Partners' events carry their facts in `data`; our own are flat. */
function dataOf({ data }: LiveEvent): Record<string, unknown> {
  return (data.data as Record<string, unknown> | undefined) ?? data;
}

async function announce(memberId: number, notify: (conversation: Conversation) => void): Promise<void> {
  if (await isLookedAt()) return;
  const conversation = await client.fetchQuery({ ...conversationQuery(memberId), staleTime: 0 }).catch(() => null);
  if (conversation) notify(conversation);
}

/** Whether somebody looks at any of the browser's tabs: the one that announces may not be that one. */
async function isLookedAt(): Promise<boolean> {
  if (document.hasFocus()) return true;
  const { held = [] } = (await navigator.locks?.query()) ?? {};
  return held.some(({ name }) => name === looking);
}

/** A tab holds a lock while it has the focus; all of them can at once. */
function holdWhileLooking(): void {
  if (!('locks' in navigator)) return;
  let letGo = () => {};
  const hold = () => {
    letGo();
    void navigator.locks.request(looking, { mode: 'shared' }, () => new Promise<void>((resolve) => (letGo = resolve)));
  };
  window.addEventListener('focus', hold);
  window.addEventListener('blur', () => letGo());
  if (document.hasFocus()) hold();
}

/** Fetches a conversation again and puts it into its place in every list. */
export function refresh(memberId: number): void {
  changed.add(memberId);
  if (isGathering) return;
  isGathering = true;
  setTimeout(
    () => {
      isGathering = false;
      // One that is being fetched is fetched again after that: the older response could come last.
      const members = [...changed].filter((each) => !fetching.has(each));
      for (const each of members) changed.delete(each);
      areMany = members.length > refreshedMax;
      if (areMany) void client.invalidateQueries({ queryKey: ['conversations'] });
      for (const each of members) if (!areMany || isOpen(each)) void refetch(each);
    },
    areMany ? gatherManyMs : gatherMs,
  );
}

function isOpen(memberId: number): boolean {
  return client.getQueryData(itemsQuery(memberId).queryKey) !== undefined;
}

/** Until it is there: no other event tells what this one told. */
async function refetch(memberId: number): Promise<void> {
  let isMissed = false;
  const orMissed = <Result>(loading: Promise<Result>): Promise<Result | null> =>
    loading.catch((error: unknown) => {
      isMissed ||= error instanceof CallFailed && error.retryable;
      return null;
    });
  fetching.add(memberId);
  const [conversation, newest] = await Promise.all([
    orMissed(client.fetchQuery({ ...conversationQuery(memberId), staleTime: 0 })),
    isOpen(memberId) ? orMissed(loadItems(memberId)) : null,
  ]);
  fetching.delete(memberId);
  if (newest) client.setQueryData(itemsQuery(memberId).queryKey, (data) => data && withNewest(data, newest));
  if (conversation) for (const view of views) place(conversation, view);
  if (isMissed) setTimeout(() => refresh(memberId), fetchAgainMs);
  else if (changed.has(memberId)) refresh(memberId);
}

/** The newest page replaces what it covers; what is older stays, so that nothing moves for somebody who reads it. */
function withNewest(data: InfiniteData<ItemPage, unknown>, newest: ItemPage): InfiniteData<ItemPage, unknown> {
  const [first, ...older] = data.pages;
  const fresh = new Set(newest.data.map(({ id }) => id));
  const begins = Math.min(...newest.data.map(({ dateTime }) => dateTime));
  const overlaps = first === undefined || newest.cursor === null || first.data.some(({ id }) => fresh.has(id));
  if (!overlaps) return { pages: [newest], pageParams: [undefined] };
  const kept = (first?.data ?? []).filter(
    ({ id, type, dateTime }) => type !== 'scheduled' && dateTime < begins && !fresh.has(id),
  );
  return {
    ...data,
    pages: [{ data: [...kept, ...newest.data], cursor: first ? first.cursor : newest.cursor }, ...older],
  };
}

function patchText(memberId: number, { messageId, status, failureCode = null }: Partial<TextItem>): void {
  patchItems(memberId, (item) =>
    item.type === 'text' && item.messageId === messageId && status ? { ...item, status, failureCode } : item,
  );
}

function patchItems(memberId: number, change: (item: Item) => Item): void {
  client.setQueryData(itemsQuery(memberId).queryKey, (data) =>
    data ? { ...data, pages: data.pages.map((page) => ({ ...page, data: page.data.map(change) })) } : data,
  );
}

/** A text that was just accepted, before the server's events tell of it. */
export function addItem(memberId: number, item: Item): void {
  client.setQueryData(itemsQuery(memberId).queryKey, (data) => {
    const [first, ...older] = data?.pages ?? [];
    if (!data || !first || first.data.some(({ id }) => id === item.id)) return data;
    return { ...data, pages: [{ ...first, data: [...first.data, item] }, ...older] };
  });
}

export function patchConversation(memberId: number, change: Partial<Conversation>): void {
  const known = client.getQueryData(conversationQuery(memberId).queryKey);
  if (!known) return;
  const next: OpenConversation = { ...known, ...change };
  client.setQueryData(conversationQuery(memberId).queryKey, next);
  for (const view of views) place(next, view);
}

function place({ timeZone: _, ...conversation }: OpenConversation, view: View): void {
  if (conversation.snoozedUntil !== null) snoozes.set(conversation.memberId, conversation.snoozedUntil);
  client.setQueryData(conversationsQuery(view).queryKey, (data) => {
    if (!data) return data;
    const pages = data.pages.map((page) => ({
      ...page,
      data: page.data.filter(({ memberId }) => memberId !== conversation.memberId),
    }));
    const [first, ...others] = pages;
    if (!first) return data;
    const wasThere = data.pages.some((page) => page.data.some(({ memberId }) => memberId === conversation.memberId));
    // What is read just now stays in the list of the unread until the list is opened again.
    if (!belongs(conversation, view) && !(view === 'unread' && wasThere)) return { ...data, pages };
    const at = pages.findIndex((page) => page.data.some((other) => time(other) < time(conversation)));
    if (at < 0) {
      // Older than everything that is loaded: it comes with a later page, if there is one.
      const last = pages.length - 1;
      const page = pages[last];
      if (page && page.cursor === null) pages[last] = { ...page, data: [...page.data, conversation] };
      return { ...data, pages };
    }
    const page = pages[at] ?? first;
    const index = page.data.findIndex((other) => time(other) < time(conversation));
    const rows = [...page.data.slice(0, index), conversation, ...page.data.slice(index)];
    return {
      ...data,
      pages: at === 0 ? [{ ...first, data: rows }, ...others] : pages.with(at, { ...page, data: rows }),
    };
  });
}

function belongs({ unread, done, snoozedUntil }: Conversation, view: View): boolean {
  if (view === 'done') return done;
  if (view === 'snoozed') return !done && snoozedUntil !== null;
  return !done && snoozedUntil === null && (view === 'inbox' || unread > 0);
}

function time({ last }: Conversation): number {
  return last?.dateTime ?? 0;
}

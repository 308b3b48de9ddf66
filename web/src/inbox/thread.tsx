import { useInfiniteQuery } from '@tanstack/react-query';
import { useLocation, useSearch } from '@tanstack/react-router';
import { Fragment, lazy, Suspense, useEffect, useMemo, useRef, useState } from 'react';
import type { read } from '../../../server/src/http/advisor/api/conversations.ts';
import { useNow } from '../api/clock.ts';
import { post } from '../api/http.ts';
import { patchConversation } from '../api/live.ts';
import { itemsQuery, reachItem } from '../api/queries.ts';
import { useAdvisor } from '../api/session.ts';
import type { BodyOf, Conversation, Item, ScheduledItem } from '../api/types.ts';
import { ahead } from '../look/ahead.ts';
import { Button } from '../look/button.tsx';
import { Broken, StateScreen } from '../look/parts.tsx';
import { toast } from '../shell/toasts.tsx';
import { inOrder, wentAt } from '../words/lives.ts';
import { phoneWords } from '../words/people.ts';
import { dayKey, dayName, fullTime } from '../words/times.ts';
import { type Attempt, drop, useAttempts } from './outbox.ts';
import { Sending, ThreadItem } from './thread-items.tsx';

/** How long a text that was looked for is marked. */
const foundMs = 3_000;
const Evidence = lazy(ahead(() => import('./evidence.tsx')));
const CancelQuestion = lazy(ahead(() => import('../scheduled/cancel-question.tsx')));
const ScheduledEditor = lazy(ahead(() => import('../scheduled/scheduled-editor.tsx')));

/** Every text between the two, oldest first, held at its end while nobody has scrolled away from it. */
export function Thread({ conversation }: { conversation: Conversation }) {
  const { memberId, phone, name } = conversation;
  const advisor = useAdvisor();
  const { timeZone } = advisor;
  const now = useNow();
  const { data, error, refetch, hasNextPage, fetchNextPage, isFetchingNextPage } = useInfiniteQuery(
    itemsQuery(memberId),
  );
  const items = useMemo(() => inThreadOrder(data?.pages.toReversed().flatMap((page) => page.data) ?? []), [data]);
  const attempts = useOutstanding(phone, items);
  const [evidence, showEvidence] = useState<string | null>(null);
  // Not in the item, which goes when the text is sent: what is typed would go with it.
  const [edited, edit] = useState<ScheduledItem | null>(null);
  const [canceled, cancel] = useState<ScheduledItem | null>(null);
  const scheduled = (item: ScheduledItem) => ({
    ...item,
    deliveryDate: item.nextDeliveryDates[0] ?? item.dateTime,
    phone,
    memberId,
  });
  const context = useMemo(
    () => ({ memberId, phone, name, advisor: advisor.name, timeZone, now, showEvidence, edit, cancel }),
    [memberId, phone, name, advisor.name, timeZone, now],
  );
  const { frame, onScroll, hasNewBelow, toEnd } = useEnd(items, () => {
    if (hasNextPage && !isFetchingNextPage) void fetchNextPage();
  });
  useReadMark(conversation, items);
  useJump(memberId, items);

  if (error && !data) return <Broken error={error} retry={() => void refetch()} />;
  if (!data) return <Loading />;
  if (items.length + attempts.length === 0)
    return (
      <StateScreen icon="message-2" title="No texts yet">
        The first one that you send appears here.
      </StateScreen>
    );
  const first = items.findIndex(({ type }) => type === 'scheduled');
  const coming = first < 0 ? items.length : first;
  return (
    <div className="flow-frame">
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must be reachable with the keyboard */}
      <section className="flow" ref={frame} onScroll={onScroll} aria-label="Texts" tabIndex={0}>
        <div className="flow-items" role="log" aria-label={`Texts with ${name ?? phone}`}>
          <p className="only-print">
            Texts between {advisor.name}, {advisor.firmName}, and {name ?? phoneWords(phone)}, printed{' '}
            {fullTime(now, timeZone)}.
            {hasNextPage &&
              items[0] &&
              ` Earlier texts aren’t included. This starts ${fullTime(standsAt(items[0], now), timeZone)}.`}
          </p>
          {hasNextPage && (
            <div className="note no-print">
              <button type="button" className="link" onClick={() => void fetchNextPage()} disabled={isFetchingNextPage}>
                {isFetchingNextPage ? 'Loading earlier texts …' : 'Earlier texts'}
              </button>
            </div>
          )}
          {items.slice(0, coming).map((item, index) => (
            <Fragment key={item.id}>
              {isNewDay(items[index - 1], item, { now, timeZone }) && (
                <h2 className="day">{dayName(standsAt(item, now), now, timeZone)}</h2>
              )}
              <ThreadItem item={item} context={context} />
            </Fragment>
          ))}
          {attempts.map((made) => (
            <Sending made={made} key={made.key} />
          ))}
          {items.slice(coming).map((item) => (
            <ThreadItem item={item} context={context} key={item.id} />
          ))}
        </div>
      </section>
      <Suspense>
        {evidence !== null && (
          <Evidence conversation={conversation} shown={evidence} close={() => showEvidence(null)} />
        )}
        {edited && <ScheduledEditor scheduled={scheduled(edited)} name={name} close={() => edit(null)} />}
        {canceled && (
          <CancelQuestion scheduled={scheduled(canceled)} name={name ?? phoneWords(phone)} close={() => cancel(null)} />
        )}
      </Suspense>
      {hasNewBelow && (
        <Button icon="arrow-down" kind="new-below" onClick={toEnd}>
          New text
        </Button>
      )}
    </div>
  );
}

/** What is still to come stays at the end. */
function inThreadOrder(items: Item[]): Item[] {
  const [coming, past] = [
    items.filter(({ type }) => type === 'scheduled'),
    items.filter(({ type }) => type !== 'scheduled'),
  ];
  return [
    ...inOrder(
      past,
      (item) => (item.type === 'text' ? item : null),
      ({ dateTime }) => dateTime,
    ),
    ...coming,
  ];
}

function standsAt(item: Item, now: number): number {
  return item.type === 'text' ? (wentAt(item) ?? now) : item.dateTime;
}

function isNewDay(
  previous: Item | undefined,
  item: Item,
  { now, timeZone }: { now: number; timeZone: string },
): boolean {
  return !previous || dayKey(standsAt(previous, now), timeZone) !== dayKey(standsAt(item, now), timeZone);
}

/** The frame is laid out from its end, so its position there is 0 and negative above. */
function useEnd(items: Item[], atTop: () => void) {
  const frame = useRef<HTMLElement>(null);
  const [hasNewBelow, setNewBelow] = useState(false);
  const newest = items.findLast(({ type }) => type !== 'scheduled')?.id;
  const shown = useRef(newest);
  useEffect(() => {
    const isAway = (frame.current?.scrollTop ?? 0) < -80;
    if (shown.current !== undefined && shown.current !== newest && isAway) setNewBelow(true);
    shown.current = newest;
  }, [newest]);
  const onScroll = () => {
    const { scrollTop = 0, scrollHeight = 0, clientHeight = 0 } = frame.current ?? {};
    if (scrollTop > -20) setNewBelow(false);
    if (scrollHeight - clientHeight + scrollTop < 200) atTop();
  };
  const toEnd = () => frame.current?.scrollTo({ top: 0, behavior: 'smooth' });
  return { frame, onScroll, hasNewBelow, toEnd };
}

/** Those that aren't in the thread yet. One whose answer was lost but that is there was sent: nobody has to try it again. */
function useOutstanding(phone: string, items: Item[]): Attempt[] {
  const attempts = useAttempts(phone);
  const outstanding = attempts.filter((made) => !items.some((item) => isOf(made, item)));
  useEffect(() => {
    for (const made of attempts) if (made.state === 'unanswered' && !outstanding.includes(made)) drop(made.key);
  });
  return outstanding;
}

function isOf({ message, at }: Attempt, item: Item): boolean {
  if (item.type === 'scheduled') return item.text === message.text && item.dateTime === message.deliveryDate;
  return item.type === 'text' && item.actor === 'advisor' && item.text === message.text && item.dateTime >= at;
}

/** To the text that the address names, once for each time that somebody asks for it. */
function useJump(memberId: number, items: Item[]): void {
  // The demonstration has a thread, too, at an address of its own.
  const { at } = useSearch({ strict: false });
  const asked = useLocation({ select: ({ state }) => state.__TSR_key });
  const reached = useRef<string | undefined>(undefined);
  const isThere = items.some(({ id }) => id === at);
  const isLoaded = items.length > 0;
  useEffect(() => {
    if (!at || !isLoaded || reached.current === asked) return;
    if (!isThere) {
      reachItem(memberId, at).catch((error) => toast(error.message));
      return;
    }
    reached.current = asked;
    const element = document.getElementById(at);
    element?.scrollIntoView({ block: 'center' });
    element?.setAttribute('data-found', '');
    setTimeout(() => element?.removeAttribute('data-found'), foundMs);
  }, [memberId, at, asked, isThere, isLoaded]);
}

/** Replies are read when they are on a screen that somebody looks at. */
function useReadMark({ memberId, unread }: Conversation, items: Item[]): void {
  const lastReply = items.findLast((item) => item.type === 'reply');
  const upTo = lastReply?.type === 'reply' ? lastReply.replyId : null;
  useEffect(() => {
    if (!unread || upTo === null) return;
    const mark = () => {
      if (document.visibilityState !== 'visible') return;
      patchConversation(memberId, { unread: 0 });
      post(`/conversations/${memberId}/read`, { body: { upTo } satisfies BodyOf<typeof read> }).catch(() => {});
    };
    mark();
    document.addEventListener('visibilitychange', mark);
    return () => document.removeEventListener('visibilitychange', mark);
  }, [memberId, unread, upTo]);
}

export function Loading() {
  return (
    <div className="flow" role="status" aria-label="Loading texts">
      <div className="flow-items">
        {(['in', 'out', 'in', 'out'] as const).map((side, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: they are all alike
          <div className={`say ${side} skeleton`} style={{ width: 260 + index * 40, height: 42 }} key={index} />
        ))}
      </div>
    </div>
  );
}

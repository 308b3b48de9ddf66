import { setNow } from './clock.ts';
import { CallFailed, get } from './http.ts';
import type { Session } from './types.ts';

/** Something that happened, as the server's stream tells it. */
export type LiveEvent = { type: string; data: Record<string, unknown> };
export type Link = 'live' | 'connecting' | 'offline';

type StreamMessage =
  | { event: LiveEvent }
  | { cursor: string; at: number }
  | { link: Link }
  | { ask: true }
  | { now: number }
  | { ended: true };

const types = [
  'consent.changed',
  'message.status',
  'message.received',
  'scheduled_message.fired',
  'scheduled_message.skipped',
  'conversation.changed',
  'saved_replies.changed',
  'book.changed',
  'signature.changed',
  'broadcast.changed',
] as const;
const pauseMs = { first: 1_000, longest: 15_000 };

/**
 * One stream for all tabs of a browser, because on plain HTTP it has six connections. The tab that gets the lock holds the
 * stream and tells the others; when it closes, the next one goes on from the last event that it saw.
 */
export function follow(
  session: Session,
  on: { event(event: LiveEvent, isLeader: boolean): void; link(link: Link): void; missed(): void; ended(): void },
): void {
  const name = `assent-${session.advisor.advisorId}`;
  const tabs = new BroadcastChannel(name);
  let { cursor } = session;
  let link: Link = 'connecting';
  let isLeader = false;
  let source: EventSource | null = null;
  let waitMs = pauseMs.first;
  let retry: ReturnType<typeof setTimeout> | undefined;

  tabs.onmessage = ({ data }: MessageEvent<StreamMessage>) => {
    if ('ask' in data) {
      if (isLeader) tabs.postMessage({ link } satisfies StreamMessage);
    } else take(data);
  };
  tabs.postMessage({ ask: true } satisfies StreamMessage);
  const lead = () => {
    isLeader = true;
    open();
    // Held for as long as the page is open.
    return new Promise(() => {});
  };
  // Browsers have locks only over HTTPS and on this machine; elsewhere each tab has a stream of its own.
  if ('locks' in navigator) void navigator.locks.request(name, lead);
  else void lead();
  window.addEventListener('offline', () => isLeader && tell({ link: 'offline' }));
  window.addEventListener('online', () => {
    if (isLeader) open();
  });

  function take(told: StreamMessage): void {
    if ('event' in told) on.event(told.event, isLeader);
    else if ('cursor' in told) {
      ({ cursor } = told);
      // A browser's stopwatch stands still while the computer sleeps.
      setNow(told.at);
    } else if ('link' in told) {
      ({ link } = told);
      on.link(link);
    } else if ('now' in told) {
      setNow(told.now);
      // What waits for a time may have come.
      on.missed();
    } else if ('ended' in told) on.ended();
  }

  function tell(told: StreamMessage): void {
    tabs.postMessage(told);
    take(told);
  }

  function open(): void {
    // The network came back before the next try.
    source?.close();
    clearTimeout(retry);
    source = new EventSource(`/app/api/events?cursor=${encodeURIComponent(cursor)}`);
    source.onopen = () => {
      waitMs = pauseMs.first;
      tell({ link: 'live' });
    };
    for (const type of types)
      source.addEventListener(type, ({ data }) => tell({ event: { type, data: JSON.parse(data) } }));
    // After each group of events, with the place behind them.
    source.addEventListener('seen', ({ lastEventId, data }) => tell({ cursor: lastEventId, at: JSON.parse(data).now }));
    source.addEventListener('now', ({ data }) => tell({ now: JSON.parse(data).now }));
    // Somebody signed out, or the server stops: the session tells which.
    source.addEventListener('end', () => {
      source?.close();
      void reopen();
    });
    source.onerror = () => {
      tell({ link: navigator.onLine ? 'connecting' : 'offline' });
      // The browser tries again by itself, unless the server has refused.
      if (source?.readyState !== EventSource.CLOSED) return;
      again();
    };
  }

  /** A stream that was refused or ended: signed out, or a cursor that is too old. The session tells which, and where to begin. */
  async function reopen(): Promise<void> {
    try {
      const renewed = await get<Session>('/session');
      tell({ cursor: renewed.cursor, at: renewed.now });
      // In every tab: what happened before this cursor is in no stream.
      tell({ now: renewed.now });
      open();
    } catch (error) {
      if (error instanceof CallFailed && error.status === 401) return tell({ ended: true });
      tell({ link: navigator.onLine ? 'connecting' : 'offline' });
      again();
    }
  }

  function again(): void {
    retry = setTimeout(reopen, waitMs);
    waitMs = Math.min(waitMs * 2, pauseMs.longest);
  }
}

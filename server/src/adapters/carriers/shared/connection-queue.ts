import type { Pace } from './pace.ts';

/** A connection with a window: so many texts wait for its response at once. */
type WindowedConnection = {
  isOpen(): boolean;
  /** How many more it takes now. */
  room(): number;
  inFlight(): number;
  entered(): void;
  /** Frees the place that was entered. */
  left(): void;
};

export type ConnectionQueue<Kind extends WindowedConnection> = ReturnType<typeof makeConnectionQueue<Kind>>;
type Assignment<Kind> = Kind | 'not_bound' | 'window_full' | 'throttled';
type Waiter<Kind> = { resolve(assignment: Assignment<Kind>): void; until: number; timer: NodeJS.Timeout };

/** What frees up within this time is as good as free: a carrier that answers at once doesn't wait for the next claim. */
const soonMs = 50;
/** A text may be claimed this long before the pace lets it go. */
const aheadMs = 100;

/** Where texts wait for a connection with room in its window, first come, first served, and for the pace. */
export function makeConnectionQueue<Kind extends WindowedConnection>(places: Kind[], pace: Pace) {
  const waiting = new Set<Waiter<Kind>>();
  let isPacing = false;

  /** The one with the shortest queue: a host that answers slowly gets less. */
  function best(): Kind | null {
    let found: Kind | null = null;
    for (const place of places) if (place.room() > 0 && (!found || place.inFlight() < found.inFlight())) found = place;
    return found;
  }

  function leave(one: Waiter<Kind>, assignment: Assignment<Kind>): void {
    clearTimeout(one.timer);
    waiting.delete(one);
    one.resolve(assignment);
  }

  function changed(): void {
    if (waiting.size === 0) return;
    if (!places.some((place) => place.isOpen())) for (const one of waiting) leave(one, 'not_bound');
    for (const one of waiting) {
      // The timer may be late.
      if (one.until <= performance.now()) {
        leave(one, 'window_full');
        continue;
      }
      const delayMs = pace.delayMs();
      if (delayMs > 0) {
        if (!isPacing) setTimeout(resume, delayMs);
        isPacing = true;
        return;
      }
      const place = best();
      if (!place) return;
      place.entered();
      pace.began();
      leave(one, place);
    }
  }

  function resume(): void {
    isPacing = false;
    changed();
  }

  /** Since a text that is claimed too early goes back, no more than the pace lets go in a moment. */
  function pacedRoom(): number {
    const perSecond = pace.perSecond();
    if (perSecond === null) return Number.POSITIVE_INFINITY;
    return pace.delayMs() > aheadMs ? 0 : Math.ceil((perSecond * soonMs) / 1_000);
  }

  return {
    /** The connection to use, with a place taken in its window; or why there is none until then, by performance.now(). */
    enter(until: number): Promise<Assignment<Kind>> {
      const { promise, resolve } = Promise.withResolvers<Assignment<Kind>>();
      const giveUp = () => leave(one, pace.delayMs() > 0 ? 'throttled' : 'window_full');
      const one = { resolve, until, timer: setTimeout(giveUp, Math.max(0, until - performance.now())) };
      waiting.add(one);
      changed();
      return promise;
    },
    /** How many more could begin at once or within a moment, beside those that wait. */
    room(): number {
      const free = places.reduce((sum, place) => sum + place.room(), 0);
      if (!places.some((place) => place.isOpen())) return 0;
      const soon = free + Math.floor((pace.begunPerSecond() * soonMs) / 1_000);
      return Math.max(0, Math.min(soon, pacedRoom()) - waiting.size);
    },
    /** Something changed: a connection has room, came or went. */
    changed,
  };
}

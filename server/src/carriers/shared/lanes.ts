import type { Pace } from './pace.ts';

/** A connection with a window: so many texts wait for its answer at once. */
export type Place = {
  isOpen(): boolean;
  hasRoom(): boolean;
  inFlight(): number;
  entered(): void;
  /** Frees the place that was entered. */
  left(): void;
};

/** Where texts wait for a connection with room in its window, first come, first served, and for the pace. */
export type Lanes<Kind extends Place> = {
  /** The connection to use, with a place taken in its window; or why there is none in time. */
  enter(until: number): Promise<Lane<Kind>>;
  /** Something changed: a connection has room, came or went. */
  changed(): void;
};

type Lane<Kind> = Kind | 'not_bound' | 'window_full' | 'throttled';
type Waiting<Kind> = { resolve(lane: Lane<Kind>): void; until: number };

export function makeLanes<Kind extends Place>(places: Kind[], pace: Pace): Lanes<Kind> {
  const waiting = new Set<Waiting<Kind>>();
  let isPacing = false;
  /** One timer for all who wait, for the first of them whose time is up. */
  let timer: NodeJS.Timeout | null = null;
  let timerAt = 0;

  /** The one with the shortest queue: a host that answers slowly gets less. */
  function best(): Kind | null {
    let found: Kind | null = null;
    for (const place of places) if (place.hasRoom() && (!found || place.inFlight() < found.inFlight())) found = place;
    return found;
  }

  function leave(one: Waiting<Kind>, lane: Lane<Kind>): void {
    waiting.delete(one);
    one.resolve(lane);
    if (waiting.size === 0) stopTimer();
  }

  function stopTimer(): void {
    if (timer) clearTimeout(timer);
    timer = null;
  }

  function startTimer(at: number): void {
    stopTimer();
    timerAt = at;
    timer = setTimeout(giveUp, Math.max(0, at - Date.now()));
  }

  function giveUp(): void {
    timer = null;
    let next = Number.POSITIVE_INFINITY;
    for (const one of waiting)
      if (one.until <= Date.now()) leave(one, pace.delayMs() > 0 ? 'throttled' : 'window_full');
      else next = Math.min(next, one.until);
    if (Number.isFinite(next)) startTimer(next);
  }

  function changed(): void {
    if (waiting.size === 0) return;
    if (!places.some((place) => place.isOpen())) for (const one of waiting) leave(one, 'not_bound');
    for (const one of waiting) {
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

  return {
    enter(until) {
      const { promise, resolve } = Promise.withResolvers<Lane<Kind>>();
      waiting.add({ resolve, until });
      changed();
      if (waiting.size > 0 && (!timer || until < timerAt)) startTimer(until);
      return promise;
    },
    changed,
  };
}

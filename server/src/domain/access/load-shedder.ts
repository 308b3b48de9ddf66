import { setMaxListeners } from 'node:events';
import { setTimeout as pause } from 'node:timers/promises';
import { counter } from '../shared/counter.ts';

type LoadShedderMember = { key: { keyId: number }; advisorId: number };

export type LoadShedder = ReturnType<typeof makeLoadShedder>;

type Time = { now(): number; wait(ms: number): Promise<unknown> };

/** Nobody waits any longer once the node stops. */
export function timeUntil(stopping: AbortSignal): Time {
  setMaxListeners(0, stopping);
  return { now: () => performance.now(), wait: (ms) => pause(ms, undefined, { signal: stopping }).catch(() => {}) };
}

/** The parts of all places that one key and one advisor may have. */
const [keyShare, advisorShare] = [0.75, 0.5];

/** While requests take longer than this there are fewer places, and while they take half as long there are more again. */
const slowMs = 1_000;
const placesMin = 100;
/** How much the last request counts for the mean, and how often the places follow it. */
const weight = 0.02;
const followMs = 100;
const step = 1.1;

/** How many requests are told in a second that there is no room, and how many of them at once. */
const toldPerSecond = 250;
const toldAtOnce = 100;
const tellMsMax = 10_000;

/**
 * A process answers so many requests at once, and more would only make all of them late: those are turned away. A machine that
 * is slower than usual has room for fewer. One key may have three quarters of the places and one advisor half, so that
 * there is always room for others.
 *
 * A client that ignores Retry-After asks again as soon as it is answered, and turning it away costs as much as a send.
 * So these responses have a pace: a flood waits for them, and costs next to nothing meanwhile.
 */
export function makeLoadShedder(max: number, { now, wait }: Time) {
  const [keys, advisors] = [counter(), counter()];
  let places = max;
  let turnedAway = 0;
  let meanMs = 0;
  let followedMs = -Infinity;
  let nextMs = -Infinity;

  function follow(tookMs: number): void {
    meanMs += (tookMs - meanMs) * weight;
    if (now() < followedMs + followMs) return;
    followedMs = now();
    if (meanMs > slowMs) places = Math.max(Math.min(placesMin, max), places / step);
    else if (meanMs < slowMs / 2) places = Math.min(max, places * step);
  }

  function hasRoom({ key: { keyId }, advisorId }: LoadShedderMember): boolean {
    return keys.all() < places && keys.of(keyId) < places * keyShare && advisors.of(advisorId) < places * advisorShare;
  }

  return {
    /** The function to call when it is answered; null if there is no room for it. */
    enter(who: LoadShedderMember): (() => void) | null {
      if (!hasRoom(who)) return null;
      const change = (by: 1 | -1) => {
        keys.change(who.key.keyId, by);
        advisors.change(who.advisorId, by);
      };
      const enteredMs = now();
      let isInside = true;
      change(1);
      return () => {
        if (!isInside) return;
        isInside = false;
        change(-1);
        follow(now() - enteredMs);
      };
    },
    /** Returns when a request that found no room may be told so. */
    async turnAway(): Promise<void> {
      turnedAway += 1;
      const nowMs = now();
      nextMs = Math.max(nextMs, nowMs - (toldAtOnce / toldPerSecond) * 1000) + 1000 / toldPerSecond;
      if (nextMs > nowMs) await wait(Math.min(nextMs - nowMs, tellMsMax));
    },
    counts: () => ({ inside: keys.all(), places: Math.floor(places), turnedAway }),
  };
}

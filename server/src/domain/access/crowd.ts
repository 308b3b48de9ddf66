import { setTimeout as pause } from 'node:timers/promises';

/** Whose request it is. */
export type CrowdMember = { key: { keyId: number }; advisorId: number };

/** The requests that a process is answering at the moment. */
export type Crowd = {
  /** The function to call when it is answered; null if there is no room for it. */
  enter(who: CrowdMember): (() => void) | null;
  /** Returns when a request that found no room may be told so. */
  turnAway(): Promise<void>;
  counts(): { inside: number; turnedAway: number };
};

type Time = { now(): number; wait(ms: number): Promise<unknown> };

/** How many requests are told in a second that there is no room, and how many of them at once. */
const toldPerSecond = 500;
const toldAtOnce = 100;
const tellMsMax = 5_000;

/**
 * A process answers so many requests at once, and more would only make all of them late: those are turned away. One key may
 * have three quarters of the places and one advisor half, so that there is always room for others.
 *
 * A client that ignores Retry-After asks again as soon as it is answered, and turning it away costs half as much as a send.
 * So these answers have a pace: a flood waits for them, and costs next to nothing meanwhile.
 */
export function makeCrowd(max: number, { now, wait }: Time = { now: () => performance.now(), wait: pause }): Crowd {
  const keys = counter(Math.ceil(max * 0.75));
  const advisors = counter(Math.ceil(max * 0.5));
  let inside = 0;
  let turnedAway = 0;
  let nextMs = -Infinity;

  return {
    enter({ key: { keyId }, advisorId }) {
      if (inside >= max || !keys.hasRoom(keyId) || !advisors.hasRoom(advisorId)) return null;
      const change = (by: 1 | -1) => {
        inside += by;
        keys.change(keyId, by);
        advisors.change(advisorId, by);
      };
      change(1);
      let isInside = true;
      return () => {
        if (isInside) change(-1);
        isInside = false;
      };
    },
    async turnAway() {
      turnedAway += 1;
      const nowMs = now();
      nextMs = Math.max(nextMs, nowMs - (toldAtOnce / toldPerSecond) * 1000) + 1000 / toldPerSecond;
      if (nextMs > nowMs) await wait(Math.min(nextMs - nowMs, tellMsMax));
    },
    counts: () => ({ inside, turnedAway }),
  };
}

function counter(max: number) {
  const counts = new Map<number, number>();
  return {
    hasRoom: (id: number) => (counts.get(id) ?? 0) < max,
    change(id: number, by: 1 | -1) {
      const count = (counts.get(id) ?? 0) + by;
      if (count === 0) counts.delete(id);
      else counts.set(id, count);
    },
  };
}

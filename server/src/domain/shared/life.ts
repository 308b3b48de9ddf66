import { setMaxListeners } from 'node:events';
import { setTimeout as pause } from 'node:timers/promises';

/**
 * The time between two resets of the sandbox's database. What was read in one life must not be written in the next. In production
 * there is only one.
 */
export type Life = ReturnType<typeof makeLife>;

/** What takes longer goes on. Statements that change a row that is gone change nothing. */
const finishWithinMs = 5_000;

export function makeLife() {
  const underWay = new Set<Promise<unknown>>();
  let current = begin();
  let renewing: Promise<void> | null = null;

  function begin(): AbortController {
    const controller = new AbortController();
    // Every request that waits listens to it.
    setMaxListeners(0, controller.signal);
    return controller;
  }

  /** Part of work that is under way, which nobody waits for there. */
  function track<Result>(work: Promise<Result>): Promise<Result> {
    const tracked = work.finally(() => underWay.delete(tracked));
    underWay.add(tracked);
    return tracked;
  }

  async function finished(): Promise<void> {
    const tooLate = new AbortController();
    const deadline = pause(finishWithinMs, 'late', { signal: tooLate.signal }).catch(() => 'late');
    while (underWay.size > 0) if ((await Promise.race([deadline, Promise.allSettled(underWay)])) === 'late') break;
    tooLate.abort();
  }

  return {
    /** Aborted when this life ends. */
    signal: () => current.signal,
    /** Does work that changes the database. It waits for a reset that is under way, which waits for it. */
    async live<Result>(work: () => Promise<Result>): Promise<Result> {
      while (renewing) await renewing;
      return track(work());
    },
    track,
    isEnding: () => renewing !== null,
    /** Ends this life, lets the work under way finish, does `work`, and begins the next life. One at a time. */
    async renew(work: () => Promise<void>): Promise<void> {
      while (renewing) await renewing;
      const over = Promise.withResolvers<void>();
      renewing = over.promise;
      try {
        current.abort();
        await finished();
        await work();
      } finally {
        current = begin();
        renewing = null;
        over.resolve();
      }
    },
    /** Another process has reset the database. */
    end(): void {
      if (renewing) return;
      current.abort();
      current = begin();
    },
  };
}

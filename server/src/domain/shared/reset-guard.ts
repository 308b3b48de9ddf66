import { setMaxListeners } from 'node:events';
import { setTimeout as pause } from 'node:timers/promises';

/** Work and resets of the sandbox's database exclude each other: what was read before a reset must not be written after it. */
export type ResetGuard = ReturnType<typeof makeResetGuard>;

/** What takes longer goes on. Statements that change a row that is gone change nothing. */
const finishWithinMs = 5_000;

export function makeResetGuard() {
  const underWay = new Set<Promise<unknown>>();
  let current = begin();
  let resetting: Promise<void> | null = null;

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
    /** Aborted by the next reset. */
    signal: () => current.signal,
    /** Does work that changes the database. It waits for a reset that is under way, which waits for it. */
    async run<Result>(work: () => Promise<Result>): Promise<Result> {
      while (resetting) await resetting;
      return track(work());
    },
    track,
    isResetting: () => resetting !== null,
    /** Resets the database by `work`, once the work under way has finished. One at a time. */
    async reset(work: () => Promise<void>): Promise<void> {
      while (resetting) await resetting;
      const over = Promise.withResolvers<void>();
      resetting = over.promise;
      try {
        current.abort();
        await finished();
        await work();
      } finally {
        current = begin();
        resetting = null;
        over.resolve();
      }
    },
    /** Another process has reset the database. */
    wasReset(): void {
      if (resetting) return;
      current.abort();
      current = begin();
    },
  };
}

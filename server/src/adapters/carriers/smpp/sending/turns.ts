import { setTimeout as pause } from 'node:timers/promises';

/** A long text has its number to itself until its last part: other texts of that number begin after it, in their order. */
export function makeTurns() {
  /** The numbers whose long text has parts left, and the end of it. */
  const busy = new Map<string, Promise<void>>();
  return {
    /** Waits for the number's turn, until then by performance.now(). Returns what ends it, or null if it didn't come in time. */
    async take(number: string, { isLong, until }: { isLong: boolean; until: number }): Promise<(() => void) | null> {
      for (let ended = busy.get(number); ended; ended = busy.get(number)) {
        const late = pause(Math.max(0, until - performance.now()), 'late', { ref: false });
        if ((await Promise.race([ended, late])) === 'late') return null;
      }
      if (!isLong) return () => {};
      const { promise, resolve } = Promise.withResolvers<void>();
      busy.set(number, promise);
      return () => {
        busy.delete(number);
        resolve();
      };
    },
  };
}

/** A long text has its number to itself until its last part: other texts of that number begin after it, in their order. */
export type Turns = {
  /** Waits for the number's turn, until then by performance.now(). Returns what ends it, or null if it didn't come in time. */
  take(number: string, options: { isLong: boolean; until: number }): Promise<(() => void) | null>;
};

export function makeTurns(): Turns {
  /** The numbers whose long text has parts left, and who waits for its end. */
  const busy = new Map<string, Set<() => void>>();

  /** False if it is too late. */
  function freed(waiting: Set<() => void>, until: number): Promise<boolean> {
    return new Promise((resolve) => {
      const end = (isFree: boolean) => {
        clearTimeout(timer);
        waiting.delete(free);
        resolve(isFree);
      };
      const free = () => end(true);
      const timer = setTimeout(end, Math.max(0, until - performance.now()), false);
      waiting.add(free);
    });
  }

  return {
    async take(number, { isLong, until }) {
      for (let waiting = busy.get(number); waiting; waiting = busy.get(number))
        if (!(await freed(waiting, until))) return null;
      if (!isLong) return () => {};
      const waiting = new Set<() => void>();
      busy.set(number, waiting);
      return () => {
        busy.delete(number);
        for (const free of waiting) free();
      };
    },
  };
}

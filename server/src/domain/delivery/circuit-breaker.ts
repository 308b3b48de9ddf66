const failuresMax = 5;
const firstOpenMs = 1_000;
const openMsMax = 30_000;

export type CircuitBreaker = {
  /** How many may be tried now: any number, none, or one to see whether all is well again. */
  allowance(): number;
  /** A try begins. */
  began(): void;
  succeeded(): void;
  failed(who: string): void;
};

/**
 * Keeps from hammering somebody who is down. When tries for that many different people failed in a row it opens: nothing
 * is tried for a second; then one try shows whether to go on, or to wait twice as long as before. Failures for one and the
 * same person, however many, say nothing about the others.
 */
export function circuitBreaker(now: () => number = Date.now): CircuitBreaker {
  const failing = new Set<string>();
  let state: 'closed' | 'open' | 'probing' = 'closed';
  let openMs = firstOpenMs;
  let openUntil = 0;

  function open(): void {
    state = 'open';
    openUntil = now() + openMs;
    openMs = Math.min(openMs * 2, openMsMax);
  }

  return {
    allowance() {
      if (state === 'closed') return Number.POSITIVE_INFINITY;
      return state === 'open' && now() >= openUntil ? 1 : 0;
    },
    began() {
      if (state === 'open') state = 'probing';
    },
    succeeded() {
      failing.clear();
      state = 'closed';
      openMs = firstOpenMs;
    },
    failed(who) {
      failing.add(who);
      // While it is open, what fails was begun before, and says nothing new.
      if (state === 'probing' || (state === 'closed' && failing.size >= failuresMax)) open();
    },
  };
}

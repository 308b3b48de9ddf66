const failuresMax = 5;
const firstOpenMs = 1_000;
const openMsMax = 30_000;

/**
 * Stops us from hammering a carrier that is down. It opens after failures for five different people in a row: for a second
 * nothing is tried, then one probe shows whether to go on or to wait twice as long. Any number of failures for the same
 * person say nothing about the others.
 */
export function circuitBreaker(now: () => number = Date.now) {
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
    /** How many may be tried now: any number, none, or one as a probe. */
    allowance(): number {
      if (state === 'closed') return Number.POSITIVE_INFINITY;
      return state === 'open' && now() >= openUntil ? 1 : 0;
    },
    began(): void {
      if (state === 'open') state = 'probing';
    },
    /** It wasn't tried after all. */
    untried(): void {
      if (state === 'probing') state = 'open';
    },
    succeeded(): void {
      failing.clear();
      state = 'closed';
      openMs = firstOpenMs;
    },
    failed(who: string): void {
      failing.add(who);
      // A failure while it is open began earlier, and says nothing new.
      if (state === 'probing' || (state === 'closed' && failing.size >= failuresMax)) open();
    },
  };
}

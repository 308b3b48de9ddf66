/** Wakes waiters on this node. No waiter relies on it alone: each also polls. */
export type Signals = {
  queued: Signal;
  consentChanged: Signal;
  /** The node is about to stop, so nothing should start a long wait. */
  stopping: AbortController;
};

export type Signal = {
  raise(): void;
  /** Waits until it is raised, the time has passed, or `until` aborts. */
  wait(ms: number, until?: AbortSignal): Promise<void>;
};

export function makeSignals(): Signals {
  return { queued: makeSignal(), consentChanged: makeSignal(), stopping: new AbortController() };
}

function makeSignal(): Signal {
  const waiting = new Set<() => void>();
  return {
    raise() {
      for (const wake of waiting) wake();
    },
    wait: (ms, until) =>
      new Promise((resolve) => {
        const wake = () => {
          clearTimeout(timer);
          waiting.delete(wake);
          until?.removeEventListener('abort', wake);
          resolve();
        };
        const timer = setTimeout(wake, ms);
        waiting.add(wake);
        until?.addEventListener('abort', wake);
        if (until?.aborted) wake();
      }),
  };
}

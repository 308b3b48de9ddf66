/** What wakes those on this node who wait for something. Nobody relies on it alone: each also looks by itself. */
export type Signals = {
  queued: Signal;
  consentChanged: Signal;
  /** The node is about to stop: nobody should wait for anything that takes its time. */
  stopping: AbortController;
};

export type Signal = {
  raise(): void;
  /** Until it is raised next, or that much time has passed, or the waiter no longer wants to know. */
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

import { useSyncExternalStore } from 'react';

/** The server's time when it last told, and what the browser's stopwatch showed then. The browser's own clock may be wrong,
 * and a sandbox's can be moved. */
let told = 0;
let at = 0;
const listeners = new Set<() => void>();
const tickMs = 20_000;

export function setNow(now: number): void {
  told = now;
  at = performance.now();
  for (const listener of listeners) listener();
}

/** Domain time, in epoch milliseconds. */
export function now(): number {
  return Math.round(told + performance.now() - at);
}

/** The time to the minute, for what is shown: renders again when it changes. */
export function useNow(): number {
  return useSyncExternalStore(subscribe, () => now() - (now() % 60_000));
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  const timer = setInterval(listener, tickMs);
  return () => {
    listeners.delete(listener);
    clearInterval(timer);
  };
}

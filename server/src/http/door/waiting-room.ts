import { counter } from '../../domain/shared/counter.ts';

export type WaitingRoom = ReturnType<typeof makeWaitingRoom>;

const waitingMax = 5_000;
const waitingPerKeyMax = 1_000;

/**
 * Requests that hold their response until something happens, with `wait`. A waiting request costs memory and a socket, so there is room for so many of one key, and
 * for so many in all.
 */
export function makeWaitingRoom() {
  const waiting = counter();
  return {
    /** The function to call on leaving; null if it is full, and then the request is answered at once. */
    enter(keyId: number): (() => void) | null {
      if (waiting.all() >= waitingMax || waiting.of(keyId) >= waitingPerKeyMax) return null;
      waiting.change(keyId, 1);
      return () => waiting.change(keyId, -1);
    },
  };
}

export type WaitingRoom = ReturnType<typeof makeWaitingRoom>;

const waitingMax = 5_000;
const waitingPerKeyMax = 1_000;

/**
 * Requests that hold their response until something happens, with `wait`. A waiting request costs memory and a socket, so there is room for so many of one key, and
 * for so many in all.
 */
export function makeWaitingRoom({ max = waitingMax, perKeyMax = waitingPerKeyMax } = {}) {
  const counts = new Map<number, number>();
  let total = 0;

  function count(keyId: number, change: 1 | -1): void {
    total += change;
    const left = (counts.get(keyId) ?? 0) + change;
    if (left === 0) counts.delete(keyId);
    else counts.set(keyId, left);
  }

  return {
    /** The function to call on leaving; null if it is full, and then the request is answered at once. */
    enter(keyId: number): (() => void) | null {
      if (total >= max || (counts.get(keyId) ?? 0) >= perKeyMax) return null;
      count(keyId, 1);
      return () => count(keyId, -1);
    },
  };
}

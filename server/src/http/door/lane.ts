import { problem } from '../../domain/problems.ts';

export type Lane = {
  /** Waits for a turn. Call the returned function when done. */
  enter(address: string): Promise<() => void>;
};

const waitingMax = 1_000;
const waitingPerAddressMax = 200;
const waitMs = 5_000;

/**
 * Work that anyone may ask for, signed in or not, goes through a lane that is narrower than the connection pool: a flood
 * of it waits here, in memory, and the partner API still has connections. If too many are waiting, or one waits too long,
 * the caller is told to come back.
 */
export function makeLane(width: number): Lane {
  const waiting: { address: string; begin(): void }[] = [];
  let inside = 0;

  function leave(): void {
    inside--;
    waiting.shift()?.begin();
  }

  return {
    enter(address) {
      if (inside < width) {
        inside++;
        return Promise.resolve(once(leave));
      }
      const ofAddress = waiting.filter((each) => each.address === address).length;
      if (waiting.length >= waitingMax || ofAddress >= waitingPerAddressMax) return Promise.reject(tooMany());
      return new Promise((resolve, reject) => {
        const late = setTimeout(() => {
          waiting.splice(waiting.indexOf(turn), 1);
          reject(tooMany());
        }, waitMs);
        const turn = {
          address,
          begin() {
            clearTimeout(late);
            inside++;
            resolve(once(leave));
          },
        };
        waiting.push(turn);
      });
    },
  };
}

function once(leave: () => void): () => void {
  let left = false;
  return () => {
    if (left) return;
    left = true;
    leave();
  };
}

function tooMany() {
  return problem('downstream_unavailable', 'Too many requests are waiting; nothing was done.');
}

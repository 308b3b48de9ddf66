import type { Carrier } from '../ports.ts';

/** How many texts a node has with a carrier at once. */
type ClaimRoom = {
  /** How many more may be claimed now, beside those that are there: so many without a response, and so many in all. */
  beside(unanswered: number, texts: number): number;
};

const claimMax = 200;
const textsMax = 1_000;
/** How many may have their answers and wait to be recorded. A node that dies leaves them in doubt. */
const unrecordedMax = 500;
/** Claiming one at a time would cost a commit per text, so for a moment a claim waits for more room. */
const leastShare = 0.2;
const patienceMs = 50;

/** A claimed text must begin soon, or goes back: so a node claims only what the carrier can begin now. */
export function claimRoom(carrier: Carrier, now: () => number = performance.now.bind(performance)): ClaimRoom {
  let sparseSince: number | null = null;

  function isWorthwhile(room: number, unanswered: number): boolean {
    if (room >= unanswered * leastShare) {
      sparseSince = null;
      return true;
    }
    sparseSince ??= now();
    return now() - sparseSince >= patienceMs;
  }

  return {
    beside(unanswered, texts) {
      if (texts - unanswered >= unrecordedMax) return 0;
      const room = Math.min(claimMax, textsMax - texts, carrier.room?.() ?? claimMax);
      return room > 0 && isWorthwhile(room, unanswered) ? room : 0;
    },
  };
}

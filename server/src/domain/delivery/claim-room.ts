import type { Carrier } from '../ports.ts';

/** How many texts a node has with a carrier at once. */
export type ClaimRoom = {
  /** How many more may be claimed now, beside those that are there: so many without an answer, and so many in all. */
  beside(unanswered: number, texts: number): number;
  /** The carrier answered. */
  answered(): void;
};

const claimMax = 200;
const textsMax = 1_000;
/** Claiming one at a time would cost a commit per text. */
const leastShare = 0.2;
const turnMs = 250;

/**
 * A node that dies leaves in doubt whatever it has claimed, so it claims no more than it hands over soon: twice what the carrier's
 * connections take at once, or as many as it answered in a quarter of a second. As many again may have their answers and wait to be
 * recorded, so that the carrier doesn't wait for the database. A carrier without connections takes any number.
 */
export function claimRoom(carrier: Carrier, now: () => number = Date.now): ClaimRoom {
  let [turn, answers, answersBefore] = [0, 0, 0];
  let window = windowOf(carrier);

  function answersLately(): number {
    const current = Math.floor(now() / turnMs);
    if (current !== turn) {
      answersBefore = current === turn + 1 ? answers : 0;
      answers = 0;
      turn = current;
      window = windowOf(carrier);
    }
    return Math.max(answers, answersBefore);
  }

  function textsAtOnce(): number {
    const lately = answersLately();
    return window === 0 ? textsMax : Math.min(textsMax, Math.max(2 * window, lately));
  }

  return {
    beside(unanswered, texts) {
      const atOnce = textsAtOnce();
      const room = Math.min(atOnce - unanswered, Math.min(textsMax, 2 * atOnce) - texts);
      return room < atOnce * leastShare ? 0 : Math.min(claimMax, room);
    },
    answered() {
      answersLately();
      answers += 1;
    },
  };
}

/** What its connections take at once. A status takes a while to make, so it isn't asked for with each answer. */
function windowOf(carrier: Carrier): number {
  return carrier.status?.().connections.reduce((sum, connection) => sum + connection.window, 0) ?? 0;
}

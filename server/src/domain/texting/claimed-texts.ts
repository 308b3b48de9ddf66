import { setTimeout as pause } from 'node:timers/promises';
import type { Deps } from '../../deps.ts';
import { hasClaimedTexts } from '../../store/delivery/claims.ts';
import type { Member } from '../shared/signals.ts';
import { stoppedKinds } from './gate.ts';

/**
 * No text begins after the person's STOP was acknowledged. The gate decides when a text is claimed. From the claim's commit on
 * it has this long to begin, that is, for its first part to be handed to the carrier's socket. Later it goes back, and the next
 * claim decides again. A STOP that finds a claimed text waits for its outcome, but no longer than this and a margin, and is
 * acknowledged then. So it doesn't matter which process claimed the text, whether it still runs, or what its clock says.
 */
export const beginWithinMs = 600;

/** For a process that is held up between its look at the clock and the socket. */
const marginMs = 300;
const firstPauseMs = 10;

/** Waits until no text that was claimed before these members' STOP can begin any more. Outside of a transaction. */
export async function claimedTextsBegun({ db }: Pick<Deps, 'db'>, members: Member[]): Promise<void> {
  const until = performance.now() + beginWithinMs + marginMs;
  for (let pauseMs = firstPauseMs; await hasClaimedTexts(db, members, stoppedKinds); pauseMs *= 2) {
    const leftMs = until - performance.now();
    if (leftMs <= 0) return;
    await pause(Math.min(pauseMs, leftMs));
  }
}

import type { Deps } from '../../deps.ts';
import type { MessageKey } from '../../store/delivery/dispatches.ts';
import { archiveUnreceipted, listUnreceipted } from '../../store/delivery/unreceipted.ts';
import { dayMs } from '../shared/time.ts';

/** So long a receipt may take. */
const receiptWithinMs = dayMs;
/** How far back a node looks when it starts. */
const reachMs = 30 * dayMs;
const archivedAtOnceMax = 500;

/**
 * When a text was handed over is in the entry of what became of it, which comes with the receipt. Archives that of texts whose receipt doesn't
 * come within a day. How far it came is this node's memory: after a restart it looks again, and finds nothing that it has archived.
 */
export function unreceiptedArchiver({ db, clock }: Pick<Deps, 'db' | 'clock'>): () => Promise<void> {
  let done: Date | null = null;
  return async () => {
    const now = clock.now();
    const to = new Date(now.getTime() - receiptWithinMs);
    // A sandbox that is reset goes back to the real time.
    const from = done && done <= to ? done : new Date(to.getTime() - reachMs);
    let texts: MessageKey[];
    do {
      texts = await listUnreceipted(db, { from, to, limit: archivedAtOnceMax });
      // Another node has locked all of these: it archives them.
      if (texts.length > 0 && !(await archiveUnreceipted(db, texts, now))) return;
    } while (texts.length > 0);
    done = to;
  };
}

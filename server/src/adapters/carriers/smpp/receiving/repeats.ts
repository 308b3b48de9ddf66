import { createHash, randomUUID } from 'node:crypto';
import type { SmppSession } from '../binds/session.ts';

type Last = { hash: string; id: string; at: number; takenAt: number | null; session: SmppSession };

const repeatWithinMs = 24 * 3_600_000;
const slowMs = 5_000;
const lostSoonMs = 10_000;
const peopleMax = 10_000;
const hashBytes = 16;

/**
 * SMPP gives a person's text no id, and an SMSC that didn't hear our response repeats the text. A repeat gets the id of the first
 * delivery, so that the domain knows it; the same words written again get a new one. It is a repeat only if our response
 * may not have arrived: it was an error, it was slow, or the connection was lost soon after. Another text from the same
 * person in between ends that.
 */
export function makeRepeats() {
  const lasts = new Map<string, Last>();
  return {
    /** The id of this delivery. `answered` has to be called after our response. */
    begin({ from, to, octets }: { from: string; to: string; octets: Buffer }, session: SmppSession) {
      // An address may be as long as a message, and thousands are remembered.
      const person = shortHash(`${from} ${to}`);
      const hash = shortHash(octets);
      const before = lasts.get(person);
      const id = before && isRepeat(before, hash) ? before.id : randomUUID();
      const last: Last = { hash, id, at: Date.now(), takenAt: null, session };
      lasts.delete(person);
      lasts.set(person, last);
      const [oldest] = lasts.size > peopleMax ? lasts.keys() : [];
      if (oldest !== undefined) lasts.delete(oldest);
      return {
        id,
        answered(taken: boolean): void {
          last.takenAt = taken ? Date.now() : null;
        },
      };
    },
  };
}

function isRepeat({ hash, at, takenAt, session }: Last, of: string): boolean {
  if (hash !== of || Date.now() - at > repeatWithinMs) return false;
  if (takenAt === null) return true;
  const lostAt = session.closedAt();
  return takenAt - at > slowMs || (lostAt !== null && lostAt - takenAt < lostSoonMs);
}

/** Enough to tell texts and people apart. */
export function shortHash(...parts: (string | Buffer)[]): string {
  const hash = createHash('sha256');
  for (const part of parts) hash.update(part);
  return hash.digest().toString('base64', 0, hashBytes);
}

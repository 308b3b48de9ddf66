import { createHash, randomUUID } from 'node:crypto';
import type { SmppSession } from '../binds/session.ts';

/** `at` is when it came last, `sentAt` when it came first, by the clock of consents. */
type RecentText = { id: string; sentAt: Date; at: number; takenAt: number | null; session: SmppSession };

const repeatWithinMs = 24 * 3_600_000;
const slowMs = 5_000;
const lostSoonMs = 10_000;
const peopleMax = 10_000;
const textsOfPersonMax = 10;
const hashBytes = 16;

/**
 * SMPP gives a person's text no id, and an SMSC that didn't hear our response repeats the text. A repeat gets the id of the first
 * delivery, so that the domain knows it; the same words written again get a new one. It is a repeat only if our response
 * may not have arrived: it was an error, it was slow, or the connection was lost soon after.
 *
 * If the person wrote something else in between, nobody can tell which of both it is. It gets a new id, since a STOP that is written
 * again has to count, and the time of the first delivery, since a START that is repeated must not undo the STOP after it.
 */
export function makeRepeats(now: () => Date) {
  const people = new Map<string, Map<string, RecentText>>();
  return {
    /** The id and time of this delivery. `answered` has to be called after our response. */
    begin({ from, to, octets }: { from: string; to: string; octets: Buffer }, session: SmppSession) {
      // An address may be as long as a message, and thousands are remembered.
      const person = shortHash(`${from} ${to}`);
      const hash = shortHash(octets);
      const texts = people.get(person) ?? new Map<string, RecentText>();
      const before = texts.get(hash);
      const first = before && isRepeat(before) ? before : null;
      const isLast = before === [...texts.values()].at(-1);
      const id = first && isLast ? first.id : randomUUID();
      const text: RecentText = { id, sentAt: first?.sentAt ?? now(), at: performance.now(), takenAt: null, session };
      // It may be newer than all of them, so none of them comes again with a later time.
      if (first) for (const other of texts.values()) if (other.sentAt > text.sentAt) other.sentAt = text.sentAt;
      remember(texts, hash, text, textsOfPersonMax);
      remember(people, person, texts, peopleMax);
      return {
        id,
        sentAt: text.sentAt,
        answered(taken: boolean): void {
          text.takenAt = taken ? performance.now() : null;
        },
      };
    },
  };
}

/** As the latest; the oldest is forgotten. */
function remember<Item>(items: Map<string, Item>, key: string, item: Item, max: number): void {
  items.delete(key);
  items.set(key, item);
  const [oldest] = items.size > max ? items.keys() : [];
  if (oldest !== undefined) items.delete(oldest);
}

function isRepeat({ at, takenAt, session }: RecentText): boolean {
  if (performance.now() - at > repeatWithinMs) return false;
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

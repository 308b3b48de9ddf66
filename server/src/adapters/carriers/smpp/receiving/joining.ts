import { randomUUID } from 'node:crypto';
import { shortHash } from './repeats.ts';

/** Which part of a long text a message is. */
export type PartPosition = { key: string; number: number; of: number };

type Part = { octets: Buffer; dataCoding: number };

/** A long text, from its first part to arrive until the domain has taken it. */
export type PartialText = {
  id: string;
  place: Omit<PartPosition, 'number'>;
  parts: Map<number, Part>;
  /** Parts that the SMSC was told to repeat. */
  refused: Set<number>;
  from: string;
  to: string;
  at: Date;
  /** The domain is taking it. */
  handing: Promise<void> | null;
  /** Resolves when it has. */
  taken: PromiseWithResolvers<void>;
};

const joiningMax = 1_000;
const bytesMax = 8 * 1024 * 1024;
/** How long a part may be a repeat: SMSCs repeat for a day what they were told to, and soon what they heard no response to. */
const repeatedMs = 24 * 3_600_000;
const unheardMs = 60_000;
const takenMax = 10_000;

/**
 * Parts that wait for others. They come in any order, twice, or never. What is here was not confirmed to the SMSC, so a crash
 * loses nothing: it repeats them.
 */
export function makeJoiner(giveUp: (joining: PartialText) => void, now: () => Date) {
  const joinings = new Map<string, PartialText>();
  const taken = new Map<string, number>();
  let bytes = 0;

  function drop(joining: PartialText): void {
    if (joinings.get(joining.place.key) !== joining) return;
    joinings.delete(joining.place.key);
    for (const { octets } of joining.parts.values()) bytes -= octets.length;
  }

  function remember(joining: PartialText): void {
    for (const [number, { octets }] of joining.parts) {
      const repeatMs = joining.refused.has(number) ? repeatedMs : unheardMs;
      taken.set(nameOf({ ...joining.place, number }, octets), performance.now() + repeatMs);
    }
    for (const [name, until] of taken) {
      if (taken.size <= takenMax && performance.now() < until) return;
      taken.delete(name);
    }
  }

  /** A part that differs from one with its number belongs to another text: references are used again soon. */
  function find(place: PartPosition, octets: Buffer): PartialText | null {
    const found = joinings.get(place.key);
    if (found?.handing && !found.parts.has(place.number)) {
      // The domain is taking it without this part.
      drop(found);
      return null;
    }
    const same = found?.parts.get(place.number);
    if (!found || !same || same.octets.equals(octets)) return found ?? null;
    giveUp(found);
    drop(found);
    return null;
  }

  return {
    /** `taken` if the domain has had this very part, and the SMSC may not know. */
    add(place: PartPosition, part: Part, numbers: { from: string; to: string }): PartialText | 'taken' {
      if ((taken.get(nameOf(place, part.octets)) ?? 0) > performance.now()) return 'taken';
      const { key, number, of } = place;
      const joining: PartialText = find(place, part.octets) ?? {
        id: randomUUID(),
        place: { key, of },
        parts: new Map(),
        refused: new Set(),
        ...numbers,
        at: now(),
        handing: null,
        taken: Promise.withResolvers(),
      };
      joinings.set(key, joining);
      if (joining.parts.has(number)) return joining;
      // A copy, since the octets are part of what was read from the connection.
      joining.parts.set(number, { ...part, octets: Buffer.from(part.octets) });
      bytes += part.octets.length;
      for (const oldest of joinings.values()) {
        if (oldest === joining || (joinings.size <= joiningMax && bytes <= bytesMax)) break;
        giveUp(oldest);
        drop(oldest);
      }
      return joining;
    },
    /** The domain took it: repeats of its parts are known from now on. */
    end(joining: PartialText): void {
      remember(joining);
      drop(joining);
      joining.taken.resolve();
    },
    drop,
    all: () => joinings.values(),
  };
}

function nameOf({ key, number }: PartPosition, octets: Buffer): string {
  return shortHash(`${key} ${number} `, octets);
}

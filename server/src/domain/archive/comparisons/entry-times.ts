import type { StoredLeaf } from '../../../store/archive/archive-tree.ts';
import type { Explanation } from '../../../store/archive/explanations.ts';
import { altered, type Fault, nameOf } from '../verification/faults.ts';
import type { Step } from '../verification/signed-checkpoints.ts';

/** Compares the times of entries, given in the order of leaves, with one another and with the checkpoints. */
export type EntryTimes = ReturnType<typeof entryTimes>;

/** All checkpoints of one size: the first that was signed, and the last. */
type SignedRange = { size: number; firstMs: number; lastMs: number };

/** Findings that an entry explains: how many, and the first. */
type ExplainedTimes = { by: string; found: number; entry: string; what: string };

/** How far apart the clocks of two nodes may be, and how long a transaction may take from its time to its turn. */
const skewMs = 60 * 1000;
/** How long an entry's transaction may have been open when a checkpoint was signed without it. */
const openMs = 5 * 60 * 1000;
/** A checkpoint with at least this many new entries may have left others for the next one (archive-tree.ts). */
const fullEntries = 5_000;

/**
 * An entry is not from before the entry before it in its book, nor from before a checkpoint that doesn't cover it yet, nor
 * from after the first that does. The last is not so in a sandbox, whose clock runs ahead of real time.
 */
export function entryTimes({ isAhead, explanations = [] }: { isAhead: boolean; explanations?: Explanation[] }) {
  const explained = new Map<Explanation, ExplainedTimes>();
  /** Those that don't cover the last entry, and any that come after. */
  const signed: SignedRange[] = [];
  const latest = new Map<number, number>();
  let next = 0;
  let passedSize = 0;
  let floorMs = Number.NEGATIVE_INFINITY;
  /** Not a number if nothing follows, which no time is after. */
  let followingMs = Number.NaN;

  function moveTo(leaf: number): void {
    for (let span = signed[next]; span && span.size <= leaf; span = signed[next]) {
      const isFull = span.size - passedSize >= fullEntries;
      if (!isFull) floorMs = Math.max(floorMs, span.firstMs);
      // Signed again at this size: by then nothing was waiting.
      if (span.lastMs > span.firstMs) floorMs = Math.max(floorMs, span.lastMs);
      passedSize = span.size;
      next += 1;
    }
  }

  function faultOf(entry: StoredLeaf): string | null {
    const timeMs = Date.parse(entry.dateTime);
    const beforeMs = latest.get(entry.advisorId) ?? timeMs;
    latest.set(entry.advisorId, Math.max(timeMs, beforeMs));
    if (timeMs < beforeMs - skewMs) return 'its time is before that of the entry before it';
    if (timeMs < floorMs - openMs) return 'its time is before a checkpoint that didn’t cover it';
    const ceilingMs = signed[next]?.firstMs ?? followingMs;
    if (!isAhead && timeMs > ceilingMs + skewMs) return 'its time is after the checkpoint that covers it';
    return null;
  }

  return {
    /** The checkpoints for the next entries, and the first after them. */
    add({ signed: sizes, following }: Pick<Step, 'signed' | 'following'>): void {
      const added = Array.from(sizes, ([size, { firstMs, lastMs }]) => ({ size, firstMs, lastMs }));
      signed.splice(0, next);
      next = 0;
      signed.push(...added.filter(({ firstMs }) => !Number.isNaN(firstMs)).sort((a, b) => a.size - b.size));
      followingMs = Date.parse(following?.time ?? '');
    },
    compare(entries: Iterable<StoredLeaf>): Fault[] {
      const faults: Fault[] = [];
      for (const entry of entries) {
        moveTo(entry.leaf);
        const what = faultOf(entry);
        if (!what) continue;
        const explanation = explanations.find((each) => explains(each, entry));
        if (!explanation) faults.push(altered(nameOf(entry), what));
        else {
          const by = nameOf({ advisorId: 0, number: explanation.number });
          explained.getOrInsertComputed(explanation, () => ({ by, found: 0, entry: nameOf(entry), what })).found += 1;
        }
      }
      return faults;
    },
    explained: () => [...explained.values()],
  };
}

/** Nobody explains what is still to come. */
function explains({ leaf, of }: Explanation, entry: StoredLeaf): boolean {
  return entry.leaf < leaf && entry.advisorId === of.advisorId && entry.number >= of.from && entry.number <= of.to;
}

// --- Times: whether entries were written when they say ----------------------------------------------------------------

import { factsIn, isCount, isRecord, nameOf } from './entries.mjs';

/** @import { Entry } from './entries.mjs' */
/**
 * All checkpoints of one size: the first that was signed, and the last.
 * @typedef {{ size: number, firstMs: number, lastMs: number }} SignedRange
 * An entry that says why the times of others are wrong: those of one advisor from one number to another that came before it.
 * @typedef {{ number: number, leaf: number, of: { advisorId: number, from: number, to: number } }} Explanation
 * Findings that an entry explains: how many, and the first.
 * @typedef {{ by: string, found: number, entry: string, what: string }} ExplainedTimes
 */

/** How far apart the clocks of two nodes may be, and how long a transaction may take from its time to its turn. */
const skewMs = 60 * 1000;
/** How long an entry's transaction may have been open when a checkpoint was signed without it. */
const openMs = 5 * 60 * 1000;
/** A checkpoint with at least this many new entries may have left others for the next one (archive-tree.ts). */
const fullEntries = 5_000;

/** What an entry of the deployment's book begins with that says why times are wrong. */
export const explained = 'times explained';

/**
 * Only somebody of the staff who signed in for it explains times.
 * @param {Pick<Entry, 'advisorId' | 'number' | 'kind' | 'actor' | 'meta'> & { leaf: number }} entry
 * @returns {Explanation | null}
 */
export function explanationIn({ advisorId, number, kind, actor, meta, leaf }) {
  if (advisorId !== 0 || kind !== 'setting' || !actor.startsWith('staff:')) return null;
  const { what, of, via = null } = factsIn(meta);
  if (what !== explained || via !== null || !isRecord(of)) return null;
  const { advisorId: about, from, to } = of;
  return isCount(about) && isCount(from) && isCount(to) ? { number, leaf, of: { advisorId: about, from, to } } : null;
}

/**
 * Compares the times of entries, given in the order of leaves, with one another and with the checkpoints. An entry is not from before the
 * entry before it in its book, nor from before a checkpoint that doesn't cover it yet, nor from after the first that does. The last is not
 * so where the clock can be moved: it runs ahead of real time.
 */
export class EntryTimes {
  #clockMoves;
  #explanations;
  /** @type {Map<Explanation, ExplainedTimes>} */
  #explained = new Map();
  /** Those that don't cover the last entry, and any that come after. @type {SignedRange[]} */
  #signed = [];
  /** By advisor. @type {Map<number, number>} */
  #latest = new Map();
  #next = 0;
  #passedSize = 0;
  #floorMs = Number.NEGATIVE_INFINITY;
  /** Not a number if nothing follows, which no time is after. */
  #followingMs = Number.NaN;

  /** @param {{ clockMoves: boolean, explanations?: Explanation[] }} given */
  constructor({ clockMoves, explanations = [] }) {
    this.#clockMoves = clockMoves;
    this.#explanations = [...explanations];
  }

  /** The checkpoints for the next entries, and the time of the first after them. @param {SignedRange[]} ranges */
  add(ranges, followingMs = Number.NaN) {
    const timed = ranges.filter(({ firstMs }) => !Number.isNaN(firstMs)).sort((a, b) => a.size - b.size);
    this.#signed = [...this.#signed.slice(this.#next), ...timed];
    this.#next = 0;
    this.#followingMs = followingMs;
  }

  /** @param {Explanation} explanation */
  explain(explanation) {
    this.#explanations.push(explanation);
  }

  /** What is wrong with the entry's time, unless that is explained. @param {Entry & { leaf: number }} entry */
  faultOf(entry) {
    this.#moveTo(entry.leaf);
    const what = this.#compare(entry);
    const explanation = what && this.#explanations.find((each) => explains(each, entry));
    if (!explanation) return what;
    const by = nameOf({ advisorId: 0, number: explanation.number });
    const told = this.#explained.get(explanation) ?? { by, found: 0, entry: nameOf(entry), what };
    this.#explained.set(explanation, { ...told, found: told.found + 1 });
    return null;
  }

  explained() {
    return [...this.#explained.values()];
  }

  /** @param {number} leaf */
  #moveTo(leaf) {
    for (let span = this.#signed[this.#next]; span && span.size <= leaf; span = this.#signed[this.#next]) {
      const isFull = span.size - this.#passedSize >= fullEntries;
      if (!isFull) this.#floorMs = Math.max(this.#floorMs, span.firstMs);
      // Signed again at this size: by then nothing was waiting.
      if (span.lastMs > span.firstMs) this.#floorMs = Math.max(this.#floorMs, span.lastMs);
      this.#passedSize = span.size;
      this.#next += 1;
    }
  }

  /** @param {Entry} entry */
  #compare({ advisorId, dateTime }) {
    const timeMs = Date.parse(dateTime);
    if (Number.isNaN(timeMs)) return null;
    const beforeMs = this.#latest.get(advisorId) ?? timeMs;
    this.#latest.set(advisorId, Math.max(timeMs, beforeMs));
    if (timeMs < beforeMs - skewMs) return 'its time is before that of the entry before it';
    if (timeMs < this.#floorMs - openMs) return 'its time is before a checkpoint that didn’t cover it';
    const ceilingMs = this.#signed[this.#next]?.firstMs ?? this.#followingMs;
    if (!this.#clockMoves && timeMs > ceilingMs + skewMs) return 'its time is after the checkpoint that covers it';
    return null;
  }
}

/** Nobody explains what is still to come. @param {Explanation} explanation @param {Entry & { leaf: number }} entry */
function explains({ leaf, of }, entry) {
  return entry.leaf < leaf && entry.advisorId === of.advisorId && entry.number >= of.from && entry.number <= of.to;
}

/** @param {ExplainedTimes} explained */
export function explanationLine({ by, found, entry, what }) {
  return `${by} explains ${found} times; the first: ${entry}: ${what}`;
}

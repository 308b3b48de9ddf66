// --- Times: whether entries were written when they say ----------------------------------------------------------------

import { factsIn, isCount, isRecord, nameOf } from './entries.mjs';

/** @import { Entry } from './entries.mjs' */
/**
 * All checkpoints of one size: the first that was signed, and the last.
 * @typedef {{ size: number, firstMs: number, lastMs: number }} SignedRange
 * An entry that says why the times of others are wrong: those of one advisor from one number to another that came before it.
 * @typedef {{ number: number, leaf: number, of: { advisorId: number, from: number, to: number } }} Explanation
 * Where times go back for good: the entry of a step that was accepted.
 * @typedef {Pick<Entry, 'advisorId' | 'number' | 'dateTime'> & { leaf: number }} Step
 * What entries are compared with: the latest time in each advisor's book, and that of a checkpoint or the step. Both since a step, or ever.
 * @typedef {{ latest: Map<number, number>, floorMs: number, explanation: Explanation | null }} Past
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
/** And that the database's clock was set back for good. */
export const stepped = 'clock step accepted';

/** @typedef {Pick<Entry, 'advisorId' | 'number' | 'kind' | 'actor' | 'meta' | 'dateTime'> & { leaf: number }} Rule */

/**
 * Only somebody of the staff who signed in for it explains times.
 * @param {Rule} entry
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
 * so where the clock can be moved: it runs ahead of real time. What explains the entry of a step explains every later time that is right
 * when compared only with what came after the step: until the clock has caught up, none of them would be.
 */
export class EntryTimes {
  #clockMoves;
  /** @type {Explanation[]} */
  #explanations = [];
  /** In the order of leaves. @type {Step[]} */
  #steps = [];
  /** @type {Map<Explanation, ExplainedTimes>} */
  #explained = new Map();
  /** Those that don't cover the last entry, and any that come after. @type {SignedRange[]} */
  #signed = [];
  /** All of it, and what came after the last step that is explained. @type {Past[]} */
  #pasts = [pastSince(null, Number.NEGATIVE_INFINITY)];
  #leaf = -1;
  #next = 0;
  #nextStep = 0;
  #passedSize = 0;
  /** Not a number if nothing follows, which no time is after. */
  #followingMs = Number.NaN;

  /** @param {{ clockMoves: boolean }} given */
  constructor({ clockMoves }) {
    this.#clockMoves = clockMoves;
  }

  /** The checkpoints for the next entries, and the time of the first after them. @param {SignedRange[]} ranges */
  add(ranges, followingMs = Number.NaN) {
    const timed = ranges.filter(({ firstMs }) => !Number.isNaN(firstMs)).sort((a, b) => a.size - b.size);
    this.#signed = [...this.#signed.slice(this.#next), ...timed];
    this.#next = 0;
    this.#followingMs = followingMs;
  }

  /** Before the entries that it is about, in the order of leaves; any others say nothing. @param {Rule} rule */
  take(rule) {
    const explanation = explanationIn(rule);
    if (explanation) this.#explanations.push(explanation);
    else if (rule.advisorId === 0 && rule.kind === 'setting' && factsIn(rule.meta).what === stepped)
      if (rule.leaf > Math.max(this.#leaf, this.#steps.at(-1)?.leaf ?? -1)) this.#steps.push(rule);
  }

  /** What is wrong with the entry's time, unless that is explained. @param {Entry & { leaf: number }} entry */
  faultOf(entry) {
    this.#moveTo(entry.leaf);
    this.#leaf = entry.leaf;
    const [what = null, since] = this.#pasts.map((past) => this.#compare(entry, past));
    const ofStep = since === null ? this.#pasts[1]?.explanation : null;
    const explanation = what && (this.#explanationOf(entry) ?? ofStep);
    if (!explanation) return what;
    const by = nameOf({ advisorId: 0, number: explanation.number });
    const told = this.#explained.get(explanation) ?? { by, found: 0, entry: nameOf(entry), what };
    this.#explained.set(explanation, { ...told, found: told.found + 1 });
    return null;
  }

  explained() {
    return [...this.#explained.values()];
  }

  /** @param {Step} entry */
  #explanationOf(entry) {
    return this.#explanations.find((each) => explains(each, entry));
  }

  /** @param {number} leaf */
  #moveTo(leaf) {
    for (let step = this.#steps[this.#nextStep]; step && step.leaf < leaf; step = this.#steps[this.#nextStep]) {
      this.#pass(step.leaf);
      const explanation = this.#explanationOf(step);
      if (explanation) this.#pasts = [...this.#pasts.slice(0, 1), pastSince(explanation, Date.parse(step.dateTime))];
      this.#nextStep += 1;
    }
    this.#pass(leaf);
  }

  /** @param {number} leaf */
  #pass(leaf) {
    for (let span = this.#signed[this.#next]; span && span.size <= leaf; span = this.#signed[this.#next]) {
      const isFull = span.size - this.#passedSize >= fullEntries;
      for (const past of this.#pasts) {
        if (!isFull) past.floorMs = Math.max(past.floorMs, span.firstMs);
        // Signed again at this size: by then nothing was waiting.
        if (span.lastMs > span.firstMs) past.floorMs = Math.max(past.floorMs, span.lastMs);
      }
      this.#passedSize = span.size;
      this.#next += 1;
    }
  }

  /** @param {Entry} entry @param {Past} past */
  #compare({ advisorId, dateTime }, past) {
    const timeMs = Date.parse(dateTime);
    if (Number.isNaN(timeMs)) return null;
    const beforeMs = past.latest.get(advisorId) ?? timeMs;
    past.latest.set(advisorId, Math.max(timeMs, beforeMs));
    if (timeMs < beforeMs - skewMs) return 'its time is before that of the entry before it';
    if (timeMs < past.floorMs - openMs) return 'its time is before a checkpoint that didn’t cover it';
    const ceilingMs = this.#signed[this.#next]?.firstMs ?? this.#followingMs;
    if (!this.#clockMoves && timeMs > ceilingMs + skewMs) return 'its time is after the checkpoint that covers it';
    return null;
  }
}

/** @param {Explanation | null} explanation @param {number} floorMs @returns {Past} */
function pastSince(explanation, floorMs) {
  return { latest: new Map(), floorMs, explanation };
}

/** Nobody explains what is still to come. @param {Explanation} explanation @param {Step} entry */
function explains({ leaf, of }, entry) {
  return entry.leaf < leaf && entry.advisorId === of.advisorId && entry.number >= of.from && entry.number <= of.to;
}

/** @param {ExplainedTimes} explained */
export function explanationLine({ by, found, entry, what }) {
  return `${by} explains ${found} times; the first: ${entry}: ${what}`;
}

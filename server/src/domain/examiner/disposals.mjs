// --- Disposals: bodies that are gone, and whether they were due -------------------------------------------------------

import { factsIn, isCount, jsonIn, mediaKind } from './entries.mjs';

/** @import { Entry } from './entries.mjs' */
/** @import { Checkpoint } from './notes.mjs' */
/** @typedef {{ from: number, to: number }} Range */

/** Something is missing without which it can't tell anything. */
export class CantTell extends Error {}

export const rangesMax = 1_000_000;

/** Bodies of these kinds are disposed of; all others are kept forever. */
const disposableKinds = new Set([
  'text_out',
  'text_in',
  'consent',
  'schedule',
  'broadcast',
  'review',
  'export',
  'merge',
  'sign_in',
  mediaKind,
]);
const [yearsMin, yearsMax, yearsDefault] = [1, 100, 7];
/** Clocks of two machines differ. */
const clockSkewMs = 60 * 60 * 1000;

/** When leaves entered the tree, by signed checkpoints: the only times that don't come from the entries themselves. */
export class SignedTimes {
  /** @type {number[]} */
  #sizes = [];
  /** The latest time among checkpoints up to each size. @type {number[]} */
  #latest = [];
  /** The earliest time among checkpoints from each size on. @type {number[]} */
  #earliest = [];

  /** A time in the future proves nothing: a clock was wrong. @param {Pick<Checkpoint, 'size' | 'time'>[]} checkpoints */
  constructor(checkpoints, now = Date.now()) {
    const timed = checkpoints
      .map(({ size, time }) => ({ size, time: Date.parse(time) }))
      .filter(({ time }) => time <= now + clockSkewMs)
      .sort((a, b) => a.size - b.size);
    let [latest, earliest] = [-Infinity, Infinity];
    for (const { size, time } of timed) {
      latest = Math.max(latest, time);
      this.#sizes.push(size);
      this.#latest.push(latest);
    }
    for (const { time } of timed.reverse()) {
      earliest = Math.min(earliest, time);
      this.#earliest.push(earliest);
    }
    this.#earliest.reverse();
  }

  /** The last time at which the leaf was not in the tree. @param {number} leaf */
  before(leaf) {
    return this.#latest[this.#upTo(leaf) - 1] ?? Number.NaN;
  }

  /** The size of the tree at that time. @param {number} leaf */
  sizeBefore(leaf) {
    return this.#sizes[this.#upTo(leaf) - 1] ?? 0;
  }

  /** The first time at which the leaf was in the tree. @param {number} leaf */
  by(leaf) {
    return this.#earliest[this.#upTo(leaf)] ?? Number.NaN;
  }

  /** How many checkpoints don't cover the leaf. @param {number} leaf */
  #upTo(leaf) {
    let [low, high] = [0, this.#sizes.length];
    while (low < high) {
      const middle = (low + high) >>> 1;
      if ((this.#sizes[middle] ?? 0) <= leaf) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}

/**
 * An entry and where it is in the tree; infinity if it isn't yet.
 * @typedef {Pick<Entry, 'advisorId' | 'number' | 'kind' | 'memberId' | 'meta'> & { leaf: number }} LeafEntry
 * @typedef {{ youngest: number, years: number, holds: (LeafEntry & { holdId: unknown })[] }} DisposalRules
 */

/** An advisor's disposals, judged by the retention and the holds that were in force, and not by what they say themselves. */
export class Disposals {
  /** The firm whose rules apply; null if that isn't known, and all that are given apply. @type {number | null} */
  firmId;
  #times;
  /** @type {(LeafEntry & { facts: Record<string, unknown> })[]} */
  #rules = [];
  /** @type {(Range & { by: LeafEntry })[]} */
  #ranges = [];
  #isSorted = true;
  /** @type {Map<number, DisposalRules>} */
  #judged = new Map();

  /** @param {SignedTimes} times @param {number | null} firmId */
  constructor(times, firmId) {
    this.#times = times;
    this.firmId = firmId;
  }

  /** A retention or a hold, or the advisor's first entry, which says which firm's. @param {LeafEntry} rule */
  takeRule(rule) {
    const facts = factsIn(rule.meta);
    if (rule.kind === 'retention' || rule.kind === 'hold') this.#rules.push({ ...rule, facts });
    else if (isFirst(rule) && isCount(facts.firmId)) this.firmId ??= facts.firmId;
  }

  /** @param {LeafEntry} disposal @param {Buffer | null} body */
  takeDisposal(disposal, body) {
    for (const range of disposedBy(disposal, body)) this.#ranges.push({ ...range, by: disposal });
    this.#isSorted = false;
    if (this.#ranges.length > rangesMax) throw new CantTell('more bodies were disposed of than can be counted');
  }

  /** What is wrong with the absence of an entry's body; null if it was due. @param {LeafEntry} entry */
  faultOf({ number, kind, memberId, leaf }) {
    if (!this.#isSorted) this.#ranges.sort((a, b) => a.from - b.from);
    this.#isSorted = true;
    const disposal = rangeOf(this.#ranges, number)?.by;
    if (!disposal) return 'its body was removed, and no disposal says so';
    const removed = `its body was removed by the disposal in entry ${disposal.number}`;
    if (!disposableKinds.has(kind)) return `${removed}, although such bodies are kept forever`;
    const { youngest, years, holds } = this.#judge(disposal);
    const hold = holds.find((each) => each.memberId === null || each.memberId === memberId);
    if (hold) return `${removed}, although hold ${hold.holdId} was in force`;
    if (this.#times.by(leaf) <= youngest) return null;
    return `${removed}, and no checkpoints prove that it had been kept for ${years} years`;
  }

  /** @param {LeafEntry} disposal @returns {DisposalRules} */
  #judge(disposal) {
    const known = this.#judged.get(disposal.number);
    if (known) return known;
    const signed = this.#times.sizeBefore(disposal.leaf);
    // Entries of one book are in the order of numbers. Those of two books that came between the same two checkpoints may
    // have come in either order: what keeps bodies counts only if it was there before, what frees them also if it may have.
    const isOwn = (/** @type {LeafEntry} */ rule) => rule.advisorId === disposal.advisorId;
    const wasThere = (/** @type {LeafEntry} */ rule) =>
      isOwn(rule) ? rule.number < disposal.number : rule.leaf < signed;
    const mayHaveBeen = (/** @type {LeafEntry} */ rule) =>
      isOwn(rule) ? rule.number < disposal.number : rule.leaf <= disposal.leaf;
    const before = this.#times.before(disposal.leaf);
    // Without a time it counts at once; before that time it can't free anything.
    const counts = (/** @type {{ facts: Record<string, unknown> }} */ { facts: { countsFrom } }) =>
      countsFrom === undefined || (typeof countsFrom === 'string' && Date.parse(countsFrom) <= before);
    const rules = this.#rules.filter(
      (rule) => isOwn(rule) || this.firmId === null || rule.facts.firmId === this.firmId,
    );
    let years = yearsDefault;
    for (const rule of rules.filter(({ kind }) => kind === 'retention').sort((a, b) => a.number - b.number)) {
      const set = Number(rule.facts.years);
      if (!(set >= yearsMin && set <= yearsMax)) continue;
      if (wasThere(rule)) years = counts(rule) ? set : Math.max(years, set);
      else if (mayHaveBeen(rule) && counts(rule)) years = Math.min(years, set);
    }
    const holds = rules.filter(({ kind }) => kind === 'hold').map((rule) => ({ ...rule, holdId: rule.facts.holdId }));
    const lifts = holds.filter((each) => each.facts.action === 'lifted' && mayHaveBeen(each) && counts(each));
    const lifted = new Set(lifts.map(({ holdId }) => holdId));
    const held = holds.filter((each) => each.facts.action === 'added' && wasThere(each) && !lifted.has(each.holdId));
    const youngest = new Date(before);
    youngest.setUTCFullYear(youngest.getUTCFullYear() - years);
    const judged = { youngest: youngest.getTime(), years, holds: held };
    this.#judged.set(disposal.number, judged);
    return judged;
  }
}

/** An advisor's book begins with the setting that added them. @param {LeafEntry} entry */
function isFirst({ kind, number, meta }) {
  return kind === 'setting' && number === 1 && factsIn(meta).what === 'advisor added';
}

/**
 * The entries whose bodies a disposal says it removed.
 * @param {Pick<Entry, 'kind'>} entry @param {Buffer | null} body
 * @returns {Range[]}
 */
export function disposedBy({ kind }, body) {
  const ranges = kind === 'disposal' && body ? jsonIn(body) : null;
  if (!Array.isArray(ranges)) return [];
  return ranges
    .filter((range) => Array.isArray(range) && range.length === 2 && range.every(isCount))
    .map(([from, to]) => ({ from, to }));
}

/**
 * The range that has the number, among sorted ranges that don't overlap.
 * @template {Range} Found @param {Found[]} ranges @param {number} number @returns {Found | undefined}
 */
export function rangeOf(ranges, number) {
  let [low, high] = [0, ranges.length];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((ranges[middle]?.from ?? 0) <= number) low = middle + 1;
    else high = middle;
  }
  const range = ranges[low - 1];
  return range && number <= range.to ? range : undefined;
}

/** Removes a number from the ranges; false if it is in none. @param {Range[]} ranges @param {number} number */
export function takeFrom(ranges, number) {
  const range = rangeOf(ranges, number);
  if (!range) return false;
  const parts = [
    { from: range.from, to: number - 1 },
    { from: number + 1, to: range.to },
  ];
  ranges.splice(ranges.indexOf(range), 1, ...parts.filter(({ from, to }) => from <= to));
  return true;
}

import { contentTypes } from '../../store/content/content.ts';
import type { IndexedItem } from '../../store/content/content-index.ts';
import { WordPlaces, type WordTerm } from './word-places.ts';

/** Items have all of the terms, or any of them. The terms of titles decide which items come first. */
export type IndexQuery = { terms: WordTerm[]; titleTerms: WordTerm[]; any: boolean };

/** Places of the items that match, in the order of the list: those with the words in their titles, and the others. */
type Matches = { titled: Uint32Array; others: Uint32Array };

const dead = -1;
const anyType = -2;
const deadPlacesMin = 10_000;

/**
 * One owner's published items in memory: which of them have a word, and the order in which they are listed, newest first.
 * An item has a place, from 0. A changed item gets a new one, so that the places of a word only grow, and the old one dies.
 */
export class ContentIndex {
  readonly #words = new WordPlaces();
  readonly #places = new Map<number, number>();
  // By place.
  readonly #contentIds: number[] = [];
  readonly #listedAt: number[] = [];
  readonly #types: number[] = [];
  /** Places in the order of the list, up to the one from which on they aren't in it yet. */
  #order = new Uint32Array();
  #orderedTo = 0;
  #isChanged = false;
  // Used again by every search, since allocating them would take as long as the search.
  #marks = new Uint8Array();
  #titleMarks = new Uint8Array();
  #found: Matches = { titled: new Uint32Array(), others: new Uint32Array() };

  /** How many words its items have. Most of its memory is for them. */
  get size(): number {
    return this.#words.size;
  }

  /** Most places are dead: a new index would be smaller. */
  get isWasteful(): boolean {
    return this.#contentIds.length > 2 * this.#places.size + deadPlacesMin;
  }

  /** Brings these items up to date. One without words is no longer published. */
  apply(items: IndexedItem[]): void {
    for (const { contentId, type, listedAt, titleWords, otherWords } of items) {
      const before = this.#places.get(contentId);
      this.#isChanged = true;
      if (before !== undefined) this.#types[before] = dead;
      this.#places.delete(contentId);
      if (type === null) continue;
      const place = this.#contentIds.length;
      this.#places.set(contentId, place);
      this.#contentIds.push(contentId);
      this.#listedAt.push(listedAt);
      this.#types.push(numberOf(type));
      this.#words.add(titleWords, place, true);
      this.#words.add(otherWords, place, false);
    }
    // At the next search otherwise: while a library is loaded, most of the time would go into the order.
    if (this.#contentIds.length - this.#orderedTo > this.#order.length / 4) this.#putInOrder();
  }

  /** They stay valid until the next search. */
  match({ terms, titleTerms, any }: IndexQuery, type: string): Matches {
    this.#putInOrder();
    const [order, types, marks, titleMarks, found] = [
      this.#order,
      this.#types,
      this.#marks,
      this.#titleMarks,
      this.#found,
    ];
    const matching = this.#words.mark(marks, terms, { any, inTitle: false });
    const titled = this.#words.mark(titleMarks, titleTerms, { any, inTitle: true });
    const wanted = type === 'All' ? anyType : numberOf(type);
    let [titledCount, othersCount] = [0, 0];
    const length = matching === 0 ? 0 : order.length;
    for (let index = 0; index < length; index++) {
      const place = order[index] as number;
      if (marks[place] !== matching || (wanted !== anyType && types[place] !== wanted)) continue;
      if (titled > 0 && titleMarks[place] === titled) found.titled[titledCount++] = place;
      else found.others[othersCount++] = place;
    }
    return { titled: found.titled.subarray(0, titledCount), others: found.others.subarray(0, othersCount) };
  }

  contentIdAt(place: number): number {
    return this.#contentIds[place] ?? dead;
  }

  /** Whether the item at this place is listed before the other index's item: it is newer, or as old and has a lower id. */
  isBefore(place: number, other: ContentIndex, otherPlace: number): boolean {
    const [own, others] = [this.#listedAt[place] ?? 0, other.#listedAt[otherPlace] ?? 0];
    return own !== others ? own > others : this.contentIdAt(place) < other.contentIdAt(otherPlace);
  }

  /** Adds the new places to the order, and removes the dead ones. */
  #putInOrder(): void {
    if (!this.#isChanged) return;
    const isAlive = (place: number) => this.#types[place] !== dead;
    const first = this.#orderedTo;
    const added = Uint32Array.from({ length: this.#contentIds.length - first }, (_, index) => first + index)
      .filter(isAlive)
      .sort((one, other) => (this.isBefore(one, this, other) ? -1 : 1));
    const order = new Uint32Array(this.#places.size);
    let [length, next] = [0, 0];
    for (const place of this.#order) {
      if (!isAlive(place)) continue;
      while (next < added.length && this.isBefore(added[next] ?? 0, this, place)) order[length++] = added[next++] ?? 0;
      order[length++] = place;
    }
    order.set(added.subarray(next), length);
    this.#order = order;
    this.#orderedTo = this.#contentIds.length;
    this.#isChanged = false;
    this.#makeRoom();
  }

  #makeRoom(): void {
    if (this.#marks.length >= this.#contentIds.length) return;
    const room = Math.ceil(this.#contentIds.length * 1.5);
    this.#marks = new Uint8Array(room);
    this.#titleMarks = new Uint8Array(room);
    this.#found = { titled: new Uint32Array(room), others: new Uint32Array(room) };
  }
}

type PlaceList = { index: ContentIndex; places: Uint32Array };

/** The total over two indexes, and the items of a part of their common list. */
export function listMatches(
  [one, other]: [ContentIndex, ContentIndex],
  query: IndexQuery,
  { type, offset, limit }: { type: string; offset: bigint; limit: number },
): { total: number; contentIds: number[] } {
  const [found, otherFound] = [one.match(query, type), other.match(query, type)];
  const contentIds: number[] = [];
  let total = 0;
  for (const which of ['titled', 'others'] as const) {
    const lists: [PlaceList, PlaceList] = [
      { index: one, places: found[which] },
      { index: other, places: otherFound[which] },
    ];
    const skipped = offset > BigInt(total) ? offset - BigInt(total) : 0n;
    const count = found[which].length + otherFound[which].length;
    if (skipped < count) contentIds.push(...merged(lists, Number(skipped), limit - contentIds.length));
    total += count;
  }
  return { total, contentIds };
}

/** That many items of the merged lists, after those that are skipped. */
function merged([one, other]: [PlaceList, PlaceList], skipped: number, limit: number): number[] {
  const contentIds: number[] = [];
  let at = skippedOf(one, other, skipped);
  let otherAt = skipped - at;
  while (contentIds.length < limit) {
    const isOne = at < one.places.length && (otherAt >= other.places.length || isNext(one, at, other, otherAt));
    if (!isOne && otherAt >= other.places.length) break;
    const { index, places } = isOne ? one : other;
    contentIds.push(index.contentIdAt(places[isOne ? at++ : otherAt++] ?? 0));
  }
  return contentIds;
}

/** How many of the first so many items of the merged lists are from the first list. */
function skippedOf(one: PlaceList, other: PlaceList, skipped: number): number {
  let low = Math.max(0, skipped - other.places.length);
  let high = Math.min(skipped, one.places.length);
  while (low < high) {
    const middle = (low + high) >> 1;
    // If the first list's next item is before the last one of the other's, it is among the first, too.
    if (isNext(one, middle, other, skipped - middle - 1)) low = middle + 1;
    else high = middle;
  }
  return low;
}

function isNext(one: PlaceList, at: number, other: PlaceList, otherAt: number): boolean {
  return one.index.isBefore(one.places[at] ?? 0, other.index, other.places[otherAt] ?? 0);
}

function numberOf(type: string): number {
  return contentTypes.indexOf(type as (typeof contentTypes)[number]);
}

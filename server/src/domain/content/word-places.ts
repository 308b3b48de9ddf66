/** A word, or the beginning of words. */
export type WordForm = { word: string; isBeginning: boolean };
/** An item has a term if it has any of its forms. */
export type WordTerm = WordForm[];

/** Words that begin alike are found among those that share this many letters, as many as they can. */
const initialsLengths = [6, 4, 3, 2];
const firstRoom = 2;

/** Ascending; each is twice the place, and one more if the word is in the title. */
type Places = { word: string; list: Uint32Array; length: number };

/** The places at which each word is. */
export class WordPlaces {
  readonly #places = new Map<string, Places>();
  readonly #byInitials = new Map<string, Places[]>();
  #size = 0;

  get size(): number {
    return this.#size;
  }

  /** Words are separated by spaces. No place has one twice. */
  add(words: string, place: number, isTitle: boolean): void {
    if (words === '') return;
    const entry = 2 * place + (isTitle ? 1 : 0);
    const each = words.split(' ');
    for (const word of each) {
      const places = this.#places.get(word) ?? this.#addWord(word);
      if (places.length === places.list.length) places.list = grown(places.list);
      places.list[places.length++] = entry;
    }
    this.#size += each.length;
  }

  /** Sets the mark of every place that has all of the terms, or any of them, to the value that it returns: 0 if none has. */
  mark(marks: Uint8Array, terms: WordTerm[], { any, inTitle }: { any: boolean; inTitle: boolean }): number {
    marks.fill(0);
    // The rarest first: with all of them, the search often ends before the most common ones.
    const found = terms
      .map((term) => listsOf(term.flatMap((form) => this.#placesOf(form))))
      .sort((one, other) => one.count - other.count);
    for (const [nth, { lists }] of found.entries()) {
      // With all of them, a mark counts the terms so far that the place has.
      const raised = lists.reduce((sum, places) => sum + raise(marks, any ? 0 : nth, places, inTitle), 0);
      if (raised === 0 && !any) return 0;
    }
    return any ? 1 : terms.length;
  }

  #placesOf({ word, isBeginning }: WordForm): Places[] {
    const exact = this.#places.get(word);
    if (!isBeginning) return exact ? [exact] : [];
    const length = initialsLengths.find((each) => each <= word.length);
    const sharing = length ? (this.#byInitials.get(word.slice(0, length)) ?? []) : [...this.#places.values()];
    return length === word.length ? sharing : sharing.filter((places) => places.word.startsWith(word));
  }

  #addWord(word: string): Places {
    // A slice of the text that it came in would keep all of that text in memory.
    const own = Buffer.from(word).toString();
    const places = { word: own, list: new Uint32Array(firstRoom), length: 0 };
    this.#places.set(own, places);
    for (const length of initialsLengths.filter((each) => each <= own.length)) {
      const initials = own.slice(0, length);
      const sharing = this.#byInitials.get(initials);
      if (sharing) sharing.push(places);
      else this.#byInitials.set(initials, [places]);
    }
    return places;
  }
}

/** Once each: a word is also found as its own beginning. */
function listsOf(places: Places[]): { lists: Places[]; count: number } {
  const lists = [...new Set(places)];
  return { lists, count: lists.reduce((sum, { length }) => sum + length, 0) };
}

/** Returns how many marks it raised. */
function raise(marks: Uint8Array, before: number, { list, length }: Places, inTitle: boolean): number {
  let raised = 0;
  for (let index = 0; index < length; index++) {
    const entry = list[index] as number;
    const place = entry >>> 1;
    if (marks[place] !== before || (inTitle && (entry & 1) === 0)) continue;
    marks[place] = before + 1;
    raised += 1;
  }
  return raised;
}

/** With room for half as many again. */
function grown(list: Uint32Array): Uint32Array {
  const larger = new Uint32Array(Math.ceil(list.length * 1.5));
  larger.set(list);
  return larger;
}

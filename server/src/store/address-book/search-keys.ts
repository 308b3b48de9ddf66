/** More keys would hardly narrow a search down further. */
const queryKeysMax = 32;

/**
 * What the index of searches has for a search text (domain/shared/text/folding.ts): of each word its first three characters
 * and the next three, of one that begins with no digit also the first two, and of one that does every three of these digits,
 * because people remember a number by any part of it.
 */
export function searchKeys(searchText: string): string[] {
  const keys = new Set<string>();
  let number = '';
  for (const word of searchText.split(' ')) {
    // A number is followed by its tails, whose triples it has itself.
    if (word.length < 2 || (number !== '' && number.endsWith(word))) continue;
    if (!isDigit(word.charCodeAt(0))) addBeginning(keys, word, 2);
    number = addTriples(keys, word) ? word : '';
  }
  return [...keys];
}

/** A text with nothing but these needs no quotes in an array, and none of its keys is longer than four bytes. */
const plain = /^[a-z0-9@._ -]*$/;
/** The keys of a plain text as numbers of four bytes, in order: most contacts have about 24. */
const places = new Uint32Array(512);
const bytes = Buffer.alloc(places.length * 5 + 2);

/**
 * The same keys as an array that PostgreSQL reads, for the many contacts of an import: in order, so that the index needn't sort
 * them, and without a string for each. Null if the text isn't plain or has too many.
 */
export function plainSearchKeys(searchText: string): string | null {
  if (searchText.length > places.length || !plain.test(searchText)) return null;
  let count = 0;
  let [numberStart, numberEnd] = [0, 0];
  for (let start = 0, end = 0; start < searchText.length; start = end + 1) {
    end = searchText.indexOf(' ', start);
    if (end < 0) end = searchText.length;
    const length = end - start;
    if (length < 2 || isTail(searchText, numberStart, numberEnd, start, end)) continue;
    if (!isDigit(searchText.charCodeAt(start))) count = addPlace(count, codeOf(searchText, start, 2));
    let digits = 0;
    while (digits < length && isDigit(searchText.charCodeAt(start + digits))) digits += 1;
    for (let at = start; at + 3 <= start + digits; at++) count = addPlace(count, codeOf(searchText, at, 3));
    [numberStart, numberEnd] = digits === length ? [start, end] : [0, 0];
    if (digits === length) continue;
    if (length >= 3) count = addPlace(count, codeOf(searchText, start, 3));
    if (length >= 6) count = addPlace(count, (0x2b000000 | (codeOf(searchText, start + 3, 3) >>> 8)) >>> 0);
  }
  return writtenPlaces(count);
}

/** Whether a word is how the number ends. */
function isTail(text: string, numberStart: number, numberEnd: number, start: number, end: number): boolean {
  if (end - start > numberEnd - numberStart) return false;
  for (let back = 1; back <= end - start; back++)
    if (text.charCodeAt(end - back) !== text.charCodeAt(numberEnd - back)) return false;
  return true;
}

/** Up to four characters as one number, which has the order of the texts. */
function codeOf(text: string, start: number, length: number): number {
  let code = 0;
  for (let at = 0; at < 4; at++) code = (code << 8) | (at < length ? text.charCodeAt(start + at) : 0);
  return code >>> 0;
}

/** Adds a key in order. Returns how many there are; one that is there twice is written once. */
function addPlace(count: number, code: number): number {
  let at = count;
  for (; at > 0 && (places[at - 1] as number) > code; at--) places[at] = places[at - 1] as number;
  places[at] = code;
  return count + 1;
}

function writtenPlaces(count: number): string {
  let end = 0;
  bytes[end++] = 0x7b;
  for (let at = 0; at < count; at++) {
    if (at > 0 && places[at] === places[at - 1]) continue;
    if (at > 0) bytes[end++] = 0x2c;
    for (let rest = places[at] as number; rest !== 0; rest = (rest << 8) >>> 0) bytes[end++] = rest >>> 24;
  }
  bytes[end++] = 0x7d;
  return bytes.toString('latin1', 0, end);
}

/** Keys that a contact has if words of its search text begin with these. */
export function queryKeys(words: string[]): string[] {
  const keys = new Set<string>();
  for (const word of words) {
    addTriples(keys, word);
    if ([...word.slice(0, 5)].length === 2 && !isDigit(word.charCodeAt(0))) keys.add(word);
  }
  return [...keys].slice(0, queryKeysMax);
}

/** Returns whether the word is a number. */
function addTriples(keys: Set<string>, word: string): boolean {
  let digitCount = 0;
  while (isDigit(word.charCodeAt(digitCount))) digitCount += 1;
  for (let start = 0; start + 3 <= digitCount; start++) keys.add(word.slice(start, start + 3));
  if (digitCount === word.length) return true;
  const characters = charactersOf(word);
  if (characters.length >= 3) keys.add(part(characters, 0, 3));
  if (characters.length >= 6) keys.add(`+${part(characters, 3, 6)}`);
  return false;
}

function addBeginning(keys: Set<string>, word: string, length: number): void {
  const characters = charactersOf(word);
  if (characters.length >= length) keys.add(part(characters, 0, length));
}

/** By code points, as PostgreSQL counts. */
function charactersOf(word: string): string | string[] {
  return /[\ud800-\udfff]/.test(word) ? [...word] : word;
}

function part(characters: string | string[], start: number, end: number): string {
  const some = characters.slice(start, end);
  return typeof some === 'string' ? some : some.join('');
}

function isDigit(code: number): boolean {
  return code >= 48 && code <= 57;
}

/** More keys would hardly narrow a search down further. */
const queryKeysMax = 32;

/**
 * What the index of searches has for a search text (domain/shared/text/folding.ts): of each word its first three characters
 * and the next three, of one that begins with no digit also the first two, and of one that does every three of these digits,
 * because people remember a number by any part of it. The database's function contact_search_keys does the same.
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

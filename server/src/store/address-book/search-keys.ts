/** More keys would hardly narrow a search down further. */
const queryKeysMax = 32;

/**
 * What the index of searches has for a search text (domain/shared/text/folding.ts): of each word its first three characters
 * and the next three, of one that begins with no digit also the first two, and of one that does every three of these digits,
 * because people remember a number by any part of it. The index ignores duplicates.
 */
export function searchKeys(searchText: string): string[] {
  const keys: string[] = [];
  let number = '';
  for (const word of searchText.split(' ')) {
    // A number is followed by its tails, whose triples it has itself.
    if (word.length < 2 || (number !== '' && number.endsWith(word))) continue;
    const digitCount = countDigits(word);
    if (digitCount === 0) addPart(keys, word, 0, 2);
    addTriples(keys, word, digitCount);
    number = digitCount === word.length ? word : '';
  }
  return keys;
}

/** Keys that a contact has if words of its search text begin with these. */
export function queryKeys(words: string[]): string[] {
  const keys: string[] = [];
  for (const word of words) {
    const digitCount = countDigits(word);
    addTriples(keys, word, digitCount);
    if (digitCount === 0 && charactersOf(word).length === 2) keys.push(word);
  }
  return [...new Set(keys)].slice(0, queryKeysMax);
}

function addTriples(keys: string[], word: string, digitCount: number): void {
  for (let start = 0; start + 3 <= digitCount; start++) keys.push(word.slice(start, start + 3));
  if (digitCount === word.length) return;
  addPart(keys, word, 0, 3);
  addPart(keys, word, 3, 6, '+');
}

/** Adds these characters of the word, if it has them all. */
function addPart(keys: string[], word: string, start: number, end: number, mark = ''): void {
  const characters = charactersOf(word);
  if (characters.length < end) return;
  const part = characters.slice(start, end);
  keys.push(mark + (typeof part === 'string' ? part : part.join('')));
}

/** Half of a surrogate pair is no text that PostgreSQL takes. */
function charactersOf(word: string): string | string[] {
  return /[\ud800-\udfff]/.test(word) ? [...word] : word;
}

function countDigits(word: string): number {
  let count = 0;
  while (count < word.length && word.charCodeAt(count) >= 48 && word.charCodeAt(count) <= 57) count += 1;
  return count;
}

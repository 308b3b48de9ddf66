import { byCharacter } from './characters.ts';

/** Letters that Unicode doesn't decompose into a base letter and a mark, and the final sigma. */
const singleLetters: Record<string, string> = {
  ß: 'ss',
  æ: 'ae',
  œ: 'oe',
  ø: 'o',
  ł: 'l',
  đ: 'd',
  ð: 'd',
  þ: 'th',
  ħ: 'h',
  ı: 'i',
  ŋ: 'n',
  ŧ: 't',
  ς: 'σ',
};
/** Of an inner word, in UTF-16 units: a name of 200 characters, which fold to 1,200, can have 200 of them. */
const beginningLengthMax = 60;
const innerWordStart = /(?<=[^\p{L}\p{N}])[\p{L}\p{N}]/gu;
const phoneLike = /^(?=.*\d)[\d+().\-/]+$/;
/** Of a search. */
const wordsMax = 10;
const phoneLikeStart = /^[\d+().\-/]+/;

/** The text without case and accents, as searches compare it. */
export function fold(text: string): string {
  return isAscii(text) ? text.toLowerCase() : foldCharacters(text);
}

const foldCharacters = byCharacter((decomposed) =>
  decomposed.toLowerCase().replace(/[ßæœøłđðþħıŋŧς]/g, (letter) => singleLetters[letter] ?? letter),
);

/**
 * A search's different words, folded. One that looks like part of a phone number is its digits alone. Each word is a
 * condition on every contact, so only the longest ones count: two hundred took PostgreSQL 3 ms for a contact that has them all.
 */
export function searchWords(search: string): string[] {
  const found = [...new Set(chunks(search).map((each) => (phoneLike.test(each) ? digitsOf(each) : each)))];
  if (found.length <= wordsMax) return found;
  return found.sort((one, other) => other.length - one.length).slice(0, wordsMax);
}

/**
 * The text that searches run on: a space before every place where a word may begin, so that "begins a word" is
 * `like '% word%'`, which a trigram index can answer. An inner word ("smith" in ann.smith@example.org) includes the rest
 * of its chunk, so that "smith@ex" is found too.
 */
export function searchText(texts: (string | null | undefined)[], phone?: string | null): string {
  let text = '';
  for (const each of texts)
    for (const chunk of each ? chunks(each) : [])
      for (const beginning of wordBeginnings(chunk)) text += ` ${beginning}${digitsAlone(beginning)}`;
  // People remember a number by its area code or its last digits, so each of its tails counts as a word.
  for (let tail = digitsOf(phone ?? ''); tail !== ''; tail = tail.slice(1)) text += ` ${tail}`;
  return text;
}

function chunks(text: string): string[] {
  const folded = fold(text);
  return /\s/.test(folded) || folded === '' ? words(folded) : [folded];
}

/** Each of them once: one letter can fold to four words, and a name repeat it. */
function words(folded: string): string[] {
  return [...new Set(folded.split(/\s+/))].filter((each) => each !== '');
}

function wordBeginnings(chunk: string): string[] {
  // Most are one word, and an import makes a search text for each contact.
  if (/^[a-z0-9]*$/.test(chunk)) return [chunk];
  if (isAscii(chunk)) return asciiBeginnings(chunk);
  return [chunk, ...[...chunk.matchAll(innerWordStart)].map((match) => beginningAt(chunk, match.index))];
}

/** Not cut between the halves of a character, which PostgreSQL refuses. */
function beginningAt(chunk: string, start: number): string {
  const end = start + beginningLengthMax;
  return chunk.slice(start, /[\ud800-\udbff]/.test(chunk.charAt(end - 1)) ? end - 1 : end);
}

/** The same, where that is decided by a look at two characters. */
function asciiBeginnings(chunk: string): string[] {
  const beginnings = [chunk];
  for (let at = 1; at < chunk.length; at++)
    if (isWordCharacter(chunk.charCodeAt(at)) && !isWordCharacter(chunk.charCodeAt(at - 1)))
      beginnings.push(beginningAt(chunk, at));
  return beginnings;
}

/** Of folded ASCII: a small letter or a digit. */
function isWordCharacter(code: number): boolean {
  return (code >= 97 && code <= 122) || (code >= 48 && code <= 57);
}

/** A search for "10-4" looks for 104, because it could be part of a phone number. */
function digitsAlone(beginning: string): string {
  const [start] = phoneLikeStart.exec(beginning) ?? [];
  if (start === undefined) return '';
  const digits = digitsOf(start);
  return beginning.startsWith(digits) ? '' : ` ${digits}`;
}

function digitsOf(text: string): string {
  return text.replace(/\D/g, '');
}

function isAscii(text: string): boolean {
  for (let at = 0; at < text.length; at++) if (text.charCodeAt(at) > 127) return false;
  return true;
}

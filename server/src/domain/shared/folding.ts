/** Letters that Unicode doesn't take apart into a base letter and a mark, and the sigma that ends a word. */
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
const innerWordStart = /(?<=[^\p{L}\p{N}])[\p{L}\p{N}]/gu;
const phoneLike = /^(?=.*\d)[\d+().\-/]+$/;
const phoneLikeStart = /^[\d+().\-/]+/;

/** The text without case and accents: what a search compares. */
export function fold(text: string): string {
  return text
    .normalize('NFKD')
    .replace(/\p{M}/gu, '')
    .toLowerCase()
    .replace(/[ßæœøłđðþħıŋŧς]/g, (letter) => singleLetters[letter] ?? letter);
}

/** The words of a search, folded; what looks like a piece of a phone number by its digits alone. */
export function searchWords(search: string): string[] {
  return chunks(search).map((each) => (phoneLike.test(each) ? digitsOf(each) : each));
}

/**
 * The text that a search looks through: a space before every place where a word may begin, so that "begins a word" is
 * `like '% word%'`, which a trigram index answers. An inner word ("smith" of ann.smith@example.org) brings the rest of
 * its chunk along, so that "smith@ex" is found as well.
 */
export function searchText(texts: (string | null | undefined)[], phone?: string | null): string {
  const beginnings = texts.flatMap((each) =>
    chunks(each ?? '')
      .flatMap(wordBeginnings)
      .flatMap(withDigitsAlone),
  );
  return [...beginnings, ...tails(digitsOf(phone ?? ''))].map((each) => ` ${each}`).join('');
}

function chunks(text: string): string[] {
  return fold(text)
    .split(/\s+/)
    .filter((each) => each !== '');
}

function wordBeginnings(chunk: string): string[] {
  return [chunk, ...[...chunk.matchAll(innerWordStart)].map((match) => chunk.slice(match.index))];
}

/** A search for "10-4" looks for 104, since it can't tell it from a piece of a phone number. */
function withDigitsAlone(beginning: string): string[] {
  const digits = digitsOf(phoneLikeStart.exec(beginning)?.[0] ?? '');
  return beginning.startsWith(digits) ? [beginning] : [beginning, digits];
}

function digitsOf(text: string): string {
  return text.replace(/\D/g, '');
}

/** People remember a number by its area code or its last digits, so every tail of it counts as a word. */
function tails(digits: string): string[] {
  return Array.from(digits, (_, start) => digits.slice(start));
}

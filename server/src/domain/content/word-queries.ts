import type { ReadWord } from '../../store/content/content-index.ts';
import { isBeginning, type WordSearch } from '../../store/content/content-search.ts';
import type { IndexQuery } from './content-index.ts';
import type { WordForm, WordTerm } from './word-places.ts';

/** Every word of the search and every correction, once. */
export function formsOf({ words }: WordSearch): string[] {
  return [...new Set(words.flatMap(({ word, others }) => [word, ...others]))];
}

/** The search as PostgreSQL reads it. Null if one of its words is several to PostgreSQL, and so a phrase. */
export function readQuery({ words, any }: WordSearch, read: ReadWord[]): IndexQuery | null {
  const readings = new Map(read.map((each) => [each.word, each]));
  if (!read.every(({ whole, beginning, stem }) => [whole, beginning, stem].every(isOneWord))) return null;
  const termsBy = (formsOfWord: (reading: ReadWord) => string[]): WordTerm[] =>
    words
      .map(({ word, others }) =>
        [word, ...others].flatMap((each) => {
          const reading = readings.get(each);
          return reading ? formsOfWord(reading).flatMap(formIn) : [];
        }),
      )
      // To PostgreSQL, a word without forms (a stop word) isn't part of the search.
      .filter((term) => term.length > 0);
  return {
    terms: termsBy(({ word, whole, beginning, stem }) => [isBeginning(word) ? beginning : whole, stem]),
    titleTerms: termsBy(({ stem }) => [stem]),
    any,
  };
}

/** The text of a tsquery that has one word: 'word' or 'word':* */
const oneWord = /^'([^'\\]+)'(:\*)?$/;

function isOneWord(tsquery: string): boolean {
  return tsquery === '' || oneWord.test(tsquery);
}

function formIn(tsquery: string): WordForm[] {
  const [, word, star] = oneWord.exec(tsquery) ?? [];
  return word === undefined ? [] : [{ word, isBeginning: star !== undefined }];
}

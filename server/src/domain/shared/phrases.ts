import { fold } from './folding.ts';

// Texts and the phrases to look for in them. A phrase is a list of words for one clause:
//   stop      the word itself
//   TEXTS     one of the alternatives that the vocabulary has for it
//   THESE*    none to six of them
//   ^  $      where the clause begins and ends
//   !NOT      at the front: must not come right before; at the end: must not come right after

/** The words that phrases write in capitals, each with the ways people say it. */
export type Vocabulary = Record<string, string>;

const ascii = /^[\t\n\r\x20-\x7e]*$/;
const apostrophes = /['’‘‛ʼ′`´＇]/g;
/** Zero-width, format and control characters, which can hide inside a word. */
const hidden = /[[\p{Default_Ignorable_Code_Point}\p{Cf}\p{Cc}]--[\t\n\v\f\r]]/gv;
const asciiGaps = /[^a-z0-9%]+/g;
const gaps = /[^\p{L}\p{N}%]+/gu;

/** The text without case, accents, apostrophes and invisible characters. Most texts are ASCII, which is less work. */
export function plainOf(text: string): string {
  if (ascii.test(text)) return text.toLowerCase().replace(apostrophes, '');
  return fold(text.replace(apostrophes, '')).replace(hidden, '');
}

/**
 * A plain text's clauses, one per line: words and percent signs with a space before, between and after them.
 * The caller decides which of the gaps between words end a clause; a single space never does.
 */
export function clausesOf(plain: string, endsClause: (gap: string) => boolean): string {
  const clauses = plain.replace(ascii.test(plain) ? asciiGaps : gaps, (gap) =>
    gap !== ' ' && endsClause(gap) ? ' \n ' : ' ',
  );
  return ` ${clauses.trim()} `;
}

/**
 * One pattern that finds any of the phrases in clauses. The time it takes is linear in the text, as long as every repeat
 * in the vocabulary is bounded or of a single letter.
 */
export function phrasesPattern(phrases: string[], vocabulary: Vocabulary): RegExp {
  return new RegExp(phrases.map((phrase) => phraseSource(phrase, vocabulary)).join('|'), 'gm');
}

function phraseSource(phrase: string, vocabulary: Vocabulary): string {
  const parts = phrase.split(' ');
  const firstWord = parts.findIndex((part) => /^\w/.test(part));
  const sources = parts.map((part, index) => {
    if (part === '^' || part === '$') return part;
    const [, not, word = '', star] = /^(!?)(\w+)(\*?)$/.exec(part) ?? [];
    const alternatives = /^[A-Z]/.test(word) ? vocabulary[word] : word;
    if (alternatives === undefined) throw new Error(`No words for ${part} in "${phrase}".`);
    if (not) return index < firstWord ? `(?<! (?:${alternatives}) )` : `(?!(?:${alternatives}) )`;
    return `(?:(?:${alternatives}) )${star ? '{0,6}' : ''}`;
  });
  const start = sources[0] === '^' ? `${sources.shift()} ` : ' ';
  return start + sources.join('');
}

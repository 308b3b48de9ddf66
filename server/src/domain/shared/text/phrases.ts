import type { TakeTurn } from '../turns.ts';
import { plainLetters } from './letters.ts';

// Texts and the phrases to look for in them. A phrase is a list of words for one clause:
//   stop      the word itself; it may be a regular expression (texts?)
//   TEXTS     one of the alternatives that the vocabulary has for it
//   (a|b c)   one of these
//   THESE*    none to six of them; ME? none or one
//   ~         up to four words that aren't a THING of the vocabulary
//   ^  $      where the clause begins and ends
//   !NOT      before the first word: must not come right before; after it: must not come next

/** The words that phrases write in capitals, each with its alternatives, written like phrases. */
export type Vocabulary = Record<string, string>;

const ascii = /^[\t\n\r\x20-\x7e]*$/;
const apostrophes = /['’‘‛ʼ′`´＇]/g;
const asciiGaps = /[^a-z0-9%]+/g;
const gaps = /[^\p{L}\p{N}%]+/gu;

/** The text in plain letters, without case, accents, apostrophes, invisible characters and look-alikes. */
export function plainOf(text: string): string {
  return plainLetters(text.replace(apostrophes, ''));
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

/** `prepare` makes its patterns in turns: a single text could need all of them, which takes longer than others should wait. */
export type PhrasesFinder = ((clauses: string) => boolean) & { prepare(turn: TakeTurn): Promise<void> };

/**
 * Whether clauses have any of the phrases. There is a pattern for each: one pattern of all would try every alternative at every
 * word, up to ten times slower. It is made for the first text that has the words which the phrase can't do without, because
 * to make those of all opt-outs takes 0.7 s of CPU and most replies need few.
 */
export function phrasesFinder(phrases: string[], vocabulary: Vocabulary): PhrasesFinder {
  const needs = new Map<string, RegExp>();
  const needOf = (source: string) => needs.get(source) ?? needs.set(source, new RegExp(source, 'm')).get(source);
  const finders = phrases.map((phrase) => {
    const needed = neededSources(phrase, vocabulary).map(needOf) as RegExp[];
    let pattern: RegExp | undefined;
    return { needed, pattern: () => (pattern ??= phrasesPattern([phrase], vocabulary)) };
  });
  const find = (clauses: string) => {
    const found = new Map<RegExp, boolean>();
    const has = (need: RegExp) => found.get(need) ?? (found.set(need, need.test(clauses)).get(need) as boolean);
    return finders.some(({ needed, pattern }) => needed.every(has) && clauses.search(pattern()) >= 0);
  };
  async function prepare(turn: TakeTurn): Promise<void> {
    for (const { needed, pattern } of finders) {
      await turn();
      // V8 compiles a pattern when it is used, and once more when it is used again; for texts in few scripts, and for others.
      for (const text of [' a ', ' a ', ' 中 ', ' 中 ']) for (const each of [...needed, pattern()]) text.search(each);
    }
  }
  return Object.assign(find, { prepare });
}

/** The words that are in every text with the phrase, each as a pattern. A space comes before each. */
function neededSources(phrase: string, vocabulary: Vocabulary): string[] {
  const needed = split(phrase, ' ').filter((part) => !/^[!^$~]|[?*]$/.test(part));
  return needed.map((part) => ` ${itemSource(part, vocabulary)}`);
}

function phraseSource(phrase: string, vocabulary: Vocabulary): string {
  const parts = split(phrase, ' ');
  const firstWord = parts.findIndex((part) => !/^[!^]/.test(part));
  const sources = parts.map((part, index) => itemSource(part, vocabulary, index < firstWord));
  const start = sources[0] === '^' ? `${sources.shift()} ` : ' ';
  // Few words are the first one, so it comes before a look at what precedes it.
  const first = parts[0]?.startsWith('!') ? `(?=${sources[firstWord]})` : '';
  return start + first + sources.join('');
}

function itemSource(item: string, vocabulary: Vocabulary, isBefore = false): string {
  if (item === '^' || item === '$') return item;
  if (item === '~') return `(?:(?!${choiceSource('THING', vocabulary)})\\S+ ){0,4}?`;
  const [, not = '', name, repeat = ''] = /^(!?)([A-Z]+|\((?!\?).*\))([?*]?)$/.exec(item) ?? [];
  if (name === undefined) return `${item} `;
  const source = choiceSource(name, vocabulary);
  if (not) return isBefore ? `(?<! ${source})` : `(?!${source})`;
  return source + { '': '', '?': '?', '*': '{0,6}' }[repeat];
}

function choiceSource(name: string, vocabulary: Vocabulary): string {
  const alternatives = name.startsWith('(') ? name.slice(1, -1) : vocabulary[name];
  if (alternatives === undefined) throw new Error(`The vocabulary has no words for ${name}.`);
  const sources = split(alternatives, '|').map((each) =>
    split(each.trim(), ' ')
      .map((item) => itemSource(item, vocabulary))
      .join(''),
  );
  return `(?:${sources.join('|')})`;
}

/** At each separator that isn't in brackets. */
function split(text: string, separator: string): string[] {
  const parts = [''];
  let depth = 0;
  for (const character of text) {
    if (character === '(') depth += 1;
    if (character === ')') depth -= 1;
    if (character === separator && depth === 0) parts.push('');
    else parts[parts.length - 1] += character;
  }
  return parts;
}

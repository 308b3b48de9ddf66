import { BoundedMap } from '../../shared/bounded-map.ts';
import { distance } from '../../shared/text/distance.ts';
import { readingsOf } from '../../shared/text/letters.ts';
import { plainOf } from '../../shared/text/phrases.ts';
import { endsOf } from '../../shared/text/text-rules.ts';

/** Reads a reply's words as they were meant: look-alike letters, digits for letters, spaced letters, slips and text-speak. */

const digitLetters: Record<string, string> = {
  0: 'o',
  1: 'i',
  3: 'e',
  4: 'a',
  5: 's',
  7: 't',
  8: 'b',
  $: 's',
  '@': 'a',
  '+': 't',
  '!': 'i',
  '|': 'l',
  '€': 'e',
  '©': 'c',
};

const spellings = new Map(
  Object.entries({
    text: 'txt texte txet texto',
    texts: 'txts textos',
    texting: 'txting txtin txtng txtn textin texing textng textig texin',
    texted: 'txted',
    message: 'msg msj mssg mesage mensaje',
    messages: 'msgs msjs mssgs mesages mensajes mensages',
    messaging: 'msging mesaging messagin',
    please: 'pls plz plse pleez porfa porfavor porfis',
    you: 'u yall',
    your: 'ur',
    could: 'cud',
    dont: 'dnt donot dotn dint dobt',
    not: 'nto',
    number: 'nbr numbr numer numero',
    sending: 'sendin',
    unsubscribe: 'unsub unsubscribing desubscribe unscribe unsuscribir unsubscription',
    list: 'lista listas',
    with: 'w',
    thanks: 'thx thnx tks thanx',
    forever: '4ever 4eva',
    remove: 'rmv rmove',
    fucking: 'fuckin fkin effing fking',
    fuck: 'fck fuk fucc phuck',
    quit: 'qit qut quitt uqit',
    stop: 'ctop sto stp sop sopt atop stawp stahp stap staph stob 570p',
    stopall: 'stopal',
  }).flatMap(([word, all]) => all.split(' ').map((each) => [each, word] as const)),
);

/** Words worth recognizing with a letter dropped, doubled, swapped or mistyped; with two if they are long. */
const slippery = (
  'stop quit cancel remove delete revoke please texting message messages messaging contact contacting consent receive ' +
  'receiving sending unsubscribe discontinue bothering spamming harassing immediately subscription unwanted'
).split(' ');
const slipperyLetters = slippery.map(letterSet);
/** Correctly spelled words that are only one letter away from one of those. */
const correct = new Set([
  ...slippery,
  ...(
    'shop step top estop stow slop strop stomp stops stopped stoped stopping crop drop prop flop chop swop cancer cancels ' +
    'canceled cancelled chancel remote removed removes remover removal revoked revokes testing resting vexing pleased ' +
    'pleas contract contacts contacted content contents convent consents massage massages messaged spending quite quiet ' +
    'quilt suit quip quid quits unsubscribed receives received deleted deletes resubscribe resubscribed subscribe ' +
    'subscribed subscriber cancele cancela cancelen cancelo contacte contactes contacten contactar contactado contactada'
  ).split(' '),
]);
/** The keys around those letters that short words have. */
const nextKeys: Record<string, string> = {
  s: 'awedxz',
  t: 'rfgy6',
  o: 'iklp9',
  p: 'ol0',
  q: 'wa2',
  u: 'yhji7',
  i: 'ujko9',
};
const longWord = 9;
const wordLengthMax = 16;

/** Phrases that count as one word. */
const compounds: [RegExp, string][] = [
  [/ (?:don t|do not|do nt) /g, ' dont '],
  [/ (?:did not|didn t) /g, ' didnt '],
  [/ (?:can not|can t|cannot) /g, ' cant '],
  [/ (?:will not|won t) /g, ' wont '],
  [/ (?:i am|i m) /g, ' im '],
  [/ (?:i have|i ve) /g, ' ive '],
  [/ (?:i would|i d) /g, ' id '],
  [/ (?:i will|i ll) /g, ' ill '],
  [/ (?:it is|it s) /g, ' its '],
  [/ any more /g, ' anymore '],
  [
    / (?:opt|op|opy|pot|otp|opting|opted|ipt) (?:(?:me|us|(?:this|my) number) )?(?:out|oit|put|ouy|ot|ou|uot|otu) /g,
    ' optout ',
  ],
  [/ (?:optuot|opout|optou|otpout) /g, ' optout '],
  [/ un (enroll|subscribe) /g, ' un$1 '],
  [/ no longer /g, ' nolonger '],
  [/ (?:text|sms) (messages?|alerts?|notifications?) /g, ' $1 '],
  [/ (?:phone|cell|mobile) number /g, ' number '],
  [/ wanna /g, ' want to '],
  [/ you r /g, ' you are '],
  [/ f ck(ing|in)? /g, ' fuck$1 '],
  [/ (?:dontext|dontxt)(ing)? /g, ' dont text$1 '],
  [/ 4 good /g, ' for good '],
  [/ (need|have|got|want|told|asked) (you )?2 /g, ' $1 $2to '],
  [/ de suscribir/g, ' desuscribir'],
];

const bracketsForO = /(?<=\p{L})\(\)(?=\p{L})|(?<![\p{L}\p{N}])\(\)(?=\p{L})/gu;
const signForO = /(?<=\p{L})(?:🛑|⭕|🅾|⛔|🚫)\ufe0f?(?=\p{L})/gu;
/** 🛑 texting me */
const signForStop = /(?:🛑|⛔|🚫|❌)\ufe0f?(?=\s*(?:te?xt|mess|msg|sms|spam))/giu;
/** Letters that flags are made of. */
const flagLetters = /[\u{1f1e6}-\u{1f1ff}]{4,}/gu;
/** Three letters or more, each by itself: S T O P, s.t.o.p., 5 T 0 P. */
const spacedLetters = /(?<![\p{L}\p{N}])[\p{L}57](?:[ .\-_*~|/·•]{1,3}[\p{L}0134578](?![\p{L}\p{N}])){2,}/gu;
/** A list is one clause: "no calls, texts or emails". */
const listed = /, (?=(?:text|message|call|email|mail)s?,? (?:or|and|nor) (?:text|message|call|email|mail)s?\b)/g;
/** Words without the spaces between them: "stoptextingme". */
const runWords = new RegExp(
  'unsubscribe|messaging|messages|message|texting|texts|text|contacting|contact|please|number|cancel|remove|delete|' +
    'leave|alone|these|stop|quit|lose|take|dont|more|this|list|from|your|spam|sms|plz|pls|end|opt|out|off|not|all|now|' +
    'the|me|my|us|no|do|it',
  'g',
);
const runTogether = new RegExp(`^(?:${runWords.source}){2,}$`);
const runTogetherMax = 40;

/**
 * Words that count although a letter in them may be read as several: I, l and 1 look the same, so each stands for all of them.
 * Shorter words are left alone: "ill" is not "all".
 */
const lookAlikeWords = new Map(
  [...slippery, ...runWords.source.split('|'), ...spellings.values(), 'revoke', 'optout', 'alto', 'cancelar']
    .filter((word) => word.length > 3)
    .map((word) => [shapeOf(word), word] as const),
);
const readingsMax = 64;
const shapesOfCharacters = new BoundedMap<string, string[]>();
const written = /[\p{L}\p{M}\p{N}\p{Cf}]+/gu;

/** In characters as they are compared. The longest text has 1,600, and a few signs in it may become words. */
const plainLengthMax = 2_000;
/** Words in letters that no phrase has. Several of them say no more than one. */
const foreignWords = /(?<![\p{L}\p{N}])(?:[a-z0-9]*[[\p{L}\p{N}]--[a-z0-9]][\p{L}\p{N}]* ?)+/gv;
const foreignWord = '中';
const numberSigns = /#(?:[ #]*#)?(?![\p{L}\p{N}])/gu;

/** Only where a run of them begins, so that a long run is read once. */
const clauseEnds =
  /(?<![.,;:?()\n\r\v\f\u2028\u2029—–…])[.,;:?()\n\r\v\f\u2028\u2029—–…]+(?=\s|$|\p{L}|")|!+(?=\s|$|!)/u;
const letterSigns =
  /(?<![\p{L}\p{N}])[$@€©](?=[17]?\p{L})|(?<=\p{L})[$@+!|€©](?=[\p{L}\p{N}])|(?<=\p{L}{2})[@+|](?![\p{L}\p{N}])/gu;
/** Numbers that are just that: 3pm, 401k, b4. */
const plainNumber = /^(?:\d+(?:st|nd|rd|th|am|pm|k|m|x|ish|s)?|\d{3,}[a-z]?|stop2\w*|b4)$/;

/**
 * The reply's clauses: words with a space before, between and after them. If they are too long to read, those at its
 * beginning and its end.
 */
export function replyClauses(text: string): { clauses: string[]; isWhole: boolean } {
  const plain = plainOf(
    text
      .replace(bracketsForO, 'o')
      .replace(signForO, 'o')
      .replace(signForStop, ' stop ')
      .replace(flagLetters, lettersOfFlags)
      .replace(written, meantReading),
  )
    .replace(foreignWords, (words) => (words.endsWith(' ') ? `${foreignWord} ` : foreignWord))
    .replace(numberSigns, ' number ');
  const read = endsOf(plain, plainLengthMax);
  const clauses = read
    .replace(spacedLetters, (letters) => letters.replace(/[^\p{L}\p{N}]/gu, ''))
    .replace(listed, ' or ')
    .replace(letterSigns, (sign) => digitLetters[sign] ?? sign)
    .split(clauseEnds)
    .map(wordsOf)
    .filter((words) => words.length > 0);
  return { clauses: withCompounds(clauses), isWhole: read === plain };
}

/** Whether all of a reply's letters are a keyword with a letter dropped, doubled or swapped: "otp out", "cancellar". */
export function isMistyped(letters: string, keyword: string): boolean {
  if (undoubled(letters) === undoubled(keyword)) return true;
  if (keyword.length < 5 || letters.length > keyword.length || distance(letters, keyword, 1) !== 1) return false;
  return letters.length < keyword.length || sorted(letters) === sorted(keyword);
}

function wordsOf(clause: string): string[] {
  return clause
    .split(/[^\p{L}\p{N}]+/u)
    .filter((word) => word !== '')
    .flatMap((word) => apart(wordOf(word)));
}

/** All clauses at once, since there may be hundreds, and each of them once. */
function withCompounds(clauses: string[][]): string[] {
  const lines = clauses.map((words) => ` ${words.join(' ')} `).join('\n');
  const compounded = compounds.reduce((text, [pattern, word]) => text.replace(pattern, word), lines);
  return compounded === '' ? [] : [...new Set(compounded.split('\n'))];
}

function lettersOfFlags(flags: string): string {
  return Array.from(flags, (each) => String.fromCodePoint((each.codePointAt(0) ?? 0) - 0x1f1e6 + 0x61)).join('');
}

function apart(word: string): string[] {
  const isLong = word.length > 5 && word.length <= runTogetherMax;
  if (!isLong || !runTogether.test(word)) return [word];
  return (word.match(runWords) ?? [word]).map((each) => spellings.get(each) ?? each);
}

/** A word with letters that can be read in several ways: as the word of ours that it may be, if there is one. */
function meantReading(word: string): string {
  if (/^\p{ASCII}*$/u.test(word) || word.length > runTogetherMax) return word;
  let readings = [''];
  for (const character of word) {
    const letters = shapesOf(character);
    readings = readings.flatMap((reading) => letters.map((letter) => reading + letter));
    if (readings.length > readingsMax) return word;
  }
  return readings.map((reading) => lookAlikeWords.get(reading)).find((meant) => meant !== undefined) ?? word;
}

function shapesOf(character: string): string[] {
  const known = shapesOfCharacters.get(character);
  if (known) return known;
  const shapes = [...new Set(readingsOf(character).map(shapeOf))];
  shapesOfCharacters.set(character, shapes);
  return shapes;
}

/** The word with one letter for all that look like it. */
function shapeOf(word: string): string {
  return word.replace(/[i1|]/g, 'l').replaceAll('0', 'o');
}

function wordOf(written: string): string {
  const hasDigits = /\d/.test(written) && /[a-z]/.test(written) && !plainNumber.test(written);
  const letters = hasDigits ? written.replace(/[0134578]/g, (digit) => digitLetters[digit] ?? digit) : written;
  const word = letters.replace(/(.)\1{2,}/g, '$1');
  return spellings.get(written) ?? spellings.get(word) ?? lookAlikeWords.get(shapeOf(word)) ?? slipOf(word);
}

function slipOf(word: string): string {
  if (word.length < 4 || word.length > wordLengthMax || correct.has(word)) return word;
  const letters = letterSet(word);
  return slippery.find((meant, index) => isSlip({ word, letters }, meant, slipperyLetters[index] ?? 0)) ?? word;
}

/** A slip changes at most one letter for another, which nearly always tells without comparing their order. */
function isSlip({ word, letters }: { word: string; letters: number }, meant: string, meantLetters: number): boolean {
  const slipsMax = meant.length >= longWord ? 2 : 1;
  if (countOf(letters & ~meantLetters) > slipsMax || countOf(meantLetters & ~letters) > slipsMax) return false;
  if (distance(word, meant, slipsMax) > slipsMax) return false;
  // A word of four letters has too many neighbors ("shot", "spot"): one letter more, another order, or the next key.
  return meant.length > 4 || word.length > 4 || sorted(word) === sorted(meant) || isNextKey(word, meant);
}

/** A bit for each letter that is in a word; one for all that aren't of the alphabet. */
function letterSet(word: string): number {
  let letters = 0;
  for (let at = 0; at < word.length; at++) letters |= 1 << Math.min(Math.abs(word.charCodeAt(at) - 97), 26);
  return letters;
}

function countOf(letters: number): number {
  let count = 0;
  for (let left = letters; left !== 0; left &= left - 1) count += 1;
  return count;
}

function sorted(word: string): string {
  return [...word].sort().join('');
}

function undoubled(word: string): string {
  return word.replace(/(.)\1+/g, '$1');
}

function isNextKey(word: string, meant: string): boolean {
  const changed = [...meant].findIndex((letter, place) => letter !== word[place]);
  return word.length === meant.length && (nextKeys[meant[changed] ?? ''] ?? '').includes(word[changed] ?? ' ');
}

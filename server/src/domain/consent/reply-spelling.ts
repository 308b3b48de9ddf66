import { plainOf } from '../shared/phrases.ts';

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
};

const spellings = new Map(
  Object.entries({
    text: 'txt texte txet',
    texts: 'txts textos',
    texting: 'txting txtin txtng txtn textin texing textng textig texin',
    texted: 'txted',
    message: 'msg msj mssg mesage mensaje',
    messages: 'msgs msjs mssgs mesages mensajes mensages',
    messaging: 'msging mesaging messagin',
    please: 'pls plz plse pleez porfa',
    you: 'u yall',
    your: 'ur',
    dont: 'dnt donot',
    number: 'nbr numbr',
    sending: 'sendin',
    unsubscribe: 'unsub unsubscribing desubscribe',
    with: 'w',
    thanks: 'thx thnx tks thanx',
    stop: 'ctop sto stp stopp stope atop stawp stahp stap dtop xtop srop syop stoo stio stpp stip stob',
    stopall: 'stopal',
  }).flatMap(([word, all]) => all.split(' ').map((each) => [each, word] as const)),
);

/** Words worth recognizing with a letter dropped, doubled, swapped or mistyped; with two if they are long. */
const slippery = (
  'stop quit cancel remove delete revoke please texting message messages messaging contact contacting consent receive ' +
  'receiving sending unsubscribe discontinue bothering spamming harassing immediately subscription unwanted'
).split(' ');
/** Correctly spelled words that are only one letter away from one of those. */
const correct = new Set([
  ...slippery,
  ...(
    'shop step top stow slop strop stomp stoop stops stopped stoped stopping crop drop prop flop chop swop cancer cancels ' +
    'canceled cancelled chancel remote removed removes remover removal revoked revokes testing resting vexing pleased ' +
    'pleas contract contacts contacted content contents convent consents massage massages messaged spending quite quiet ' +
    'quilt suit quip quid quits unsubscribed receives received deleted deletes'
  ).split(' '),
]);
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
  [/ (?:opt|op|opy|pot|opting|opted|ipt) (?:me |us )?(?:out|oit|put|ouy|ot) /g, ' optout '],
  [/ un subscribe /g, ' unsubscribe '],
  [/ no longer /g, ' nolonger '],
  [/ (?:text|sms) (messages?|alerts?|notifications?) /g, ' $1 '],
  [/ (?:phone|cell|mobile) number /g, ' number '],
];

const signForO = /(?<=\p{L})(?:🛑|⭕|🅾|⛔|🚫)\ufe0f?(?=\p{L})/gu;
/** Three letters or more, each by itself: S T O P, s.t.o.p. */
const spacedLetters = /(?<![\p{L}\p{N}])\p{L}(?:[ .\-_*~|/·•]{1,3}\p{L}(?![\p{L}\p{N}])){2,}/gu;
/** Only where a run of them begins, so that a long run is read once. */
const clauseEnds =
  /(?<![.,;:?()\n\r\v\f\u2028\u2029—–…])[.,;:?()\n\r\v\f\u2028\u2029—–…]+(?=\s|$|\p{L}|")|!+(?=\s|$|!)/u;
const letterSigns = /(?<![\p{L}\p{N}])[$@](?=\p{L})|(?<=\p{L})[$@+!|](?=[\p{L}\p{N}])/gu;
/** Numbers that are just that: 3pm, 401k, b4. */
const plainNumber = /^(?:\d+(?:st|nd|rd|th|am|pm|k|m|x|ish|s)?|\d{3,}[a-z]?|stop2\w*|b4)$/;

/** The reply's clauses: words with a space before, between and after them. */
export function replyClauses(text: string): string[] {
  return plainOf(text.replace(signForO, 'o'))
    .replace(spacedLetters, (letters) => letters.replace(/\P{L}/gu, ''))
    .split(clauseEnds)
    .map(clauseOf)
    .filter((clause) => clause.trim() !== '');
}

function clauseOf(text: string): string {
  const words = text
    .replace(letterSigns, (sign) => digitLetters[sign] ?? sign)
    .split(/[^\p{L}\p{N}]+/u)
    .filter((word) => word !== '')
    .map(wordOf);
  return compounds.reduce((clause, [pattern, word]) => clause.replace(pattern, word), ` ${words.join(' ')} `);
}

function wordOf(written: string): string {
  const hasDigits = /\d/.test(written) && /[a-z]/.test(written) && !plainNumber.test(written);
  const letters = hasDigits ? written.replace(/[0134578]/g, (digit) => digitLetters[digit] ?? digit) : written;
  const word = letters.replace(/(.)\1{2,}/g, '$1');
  return spellings.get(word) ?? slipOf(word);
}

function slipOf(word: string): string {
  if (word.length < 4 || word.length > wordLengthMax || correct.has(word)) return word;
  return slippery.find((meant) => isSlip(word, meant)) ?? word;
}

function isSlip(word: string, meant: string): boolean {
  const slipsMax = meant.length >= longWord ? 2 : 1;
  if (Math.abs(word.length - meant.length) > slipsMax || distance(word, meant) > slipsMax) return false;
  // A word of four letters has too many neighbors ("shot", "spot"): only the same letters in another order, or doubled.
  return meant.length > 4 || sorted(word) === sorted(meant) || undoubled(word) === undoubled(meant);
}

function sorted(word: string): string {
  return [...word].sort().join('');
}

function undoubled(word: string): string {
  return word.replace(/(.)\1+/g, '$1');
}

/** Letters dropped, added, changed or swapped with their neighbor (optimal string alignment). */
function distance(one: string, other: string): number {
  let beforeLast: number[] = [];
  let last = Array.from({ length: other.length + 1 }, (_, column) => column);
  for (let row = 1; row <= one.length; row++) {
    const current = [row];
    for (let column = 1; column <= other.length; column++) {
      const changed = one[row - 1] === other[column - 1] ? 0 : 1;
      const swapped = row > 1 && one[row - 1] === other[column - 2] && one[row - 2] === other[column - 1];
      current[column] = Math.min(
        at(last, column) + 1,
        at(current, column - 1) + 1,
        at(last, column - 1) + changed,
        swapped ? at(beforeLast, column - 2) + 1 : Number.POSITIVE_INFINITY,
      );
    }
    beforeLast = last;
    last = current;
  }
  return at(last, other.length);
}

function at(row: number[], column: number): number {
  return row[column] ?? Number.POSITIVE_INFINITY;
}

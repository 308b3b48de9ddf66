import { plainOf } from '../shared/text/phrases.ts';
import type { TakeTurn } from '../shared/turns.ts';
import type { Matcher } from './lexicon-matching.ts';
import { cardNumbers, socialSecurityNumbers } from './private-numbers.ts';

/** A part of a text, from a place to before another, that something was found in. */
export type Mark = { start: number; end: number; rule: string | null };

type Word = { start: number; end: number; key: string };

/** How much of the text is shown before and after what was found. */
const [before, after] = [14, 60];
const excerptLengthMax = 90;

/** Where rules match the text, as it was written: what they found is in plain letters. */
export function markFindings(text: string, match: Matcher): Mark[] {
  const findings = match(text);
  if (findings.length === 0) return [];
  const words = wordsIn(text);
  const marks = findings.flatMap(({ rule, found }) =>
    marksOf(words, keyOf(found)).map((place) => ({ ...place, rule })),
  );
  return withoutOverlaps(marks);
}

/** The words of a text, or of a part that begins there, with their places; a word's key is how rules compare it. */
export function wordsIn(text: string, from = 0): Word[] {
  return [...text.matchAll(/[\p{L}\p{M}\p{N}%'’‘\u00ad\u200b-\u200d]+/gu)].map((match) => ({
    start: from + match.index,
    end: from + match.index + match[0].length,
    key: keyOf(match[0]),
  }));
}

/** Each number is looked for in all of it. */
const piece = /[\s\S]{1,1000}(?:(?<=\p{L})(?=\P{Nd})|$)|[\s\S]{1,1000}/gu;

/** The text with the digits of card numbers and the like hidden, but for the last four. Marks stay where they are. */
export function hideNumbers(text: string): string {
  return text.replace(piece, hideNumbersInPiece);
}

function hideNumbersInPiece(text: string): string {
  if ((text.match(/\p{Nd}/gu)?.length ?? 0) < hiddenDigitsMin) return text;
  const plain = plainOf(text);
  const numbers = new Set([...cardNumbers(plain), ...socialSecurityNumbers(plain)].map(keyOf));
  if (numbers.size === 0) return text;
  const words = wordsIn(text);
  let hidden = text;
  for (const { start, end } of withoutOverlaps([...numbers].flatMap((number) => marksOf(words, number)))) {
    const digits = hidden.slice(start, end).replace(allButLastFour, (digit) => '■'.repeat(digit.length));
    hidden = hidden.slice(0, start) + digits + hidden.slice(end);
  }
  return hidden;
}

/** The same in everything that people wrote, wherever it is in what a page shows, in turns. */
export async function hideNumbersIn<Shown>(turn: TakeTurn, shown: Shown): Promise<Shown> {
  async function hide(value: unknown): Promise<unknown> {
    if (typeof value === 'string') return value.length < hiddenDigitsMin ? value : hideNumbersOf(turn, value);
    if (Array.isArray(value)) return hideEach(value);
    if (typeof value !== 'object' || value === null || value instanceof Date) return value;
    const names = Object.keys(value);
    const hidden = await hideEach(Object.values(value));
    return Object.fromEntries(names.map((name, index) => [name, hidden[index]]));
  }
  async function hideEach(values: unknown[]): Promise<unknown[]> {
    const hidden: unknown[] = [];
    for (const each of values) hidden.push(await hide(each));
    return hidden;
  }
  return (await hide(shown)) as Shown;
}

async function hideNumbersOf(turn: TakeTurn, text: string): Promise<string> {
  let hidden = '';
  for (const [part] of text.matchAll(piece)) {
    await turn();
    hidden += hideNumbersInPiece(part);
  }
  return hidden;
}

/** As much of the text as a list shows. Digits at its end would be a part of a number that nobody would find in it: they are left out. */
export function beginningOf(text: string, lengthMax: number): string {
  if (text.length <= lengthMax) return text;
  let end = lengthMax;
  for (let at = lengthMax - 1; at >= 0 && !/\p{L}/u.test(text.charAt(at)); at--)
    if (/\p{Nd}/u.test(text.charAt(at))) end = at;
  return `${text.slice(0, end).toWellFormed().trimEnd()}…`;
}

/** A social-security number's; others have more. */
const hiddenDigitsMin = 9;
const allButLastFour = /\p{Nd}(?=(?:\P{Nd}*\p{Nd}){4})/gu;

/** A short piece of the text, around what was found. Numbers that must not be in texts don't show in a list. */
export function excerptOf(written: string, [mark]: Mark[]): string {
  const text = hideNumbers(written);
  if (!mark) return text.length > excerptLengthMax ? `${text.slice(0, excerptLengthMax).trimEnd()}…` : text;
  const start = startOfWord(text, mark.start - before);
  const end = Math.min(text.length, mark.end + after);
  return `${start > 0 ? '…' : ''}${text.slice(start, end)}${end < text.length ? '…' : ''}`;
}

function startOfWord(text: string, place: number): number {
  if (place <= 0) return 0;
  const space = text.indexOf(' ', place);
  return space < 0 ? place : space + 1;
}

function marksOf(words: Word[], key: string): { start: number; end: number }[] {
  const marks: { start: number; end: number }[] = [];
  for (let first = 0; first < words.length; first++) {
    let read = '';
    for (let last = first; last < words.length && key.startsWith(read); last++) {
      read += words[last]?.key;
      if (read !== key || words[first]?.key === '') continue;
      marks.push({ start: words[first]?.start ?? 0, end: words[last]?.end ?? 0 });
      break;
    }
  }
  return marks;
}

function keyOf(text: string): string {
  return plainOf(text).replace(/[^\p{L}\p{N}]+/gu, '');
}

function withoutOverlaps<Place extends { start: number; end: number }>(marks: Place[]): Place[] {
  const kept: Place[] = [];
  for (const mark of marks.toSorted((a, b) => a.start - b.start || b.end - a.end))
    if (mark.start >= (kept.at(-1)?.end ?? 0)) kept.push(mark);
  return kept;
}

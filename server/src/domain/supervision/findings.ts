import { plainOf } from '../shared/text/phrases.ts';
import type { TakeTurn } from '../shared/turns.ts';
import type { Matcher } from './lexicon-matching.ts';
import { cardNumbers, plainWithDigits, socialSecurityNumbers } from './private-numbers.ts';

/** A part of a text, from a place to before another, that something was found in. */
export type Mark = Place & { rule: string | null };

type Place = { start: number; end: number };
type Word = Place & { key: string };

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

/** The text with the digits of card numbers and the like hidden, but for the last four. Marks stay where they are. */
export function hideNumbers(text: string): string {
  return hideAt(text, [...placesByPart(text)].flat());
}

function hideAt(text: string, places: Place[]): string {
  let hidden = '';
  for (const { start, end } of merged(places)) {
    const digits = text.slice(start, end).replace(allButLastFour, (digit) => '■'.repeat(digit.length));
    hidden += text.slice(hidden.length, start) + digits;
  }
  return hidden + text.slice(hidden.length);
}

/** Where the numbers are in one part of the text after the other. */
function* placesByPart(text: string): Generator<Place[]> {
  const digits = [...text.matchAll(anyDigit)].map(({ 0: digit, index }) => ({
    start: index,
    end: index + digit.length,
  }));
  if (digits.length < hiddenDigitsMin) return;
  for (const { start, end } of partsOf(digits)) {
    const from = Math.max(0, start - nameWithin);
    yield privatePlaces(text.slice(from, end + nameWithin), from);
  }
}

/**
 * Each number that is found is looked for in all of the text, so a long one is read in parts. The digits at the end of one are those
 * that the next begins with: a number is whole in one of them.
 */
function partsOf(digits: Place[]): Place[] {
  const parts: Place[] = [];
  for (let first = 0; first < digits.length; ) {
    let last = Math.min(first + 2 * sharedDigits, digits.length) - 1;
    const start = digits[first]?.start ?? 0;
    while ((digits[last + 1]?.end ?? Infinity) - start <= partLength) last += 1;
    parts.push({ start, end: digits[last]?.end ?? start });
    if (last === digits.length - 1) break;
    first = last + 1 - sharedDigits;
  }
  return parts;
}

/** Where the numbers are in a part of a text that begins there. A letter next to one doesn't hide it. */
function privatePlaces(part: string, from: number): Place[] {
  const plain = plainWithDigits(part);
  const numbers = new Set(
    [...cardNumbers(plain), ...socialSecurityNumbers(plain)].map((each) => each.replace(/\D/g, '')),
  );
  if (numbers.size === 0) return [];
  const groups = [...part.matchAll(/[\p{Nd}\p{No}]+/gu)].map(({ 0: group, index }) => ({
    start: from + index,
    end: from + index + group.length,
    key: plainWithDigits(group),
  }));
  return [...numbers].flatMap((number) => marksOf(groups, number));
}

/** Numbers that overlap are hidden as one: none may show the digits of another. */
function merged(places: Place[]): Place[] {
  const kept: Place[] = [];
  for (const place of places.toSorted((a, b) => a.start - b.start)) {
    const last = kept.at(-1);
    if (last && place.start < last.end) last.end = Math.max(last.end, place.end);
    else kept.push({ ...place });
  }
  return kept;
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
  const places: Place[] = [];
  for (const found of placesByPart(text)) {
    places.push(...found);
    await turn();
  }
  return hideAt(text, places);
}

/** A social-security number's; others have more. */
const hiddenDigitsMin = 9;
/** As many as the longest number has, and one on each side, which may make it none. */
const sharedDigits = 21;
const partLength = 1_000;
/** What a number is called may be as far away. */
const nameWithin = 60;
const anyDigit = /[\p{Nd}\p{No}]/gu;
const allButLastFour = /[\p{Nd}\p{No}](?=(?:[^\p{Nd}\p{No}]*[\p{Nd}\p{No}]){4})/gu;

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

function marksOf(words: Word[], key: string): Place[] {
  const marks: Place[] = [];
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

function withoutOverlaps<Marked extends Place>(marks: Marked[]): Marked[] {
  const kept: Marked[] = [];
  for (const mark of marks.toSorted((a, b) => a.start - b.start || b.end - a.end))
    if (mark.start >= (kept.at(-1)?.end ?? 0)) kept.push(mark);
  return kept;
}

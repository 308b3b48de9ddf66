import { plainOf } from '../shared/text/phrases.ts';

/** Numbers that don't belong in a text: payment cards' and social-security numbers. Each is found in a plain text. */

type Group = { digits: string; start: number; end: number };

/** A social-security number's; a card's has more. */
const digitsMin = 9;
const cardDigitsMin = 13;
const cardDigitsMax = 19;
/** How far from the number its name may be, in characters. */
const nearMax = 40;

/** Groups of digits as they are embossed. Any other grouping counts only if the number is the whole run of groups. */
const cardShapes = new Set(['4 4 4 4', '4 4 4 4 3', '4 6 5', '4 6 4', '4 4 5', '4 3 3 3']);
/** Between two groups. */
const separatorMax = 3;
const betweenGroups = /^(?:[ .-]| ?[,/_·•|:*] ?)$/;
/** Some UUIDs look like card numbers. */
const uuid = /\b[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\b/gi;
const socialWords =
  /\bssns?\b|\bss ?#|\bss (?:no|num|number)\b|\bsocial\b(?! (?:media|network|event|club|hour|gathering|calendar))|\bsoc sec\b|\bitin\b|\btaxpayer id/;

/** Payment cards' numbers: 13 to 19 digits that pass the Luhn check, in groups or not. */
export function* cardNumbers(plain: string): Generator<string> {
  if (!hasDigits(plain, cardDigitsMin)) return;
  const text = evenlySpaced(plain).replace(uuid, ' ');
  const groups = [...text.matchAll(/\d+/g)].map<Group>((match) => ({
    digits: match[0],
    start: match.index,
    end: match.index + match[0].length,
  }));
  for (let first = 0; first < groups.length; first++) {
    const found = cardFrom(text, groups, first);
    if (found) yield found;
  }
}

/** A card number that begins with this group, with the same separator between all of its groups. */
function cardFrom(text: string, groups: Group[], first: number): string | null {
  const start = groups[first]?.start ?? 0;
  // After a plus sign comes a phone number, after a digit and a point or a comma the rest of a decimal.
  if (/\+$|\d[.,]$/.test(text.slice(Math.max(0, start - 2), start))) return null;
  const separator = separatorAfter(text, groups, first);
  const beginsRun = first === 0 || separatorAfter(text, groups, first - 1) !== separator;
  let digits = '';
  const sizes: number[] = [];
  for (let last = first; last < groups.length && digits.length <= cardDigitsMax; last++) {
    const group = groups[last] as Group;
    digits += group.digits;
    sizes.push(group.digits.length);
    const endsRun = separator === null || separatorAfter(text, groups, last) !== separator;
    const shaped = last === first || (beginsRun && endsRun) || cardShapes.has(sizes.join(' '));
    // If a letter follows, it is part of a longer id.
    const ends = !/\p{L}/u.test(text.charAt(group.end));
    if (shaped && ends && isCardNumber(digits)) return text.slice(start, group.end);
    // Inside a run, only the shape of a card counts, which begins with four digits.
    if (endsRun || (!beginsRun && sizes[0] !== 4)) return null;
  }
  return null;
}

/** The separator between this group and the next, if they can belong together. */
function separatorAfter(text: string, groups: Group[], index: number): string | null {
  const [one, next] = [groups[index], groups[index + 1]];
  if (!one || !next || next.start > one.end + separatorMax) return null;
  const between = text.slice(one.end, next.start);
  return betweenGroups.test(between) ? between : null;
}

/** Checks the issuers' first digits and lengths, which rules out most other long numbers, then the Luhn check digit. */
function isCardNumber(digits: string): boolean {
  const { length } = digits;
  if (length < cardDigitsMin || length > cardDigitsMax) return false;
  const issued =
    (/^4/.test(digits) && [13, 16, 19].includes(length)) ||
    (/^(?:5[1-5]|2[2-7])/.test(digits) && length === 16) ||
    (/^3[47]/.test(digits) && length === 15) ||
    (/^3[05689]/.test(digits) && length >= 14) ||
    /^(?:5[0678]|6)/.test(digits);
  return issued && satisfiesLuhn(digits);
}

function satisfiesLuhn(digits: string): boolean {
  let sum = 0;
  for (let place = 0; place < digits.length; place++) {
    const digit = Number(digits[digits.length - 1 - place]);
    const doubled = digit * 2 > 9 ? digit * 2 - 9 : digit * 2;
    sum += place % 2 === 1 ? doubled : digit;
  }
  return sum % 10 === 0;
}

/** Social-security numbers: 123-45-6789, 123 45 6789, or any nine digits close to the name. */
export function* socialSecurityNumbers(plain: string): Generator<string> {
  if (!hasDigits(plain, digitsMin)) return;
  const text = evenlySpaced(plain);
  for (const { 0: found, 1: separator = '', index } of text.matchAll(/(?<!\d)\d{3}([ -])\d{2}\1\d{4}(?!\d)/g)) {
    const partOfMore = isPart(text, index - 2, separator) || isPart(text, index + found.length, separator);
    if (!partOfMore && isIssued(found)) yield found;
  }
  if (!socialWords.test(text)) return;
  for (const { 0: found, index } of text.matchAll(/(?<!\d[ .-]?)(?:\d[ .-]?){8}\d(?![ .-]?\d)/g)) {
    const end = index + found.length;
    const near = [text.slice(Math.max(0, index - nearMax), index), text.slice(end, end + nearMax)];
    if (isIssued(found) && near.some((each) => socialWords.test(each))) yield found;
  }
}

/** Whether a digit and the same separator, in either order, are at this place: then the number continues there. */
function isPart(text: string, at: number, separator: string): boolean {
  const there = text.slice(Math.max(0, at), at + 2);
  return there.includes(separator) && /\d/.test(there);
}

/** Ranges that were never issued are nobody's secret. */
function isIssued(number: string): boolean {
  return /^(?!000|666|9)\d{3}(?!00)\d{2}(?!0000)\d{4}$/.test(number.replace(/\D/g, ''));
}

/** The text in plain letters, with the digits of every script as 0 to 9, of which some look like letters. */
export function plainWithDigits(text: string): string {
  const digits = text.replace(/(?!\d)\p{Nd}/gu, (digit) => String(digitValueOf(digit.codePointAt(0) ?? 0)));
  return plainOf(digits);
}

/** A script's digits follow each other, from its zero on. */
function digitValueOf(code: number): number {
  let zero = code;
  while (code - zero < 9 && /\p{Nd}/u.test(String.fromCodePoint(zero - 1))) zero -= 1;
  return code - zero;
}

/** Any white space becomes one space, and every dash, with or without spaces around it, a hyphen. */
function evenlySpaced(plain: string): string {
  return plain
    .replace(/\s+/g, ' ')
    .replace(/[‐-―−]/g, '-')
    .replace(/ ?- ?/g, '-');
}

/** A quick check that rules out most texts. */
function hasDigits(plain: string, atLeast: number): boolean {
  let count = 0;
  for (let index = 0; index < plain.length; index++) {
    const code = plain.charCodeAt(index);
    if (code >= 48 && code <= 57 && ++count >= atLeast) return true;
  }
  return false;
}

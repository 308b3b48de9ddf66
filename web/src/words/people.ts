import { readNumber } from '../../../server/src/domain/shared/phone-numbers.ts';

const american = /^\+1[2-9]\d{9}$/;

/** `+1 (512) 555-2210`, and other countries' numbers as they are. */
export function phoneWords(phone: string): string {
  const [, area, exchange, line] = /^\+1(\d{3})(\d{3})(\d{4})$/.exec(phone) ?? [];
  return area ? `+1 (${area}) ${exchange}-${line}` : phone;
}

/** What somebody types or pastes, in E.164; null if it is no number. Ten digits are American. */
export function readPhone(typed: string): string | null {
  const whole = readNumber(typed);
  if (whole) return whole;
  const guesses = [readNumber(`+1${typed}`), readNumber(`+${typed}`)];
  return guesses.find((guess) => guess && american.test(guess)) ?? null;
}

/** `AO` of Ana Ortiz; nothing of a number. */
export function initials(name: string): string {
  const words = name.split(/\s+/).filter((word) => /^\p{L}/u.test(word));
  const [first = '', last = ''] = words.length > 1 ? [words[0], words.at(-1)] : words;
  return ([...first][0] ?? '').toUpperCase() + ([...last][0] ?? '').toUpperCase();
}

/** Always the same for a person, so that faces are known by it. */
export function hueOf(key: string): number {
  let sum = 7;
  for (const letter of key) sum = (sum * 31 + (letter.codePointAt(0) ?? 0)) % 360;
  return sum;
}

export function firstName(name: string | null): string {
  return name && /^\p{L}/u.test(name) ? (name.split(/\s+/)[0] ?? name) : 'They';
}

export function count(number: number, one: string, many = `${one}s`): string {
  return `${number.toLocaleString('en-US')} ${number === 1 ? one : many}`;
}

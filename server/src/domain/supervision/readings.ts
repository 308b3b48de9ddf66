import { fold } from '../shared/folding.ts';

const ascii = /^[\t\n\r\x20-\x7e]*$/;
const apostrophes = /['’‘‛ʼ′`´＇]/g;
/** Zero-width, format and control characters: what can hide inside a word. */
const hidden = /[[\p{Default_Ignorable_Code_Point}\p{Cf}\p{Cc}]--[\t\n\v\f\r]]/gv;
const asciiGaps = /[^a-z0-9%]+/g;
const gaps = /[^\p{L}\p{N}%]+/gu;

/** A text as rules compare it; how it reads is worked out when it is asked for, since most texts give no cause to. */
export type Read = { plain: string; reading(): string };

export function readText(text: string): Read {
  const plain = plainOf(text);
  let reading: string | undefined;
  return {
    plain,
    reading: () => {
      reading ??= readingOf(plain);
      return reading;
    },
  };
}

/** The text without case, accents, apostrophes and what can't be seen. Most texts are ASCII, which is less work. */
function plainOf(text: string): string {
  if (ascii.test(text)) return text.toLowerCase().replace(apostrophes, '');
  return fold(text.replace(apostrophes, '')).replace(hidden, '');
}

/**
 * What a plain text says: its words and percent signs with a space before, between and after them,
 * each clause a line. Punctuation within a word is a space and ends no clause: "risk-free" is "risk free".
 */
function readingOf(plain: string): string {
  const read = plain.replace(ascii.test(plain) ? asciiGaps : gaps, (gap) => (gap === ' ' ? gap : between(gap)));
  return ` ${read.trim()} `;
}

function between(gap: string): string {
  const ends = /[—–―]/.test(gap) || (/[.,;:!?()]/.test(gap) && /\s/.test(gap)) || /\n[ \t\r]*\n/.test(gap);
  return ends ? ' \n ' : ' ';
}

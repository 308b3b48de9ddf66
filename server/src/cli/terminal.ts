/** What terminals need to know about texts that anybody may have written. */

// U+061C, U+200E and the like turn the order of what follows: a text could rearrange the line that shows it.
const turning = '\\u061c\\u200e\\u200f\\u202a-\\u202e\\u2066-\\u2069';
const lineBreaks = /\r\n|[\n\v\f\r\u0085\u2028\u2029]/g;
const harmful = new RegExp(`[\\p{Cc}${turning}]`, 'gu');
const harmfulInJson = new RegExp(`[\\x7f-\\x9f\\u2028\\u2029${turning}]`, 'g');
/** East Asian scripts, and what is drawn as an emoji. */
const wide =
  /[\u1100-\u115f\u2e80-\u303e\u3041-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6]|[\u{20000}-\u{3fffd}]|\p{Emoji_Presentation}|\ufe0f/u;
const graphemes = new Intl.Segmenter('en', { granularity: 'grapheme' });

/** A text in one line that can do nothing to a terminal: what would control it is shown as a sign instead. */
export function inOneLine(text: string): string {
  return text.replace(lineBreaks, '⏎').replaceAll('\t', ' ').replace(harmful, signOf);
}

/** JSON in one line, the same value, with what a terminal could mind escaped. */
export function jsonInOneLine(value: unknown): string {
  return JSON.stringify(value).replace(harmfulInJson, (character) => `\\u${hex(character).padStart(4, '0')}`);
}

/** How many columns a text takes. */
export function widthOf(text: string): number {
  return [...graphemes.segment(text)].reduce((sum, { segment }) => sum + columnsOf(segment), 0);
}

/** The text, cut where it would be wider than that. */
export function cutTo(columns: number, text: string): string {
  if (text.length * 2 <= columns || widthOf(text) <= columns) return text;
  let kept = '';
  let left = columns - 1;
  for (const { segment } of graphemes.segment(text)) {
    left -= columnsOf(segment);
    if (left < 0) break;
    kept += segment;
  }
  return `${kept}…`;
}

export function padTo(columns: number, text: string): string {
  return text + ' '.repeat(Math.max(0, columns - widthOf(text)));
}

function columnsOf(grapheme: string): number {
  return wide.test(grapheme) ? 2 : 1;
}

/** C0 controls and DEL have pictures: ␛ for escape. */
function signOf(character: string): string {
  const code = character.codePointAt(0) ?? 0;
  if (code < 0x20) return String.fromCodePoint(0x2400 + code);
  return code === 0x7f ? '␡' : '�';
}

function hex(character: string): string {
  return character.charCodeAt(0).toString(16);
}

/** Makes text that anybody may have written safe to show in a terminal. */

// U+061C, U+200E and the like change the order of the text after them: a text could rearrange its line.
const bidirectional = '\\u061c\\u200e\\u200f\\u202a-\\u202e\\u2066-\\u2069';
const lineBreaks = /\r\n|[\n\v\f\r\u0085\u2028\u2029]/g;
const harmful = new RegExp(`[\\p{Cc}${bidirectional}]`, 'gu');
const harmfulInJson = new RegExp(`[\\x7f-\\x9f\\u2028\\u2029${bidirectional}]`, 'g');

/** A text in one line that can't control the terminal: control characters are shown as symbols. */
export function inOneLine(text: string): string {
  return text.replace(lineBreaks, '⏎').replaceAll('\t', ' ').replace(harmful, symbolOf);
}

/** The same for a message that has lines of its own. */
export function inLines(text: string): string {
  return text.split('\n').map(inOneLine).join('\n');
}

/** JSON with characters that could affect a terminal escaped. */
export function safeJson(value: unknown, indent?: number): string {
  return JSON.stringify(value, null, indent).replace(
    harmfulInJson,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}

/** C0 controls and DEL have symbols: ␛ for escape. */
function symbolOf(character: string): string {
  const code = character.codePointAt(0) ?? 0;
  if (code < 0x20) return String.fromCodePoint(0x2400 + code);
  return code === 0x7f ? '␡' : '�';
}

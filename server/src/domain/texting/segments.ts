export type Segments = { encoding: 'GSM-7' | 'UCS-2'; segments: number };

/** GSM-7's basic set (3GPP TS 23.038, 6.2.1), and its extension, whose characters need an escape. */
const basic = String.raw`\n\r !-?@A-Z_a-z¡£¤¥§¿ÄÅÆÇÉÑÖØÜßàäåæèéìñòöøùüΓΔΘΛΞΠΣΦΨΩ`;
const extension = ['[', '\\', ']', '^', '{', '|', '}', '~', '€'];
const basicGsm7 = new RegExp(`^[${basic}]*$`);
const gsm7 = new RegExp(`^[${basic}${extension.map((each) => `\\${each}`).join('')}]*$`);

/** Characters that never combine with their neighbors: Latin, Greek, punctuation, currencies, symbols, Han, plain emoji. */
const standalone =
  /^[\t\n\r -~\u00a0-\u024f\u0391-\u03c9\u2010-\u2027\u2030-\u205e\u20a0-\u20bf\u2190-\u2bff\u4e00-\u9fff\u{1f300}-\u{1f3fa}\u{1f400}-\u{1f64f}\u{1f680}-\u{1f6ff}\u{1f900}-\u{1f9ff}]*$/u;

/** Characters as readers see them, by the rules of Unicode that Node has. */
const readers = new Intl.Segmenter('und', { granularity: 'grapheme' });

/** Septets of GSM-7, or UTF-16 units, in a text of one segment and in each segment of a longer one. */
export const rooms = { 'GSM-7': { alone: 160, joined: 153 }, 'UCS-2': { alone: 70, joined: 67 } } as const;

let lastCounted: { text: string; counted: Segments } | undefined;

/**
 * How a carrier splits the text: 160 septets or 70 UTF-16 units in one segment, 153 or 67 in each of several. A character as
 * readers see it is split only if it is longer than a segment. A send to many people counts the same text for each of them.
 */
export function segmentsOf(text: string): Segments {
  if (lastCounted?.text !== text) lastCounted = { text, counted: count(text) };
  return lastCounted.counted;
}

function count(text: string): Segments {
  const plain = rooms['GSM-7'];
  if (basicGsm7.test(text))
    return { encoding: 'GSM-7', segments: text.length <= plain.alone ? 1 : Math.ceil(text.length / plain.joined) };
  if (gsm7.test(text)) return { encoding: 'GSM-7', segments: countSegments(text, septets, plain) };
  const characters = charactersOf(text, units, rooms['UCS-2'].joined);
  return { encoding: 'UCS-2', segments: countSegments(characters, units, rooms['UCS-2']) };
}

/** A character of two units moves to the next segment if only one unit is left. */
function countSegments(
  characters: Iterable<string>,
  sizeOf: (character: string) => number,
  room: { alone: number; joined: number },
): number {
  let total = 0;
  let segments = 1;
  let used = 0;
  for (const character of characters) {
    const size = sizeOf(character);
    total += size;
    used += size;
    if (used <= room.joined) continue;
    segments += 1;
    used = size;
  }
  return total <= room.alone ? 1 : segments;
}

/**
 * The segments themselves, for a carrier that splits texts here: as many as `segmentsOf` counts if it has the same room. A
 * character as readers see it is split only if it is longer than a segment, and then between code points.
 */
export function splitText(text: string, room: { alone: number; joined: number; escapes: boolean }): string[] {
  // Most texts fit whatever their characters are, and need no closer look.
  if (text.length * (room.escapes ? 2 : 1) <= room.alone) return [text];
  const sizeOf = room.escapes ? septets : units;
  let size = 0;
  for (const character of text) size += sizeOf(character);
  if (size <= room.alone) return [text];
  const segments = [''];
  let used = 0;
  for (const character of charactersOf(text, sizeOf, room.joined)) {
    const size = sizeOf(character);
    if (used + size > room.joined) {
      segments.push('');
      used = 0;
    }
    segments[segments.length - 1] += character;
    used += size;
  }
  return segments;
}

/** A line break is two characters, and one that is longer than a segment is split between code points. */
function charactersOf(text: string, sizeOf: (character: string) => number, sizeMax: number): Iterable<string> {
  if (gsm7.test(text) || standalone.test(text)) return text;
  return Array.from(readers.segment(text), ({ segment }) => segment).flatMap((each) =>
    each === '\r\n' || sizeOf(each) > sizeMax ? [...each] : each,
  );
}

function septets(character: string): number {
  return extension.includes(character) ? 2 : 1;
}

function units(character: string): number {
  return character.length;
}

import { segmentsOf, splitText, rooms as told } from '../../../../domain/texting/segments.ts';
import type { SmppSettings } from '../options.ts';

/** How a text is written for the SMSC: its `data_coding`, and one piece of octets for each part. */
type WrittenText = { dataCoding: number; pieces: Buffer[]; inPayload: boolean };

type AlphabetSettings = Pick<SmppSettings, 'defaultAlphabet' | 'latin1' | 'longTexts'>;

const codings = { default: 0, ascii: 1, latin1: 3, octets: 4, ucs2: 8 } as const;
/** By the two bits that tell them. */
const alphabets = [codings.default, codings.octets, codings.ucs2];

/**
 * Room in one part, and in each of several, by the header that joins them: an 8-bit reference takes 6 octets of 140, a 16-bit
 * one 7. With SAR parameters the SMSC makes the header.
 */
const rooms = {
  septets: roomsBy(told['GSM-7']),
  octets: roomsBy({ alone: 140, joined: 134 }),
  units: roomsBy(told['UCS-2']),
};

function roomsBy({ alone, joined }: { alone: number; joined: number }) {
  return { alone, udh8: joined, udh16: joined - 1, sar: joined, payload: joined };
}

export function writeText(text: string, settings: AlphabetSettings): WrittenText {
  // Most texts are in GSM-7 and fit, and need no closer look. We count a form feed as a character of UCS-2.
  const alone = settings.defaultAlphabet === 'gsm7' && !text.includes('\f') ? encodeGsm7(text) : null;
  if (alone && alone.length <= rooms.septets.alone)
    return { dataCoding: codings.default, pieces: [alone], inPayload: false };
  if (segmentsOf(text).encoding === 'GSM-7' && isInDefault(text, settings))
    return written(codings.default, text, settings, 'septets', (piece) => inDefault(piece, settings));
  if (settings.latin1 && isLatin1(text))
    return written(codings.latin1, text, settings, 'octets', (piece) => Buffer.from(piece, 'latin1'));
  return written(codings.ucs2, text, settings, 'units', (piece) => Buffer.from(piece, 'utf16le').swap16());
}

function written(
  dataCoding: number,
  text: string,
  { longTexts }: AlphabetSettings,
  unit: keyof typeof rooms,
  encode: (piece: string) => Buffer,
): WrittenText {
  const { alone, [longTexts]: joined } = rooms[unit];
  const pieces = splitText(text, { alone, joined, escapes: unit === 'septets' });
  const inPayload = longTexts === 'payload' && pieces.length > 1;
  return { dataCoding, pieces: (inPayload ? [text] : pieces).map(encode), inPayload };
}

/** The SMSC turns its own alphabet into GSM-7, so a text has to be in both. */
function isInDefault(text: string, { defaultAlphabet }: AlphabetSettings): boolean {
  if (defaultAlphabet === 'gsm7') return true;
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these are the characters of ASCII
  return defaultAlphabet === 'latin1' ? isLatin1(text) : /^[\u0000-\u007f]*$/.test(text);
}

function inDefault(text: string, { defaultAlphabet }: AlphabetSettings): Buffer {
  return (defaultAlphabet === 'gsm7' && encodeGsm7(text)) || Buffer.from(text, 'latin1');
}

function isLatin1(text: string): boolean {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these are the characters of Latin-1
  return /^[\u0000-\u00ff]*$/.test(text);
}

/** Encodings of `data_coding` that Node knows by a name. */
const named: Record<number, string> = {
  5: 'shift_jis',
  6: 'iso-8859-5',
  7: 'iso-8859-8',
  10: 'iso-2022-jp',
  14: 'euc-kr',
};

/** A text that came in. An unknown coding is read as Latin-1, so that every octet is kept. */
export function readText(octets: Buffer, dataCoding: number, { defaultAlphabet }: AlphabetSettings): string {
  const coding = baseCoding(dataCoding);
  if (coding === codings.default && defaultAlphabet === 'gsm7') return decodeGsm7(octets);
  if (coding === codings.ucs2) return new TextDecoder('utf-16be').decode(octets);
  const name = named[coding];
  return name ? new TextDecoder(name).decode(octets) : octets.toString('latin1');
}

/**
 * The coding without its message class or waiting indication (3GPP TS 23.038, 4). Below 16 are SMPP's own codings; above, bits 3 and
 * 2 have the alphabet, except in what is compressed.
 */
function baseCoding(dataCoding: number): number {
  const group = dataCoding & 0xf0;
  if (group === 0xe0) return codings.ucs2;
  if (group === 0xc0 || group === 0xd0) return codings.default;
  if (group === 0xf0) return dataCoding & 0x04 ? codings.octets : codings.default;
  if (group === 0x10 || group === 0x40 || group === 0x50) return alphabets[(dataCoding >> 2) & 3] ?? dataCoding;
  return dataCoding;
}

/**
 * GSM-7 as SMPP peers expect it: one character in an octet, not packed (3GPP TS 23.038, 6.2.1). A character of the
 * extension takes two octets, the first of which is the escape.
 */
const basic =
  '@£$¥èéùìòÇ\nØø\rÅåΔ_ΦΓΛΩΠΨΣΘΞ\u001bÆæßÉ !"#¤%&\'()*+,-./0123456789:;<=>?¡ABCDEFGHIJKLMNOPQRSTUVWXYZÄÖÑÜ§¿abcdefghijklmnopqrstuvwxyzäöñüà';
const extension: Record<number, string> = {
  10: '\f',
  20: '^',
  40: '{',
  41: '}',
  47: '\\',
  60: '[',
  61: '~',
  62: ']',
  64: '|',
  101: '€',
};
const escapeOctet = 0x1b;

/** Each character's octet, with the escape in front of it if it needs one. */
const octetsOf = new Map<string, number>([
  ...[...basic].map((character, octet) => [character, octet] as const),
  ...Object.entries(extension).map(([octet, character]) => [character, (escapeOctet << 8) | Number(octet)] as const),
]);

octetsOf.delete(String.fromCharCode(escapeOctet));

/** Null if GSM-7 lacks a character of the text. */
function encodeGsm7(text: string): Buffer | null {
  const octets = Buffer.alloc(text.length * 2);
  let at = 0;
  for (const character of text) {
    const octet = octetsOf.get(character);
    if (octet === undefined) return null;
    if (octet > 0xff) octets[at++] = escapeOctet;
    octets[at++] = octet & 0xff;
  }
  return octets.subarray(0, at);
}

/** An escape without a known character is shown as the standard says: a space for the escape, then the character. */
function decodeGsm7(octets: Buffer): string {
  let text = '';
  for (let at = 0; at < octets.length; at++) {
    const octet = octets[at] ?? 0;
    const extended = octet === escapeOctet ? extension[octets[at + 1] ?? 0] : undefined;
    if (extended !== undefined) at += 1;
    text += extended ?? (octet === escapeOctet ? ' ' : (basic[octet] ?? '\ufffd'));
  }
  return text;
}

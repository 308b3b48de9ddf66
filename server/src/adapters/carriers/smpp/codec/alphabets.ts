import { segmentsOf, splitText, rooms as told } from '../../../../domain/texting/segments.ts';
import type { SmppSettings } from '../options.ts';
import { decodeGsm7, encodeGsm7 } from './gsm7.ts';

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

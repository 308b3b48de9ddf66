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

/** By character code: its octet, with the escape in the upper byte if it needs one. */
const lacking = 0xffff;
const octetsOf = new Uint16Array(0x10000).fill(lacking);
for (const [octet, character] of [...basic].entries()) if (octet !== escapeOctet) octetsOf[codeOf(character)] = octet;
for (const [octet, character] of Object.entries(extension))
  octetsOf[codeOf(character)] = (escapeOctet << 8) | Number(octet);

function codeOf(character: string): number {
  return character.charCodeAt(0);
}

/** Null if GSM-7 lacks a character of the text, or if it takes more octets than `octetsMax`. */
export function encodeGsm7(text: string, octetsMax: number): Buffer | null {
  let size = 0;
  for (let index = 0; index < text.length && size <= octetsMax; index++) {
    const code = octetsOf[text.charCodeAt(index)] ?? lacking;
    if (code === lacking) return null;
    size += code > 0xff ? 2 : 1;
  }
  if (size > octetsMax) return null;
  const octets = Buffer.allocUnsafe(size);
  for (let index = 0, at = 0; at < size; index++) {
    const code = octetsOf[text.charCodeAt(index)] ?? lacking;
    if (code > 0xff) octets[at++] = escapeOctet;
    octets[at++] = code & 0xff;
  }
  return octets;
}

/** An escape without a known character is shown as the standard says: a space for the escape, then the character. */
export function decodeGsm7(octets: Buffer): string {
  let text = '';
  for (let at = 0; at < octets.length; at++) {
    const octet = octets[at] ?? 0;
    const extended = octet === escapeOctet ? extension[octets[at + 1] ?? 0] : undefined;
    if (extended !== undefined) at += 1;
    text += extended ?? (octet === escapeOctet ? ' ' : (basic[octet] ?? '\ufffd'));
  }
  return text;
}

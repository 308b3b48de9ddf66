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
export function encodeGsm7(text: string): Buffer | null {
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

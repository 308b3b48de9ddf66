/** A request for a timestamp: the SHA-256 of the data, and a number that makes the request unique. */
type TimestampRequest = { digest: Buffer; nonce: Buffer };

type Element = { tag: number; content: Buffer };

const tags = { boolean: 0x01, integer: 0x02, bytes: 0x04, null: 0x05, oid: 0x06, sequence: 0x30, explicit0: 0xa0 };
const sha256 = Buffer.from('608648016503040201', 'hex');
const signedData = Buffer.from('2a864886f70d010702', 'hex');
const timestampInfo = Buffer.from('2a864886f70d0109100104', 'hex');
/** Granted, and granted with modifications. */
const grantedMax = 1;
const lengthBytesMax = 3;
const reasonCharactersMax = 200;

/** A TimeStampReq (RFC 3161, 2.4.1) in DER, which asks for the certificate to be in the response. */
export function timestampQuery({ digest, nonce }: TimestampRequest): Buffer {
  const algorithm = encode(tags.sequence, encode(tags.oid, sha256), encode(tags.null));
  return encode(
    tags.sequence,
    encode(tags.integer, Buffer.from([1])),
    encode(tags.sequence, algorithm, encode(tags.bytes, digest)),
    encode(tags.integer, unsigned(nonce)),
    encode(tags.boolean, Buffer.from([0xff])),
  );
}

/**
 * Throws unless these bytes are a TimeStampResp (2.4.2) that grants the request: a timestamp for our digest and nonce. The
 * signature is for those who have the authority's root certificate to check, for example with `openssl ts -verify`.
 */
export function checkTimestamp(bytes: Buffer, { digest, nonce }: TimestampRequest): void {
  const [response, ...more] = elementsOf(bytes);
  if (more.length > 0) throw unreadable();
  const [statusInfo, token] = inside(tags.sequence, response);
  checkGranted(statusInfo);
  const [, , imprint, , , ...optional] = inside(tags.sequence, elementsOf(infoOf(token))[0]);
  const [algorithm, stamped] = inside(tags.sequence, imprint);
  const [name] = inside(tags.sequence, algorithm);
  if (!primitive(tags.oid, name).equals(sha256) || !primitive(tags.bytes, stamped).equals(digest))
    throw new Error('The time-stamping authority has stamped something else.');
  const answeredNonce = optional.find(({ tag }) => tag === tags.integer);
  if (!answeredNonce?.content.equals(unsigned(nonce)))
    throw new Error('The time-stamping authority has answered a different request.');
}

function checkGranted(statusInfo: Element | undefined): void {
  const [status, text] = inside(tags.sequence, statusInfo);
  const code = primitive(tags.integer, status);
  if (code.length === 1 && code.readUInt8() <= grantedMax) return;
  const [reason] = text?.tag === tags.sequence ? elementsOf(text.content) : [];
  const words = reason?.content
    .toString()
    .replace(/\p{Cc}/gu, ' ')
    .slice(0, reasonCharactersMax);
  throw new Error(
    `The time-stamping authority refuses with status ${code.toString('hex')}${words ? `: ${words}` : '.'}`,
  );
}

/** The TSTInfo, which is the signed content of the token (RFC 5652, 3 to 5). */
function infoOf(token: Element | undefined): Buffer {
  const [type, content] = inside(tags.sequence, token);
  if (!primitive(tags.oid, type).equals(signedData)) throw unreadable();
  const [, , encapsulated] = inside(tags.sequence, inside(tags.explicit0, content)[0]);
  const [contentType, info] = inside(tags.sequence, encapsulated);
  if (!primitive(tags.oid, contentType).equals(timestampInfo)) throw unreadable();
  return primitive(tags.bytes, inside(tags.explicit0, info)[0]);
}

function encode(tag: number, ...parts: Buffer[]): Buffer {
  const content = Buffer.concat(parts);
  // A request has less than 128 bytes: lengths of one byte are enough.
  return Buffer.concat([Buffer.from([tag, content.length]), content]);
}

/** As the content of an INTEGER: as short as possible, with a leading zero if it would be negative otherwise. */
function unsigned(bytes: Buffer): Buffer {
  const first = bytes.findIndex((byte) => byte !== 0);
  const shortest = first < 0 ? Buffer.from([0]) : bytes.subarray(first);
  return shortest.readUInt8() < 0x80 ? shortest : Buffer.concat([Buffer.from([0]), shortest]);
}

function inside(tag: number, element: Element | undefined): Element[] {
  return elementsOf(primitive(tag, element));
}

function primitive(tag: number, element: Element | undefined): Buffer {
  if (element?.tag !== tag) throw unreadable();
  return element.content;
}

/** The elements that make up these bytes, one after the other, without anything else. */
function elementsOf(bytes: Buffer): Element[] {
  const elements: Element[] = [];
  for (let at = 0; at < bytes.length; ) {
    const tag = bytes.readUInt8(at);
    const { start, end } = extent(bytes, at + 1);
    if (end > bytes.length) throw unreadable();
    elements.push({ tag, content: bytes.subarray(start, end) });
    at = end;
  }
  return elements;
}

/** Where the content begins and ends. Indefinite lengths, which DER doesn't have, are not supported. */
function extent(bytes: Buffer, at: number): { start: number; end: number } {
  const length = bytes[at] ?? 0x80;
  if (length < 0x80) return { start: at + 1, end: at + 1 + length };
  const lengthBytes = length - 0x80;
  const start = at + 1 + lengthBytes;
  if (lengthBytes === 0 || lengthBytes > lengthBytesMax || start > bytes.length) throw unreadable();
  return { start, end: start + bytes.readUIntBE(at + 1, lengthBytes) };
}

function unreadable(): Error {
  return new Error('The time-stamping authority answered with something that is not a timestamp.');
}

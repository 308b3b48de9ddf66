import { isAscii, isUtf8 } from 'node:buffer';
import { chunksOf, type TextSource } from './sources.ts';

export type Encoding = 'utf-8' | 'utf-16le' | 'utf-16be' | 'windows-1252';

/** Of bytes that are UTF-16 in a Western language, far more than this share is NUL. */
const nulShareMin = 0.2;

/** The encoding that a byte order mark at the beginning names. */
export function markedEncoding(bytes: Buffer): Exclude<Encoding, 'windows-1252'> | undefined {
  const mark = bytes.toString('hex', 0, 3);
  if (mark === 'efbbbf') return 'utf-8';
  if (mark.startsWith('fffe')) return 'utf-16le';
  if (mark.startsWith('feff')) return 'utf-16be';
}

/**
 * The encoding of a file that doesn't name it: its byte order mark decides, or else NULs, which only UTF-16 has. What is
 * valid UTF-8 from the first to the last byte is UTF-8, and anything else is what Windows programs write.
 */
export async function encodingOf(source: TextSource): Promise<Encoding> {
  const chunks = chunksOf(source, 1024 * 1024);
  let isFirst = true;
  let isPlain = true;
  let cut: Buffer = Buffer.alloc(0);
  for await (const bytes of chunks) {
    const named = isFirst ? (markedEncoding(bytes) ?? unmarkedUtf16(bytes)) : undefined;
    if (named) return named;
    isFirst = false;
    const whole = cut.length > 0 ? Buffer.concat([cut, bytes]) : bytes;
    const end = whole.length - cutOff(whole);
    const complete = whole.subarray(0, end);
    if (!isUtf8(complete)) return 'windows-1252';
    isPlain &&= isAscii(complete);
    cut = whole.subarray(end);
  }
  // A file that ends within a character was cut off, unless that would be its only one.
  return cut.length > 0 && isPlain ? 'windows-1252' : 'utf-8';
}

function unmarkedUtf16(bytes: Buffer): Encoding | undefined {
  const head = bytes.subarray(0, 4096);
  const nuls = [0, 0] as [number, number];
  for (let at = 0; at < head.length; at++) if (head[at] === 0) nuls[at % 2 === 0 ? 0 : 1] += 1;
  if (Math.max(...nuls) < head.length * nulShareMin) return undefined;
  return nuls[1] > nuls[0] ? 'utf-16le' : 'utf-16be';
}

/** How many bytes at the end may belong to a character that the next chunk completes. */
function cutOff(bytes: Buffer): number {
  for (let back = 1; back <= Math.min(3, bytes.length); back++) {
    const byte = bytes[bytes.length - back] ?? 0;
    if (byte < 0x80) return 0;
    if (byte >= 0xc0) return back;
  }
  return 0;
}

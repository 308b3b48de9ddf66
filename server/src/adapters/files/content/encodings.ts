import { gunzipSync } from 'node:zlib';
import { markedEncoding } from '../text/encodings.ts';
import { SourceFault } from './faults.ts';

const gzipMagic = Buffer.from([0x1f, 0x8b]);
const headBytes = 1024;
const declaredInXml = /^\s*<\?xml[^>]{0,200}?\sencoding\s*=\s*["']([\w.:-]{1,40})["']/i;
const declaredInHtml = /<meta\s[^>]{0,500}?charset\s*=\s*["']?\s*([\w.:-]{1,40})/i;

/** The content of a .gz file, or else the bytes as they are. */
export function unzipped(bytes: Buffer, bytesMax: number): Buffer {
  if (!bytes.subarray(0, 2).equals(gzipMagic)) return bytes;
  try {
    return gunzipSync(bytes, { maxOutputLength: bytesMax });
  } catch (error) {
    const tooLong = error instanceof RangeError;
    throw new SourceFault(
      tooLong ? `it has more than ${bytesMax} bytes uncompressed` : 'it looks like a gzip file but is not one',
    );
  }
}

/** Decodes by the byte order mark, or else the content type, or else what the document declares, or else as UTF-8. */
export function decoded(bytes: Buffer, contentType: string | null): string {
  const [, fromType] = /charset\s*=\s*["']?\s*([\w.:-]{1,40})/i.exec(contentType ?? '') ?? [];
  const label = markedEncoding(bytes) ?? unmarkedUtf16(bytes) ?? known(fromType) ?? known(declaredIn(bytes)) ?? 'utf-8';
  return new TextDecoder(label).decode(bytes);
}

/** XML in UTF-16 without a mark, by its first two characters. */
function unmarkedUtf16(bytes: Buffer): string | undefined {
  const beginning = bytes.toString('hex', 0, 4);
  if (beginning === '3c003f00') return 'utf-16le';
  if (beginning === '003c003f') return 'utf-16be';
}

/** A declaration that is readable as ASCII can't be in UTF-16, even if it says so. */
function declaredIn(bytes: Buffer): string | undefined {
  const head = bytes.toString('latin1', 0, headBytes);
  const [, label] = declaredInXml.exec(head) ?? declaredInHtml.exec(head) ?? [];
  return label && /^utf-?16|^ucs|^iso-10646/i.test(label) ? 'utf-8' : label;
}

function known(label: string | undefined): string | undefined {
  try {
    return label && new TextDecoder(label).encoding;
  } catch {}
}

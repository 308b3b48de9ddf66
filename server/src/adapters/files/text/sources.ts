import { createReadStream } from 'node:fs';

/** A file, by its path or as bytes. */
export type TextSource = string | Buffer;

export function chunksOf(source: TextSource, chunkBytes: number): AsyncIterable<Buffer> {
  if (typeof source === 'string') return createReadStream(source, { highWaterMark: chunkBytes });
  return slicesOf(source, chunkBytes);
}

/** Others get their turn between two of them. */
async function* slicesOf(bytes: Buffer, chunkBytes: number): AsyncGenerator<Buffer> {
  for (let at = 0; at < bytes.length; at += chunkBytes) {
    yield bytes.subarray(at, at + chunkBytes);
    await new Promise((resolve) => setImmediate(resolve));
  }
}

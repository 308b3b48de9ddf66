import { createReadStream } from 'node:fs';
import { markedEncoding } from './encodings.ts';

/** No row of a file is longer. */
export const rowBytesMax = 256 * 1024;

/** A file's lines, decoded by its byte order mark, or else as UTF-8. A line over the limit is cut, so it can't fill memory. */
export async function* linesOf(path: string, charactersMax: number, until?: AbortSignal): AsyncGenerator<string> {
  const chunks: AsyncIterable<Buffer> = createReadStream(path, { signal: until });
  let decoder: TextDecoder | undefined;
  let line = '';
  let afterReturn = false;
  for await (const bytes of chunks) {
    decoder ??= new TextDecoder(markedEncoding(bytes) ?? 'utf-8');
    const chunk = decoder.decode(bytes, { stream: true });
    if (chunk === '') continue;
    // A line break may span two chunks.
    const text = afterReturn && chunk.startsWith('\n') ? chunk.slice(1) : chunk;
    afterReturn = chunk.endsWith('\r');
    const [first = '', ...others] = text.split(/\r\n|[\r\n]/);
    if (line.length <= charactersMax) line += first;
    for (const next of others) {
      yield line;
      line = next;
    }
  }
  line += decoder?.decode() ?? '';
  if (line !== '') yield line;
}

/** Bytes that aren't in the file's encoding were decoded as U+FFFD. */
export function isDecoded(text: string): boolean {
  return !text.includes('\ufffd');
}

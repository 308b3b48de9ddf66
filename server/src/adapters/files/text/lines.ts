import { type Encoding, markedEncoding } from './encodings.ts';
import { chunksOf, type TextSource } from './sources.ts';

export type LineOptions = {
  /** By default its byte order mark decides, or else it is UTF-8. */
  encoding?: Encoding;
};

/** No row of a file is longer. */
export const rowBytesMax = 256 * 1024;

/** Some milliseconds of work for whoever reads rows, who does other things in between: so many bytes, and so many lines. */
const chunkBytes = 64 * 1024;
const linesMax = 250;

/** A file's lines, some at a time. A line over the limit is cut, so it can't fill memory. */
export async function* lineBatchesOf(
  source: TextSource,
  charactersMax: number,
  { encoding }: LineOptions = {},
): AsyncGenerator<string[]> {
  const chunks = chunksOf(source, chunkBytes);
  let decoder: TextDecoder | undefined;
  let line = '';
  let afterReturn = false;
  for await (const bytes of chunks) {
    decoder ??= new TextDecoder(encoding ?? markedEncoding(bytes) ?? 'utf-8');
    const chunk = decoder.decode(bytes, { stream: true });
    if (chunk === '') continue;
    // A line break may span two chunks.
    const text = afterReturn && chunk.startsWith('\n') ? chunk.slice(1) : chunk;
    afterReturn = chunk.endsWith('\r');
    const lines = text.split(/\r\n|[\r\n]/);
    if (line.length <= charactersMax) line += lines[0];
    if (lines.length === 1) continue;
    lines[0] = line;
    line = lines.pop() ?? '';
    for (let at = 0; at < lines.length; at += linesMax) {
      if (at > 0) await new Promise((resolve) => setImmediate(resolve));
      yield lines.length <= linesMax ? lines : lines.slice(at, at + linesMax);
    }
  }
  line += decoder?.decode() ?? '';
  if (line !== '') yield [line];
}

/** A file's lines, one by one. */
export async function* linesOf(
  source: TextSource,
  charactersMax: number,
  options?: LineOptions,
): AsyncGenerator<string> {
  for await (const lines of lineBatchesOf(source, charactersMax, options)) yield* lines;
}

/** The first line that isn't empty. */
export async function firstLineOf(source: TextSource, options?: LineOptions): Promise<string> {
  for await (const line of linesOf(source, rowBytesMax, options)) if (line !== '') return line;
  return '';
}

/** Bytes that aren't in the file's encoding were decoded as U+FFFD. */
export function isDecoded(text: string): boolean {
  return !text.includes('\ufffd');
}

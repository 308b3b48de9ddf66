import { createReadStream } from 'node:fs';

/** The lines of a file. One that is longer than anybody may use comes cut, so that it can't fill the memory. */
export async function* linesOf(path: string, charactersMax: number, until?: AbortSignal): AsyncGenerator<string> {
  const chunks: AsyncIterable<string> = createReadStream(path, { encoding: 'utf8', signal: until });
  let line = '';
  let afterReturn = false;
  for await (const chunk of chunks) {
    // A line break may lie across two chunks.
    const text = afterReturn && chunk.startsWith('\n') ? chunk.slice(1) : chunk;
    afterReturn = chunk.endsWith('\r');
    const [first = '', ...others] = text.split(/\r\n|[\r\n]/);
    if (line.length <= charactersMax) line += first;
    for (const next of others) {
      yield line;
      line = next;
    }
  }
  if (line !== '') yield line;
}

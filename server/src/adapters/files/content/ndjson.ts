import { isDecoded, linesOf, rowBytesMax } from '../text/lines.ts';
import { type FileContent, toFields, type UnreadableItem } from './fields.ts';

/** One JSON object per line. */
export async function* readNdjson(path: string): AsyncGenerator<FileContent | UnreadableItem> {
  let line = 0;
  for await (const text of linesOf(path, rowBytesMax)) {
    line += 1;
    const row = readRow(text);
    if (row) yield { line, ...row };
  }
}

function readRow(text: string): { fields: Record<string, unknown> } | { unreadable: string } | null {
  if (Buffer.byteLength(text) > rowBytesMax) return { unreadable: `it is longer than ${rowBytesMax} bytes` };
  if (!isDecoded(text)) return { unreadable: 'it is not UTF-8' };
  if (text.trim() === '') return null;
  try {
    const row: unknown = JSON.parse(text);
    if (typeof row !== 'object' || row === null || Array.isArray(row)) return { unreadable: 'it is not a JSON object' };
    return { fields: toFields(row as Record<string, unknown>) };
  } catch {
    return { unreadable: 'it is not JSON' };
  }
}

import { linesOf } from '../text-files/lines.ts';
import { type FileContent, lineBytesMax, toFields, type Unreadable } from './fields.ts';

/** A JSON object a line. */
export async function* readNdjson(path: string): AsyncGenerator<FileContent | Unreadable> {
  let line = 0;
  for await (const text of linesOf(path, lineBytesMax)) {
    line += 1;
    const row = readRow(line === 1 ? text.replace(/^\ufeff/, '') : text);
    if (row) yield { line, ...row };
  }
}

function readRow(text: string): { fields: Record<string, unknown> } | { unreadable: string } | null {
  if (Buffer.byteLength(text) > lineBytesMax) return { unreadable: `it is longer than ${lineBytesMax} bytes` };
  // What could not be decoded has become this character.
  if (text.includes('\ufffd')) return { unreadable: 'it is not UTF-8' };
  if (text.trim() === '') return null;
  try {
    const row: unknown = JSON.parse(text);
    if (typeof row !== 'object' || row === null || Array.isArray(row)) return { unreadable: 'it is not a JSON object' };
    return { fields: toFields(row as Record<string, unknown>) };
  } catch {
    return { unreadable: 'it is not JSON' };
  }
}

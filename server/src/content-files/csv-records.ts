import { linesOf } from '../text-files/lines.ts';
import type { Unreadable } from './fields.ts';

/**
 * The records of a CSV file, by RFC 4180 and forgiving marks within a field, so that one that can't be read costs only
 * itself. (csv-parse, told to skip a record that is too long, also loses what follows it, and doesn't say so.)
 */
export async function* readRecords(
  path: string,
  bytesMax: number,
): AsyncGenerator<{ line: number; cells: string[] } | Unreadable> {
  let held: string[] = [];
  let bytes = 0;
  let line = 1;
  let open = false;
  for await (const text of linesOf(path, bytesMax)) {
    held.push(line === 1 && held.length === 0 ? text.replace(/^\ufeff/, '') : text);
    bytes += Buffer.byteLength(text);
    open = isOpenAfter(text, open);
    if (open && bytes <= bytesMax) continue;
    if (bytes > bytesMax) yield unreadable(`it is longer than ${bytesMax} bytes`, line, held.length);
    else if (bytes > 0) yield readRecord(held.join('\n'), line);
    line += held.length;
    held = [];
    bytes = 0;
    open = false;
  }
  if (held.length > 0) yield unreadable('a quotation mark is never closed', line, held.length);
}

/** Whether a line leaves a quotation open: one begins where a field does, and in it two marks are one that is meant. */
function isOpenAfter(line: string, openBefore: boolean): boolean {
  let open = openBefore;
  for (let at = line.indexOf('"'); at >= 0; at = line.indexOf('"', at + 1)) {
    if (!open) open = at === 0 || line[at - 1] === ',';
    else if (line[at + 1] === '"') at += 1;
    else open = false;
  }
  return open;
}

function unreadable(why: string, line: number, lines: number): Unreadable {
  return { line, unreadable: lines > 1 ? `${why}, up to line ${line + lines - 1}` : why };
}

function readRecord(record: string, line: number): { line: number; cells: string[] } | Unreadable {
  // What could not be decoded has become this character.
  if (record.includes('\ufffd')) return unreadable('it is not UTF-8', line, 1);
  const cell = /(?:"([^"]*(?:""[^"]*)*)"|([^",][^,]*|))(,|$)/y;
  const cells: string[] = [];
  for (let more = true; more; ) {
    const [whole, quoted, plain = '', end] = cell.exec(record) ?? [];
    if (whole === undefined) return unreadable('something follows a closing quotation mark', line, 1);
    cells.push(quoted === undefined ? plain : quoted.replaceAll('""', '"'));
    more = end === ',';
  }
  return { line, cells };
}

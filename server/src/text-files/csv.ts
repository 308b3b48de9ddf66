import { linesOf, rowBytesMax } from './lines.ts';

/** A row of a CSV file: the line it begins on, and its cells by name. */
export type CsvRow = { line: number; cells: Record<string, string> };

/** A row that can't be read. It may also hide rows that follow it, as a quotation mark that is never closed does. */
export type UnreadableRow = { line: number; unreadable: string; hidesRest: boolean };

export type CsvOptions = {
  /** Names the columns by their headings, in lower case without punctuation; a column without a name is ignored. */
  columnsOf(headings: string[]): (string | undefined)[];
  until?: AbortSignal;
};

type CsvRecord = { line: number; cells: string[] };

/** The rows below a header. A row that can't be read costs only itself where possible. */
export async function* readCsvRows(
  path: string,
  { columnsOf, until }: CsvOptions,
): AsyncGenerator<CsvRow | UnreadableRow> {
  let columns: (string | undefined)[] | undefined;
  for await (const record of readRecords(path, until)) {
    if ('unreadable' in record) yield record;
    else if (!columns) columns = columnsOf(record.cells.map(plain));
    else if (record.cells.length !== columns.length) yield wrongLength(record, columns.length);
    else yield { line: record.line, cells: named(columns, record.cells) };
  }
}

function plain(heading: string): string {
  return heading.toLowerCase().replace(/[^a-z0-9]/g, '');
}

function named(columns: (string | undefined)[], cells: string[]): Record<string, string> {
  const entries = columns.flatMap((name, index) => (name === undefined ? [] : [[name, cells[index]?.trim() ?? '']]));
  return Object.fromEntries(entries);
}

function wrongLength({ line, cells }: CsvRecord, length: number): UnreadableRow {
  return { line, unreadable: `it has ${cells.length} columns and not ${length}`, hidesRest: false };
}

/**
 * Records by RFC 4180, tolerant of blanks around a quoted field and of quotation marks within one that isn't quoted. After
 * a record that is too long, reading resumes on the next line (docs/decisions/0008-one-csv-reader.md).
 */
async function* readRecords(path: string, until?: AbortSignal): AsyncGenerator<CsvRecord | UnreadableRow> {
  let held: string[] = [];
  let bytes = 0;
  let line = 1;
  let open = false;
  for await (const text of linesOf(path, rowBytesMax, until)) {
    held.push(text);
    bytes += Buffer.byteLength(text);
    open = isOpenAfter(text, open);
    if (open && bytes <= rowBytesMax) continue;
    if (bytes > rowBytesMax) yield unreadable(`it is longer than ${rowBytesMax} bytes`, line, held.length);
    else if (bytes > 0) yield readRecord(held, line);
    line += held.length;
    held = [];
    bytes = 0;
    open = false;
  }
  if (held.length > 0) yield unreadable('a quotation mark is never closed', line, held.length);
}

/** Whether a line leaves a quotation open. One begins where a field does; within it, two marks stand for one. */
function isOpenAfter(line: string, openBefore: boolean): boolean {
  let open = openBefore;
  for (let at = line.indexOf('"'); at >= 0; at = line.indexOf('"', at + 1)) {
    if (!open) open = beginsField(line, at);
    else if (line[at + 1] === '"') at += 1;
    else open = false;
  }
  return open;
}

function beginsField(line: string, at: number): boolean {
  let before = at - 1;
  while (line[before] === ' ' || line[before] === '\t') before -= 1;
  return before < 0 || line[before] === ',';
}

function readRecord(lines: string[], line: number): CsvRecord | UnreadableRow {
  const cell = /(?:[ \t]*"([^"]*(?:""[^"]*)*)"[ \t]*|([^",][^,]*|))(,|$)/y;
  const record = lines.join('\n');
  const cells: string[] = [];
  for (let more = true; more; ) {
    const [whole, quoted, unquoted = '', end] = cell.exec(record) ?? [];
    if (whole === undefined) return unreadable('something follows a closing quotation mark', line, lines.length);
    cells.push(quoted === undefined ? unquoted : quoted.replaceAll('""', '"'));
    more = end === ',';
  }
  return { line, cells };
}

function unreadable(why: string, line: number, lines: number): UnreadableRow {
  return { line, unreadable: lines > 1 ? `${why}, up to line ${line + lines - 1}` : why, hidesRest: true };
}

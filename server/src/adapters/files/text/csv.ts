import type { Encoding } from './encodings.ts';
import { lineBatchesOf, rowBytesMax } from './lines.ts';
import type { TextSource } from './sources.ts';

/** Below this many characters a line's bytes needn't be counted exactly. */
const longLine = 1024;

/** A row of a CSV file: the line it begins on, and its cells by name. */
type CsvRow = { line: number; cells: Record<string, string> };

/** A row that can't be read. */
type UnreadableRow = { line: number; unreadable: string };

export type CsvRecord = { line: number; cells: string[] };

export type RecordOptions = {
  encoding?: Encoding;
  /** By default a comma. */
  separator?: string;
};

/** How fields end. */
type Syntax = { separator: string; cell: RegExp };

/**
 * The rows below a header. A row that can't be read costs only itself where possible. `columnsOf` names the columns by their
 * headings, in lower case without punctuation; a column without a name is ignored.
 */
export async function* readCsvRows(
  path: string,
  columnsOf: (headings: string[]) => (string | undefined)[],
): AsyncGenerator<CsvRow | UnreadableRow> {
  let columns: (string | undefined)[] | undefined;
  for await (const records of readCsvRecords(path))
    for (const record of records) {
      if ('unreadable' in record) yield record;
      else if (!columns) columns = columnsOf(record.cells.map(plain));
      else if (record.cells.length !== columns.length) yield wrongLength(record, columns.length);
      else yield { line: record.line, cells: named(columns, record.cells) };
    }
}

/** A heading in lower case without punctuation. */
export function plain(heading: string): string {
  return heading.toLowerCase().replace(/[^a-z0-9]/g, '');
}

function named(columns: (string | undefined)[], cells: string[]): Record<string, string> {
  const entries = columns.flatMap((name, index) => (name === undefined ? [] : [[name, cells[index]?.trim() ?? '']]));
  return Object.fromEntries(entries);
}

export function wrongLength({ line, cells }: CsvRecord, length: number): UnreadableRow {
  return {
    line,
    unreadable: `it has ${cells.length} ${cells.length === 1 ? 'column' : 'columns'} and not ${length}`,
  };
}

/**
 * Records by RFC 4180, the header among them, as many at a time as a chunk of the file has. Tolerant of blanks around a
 * quoted field and of quotation marks within one that isn't quoted. After a record that is too long, reading resumes on the
 * next line (docs/decisions/0008-one-csv-reader.md).
 */
export async function* readCsvRecords(
  source: TextSource,
  { encoding, separator = ',' }: RecordOptions = {},
): AsyncGenerator<(CsvRecord | UnreadableRow)[]> {
  const syntax = syntaxOf(separator);
  let held: string[] = [];
  let bytes = 0;
  let line = 1;
  let open = false;
  for await (const lines of lineBatchesOf(source, rowBytesMax, { encoding })) {
    const records: (CsvRecord | UnreadableRow)[] = [];
    for (const text of lines) {
      if (line === 1 && namedSeparator(text)) {
        line += 1;
        continue;
      }
      held.push(text);
      bytes += text.length > longLine ? Buffer.byteLength(text) : text.length;
      open = isOpenAfter(text, open, syntax);
      if (open && bytes <= rowBytesMax) continue;
      if (bytes > rowBytesMax) records.push(unreadable(`it is longer than ${rowBytesMax} bytes`, line, held.length));
      else if (bytes > 0) records.push(readRecord(held, line, syntax));
      line += held.length;
      held = [];
      bytes = 0;
      open = false;
    }
    if (records.length > 0) yield records;
  }
  if (held.length > 0) yield [unreadable('a quotation mark is never closed', line, held.length)];
}

/** The separator that Excel names in a first line of its own: `sep=;`. */
export function namedSeparator(line: string): string | undefined {
  return /^"?sep=(.)"?$/i.exec(line)?.[1];
}

/** The cells of a single line, which may end within a quoted one. */
export function splitLine(line: string, separator: string): string[] {
  const syntax = syntaxOf(separator);
  const record = readRecord([isOpenAfter(line, false, syntax) ? `${line}"` : line], 1, syntax);
  return 'unreadable' in record ? [] : record.cells;
}

function syntaxOf(separator: string): Syntax {
  const end = RegExp.escape(separator);
  const blank = separator === '\t' ? ' ' : '[ \\t]';
  const cell = new RegExp(`(?:${blank}*"([^"]*(?:""[^"]*)*)"${blank}*|([^"${end}][^${end}]*|))(${end}|$)`, 'y');
  return { separator, cell };
}

/** Whether a line leaves a quotation open. One begins where a field does; within it, two marks stand for one. */
function isOpenAfter(line: string, openBefore: boolean, syntax: Syntax): boolean {
  let open = openBefore;
  for (let at = line.indexOf('"'); at >= 0; at = line.indexOf('"', at + 1)) {
    if (!open) open = beginsField(line, at, syntax);
    else if (line[at + 1] === '"') at += 1;
    else open = false;
  }
  return open;
}

function beginsField(line: string, at: number, { separator }: Syntax): boolean {
  let before = at - 1;
  while (line[before] !== separator && (line[before] === ' ' || line[before] === '\t')) before -= 1;
  return before < 0 || line[before] === separator;
}

function readRecord(lines: string[], line: number, { separator, cell }: Syntax): CsvRecord | UnreadableRow {
  const record = lines.length === 1 ? (lines[0] ?? '') : lines.join('\n');
  if (!record.includes('"')) return { line, cells: record.split(separator) };
  const cells: string[] = [];
  cell.lastIndex = 0;
  for (let more = true; more; ) {
    const [whole, quoted, unquoted = '', end] = cell.exec(record) ?? [];
    if (whole === undefined) return unreadable('something follows a closing quotation mark', line, lines.length);
    cells.push(quoted === undefined ? unquoted : quoted.replaceAll('""', '"'));
    more = end === separator;
  }
  return { line, cells };
}

function unreadable(why: string, line: number, lines: number): UnreadableRow {
  return { line, unreadable: lines > 1 ? `${why}, up to line ${line + lines - 1}` : why };
}

import pg from 'pg';

const { builtins, getTypeParser } = pg.types;
const textArray = 1009;
const [otherInstant, otherArray] = [
  getTypeParser(builtins.TIMESTAMPTZ),
  getTypeParser(textArray as never) as (value: string) => string[],
];

/** How the driver turns the text of a column into a value. */
export function setColumnParsers(): void {
  // Ids and counts stay below 2^53, so they are numbers. A date is a string in the contract and stays one.
  pg.types.setTypeParser(builtins.INT8, Number);
  pg.types.setTypeParser(builtins.DATE, (value) => value);
  pg.types.setTypeParser(builtins.TIMESTAMPTZ, instantOf);
  pg.types.setTypeParser(textArray as never, textsOf);
}

export function textsOf(array: string): string[] {
  return array === '{}' ? [] : otherArray(array);
}

/** Nearly every instant is in UTC, of a year with four digits, which V8 reads in a tenth of the time that the driver takes. */
export function instantOf(text: string): Date {
  const isUsual = text[10] === ' ' && text.endsWith('+00');
  return isUsual ? new Date(`${text.slice(0, 10)}T${text.slice(11)}:00`) : otherInstant(text);
}

/** The same instant in RFC 3339, as `toISOString` writes it, mostly without a date in between. */
export function writtenInstant(text: string): string {
  const isUsual = text.length === 26 && text[10] === ' ' && text[19] === '.' && text.endsWith('+00');
  return isUsual ? `${text.slice(0, 10)}T${text.slice(11, 23)}Z` : instantOf(text).toISOString();
}

/**
 * The columns of a `row(…)::text`: `(52,Ann,"Smith, MD",,"two ""words""")`. A value takes the driver five times as long as it
 * takes here, and a page has hundreds of them.
 */
export function columnsIn(row: string): (string | null)[] {
  const columns: (string | null)[] = [];
  const end = row.length - 1;
  for (let at = 1; at <= end; ) {
    const isQuoted = row[at] === '"';
    const next = isQuoted ? afterQuotes(row, at) : row.indexOf(',', at);
    const until = next < 0 ? end : next;
    if (isQuoted) columns.push(undoubled(row.slice(at + 1, until - 1)));
    else columns.push(until === at ? null : row.slice(at, until));
    at = until + 1;
  }
  return columns;
}

/** Where the quoted value that begins here ends. Quotes within it are doubled. */
function afterQuotes(row: string, start: number): number {
  let at = row.indexOf('"', start + 1) + 1;
  while (row[at] === '"') at = row.indexOf('"', at + 1) + 1;
  return at;
}

function undoubled(text: string): string {
  return text.includes('"') || text.includes('\\') ? text.replace(/(["\\])\1/g, '$1') : text;
}

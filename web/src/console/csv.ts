import { formula, formulaWithin, plainNumber } from '../../../server/src/domain/shared/text/formulas.ts';

/** RFC 4180: the columns' names, then a line per row. */
export function toCsv<Row>(columns: { name: string; text(row: Row): string | number | null }[], rows: Row[]): string {
  const lines = [columns.map(({ name }) => name), ...rows.map((row) => columns.map(({ text }) => text(row)))];
  return lines.map((cells) => `${cells.map(quoted).join(',')}\r\n`).join('');
}

/** A cell that no spreadsheet computes: there is an apostrophe before what looks like a formula. */
function quoted(cell: string | number | null): string {
  const text = String(cell ?? '');
  const begun = formula.test(text) ? `'${text}` : text;
  const safe = plainNumber.test(text) ? text : begun.replace(formulaWithin, "'");
  return /[",;\t\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}

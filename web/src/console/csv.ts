import { guarded } from '../../../server/src/domain/shared/text/formulas.ts';

/** RFC 4180: the columns' names, then a line per row. */
export function toCsv<Row>(columns: { name: string; text(row: Row): string | number | null }[], rows: Row[]): string {
  const lines = [columns.map(({ name }) => name), ...rows.map((row) => columns.map(({ text }) => text(row)))];
  return lines.map((cells) => `${cells.map(quoted).join(',')}\r\n`).join('');
}

function quoted(cell: string | number | null): string {
  const text = guarded(String(cell ?? ''));
  return /[",;\t\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

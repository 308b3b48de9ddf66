/** RFC 4180: the columns' names, then a line per row. */
export function toCsv<Row>(columns: { name: string; text(row: Row): string | number | null }[], rows: Row[]): string {
  const lines = [columns.map(({ name }) => name), ...rows.map((row) => columns.map(({ text }) => text(row)))];
  return lines.map((cells) => `${cells.map(quoted).join(',')}\r\n`).join('');
}

/** What a spreadsheet may compute, also in the middle of a cell: where commas are for decimals, it splits a line at semicolons. */
const formula = /(?<=^|[;\t])(?=[=+\-@\t\r\n＝＋－＠])/g;
/** Amounts, and phone numbers as they are shown. */
const harmless = /^[+-]\d+(\.\d+)?$|^\+\d{1,3} [\d ()-]+$/;

/** A cell that no spreadsheet computes: there is an apostrophe before what looks like a formula. */
function quoted(cell: string | number | null): string {
  const text = String(cell ?? '');
  const safe = harmless.test(text) ? text : text.replace(formula, "'");
  return /[",;\t\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}

/** RFC 4180: the columns' names, then a line per row. */
export function toCsv<Row>(columns: { name: string; text(row: Row): string | number | null }[], rows: Row[]): string {
  const lines = [columns.map(({ name }) => name), ...rows.map((row) => columns.map(({ text }) => text(row)))];
  return lines.map((cells) => `${cells.map(quoted).join(',')}\r\n`).join('');
}

/** A cell that a spreadsheet would compute begins with an apostrophe; phone numbers and amounts are harmless. */
function quoted(cell: string | number | null): string {
  const text = String(cell ?? '');
  const isFormula = /^[=@\t\r]/.test(text) || /^[+-](?![\d\s().,-]*$)/.test(text);
  const safe = isFormula ? `'${text}` : text;
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}

export type Row = Record<string, string | number | undefined>;

export function say(line: string): void {
  process.stdout.write(`${line}\n`);
}

export function heading(text: string): void {
  say(`\n── ${text}`);
}

/** A table with the field names as headers: text left-aligned, numbers right-aligned. */
export function table(rows: Row[]): void {
  const [first] = rows;
  if (!first) return;
  const names = Object.keys(first);
  const lines = [names, ...rows.map((row) => names.map((name) => String(row[name] ?? '–')))];
  const widths = names.map((_, column) => Math.max(...lines.map((line) => line[column]?.length ?? 0)));
  const isWord = names.map((name) => rows.every((row) => !/^[\d.,]+( |$)/.test(String(row[name] ?? '0'))));
  for (const line of lines)
    say(
      line
        .map((text, column) => (isWord[column] ? text.padEnd(widths[column] ?? 0) : text.padStart(widths[column] ?? 0)))
        .join('  ')
        .trimEnd(),
    );
}

export function whole(value: number | undefined): string {
  return value === undefined ? 'unknown' : Math.round(value).toLocaleString('en-US');
}

/** Milliseconds with meaningful decimal places. */
export function ms(value: number): string {
  return value.toFixed(value < 10 ? 2 : value < 100 ? 1 : 0);
}

export function ratio(value: number): string {
  return value.toFixed(2);
}

/** The middle value; of an even number of values the upper one. */
export function median(values: number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN;
}

/** The value that this share of them is below. */
export function atShare(sorted: number[], share: number): number {
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN;
}

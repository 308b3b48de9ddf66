/** These fields of the rows, an array for each: what `unnest` makes rows of again. */
export function columnsOf<Row>(rows: readonly Row[], ...names: (keyof Row)[]): unknown[][] {
  return names.map((name) => rows.map((row) => row[name] ?? null));
}

type Present<Row> = { [Field in keyof Row as null extends Row[Field] ? never : Field]: Row[Field] } & {
  [Field in keyof Row as null extends Row[Field] ? Field : never]?: NonNullable<Row[Field]>;
};

/**
 * Leaves unset fields out of a body: never null, never the empty string. It takes an object of the caller's own and changes it,
 * because a new one for each row of a page would cost more than writing its JSON.
 */
export function present<Row extends object>(row: Row): Present<Row> {
  const fields = row as Record<string, unknown>;
  for (const name in fields) if (fields[name] === null || fields[name] === '') fields[name] = undefined;
  return row as Present<Row>;
}

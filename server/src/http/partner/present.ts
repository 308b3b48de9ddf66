type Present<Row> = { [Field in keyof Row as null extends Row[Field] ? never : Field]: Row[Field] } & {
  [Field in keyof Row as null extends Row[Field] ? Field : never]?: NonNullable<Row[Field]>;
};

/** Leaves unset fields out of a body: never null, never the empty string. */
export function present<Row extends object>(row: Row): Present<Row> {
  return Object.fromEntries(Object.entries(row).filter(([, value]) => value !== null && value !== '')) as Present<Row>;
}

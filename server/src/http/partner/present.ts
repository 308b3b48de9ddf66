import type { Failure } from '../../domain/texting/failures.ts';

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

/** Outcomes in the contract's shape: failures as strings, and the same failures with codes. */
export function withDetails<Success>({ successes, failures }: { successes: Success[]; failures: Failure[] }) {
  return { successes, failures: failures.map(({ message }) => message), failureDetails: failures };
}

/** Of a send or a consent request: if nobody succeeded, the caller can try again under the same key. */
export function anySucceeded(result: unknown): boolean {
  return (result as { successes: unknown[] }).successes.length > 0;
}

/** Of a POST that only reads: it never spends a key. */
export function nothingDone(): boolean {
  return false;
}

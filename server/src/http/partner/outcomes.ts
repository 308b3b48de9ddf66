import type { Failure } from '../../domain/texting/failures.ts';

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

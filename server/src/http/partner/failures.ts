import type { Failure } from '../../domain/texting/failures.ts';

/** Outcomes in the contract's shape: failures as strings, and the same failures with codes. */
export function withDetails<Success>({ successes, failures }: { successes: Success[]; failures: Failure[] }) {
  return { successes, failures: failures.map(({ message }) => message), failureDetails: failures };
}

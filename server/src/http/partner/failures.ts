import type { Failure } from '../../domain/texting/failures.ts';

/** The outcome for each recipient as the contract has it: failures as strings, and the same with codes beside them. */
export function withDetails<Success>({ successes, failures }: { successes: Success[]; failures: Failure[] }) {
  return { successes, failures: failures.map(({ message }) => message), failureDetails: failures };
}

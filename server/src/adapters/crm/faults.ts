import { CrmFault } from '../../domain/ports.ts';
import { OutboundFault } from '../outbound/outbound.ts';

/** For a whole lookup, however many requests it takes: a person may be waiting for it. */
export const lookupMs = 10_000;

/** Runs a lookup with its timeout. Every failure is thrown as a CrmFault. */
export async function withinLookup<Value>(
  until: AbortSignal,
  notAnswer: string,
  ask: (until: AbortSignal) => Promise<Value>,
): Promise<Value> {
  const timeout = AbortSignal.timeout(lookupMs);
  try {
    return await ask(AbortSignal.any([until, timeout]));
  } catch (error) {
    if (timeout.aborted && !until.aborted)
      throw new CrmFault(`It did not answer within ${lookupMs / 1000} seconds.`, { cause: error });
    throw faultOf(error, until, notAnswer);
  }
}

/** A fault with a sentence for the operator, and the error as its cause. */
export function faultOf(error: unknown, until: AbortSignal, notAnswer: string): CrmFault {
  if (error instanceof CrmFault) return error;
  if (until.aborted) return new CrmFault('It was canceled before it was done.', { cause: error });
  return new CrmFault(error instanceof OutboundFault ? error.message : notAnswer, { cause: error });
}

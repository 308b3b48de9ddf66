import { CrmFault } from '../domain/ports.ts';
import { OutboundFault } from '../outbound/outbound.ts';

/** A lookup is waited for by somebody: it has that long, however many requests it takes. */
export const lookupMs = 10_000;

/** Does it in the time of a lookup. Whatever goes wrong comes out as a CrmFault. */
export async function withinLookup<Value>(
  until: AbortSignal,
  notAnswer: string,
  ask: (until: AbortSignal) => Promise<Value>,
): Promise<Value> {
  const late = AbortSignal.timeout(lookupMs);
  try {
    return await ask(AbortSignal.any([until, late]));
  } catch (error) {
    if (late.aborted && !until.aborted)
      throw new CrmFault(`It did not answer within ${lookupMs / 1000} seconds.`, { cause: error });
    throw faultOf(error, until, notAnswer);
  }
}

/** The sentence that an operator reads; what was thrown is kept as its cause. */
export function faultOf(error: unknown, until: AbortSignal, notAnswer: string): CrmFault {
  if (error instanceof CrmFault) return error;
  if (until.aborted) return new CrmFault('It was given up before it was done.', { cause: error });
  return new CrmFault(error instanceof OutboundFault ? error.message : notAnswer, { cause: error });
}

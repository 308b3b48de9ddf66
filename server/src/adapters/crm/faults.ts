import { type Crm, CrmFault } from '../../domain/ports.ts';
import { OutboundFault } from '../outbound/outbound.ts';

/** For a whole lookup, however many requests it takes: a person may be waiting for it. */
const lookupMs = 10_000;

/** The same CRM, but every failure is a CrmFault, and a lookup has its timeout. */
export function withFaults(unexpected: string, { lookup, list }: Crm): Crm {
  return {
    async lookup(phone, until) {
      const timeout = AbortSignal.timeout(lookupMs);
      try {
        return await lookup(phone, AbortSignal.any([until, timeout]));
      } catch (error) {
        if (timeout.aborted && !until.aborted)
          throw new CrmFault(`It did not answer within ${lookupMs / 1000} seconds.`, { cause: error });
        throw faultOf(error, until, unexpected);
      }
    },
    async *list(known, until) {
      try {
        yield* list(known, until);
      } catch (error) {
        throw faultOf(error, until, unexpected);
      }
    },
  };
}

/** A fault with a sentence for the operator, and the error as its cause. */
function faultOf(error: unknown, until: AbortSignal, unexpected: string): CrmFault {
  if (error instanceof CrmFault) return error;
  if (until.aborted) return new CrmFault('It was canceled before it was done.', { cause: error });
  return new CrmFault(error instanceof OutboundFault ? error.message : unexpected, { cause: error });
}

import type { Deps } from '../../deps.ts';
import type { Carrier, Submission } from '../ports.ts';
import type { ClaimedText } from './claims.ts';

/** What we know after handing a text over; `unknown` when the carrier failed or took too long to answer. */
export type Result = Submission | { unknown: 'error' | 'timeout' };

/** Hands a text over. `result` comes within the carrier's timeout; `late` is an answer that comes after it, if one does. */
export function submitToCarrier(
  { config }: Pick<Deps, 'config'>,
  carrier: Carrier,
  { messageId, textingNumber, phone, text, kind, claim }: ClaimedText,
): { result: Promise<Result>; late: Promise<Submission | null> } {
  const { beginBy } = claim;
  // By now the person's STOP may have been acknowledged.
  if (performance.now() > beginBy)
    return { result: Promise.resolve({ notTaken: 'not_begun' }), late: Promise.resolve(null) };
  const answer = Promise.try(() =>
    carrier.submit({ from: textingNumber, to: phone, text, kind, reference: messageId, beginBy }),
  );
  let inTime = true;
  const result = new Promise<Result>((resolve) => {
    const timer = setTimeout(() => {
      inTime = false;
      resolve({ unknown: 'timeout' });
    }, config.carrierTimeoutMs);
    answer.then(resolve, () => resolve({ unknown: 'error' })).finally(() => clearTimeout(timer));
  });
  const late = answer.then(
    (submission) => (inTime ? null : submission),
    () => null,
  );
  return { result, late };
}

import type { Deps } from '../../deps.ts';
import type { Carrier, Course, Submission } from '../ports.ts';
import type { ClaimedText } from './claims.ts';

/** What we know after handing a text over; `unknown` when the carrier failed or took too long to answer. */
export type SubmissionResult = Submission | { unknown: 'error' | 'timeout' };

/**
 * Hands a text over. `result` comes within the carrier's timeout, which starts again while a long text `goesOn`; `late` is a response
 * that comes after it, if one does.
 */
export function submitToCarrier(
  { config }: Pick<Deps, 'config'>,
  carrier: Carrier,
  { messageId, textingNumber, phone, text, kind, claim }: ClaimedText,
  course: Course,
): { result: Promise<SubmissionResult>; late: Promise<Submission | null> } {
  const { beginBy } = claim;
  // By now the person's STOP may have been acknowledged.
  if (performance.now() > beginBy)
    return { result: Promise.resolve({ notTaken: 'not_begun', unavailable: true }), late: Promise.resolve(null) };
  let inTime = true;
  const timedOut = Promise.withResolvers<SubmissionResult>();
  const timer = setTimeout(() => {
    inTime = false;
    timedOut.resolve({ unknown: 'timeout' });
  }, config.carrierTimeoutMs);
  const goesOn = () => {
    if (inTime) timer.refresh();
    course.goesOn();
  };
  const response = Promise.try(() =>
    carrier.submit(
      { from: textingNumber, to: phone, text, kind, reference: messageId, beginBy },
      { ...course, goesOn },
    ),
  );
  const known = response.catch((): SubmissionResult => ({ unknown: 'error' })).finally(() => clearTimeout(timer));
  const result = Promise.race([known, timedOut.promise]);
  const late = response.then(
    (submission) => (inTime ? null : submission),
    () => null,
  );
  return { result, late };
}

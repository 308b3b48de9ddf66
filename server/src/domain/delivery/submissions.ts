import type { Deps } from '../../deps.ts';
import type { OutcomeRow } from '../../store/delivery/outcomes.ts';
import type { Carrier, Submission } from '../ports.ts';
import type { ClaimedText } from './claims.ts';

/** What is known after handing a text over; `unknown` when the carrier erred or took too long to answer. */
export type Result = Submission | { unknown: 'error' | 'timeout' };

const firstPauseMs = 300;
const pauseMsMax = 60_000;
const attemptsMax = 12;
const jitter = 0.2;

/** Hands a text over. The result comes in time; the late one, if there is any, whenever the carrier answers after all. */
export function submit(
  { config }: Pick<Deps, 'config'>,
  carrier: Carrier,
  { textingNumber, phone, text, kind, leasedUntil }: ClaimedText,
): { result: Promise<Result>; late: Promise<Submission | null> } {
  // The claim took so long that the lease could end first: then another node says that nobody knows, and it would be so.
  if (Date.now() + config.carrierTimeoutMs > leasedUntil.getTime())
    return { result: Promise.resolve({ notTaken: 'lease_too_short' }), late: Promise.resolve(null) };
  const answer = Promise.try(() => carrier.submit({ from: textingNumber, to: phone, text, kind }));
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

/** What an attempt came to. What surely wasn't taken is tried again, a little later each time. */
export function outcomeOf({ advisorId, messageId, attempt }: ClaimedText, result: Result): OutcomeRow {
  const row = { advisorId, messageId, attempt, code: null, failureCode: null, carrierMessageId: null, retryAt: null };
  if ('accepted' in result) return { ...row, outcome: 'accepted', status: 'sent', carrierMessageId: result.accepted };
  if ('refused' in result) {
    const code = result.refused;
    return { ...row, outcome: 'refused', status: 'failed', code, failureCode: code };
  }
  if ('unknown' in result) return { ...row, outcome: 'unknown', status: 'in_doubt', code: result.unknown };
  const notTaken = { ...row, outcome: 'not_taken', code: result.notTaken, failureCode: 'carrier_unavailable' } as const;
  if (attempt >= attemptsMax) return { ...notTaken, status: 'failed' };
  return { ...notTaken, status: 'queued', retryAt: new Date(Date.now() + pauseAfter(attempt)) };
}

/** Twice as long each time, and not quite the same for everybody, so that they don't all come back at once. */
function pauseAfter(attempt: number): number {
  const pauseMs = Math.min(firstPauseMs * 2 ** (attempt - 1), pauseMsMax);
  return pauseMs * (1 - jitter + 2 * jitter * Math.random());
}

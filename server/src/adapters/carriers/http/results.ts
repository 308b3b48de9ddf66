import type { Receipt, Refusal, UndeliveredReason } from '../../../domain/ports.ts';
import type { CarrierResponse } from './requests.ts';

/** What an error code means for a text: refused for good, or not taken. `account`: no text goes until an operator acts. */
export type CodeMeaning = Refusal | 'throttled' | 'notTaken' | 'account';

/** What a response says about a text that was handed over; null if it settles nothing. */
export type SubmitResult = { accepted: string } | { code: string; meaning: CodeMeaning } | null;

/** What both vendors document the same way. `code` is the error's own, if the response has one. */
export function refusalOf(
  { status, retryAfterMs }: CarrierResponse,
  code: string | null,
  known: Record<string, CodeMeaning>,
): SubmitResult {
  const meaning = code !== null && Object.hasOwn(known, code) ? known[code] : undefined;
  // "A request that receives a 429 is never processed."
  if (status === 429) return { code: code ?? '429', meaning: meaning ?? 'throttled' };
  // Without it, a 503 may come from whatever stands behind the one that took the text.
  if (status === 503 && retryAfterMs !== null) return { code: code ?? '503', meaning: 'throttled' };
  // A 408 says that something took too long, not what was done by then.
  if (status < 400 || status >= 500 || status === 408 || code === null) return null;
  return { code, meaning: meaning ?? (status === 401 ? 'account' : 'rejected') };
}

export type ReceiptMeaning = Pick<Receipt, 'status' | 'code' | 'reason'>;

/** What a receipt says about a text that didn't arrive. A code that refuses a text when it is handed over means the same later. */
export function undeliveredBy(
  code: string | null,
  known: Record<string, CodeMeaning>,
  more: Record<string, UndeliveredReason>,
): ReceiptMeaning {
  if (code === null) return { status: 'undelivered' };
  const reason = refusals.find((each) => each === known[code]) ?? more[code];
  return { status: 'undelivered', code, ...(reason && { reason }) };
}

const refusals: Refusal[] = ['unreachable', 'landline', 'opted_out', 'rejected'];

import type { SubmissionAtCarrier, UndeliveredReason } from '../../../domain/ports.ts';
import { textAt } from '../http/fields.ts';
import type { CarrierResponse } from '../http/requests.ts';
import { type CodeMeaning, type ReceiptMeaning, refusalOf, type SubmitResult, undeliveredBy } from '../http/results.ts';

/** Twilio's error codes (twilio.com/docs/api/errors) that mean something else than `rejected`. */
const known: Record<string, CodeMeaning> = {
  // Wrong credentials, or an account that is suspended, closed or of another name.
  10001: 'account',
  20003: 'account',
  20005: 'account',
  20404: 'account',
  20429: 'throttled',
  // An invalid number, one that can't be reached, a short or premium one, or a region that isn't enabled.
  21211: 'unreachable',
  21214: 'unreachable',
  21217: 'unreachable',
  21265: 'unreachable',
  21268: 'unreachable',
  21408: 'unreachable',
  21612: 'unreachable',
  21610: 'opted_out',
  // The queue of our number is full: ten hours of texts wait in it.
  21611: 'notTaken',
  // "Not a valid mobile number", and outright a landline.
  21614: 'landline',
  21635: 'landline',
};

/** A text is created with a 201 and has its SID from then on. Every error that Twilio explains has a code. */
export function resultOf(response: CarrierResponse): SubmitResult {
  const sid = textAt(response.body, 'sid');
  if (response.status >= 200 && response.status < 300) return sid ? { accepted: sid } : null;
  return refusalOf(response, textAt(response.body, 'code'), known);
}

/** Codes of receipts that mean more than `undelivered`, beside those above. */
const undelivered: Record<string, UndeliveredReason> = {
  30004: 'rejected',
  30005: 'unreachable',
  30006: 'landline',
  30007: 'filtered',
  // The number has no 10DLC campaign, or isn't verified.
  30032: 'rejected',
  30034: 'rejected',
  // The text was too old by its turn.
  30036: 'expired',
};

/** What the status of a text means; null while it is on its way. */
export function receiptOf(status: string | null, errorCode: string | null): ReceiptMeaning | null {
  if (status === 'delivered' || status === 'read') return { status: 'delivered' };
  if (status === 'undelivered' || status === 'failed') return undeliveredBy(errorCode, known, undelivered);
  return status === 'canceled' ? { status: 'undelivered', code: status } : null;
}

export function foundOf(message: unknown): SubmissionAtCarrier | null {
  const carrierMessageId = textAt(message, 'sid');
  if (!carrierMessageId) return null;
  const receipt = receiptOf(textAt(message, 'status'), textAt(message, 'error_code'));
  return { carrierMessageId, ...(receipt ?? { status: 'sent' }) };
}

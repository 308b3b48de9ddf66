import type { SubmissionAtCarrier, UndeliveredReason } from '../../../domain/ports.ts';
import { textAt } from '../http/fields.ts';
import type { CarrierResponse } from '../http/requests.ts';
import { type CodeMeaning, type ReceiptMeaning, refusalOf, type SubmitResult, undeliveredBy } from '../http/results.ts';

/** Telnyx's error codes (developers.telnyx.com, error codes) that mean something else than `rejected`. */
const known: Record<string, CodeMeaning> = {
  // An invalid number, one that isn't routable (maybe a landline), or a region that isn't enabled.
  10002: 'unreachable',
  10016: 'unreachable',
  40001: 'unreachable',
  40012: 'unreachable',
  40309: 'unreachable',
  40310: 'unreachable',
  40319: 'unreachable',
  40300: 'opted_out',
  // Wrong credentials, an account or profile that is disabled, or no money left.
  10009: 'account',
  10010: 'account',
  20012: 'account',
  20100: 'account',
  40312: 'account',
  40314: 'account',
  40333: 'account',
  10011: 'throttled',
  // The queue is full, or our number is unusable for now.
  40318: 'notTaken',
  40320: 'notTaken',
};

export function resultOf(response: CarrierResponse): SubmitResult {
  const id = textAt(response.body, 'data', 'id');
  if (response.status >= 200 && response.status < 300) return id ? { accepted: id } : null;
  return refusalOf(response, textAt(response.body, 'errors', 0, 'code'), known);
}

/** Codes of receipts that mean more than `undelivered`, beside those above. */
const undelivered: Record<string, UndeliveredReason> = {
  40002: 'filtered',
  40003: 'filtered',
  // The number has no 10DLC campaign.
  40010: 'rejected',
};

const failed = ['sending_failed', 'delivery_failed', 'expired'];

/**
 * What a message with one recipient says about its delivery; null while it is on its way. It is null for
 * `delivery_unconfirmed` as well: the network never said whether the text arrived.
 */
export function receiptOf(message: unknown): ReceiptMeaning | null {
  const status = textAt(message, 'to', 0, 'status');
  if (status === 'delivered' || status === 'read') return { status: 'delivered' };
  if (!status || !failed.includes(status)) return null;
  return undeliveredBy(textAt(message, 'errors', 0, 'code') ?? status, known, undelivered);
}

export function foundOf(message: unknown): SubmissionAtCarrier | null {
  const carrierMessageId = textAt(message, 'id');
  return carrierMessageId ? { carrierMessageId, ...(receiptOf(message) ?? { status: 'sent' }) } : null;
}

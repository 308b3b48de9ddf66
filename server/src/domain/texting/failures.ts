import type { Recipient } from '../../store/texting/recipients.ts';
import { type Problem, problem } from '../problems.ts';
import { waitingMax } from '../shared/text/text-rules.ts';
import type { GateCode, RefusalCode } from './gate.ts';

/** Why one recipient got no text: a stable code for programs, a sentence for a person. */
export type Failure = {
  phone: string;
  memberId: number;
  code: RefusalCode;
  message: string;
  /** Whether the same request can succeed later without further action by the caller. */
  retryable: boolean;
};

type Account = Pick<Recipient, 'advisorName' | 'textingNumber' | 'consentCollection'> & {
  /** The text would go out at a date that the caller gave. */
  isScheduled?: boolean;
};

/** What is wrong, and what to do next. */
const sentences: Record<RefusalCode, (phone: string, account: Account) => string> = {
  not_consented: (phone, { advisorName, consentCollection }) =>
    consentCollection
      ? `${phone} has not consented to texts from ${advisorName}. Send a consent request, then the text once it is accepted.`
      : `${phone} has not consented to texts from ${advisorName}, whose account is not set up to ask for it. Contact the operator.`,
  consent_pending: (phone, { advisorName }) =>
    `${phone} has not yet accepted the consent request from ${advisorName}. Send the text once it is accepted.`,
  opted_out: (phone, { advisorName, textingNumber }) =>
    `${phone} has opted out of texts from ${advisorName}. Only they can opt back in, by texting START${textingNumber ? ` to ${textingNumber}` : ''}.`,
  unreachable: (phone) => `${phone} can’t be reached by text. Check the number with its owner.`,
  landline: (phone) => `${phone} is a landline, which can’t receive texts. Use a mobile number.`,
  quiet_hours: (phone, { isScheduled }) =>
    isScheduled
      ? `The delivery date is not between 8:00 and 21:00 everywhere that ${phone} may be. Choose a time during those hours.`
      : `It is not between 8:00 and 21:00 everywhere that ${phone} may be. Send it again during those hours.`,
  text_blocked: (phone) => `The text to ${phone} was blocked by the firm’s supervision rules. Reword it.`,
  too_many_waiting: (phone) =>
    `${waitingMax} texts already wait for ${phone} to consent. Send it again once they have answered.`,
};

export const refusalCodes = Object.keys(sentences) as RefusalCode[];

const retryableCodes: ReadonlySet<RefusalCode> = new Set(['consent_pending', 'quiet_hours', 'too_many_waiting']);

export function failure(phone: string, memberId: number, code: GateCode, account: Account): Failure {
  // That is no recipient's failure. The door and textingProblem refuse it earlier.
  if (code === 'account_disabled') throw accountDisabled();
  // The same date stays in quiet hours, however often it is sent.
  const retryable = retryableCodes.has(code) && !(code === 'quiet_hours' && account.isScheduled);
  return { phone, memberId, code, message: sentences[code](phone, account), retryable };
}

/** The account was disabled after the request was let in: the door would refuse it now. */
export function accountDisabled(): Problem {
  return problem('unauthorized', 'The advisor’s account is disabled. Contact the operator.');
}

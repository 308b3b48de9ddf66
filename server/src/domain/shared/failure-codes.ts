import type { UndeliveredReason } from '../ports.ts';

type Meaning = { cause: string; next: string };

/**
 * Why a text failed or wasn't delivered, and why a scheduled message was skipped: every code that partners see, with its cause and
 * what to do. What a carrier calls it is mapped to one of these, and its own code is in the archive.
 */
export const failureCodes = {
  not_consented: {
    cause: 'The person hasn’t consented to texts from the advisor.',
    next: 'Send a consent request, and the text once it is accepted, or send it with `whenConsented`.',
  },
  consent_pending: {
    cause: 'The person hasn’t answered the consent request yet.',
    next: 'Send the text once it is accepted, or send it with `whenConsented`.',
  },
  consent_lapsed: {
    cause: 'A text with `whenConsented` waited 24 hours, and the person didn’t consent.',
    next: 'Send it again if it still matters: the person is asked again.',
  },
  opted_out: {
    cause: 'The person opted out of texts from the advisor, or the carrier says that they did.',
    next: 'Don’t text them. Only they can opt back in, by texting START.',
  },
  unreachable: {
    cause: 'The number doesn’t exist, or no text can reach it.',
    next: 'Check the number with its owner.',
  },
  landline: { cause: 'The number is a landline, which can’t receive texts.', next: 'Use a mobile number.' },
  quiet_hours: {
    cause: 'It isn’t between 8:00 and 21:00 everywhere that the person may be, and the account refuses texts then.',
    next: 'Send it during those hours.',
  },
  text_blocked: {
    cause: 'The firm’s supervision rules blocked the text, or a reviewer rejected it.',
    next: 'Reword it.',
  },
  too_many_waiting: {
    cause: 'Ten texts already wait for the person to consent.',
    next: 'Send it again once they have answered.',
  },
  still_held: {
    cause: 'The schedule’s text before this one is still held, and this one would be too: both would go out at once.',
    next: 'Nothing: once the firm has decided about that text, the schedule goes on at its next date.',
  },
  expired: {
    cause:
      'The carrier didn’t take the text within its lifetime, 24 hours unless the operator set another. If the status is `undelivered`, part of a long text was sent, and the rest wasn’t.',
    next: 'Send it again if it still matters. The operator sees in `assent carriers status` what the carrier lacks.',
  },
  carrier_unavailable: {
    cause: 'The carrier failed to take the text, twelve times in a few minutes.',
    next: 'Send it again later. If it happens again, contact the operator.',
  },
  rejected: {
    cause: 'The carrier refused the text: the texting number isn’t registered for it, for example.',
    next: 'Contact the operator. The archive has the carrier’s own code.',
  },
  filtered: {
    cause: 'A carrier filtered the text as spam and didn’t deliver it.',
    next: 'Reword it, without shortened links for example. If it happens again, contact the operator.',
  },
  undelivered: {
    cause: 'The carrier took the text but couldn’t deliver it. The phone may be off or out of reach.',
    next: 'Send it again later, or reach the person another way.',
  },
  account_disabled: { cause: 'The advisor’s account is disabled.', next: 'Contact the operator.' },
  no_texting_number: { cause: 'The advisor’s account has no texting number.', next: 'Contact the operator.' },
  no_carrier: { cause: 'The advisor’s texting number has no carrier.', next: 'Contact the operator.' },
  internal_error: {
    cause: 'The scheduled message couldn’t be sent because of a fault on our side.',
    next: 'Schedule it again. If it happens again, contact the operator.',
  },
} as const satisfies Record<string, Meaning> & Record<UndeliveredReason, Meaning>;

export type FailureCode = keyof typeof failureCodes;
export const failureCodeNames = Object.keys(failureCodes) as FailureCode[];

/** For partners, who know these codes only. */
export function failureCodeOf(kept: string | null): FailureCode | null {
  if (kept === null) return null;
  return Object.hasOwn(failureCodes, kept) ? (kept as FailureCode) : 'undelivered';
}

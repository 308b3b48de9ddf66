import type { ConsentEvidence, ConsentState, FailureReason, TextItem } from '../api/types.ts';
import type { IconName } from '../look/icons.tsx';

export type Tone = 'good' | 'warn' | 'bad' | 'quiet' | 'brand';
export type StateWord = { word: string; icon: IconName; tone: Tone };

/** Consent beside a name: always a word and an icon. */
export const consentWords: Record<ConsentState, StateWord> = {
  accepted: { word: 'Accepted', icon: 'shield-check', tone: 'good' },
  pending: { word: 'Asked', icon: 'hourglass', tone: 'warn' },
  none: { word: 'Not asked', icon: 'circle-dashed', tone: 'quiet' },
  opted_out: { word: 'Opted out', icon: 'ban', tone: 'quiet' },
};
/** As they are listed. */
export const consentStates = Object.keys(consentWords) as ConsentState[];
export const possibleOptOut: StateWord = { word: 'Possible opt-out', icon: 'hand-stop', tone: 'bad' };
export const consentOf = ({ state, isHeld }: { state: ConsentState; isHeld: boolean }): StateWord =>
  isHeld ? possibleOptOut : consentWords[state];

export const kindWords: Record<TextItem['kind'], string | null> = {
  text: null,
  consent_request: 'Consent request',
  reminder: 'Reminder of the consent request',
  confirmation: 'Confirmation',
  help: 'Answer to HELP',
};

export const statusWords: Record<TextItem['status'], StateWord> = {
  queued: { word: 'Sending', icon: 'clock', tone: 'quiet' },
  sent: { word: 'Sent', icon: 'check', tone: 'quiet' },
  delivered: { word: 'Delivered', icon: 'checks', tone: 'quiet' },
  undelivered: { word: 'Not delivered', icon: 'alert-triangle', tone: 'bad' },
  failed: { word: 'Not sent', icon: 'alert-triangle', tone: 'bad' },
  in_doubt: { word: 'May not have arrived', icon: 'help-circle', tone: 'warn' },
  held: { word: 'Held', icon: 'hand-stop', tone: 'warn' },
  awaiting_consent: { word: 'Waiting for consent', icon: 'hourglass', tone: 'warn' },
  deferred: { word: 'Goes out', icon: 'moon', tone: 'quiet' },
};

/** What happened, and what to do. `again` says whether the same text can be sent again from here. */
type Advice = { what: string; next: string; again: boolean };

export const failureAdvice: Record<FailureReason, Advice> = {
  not_consented: {
    what: 'They haven’t agreed to texts from you.',
    next: 'They have to agree first.',
    again: false,
  },
  consent_pending: {
    what: 'They haven’t answered your request yet.',
    next: 'Send it again, to go out once they accept.',
    again: true,
  },
  consent_lapsed: {
    what: 'It waited a day for their consent, which didn’t come.',
    next: 'Send it again if it still matters: they are asked once more.',
    again: true,
  },
  opted_out: {
    what: 'They opted out of texts from you.',
    next: 'Only they can change that, by texting START.',
    again: false,
  },
  unreachable: {
    what: 'The number doesn’t exist, or texts can’t reach it.',
    next: 'Check the number with them.',
    again: false,
  },
  landline: {
    what: 'The number is a landline, which can’t get texts.',
    next: 'Ask for a mobile number.',
    again: false,
  },
  quiet_hours: {
    what: 'It was too early or too late where they may be.',
    next: 'Send it between 8 AM and 9 PM their time.',
    again: true,
  },
  text_blocked: { what: 'Your firm’s rules stopped this text.', next: 'Reword it.', again: false },
  too_many_waiting: {
    what: 'Ten texts are already waiting for their consent.',
    next: 'Send it once they have answered.',
    again: false,
  },
  still_held: {
    what: 'The text before this one still waits for your firm.',
    next: 'Once your firm has decided, it’s sent at its next date.',
    again: false,
  },
  expired: { what: 'The carrier didn’t take it in time.', next: 'Send it again if it still matters.', again: true },
  carrier_unavailable: {
    what: 'The carrier was down.',
    next: 'Send it again. If it happens again, tell your firm’s support.',
    again: true,
  },
  rejected: {
    what: 'The carrier refused it.',
    next: 'Tell your firm’s support: they see the carrier’s reason.',
    again: false,
  },
  filtered: {
    what: 'A carrier filtered it as spam.',
    next: 'Reword it, without shortened links.',
    again: false,
  },
  undelivered: { what: 'The phone may be off or out of reach.', next: 'Send it again later, or call.', again: true },
  account_disabled: { what: 'Your account is disabled.', next: 'Talk to your firm.', again: false },
  no_texting_number: { what: 'Your account has no texting number.', next: 'Ask your firm for one.', again: false },
  no_carrier: { what: 'Your texting number isn’t connected yet.', next: 'Tell your firm’s support.', again: false },
  internal_error: {
    what: 'Something broke on our side.',
    next: 'Send it again. If it happens again, tell your firm’s support.',
    again: true,
  },
};

/** Nobody knows whether it arrived, so sending it again could text them twice: that takes a decision. */
export const doubtAdvice: Advice = {
  what: 'The carrier’s answer was lost, so this may have arrived or not.',
  next: 'Ask them before sending it again. We’ll keep checking.',
  again: false,
};

export const heldAdvice: Record<NonNullable<TextItem['heldReason']>, string> = {
  supervision: 'Your firm is reviewing it before it’s sent.',
  possible_opt_out: 'Their last reply may mean stop. It waits until your firm has decided.',
};

/** What a change of consent was, in the thread. */
export function consentEvent(
  name: string,
  state: ConsentState,
  previous: ConsentState,
  reason: string | null,
): StateWord {
  if (state === 'accepted') return { word: `${name} accepted texts from you`, icon: 'shield-check', tone: 'good' };
  if (state === 'opted_out') return { word: `${name} opted out`, icon: 'ban', tone: 'bad' };
  if (state === 'pending')
    return { word: `You asked ${name === 'They' ? 'them' : name} for consent`, icon: 'send', tone: 'quiet' };
  if (previous === 'pending') return { word: 'The request was not answered', icon: 'hourglass', tone: 'quiet' };
  return { word: reason ? `Consent was reset: ${reason}` : 'Consent was reset', icon: 'circle-dashed', tone: 'quiet' };
}

/** How it became known, where that says more than the move itself. */
export function evidenceWords(reason: string | null): string {
  const words: Record<string, string> = {
    requested: 'by text',
    accepted: 'they replied by text',
    declined: 'they replied by text',
    opt_in: 'they texted START',
    opt_out: 'they texted STOP',
    opt_out_wording: 'by what they wrote',
    possible_opt_out: 'your firm decided',
    firm_opt_out: 'they opted out of your firm’s texts',
    earlier_number: 'they texted STOP to a number you had before',
    carrier: 'their carrier told us',
    recorded: 'recorded by your firm',
  };
  return reason && words[reason] ? ` · ${words[reason]}` : '';
}

/** By which way consent was given or taken back. */
export const channelWords: Record<ConsentEvidence['channel'], string> = {
  text: 'By text',
  carrier: 'Through their carrier',
  paper: 'Outside of texts',
  sandbox: 'Set in the sandbox',
};

import { textLengthMax } from '../../../server/src/domain/shared/text/text-rules.ts';
import type { ConsentState } from '../api/types.ts';
import { type FieldName, fieldWords } from '../saved-replies/fields.tsx';
import { count } from '../words/people.ts';
import { failureAdvice, heldAdvice, type StateWord, statusWords } from '../words/states.ts';
import { whenTime } from '../words/times.ts';
import type { Broadcast, Code, GroupCheck, PersonalPreview, Recipient } from './queries.ts';

/** Why somebody gets no text, short enough to stand before a number. */
export const codeWords: Record<Code, string> = {
  not_consented: 'Not agreed to texts',
  consent_pending: 'Not answered your request',
  consent_lapsed: 'Not answered your request',
  opted_out: 'Opted out',
  unreachable: 'Not reachable',
  landline: 'Landline',
  quiet_hours: 'Night where they are',
  text_blocked: 'Stopped by your firm’s rules',
  too_many_waiting: 'Too many texts wait',
  still_held: 'The one before still waits',
  expired: 'Not taken in time',
  carrier_unavailable: 'Carrier was down',
  rejected: 'Refused by the carrier',
  filtered: 'Taken for unwanted',
  undelivered: 'Not delivered',
  account_disabled: 'Account disabled',
  no_texting_number: 'You have no texting number',
  no_carrier: 'Your number isn’t connected',
  internal_error: 'Broke on our side',
  no_phone: 'No phone number',
  same_number: 'Same number as someone else',
  accepted: 'Agreed already',
  asked_lately: 'Asked in the last 24 hours',
  being_asked: 'Waiting to be asked',
  no_collection: 'Account not set up to ask',
  missing_field: 'Name missing',
  too_long: 'Text too long',
  supervision: 'Read by your firm first',
  possible_opt_out: 'Possible opt-out',
};

const ownAdvice: Partial<Record<Code, string>> = {
  no_phone: 'Add a number to their contact to text them.',
  same_number: 'Somebody before them in the group has the same number, which gets one text.',
  too_long: `With their name in it, the text has more than ${textLengthMax.toLocaleString('en-US')} characters.`,
};

/** What stands in for a name that isn't known; there is no word for a last name. */
export const pieces: Record<FieldName, string> = {
  firstName: '{firstName|there}',
  lastName: '{lastName}',
  nickname: '{nickname|there}',
};

/** What would become of a person's text, as a chip. */
export function previewSaid({ status, code, earliest }: PersonalPreview, now: number, timeZone: string): StateWord {
  if (status === 'queued') return { word: 'Goes out now', icon: 'send', tone: 'good' };
  if (status === 'deferred')
    return {
      word: earliest ? `Goes out ${whenTime(earliest, now, timeZone)}` : 'Goes out later',
      icon: 'moon',
      tone: 'warn',
    };
  if (status === 'held') return { word: code ? codeWords[code] : 'Held', icon: 'hand-stop', tone: 'warn' };
  return { word: code ? codeWords[code] : 'Not sent', icon: code === 'no_phone' ? 'phone-off' : 'ban', tone: 'bad' };
}

/** Why, and what to do about it. */
export function previewAdvice({ status, code, missing }: PersonalPreview): string | null {
  if (code === 'missing_field') {
    const names = missing.map((field) => fieldWords[field].toLowerCase()).join(' and ');
    return names ? `Their ${names} isn’t known.` : 'Nothing would be left of the text.';
  }
  if (status === 'held' || status === null) return code && adviceOn(code);
  return null;
}

function adviceOn(code: Code): string | null {
  if (code === 'supervision' || code === 'possible_opt_out') return heldAdvice[code];
  const known = code in failureAdvice ? failureAdvice[code as keyof typeof failureAdvice] : null;
  return known ? `${known.what} ${known.next}` : (ownAdvice[code] ?? null);
}

/** What the button does. */
export function sendWords(check: GroupCheck | undefined, now: number, timeZone: string): string {
  if (!check) return 'Send';
  const people = check.now + check.later + check.held;
  if (people === 0) return 'Nobody can get this';
  const to = `Send to ${count(people, 'person', 'people')}`;
  return check.later === people && check.earliest ? `${to} at ${whenTime(check.earliest, now, timeZone)}` : to;
}

/** What those who were asked have done, after their number. */
export const answerWords: Record<ConsentState, string> = {
  accepted: 'accepted',
  opted_out: 'opted out',
  pending: 'not answered',
  none: 'not asked',
};

/** Whether it asks for consent instead of being a text of the advisor's own. */
export const asksForConsent = ({ wordingVersion }: Broadcast): boolean => wordingVersion !== null;

export const nameOf = (broadcast: Broadcast): string =>
  broadcast.groupName ?? (asksForConsent(broadcast) ? 'Consent requests' : 'Text to a group');

const broadcastWords: Record<Broadcast['status'], StateWord> = {
  sending: { word: 'Sending', icon: 'send', tone: 'brand' },
  done: { word: 'Done', icon: 'check', tone: 'good' },
  stopped: { word: 'Stopped', icon: 'hand-stop', tone: 'warn' },
};

/** Nobody is left but those where it is night. */
const untilMorning: StateWord = { word: 'Waits for the morning', icon: 'moon', tone: 'warn' };

export function broadcastSaid({ status, isDeferred }: Broadcast): StateWord {
  return isDeferred ? untilMorning : broadcastWords[status];
}

const outcomeWords: Record<Recipient['outcome'], StateWord> = {
  ...statusWords,
  waiting: { word: 'Its turn comes', icon: 'clock', tone: 'quiet' },
  refused: { word: 'Not sent', icon: 'ban', tone: 'bad' },
  stopped: { word: 'Stopped before', icon: 'hand-stop', tone: 'quiet' },
  delivered: { ...statusWords.delivered, tone: 'good' },
};

export function outcomeSaid({ outcome, code, deliverAfter }: Recipient, now: number, timeZone: string): StateWord {
  const said = outcomeWords[outcome];
  if (outcome === 'deferred' && deliverAfter)
    return { ...said, word: `Goes out ${whenTime(deliverAfter, now, timeZone)}`, tone: 'warn' };
  return outcome === 'refused' && code ? { ...said, word: codeWords[code] ?? said.word } : said;
}

export function outcomeAdvice({ outcome, code, heldReason }: Recipient): string | null {
  if (outcome === 'held') return heldReason && heldAdvice[heldReason];
  if (code === 'missing_field') return 'A name that the text needs isn’t known.';
  return code && adviceOn(code);
}

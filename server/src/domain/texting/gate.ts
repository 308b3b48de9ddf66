import type { Deps } from '../../deps.ts';
import type { ConsentState } from '../../store/consent/consents.ts';
import type { Recipient } from '../../store/texting/recipients.ts';
import type { TextKind } from '../../store/texting/texts.ts';
import { laterOf } from '../shared/time.ts';
import { windowAt, zonesOf } from './quiet-hours.ts';

/** Why one recipient gets no text: the stable codes of `failureDetails`. */
export type RefusalCode =
  | 'not_consented'
  | 'consent_pending'
  | 'opted_out'
  | 'unreachable'
  | 'landline'
  | 'quiet_hours'
  | 'text_blocked';

/** The time window in which an allowed text may go out; null where there is no limit. */
export type Hours = { deferredUntil: Date | null; openUntil: Date | null };

const replyExemptionMs = 4 * 60 * 60 * 1000;
const anyTime: Hours = { deferredUntil: null, openUntil: null };

export const consentStates: readonly ConsentState[] = ['none', 'pending', 'accepted', 'opted_out'];

/** The consent states in which a text of this kind may go out. The gate fails closed: any other state is refused. */
export function allowedStates(kind: TextKind, consentRequired: boolean): readonly ConsentState[] {
  switch (kind) {
    case 'text':
      return consentRequired ? ['accepted'] : ['none', 'pending', 'accepted'];
    case 'consent_request':
    case 'reminder':
      return ['none', 'pending', 'accepted'];
    case 'opt_in':
      return ['accepted'];
    case 'opt_out':
      return ['opted_out'];
    case 'help':
      return consentStates;
  }
}

/** The kinds that are held while a reply of the person may mean stop. What answers STOP, START or HELP is not. */
export const heldKinds: readonly TextKind[] = ['text', 'consent_request', 'reminder'];

/** Whether this person can be texted at a moment in domain time. */
export function gate(
  { carrier, signals }: Pick<Deps, 'carrier' | 'signals'>,
  recipient: Recipient,
  kind: TextKind,
  at: Date,
): { refused: RefusalCode } | { allowed: Hours } {
  const { state, provenState } = recipient;
  // Somebody changed the table past us, or the archive. Either way nobody is texted for it.
  if (state !== provenState) {
    signals.unprovenConsents.add(recipient);
    return { refused: state === 'opted_out' || provenState === 'opted_out' ? 'opted_out' : 'not_consented' };
  }
  if (state === 'opted_out' && !allowedStates(kind, recipient.consentRequired).includes(state))
    return { refused: 'opted_out' };
  const unfit = carrier?.check(recipient.phone);
  if (unfit) return { refused: unfit };
  if (!allowedStates(kind, recipient.consentRequired).includes(state))
    return { refused: state === 'pending' ? 'consent_pending' : 'not_consented' };
  return quietHours(recipient, kind, at);
}

/** Texts that the advisor starts wait for the recipient's daytime; answers to a person's text don't. */
function quietHours(recipient: Recipient, kind: TextKind, at: Date): { refused: RefusalCode } | { allowed: Hours } {
  const { quietHours: policy, lastReplyAt, phone, contactState, timeZone } = recipient;
  if (policy === 'off' || (kind !== 'text' && kind !== 'consent_request')) return { allowed: anyTime };
  const exemptUntil = lastReplyAt ? new Date(lastReplyAt.getTime() + replyExemptionMs) : at;
  const known = zonesOf(phone, contactState);
  const window = windowAt(at, known.length > 0 ? known : [timeZone]);
  if (window.open) return { allowed: { deferredUntil: null, openUntil: laterOf(window.until, exemptUntil) } };
  if (exemptUntil > at) return { allowed: { deferredUntil: null, openUntil: exemptUntil } };
  if (policy === 'refuse') return { refused: 'quiet_hours' };
  return { allowed: { deferredUntil: window.until, openUntil: null } };
}

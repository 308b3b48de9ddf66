import type { Deps } from '../../deps.ts';
import { type ConsentState, consentStates } from '../../store/consent/consents.ts';

export { consentStates };

import type { Recipient } from '../../store/texting/recipients.ts';
import type { TextKind } from '../../store/texting/texts.ts';
import { laterOf } from '../shared/time.ts';
import { noCarrier } from '../shared/traffic-counts.ts';
import { windowAt, zonesOf } from './quiet-hours.ts';

/** Why one recipient gets no text: the stable codes of `failureDetails`. */
export type RefusalCode =
  | 'not_consented'
  | 'consent_pending'
  | 'opted_out'
  | 'unreachable'
  | 'landline'
  | 'quiet_hours'
  | 'text_blocked'
  | 'too_many_waiting';

/** Why a text doesn't start: because of its recipient, or because its advisor's account is disabled. */
export type GateCode = RefusalCode | 'account_disabled';

/** The time window in which an allowed text may go out; null where there is no limit. */
export type Hours = { deferredUntil: Date | null; openUntil: Date | null };

const replyExemptionMs = 4 * 60 * 60 * 1000;
const anyTime: Hours = { deferredUntil: null, openUntil: null };

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
/** The kinds that don't go out once the person has said stop. */
export const stoppedKinds: readonly TextKind[] = [...heldKinds, 'opt_in'];

/**
 * The kinds that go out although the account is disabled. A person's STOP and HELP count whatever became of the advisor: the law
 * allows one confirmation of an opt-out, and carriers want HELP answered for as long as a number takes texts.
 */
export const owedKinds: readonly TextKind[] = ['opt_out', 'help'];

/** Whether the advisor may text at all; everything else about a text is about its recipient. */
export function mayText({ disabled }: Pick<Recipient, 'disabled'>, kind: TextKind): boolean {
  return !disabled || owedKinds.includes(kind);
}

/**
 * What the gate should know of a text: this has been asked about it before, or it is an answer, which only a send is that names
 * this one person and goes at once. What was scheduled, goes to several or has waited for a decision answers nobody.
 */
export type TextFacts = { hasWaited?: boolean; isAnswer?: boolean };

/** Whether this person can be texted at a moment in domain time: the first of the questions below that refuses it. */
export function gate(
  deps: Pick<Deps, 'carriers' | 'signals'>,
  recipient: Recipient,
  kind: TextKind,
  at: Date,
  { hasWaited = false, isAnswer = false }: TextFacts = {},
): { refused: GateCode } | { allowed: Hours } {
  if (!mayText(recipient, kind)) return { refused: 'account_disabled' };
  // Somebody changed the table past us, or the archive. Either way nobody is texted for it.
  if (!isProven(recipient)) deps.signals.unprovenConsents.add(recipient);
  const refused = optOutRefusal(recipient, kind) ?? numberRefusal(deps, recipient) ?? consentRefusal(recipient, kind);
  if (refused) return { refused };
  if (hasWaited && nightOf(deps, recipient)) return { allowed: anyTime };
  return quietHours(deps, recipient, kind, at, { isAnswer });
}

export function optOutRefusal(recipient: Recipient, kind: TextKind): RefusalCode | null {
  const { state, provenState, consentRequired } = recipient;
  if (!isProven(recipient)) return state === 'opted_out' || provenState === 'opted_out' ? 'opted_out' : null;
  return state === 'opted_out' && !allowedStates(kind, consentRequired).includes(state) ? 'opted_out' : null;
}

/** From the carrier's local check or an earlier lookup. Whoever has texted us can be texted. */
export function numberRefusal(
  { carriers }: Pick<Deps, 'carriers'>,
  { phone, carrierId, lineType, lastReplyAt }: Recipient,
): RefusalCode | null {
  const open = carrierOf({ carriers }, { carrierId });
  const known = open?.carrier.check(phone) ?? null;
  if (known || !open?.looksUp || lastReplyAt) return known;
  return lineType === 'landline' || lineType === 'unreachable' ? lineType : null;
}

export function consentRefusal(recipient: Recipient, kind: TextKind): RefusalCode | null {
  if (!isProven(recipient)) return 'not_consented';
  const { state } = recipient;
  const allowed = allowedStates(kind, recipient.consentRequired);
  // Where no consent is needed, an opt-out is no lack of it.
  if (allowed.includes(state) || (state === 'opted_out' && allowed.includes('none'))) return null;
  return state === 'pending' ? 'consent_pending' : 'not_consented';
}

export function isProven({ state, provenState }: Recipient): boolean {
  return state === provenState;
}

/** Texts wait for the recipient's daytime; an answer to what the person has just written doesn't. */
export function quietHours(
  deps: Pick<Deps, 'carriers'>,
  recipient: Recipient,
  kind: TextKind,
  at: Date,
  { isAnswer = false }: TextFacts = {},
): { refused: 'quiet_hours'; opensAt: Date } | { allowed: Hours } {
  const { quietHours: policy, lastReplyAt, phone, contactState, timeZone } = recipient;
  if (kind !== 'text' && kind !== 'consent_request') return { allowed: anyTime };
  const night = nightOf(deps, recipient);
  if (night) return { allowed: { deferredUntil: new Date(at.getTime() + night.lastsMs), openUntil: null } };
  if (policy === 'off') return { allowed: anyTime };
  const exemptUntil =
    lastReplyAt && isAnswer && kind === 'text' ? new Date(lastReplyAt.getTime() + replyExemptionMs) : at;
  const known = zonesOf(phone, contactState);
  const window = windowAt(at, known.length > 0 ? known : [timeZone]);
  if (window.open) return { allowed: { deferredUntil: null, openUntil: laterOf(window.until, exemptUntil) } };
  if (exemptUntil > at) return { allowed: { deferredUntil: null, openUntil: exemptUntil } };
  if (policy === 'refuse') return { refused: 'quiet_hours', opensAt: window.until };
  return { allowed: { deferredUntil: window.until, openUntil: null } };
}

function nightOf(deps: Pick<Deps, 'carriers'>, recipient: Recipient): { lastsMs: number } | null {
  return carrierOf(deps, recipient)?.carrier.night?.(recipient.phone) ?? null;
}

function carrierOf({ carriers }: Pick<Deps, 'carriers'>, { carrierId }: Pick<Recipient, 'carrierId'>) {
  return carriers.find(carrierId ?? noCarrier);
}

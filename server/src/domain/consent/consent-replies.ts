import type { Deps } from '../../deps.ts';
import { type ConsentState, updateConsent } from '../../store/consent/consents.ts';
import type { MemberRow } from '../../store/texting/members.ts';
import { byPerson } from '../archive/archive.ts';
import { laterOf } from '../shared/clock.ts';
import { listConsentEvents } from './consent-lookups.ts';
import { type Evidence, moveConsent, type Reason } from './consents.ts';
import type { ReplyMeaning } from './reply-words.ts';

/** A person's text, as far as consent is concerned. */
export type Reply = { meaning: ReplyMeaning; text: string; sentAt: Date; archiveNumber: number };
/** What a reply did: the state it moved to, and the text that answers it. */
export type ReplyEffect = { moved: ConsentState | null; answer: 'opt_in' | 'opt_out' | 'reminder' | null };

/** Applies a person's text to their consent, inside a transaction, with the member locked. */
export async function applyReply(deps: Deps, advisorId: number, member: MemberRow, reply: Reply): Promise<ReplyEffect> {
  const decision = decideReply(member, reply);
  if (!decision) return { moved: null, answer: null };
  if ('remind' in decision) {
    await updateConsent(deps.db, advisorId, member.memberId, { reminded: true });
    return { moved: null, answer: 'reminder' };
  }
  const { to, reason, decidedAt } = decision;
  if (to === member.state) {
    await updateConsent(deps.db, advisorId, member.memberId, { decidedAt });
    // Every START is confirmed; a second STOP gets no answer.
    return { moved: null, answer: to === 'accepted' ? 'opt_in' : null };
  }
  const evidence = {
    wording: await wordingShown(deps, advisorId, member, reply.sentAt),
    reply: { text: reply.text, sent: reply.sentAt.toISOString(), archiveNumber: reply.archiveNumber },
  };
  const act = { advisorId, by: byPerson, now: deps.clock.now() };
  await moveConsent(deps, act, { member, to, reason, channel: 'text', evidence }, decidedAt);
  return { moved: to, answer: to === 'accepted' ? 'opt_in' : 'opt_out' };
}

type Decision = { to: 'accepted' | 'opted_out'; reason: Reason; decidedAt: Date | null } | { remind: true } | null;

/** Pure, so that every order of arrival can be reasoned about. Null means that the text changes nothing. */
function decideReply(member: MemberRow, { meaning, sentAt }: Pick<Reply, 'meaning' | 'sentAt'>): Decision {
  switch (meaning) {
    case 'opt_out':
    case 'opt_out_wording':
      return optOut(member, meaning, sentAt);
    case 'opt_in':
      return optIn(member, sentAt);
    case 'accept':
      // Leaves decidedAt alone: unlike START, it would not have undone a STOP. So a STOP that was sent before it and
      // arrives late still counts.
      return answersRequest(member, sentAt)
        ? { to: 'accepted', reason: 'accepted', decidedAt: member.decidedAt }
        : null;
    case 'decline':
      return answersRequest(member, sentAt) ? optOut(member, 'declined', sentAt) : null;
    case 'other':
      return answersRequest(member, sentAt) && !member.reminded ? { remind: true } : null;
    case 'possible_opt_out':
    case 'help':
      return null;
  }
}

/** Replies arrive out of order: a STOP older than the START behind the current state changes nothing. */
function optOut({ state, decidedAt }: MemberRow, reason: Reason, sentAt: Date): Decision {
  if (state === 'opted_out') return { to: 'opted_out', reason, decidedAt: laterOf(decidedAt, sentAt) };
  return decidedAt && sentAt < decidedAt ? null : { to: 'opted_out', reason, decidedAt: sentAt };
}

/** Nor does a START that is older than the STOP, or equally old: on a tie, opted_out wins. */
function optIn({ state, decidedAt }: MemberRow, sentAt: Date): Decision {
  if (state === 'accepted') return { to: 'accepted', reason: 'opt_in', decidedAt: laterOf(decidedAt, sentAt) };
  return decidedAt && sentAt <= decidedAt ? null : { to: 'accepted', reason: 'opt_in', decidedAt: sentAt };
}

/** Whether it was written since the first consent request, which is when pending began. */
function answersRequest({ state, lastChanged }: MemberRow, sentAt: Date): boolean {
  return state === 'pending' && sentAt >= lastChanged;
}

/** The request that the person had seen when they wrote: the last one, or an earlier one if the last crossed their reply. */
async function wordingShown(
  deps: Deps,
  advisorId: number,
  { memberId, requestedAt, requestedWording, requestedVersion }: MemberRow,
  sentAt: Date,
): Promise<Evidence['wording']> {
  if (!requestedAt || requestedWording === null) return undefined;
  const last = { text: requestedWording, version: requestedVersion ?? 0, shown: requestedAt.toISOString() };
  if (requestedAt <= sentAt) return last;
  const events = await listConsentEvents(deps, advisorId, memberId);
  return events.findLast(({ reason, dateTime }) => reason === 'requested' && dateTime <= sentAt)?.evidence?.wording;
}

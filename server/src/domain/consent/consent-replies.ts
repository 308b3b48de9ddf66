import type { Deps } from '../../deps.ts';
import type { ConsentState } from '../../store/consent/consents.ts';
import type { MemberRow } from '../../store/members/members.ts';
import { byPerson } from '../archive/archive.ts';
import type { Evidence, Reason } from '../archive/consent-entries.ts';
import { laterOf } from '../shared/time.ts';
import { listConsentEvents } from './consent-lookups.ts';
import { type LockedPerson, markReminded, moveConsent, optOut } from './consents.ts';
import type { ReplyMeaning } from './reading/reply-words.ts';

/** A person's text, as far as consent is concerned. It is never stamped later than it arrived. */
export type Reply = { meaning: ReplyMeaning; text: string; sentAt: Date; archiveNumber: number };
/**
 * What a reply did: the state it moved to, the text that answers it, and whether its stamp and its arrival disagree about
 * what the person wants, which is for the firm to look at.
 */
type ReplyEffect = {
  moved: ConsentState | null;
  answer: 'opt_in' | 'opt_out' | 'reminder' | null;
  outOfOrder: boolean;
};

/** Applies a person's text to their consent, inside a transaction, with everybody whom a stop concerns locked. */
export async function applyReply(
  deps: Deps,
  advisorId: number,
  person: LockedPerson,
  reply: Reply,
): Promise<ReplyEffect> {
  const { member } = person;
  const decision = decideReply(member, reply) ?? declineElsewhere(person, reply);
  if (!decision) return nothing;
  if ('ignored' in decision) return { ...nothing, outOfOrder: true };
  if ('remind' in decision) {
    await markReminded(deps, advisorId, member);
    return { ...nothing, answer: 'reminder' };
  }
  const { to, reason, outOfOrder } = decision;
  const { sentAt } = reply;
  const wording = to === member.state ? undefined : await wordingShown(deps, advisorId, member, sentAt);
  const how = { reason, channel: 'text', evidence: { wording, reply: evidenceOf(reply) } } as const;
  const act = { advisorId, by: byPerson, now: deps.clock.now() };
  if (to === 'accepted') {
    const moved = await moveConsent(
      deps,
      act,
      { member, to, ...how },
      { startedAt: laterOf(member.startedAt, sentAt) },
    );
    // The phone's other form had the same stop.
    const startedAt = laterOf(member.startedAt, sentAt);
    for (const other of person.others)
      if (other.state === 'opted_out') await moveConsent(deps, act, { member: other, to, ...how }, { startedAt });
    // Every START is confirmed.
    return { moved: moved ? to : null, answer: 'opt_in', outOfOrder };
  }
  const stopped = await optOut(deps, act, person, { ...how, at: sentAt });
  // A second STOP gets no answer, unless the person had opted back in to another advisor of the firm meanwhile.
  const effect = stopped.moved ? ({ moved: to, answer: 'opt_out' } as const) : nothing;
  return { ...effect, outOfOrder: outOfOrder || stopped.outOfOrder };
}

const nothing: ReplyEffect = { moved: null, answer: null, outOfOrder: false };

function evidenceOf({ text, sentAt, archiveNumber }: Reply): Evidence['reply'] {
  return { text, sent: sentAt.toISOString(), archiveNumber };
}

type Move = { to: 'accepted' | 'opted_out'; reason: Reason; outOfOrder: boolean };
/** `ignored` is a START that a STOP outranks, or a YES from before the request that waits for one. */
type ReplyDecision = Move | { remind: true } | { ignored: true } | null;

/**
 * Pure, so that every order of arrival can be reasoned about. Null means that the text changes nothing. Texts arrive late
 * and clocks are wrong; when in doubt, the person is protected.
 */
function decideReply(member: MemberRow, { meaning, sentAt }: Pick<Reply, 'meaning' | 'sentAt'>): ReplyDecision {
  switch (meaning) {
    case 'opt_out':
    case 'opt_out_wording':
      return stop(member, meaning, sentAt);
    case 'opt_in':
      return optIn(member, sentAt);
    case 'accept':
      return yes(member, sentAt);
    case 'decline':
      return member.state === 'pending' ? stop(member, 'declined', sentAt) : null;
    case 'other':
      return answersRequest(member, sentAt) && !member.reminded ? { remind: true } : null;
    case 'possible_opt_out':
    case 'help':
      return null;
  }
}

/** A NO may answer the request that another advisor made from this number, or that the phone's other form got. */
function declineElsewhere({ member, others }: LockedPerson, { meaning, sentAt }: Reply): Move | null {
  const isAsked = others.some(({ why, state }) => why !== 'firm' && state === 'pending');
  return meaning === 'decline' && isAsked ? stop(member, 'declined', sentAt) : null;
}

/** A STOP that arrives opts out, whatever its stamp. It may have been written before the START or the request in force. */
function stop(member: MemberRow, reason: Reason, sentAt: Date): Move {
  const { state, startedAt } = member;
  const isOlder =
    (state === 'accepted' && startedAt !== null && sentAt < startedAt) ||
    (reason === 'declined' && !answersRequest(member, sentAt));
  return { to: 'opted_out', reason, outOfOrder: isOlder };
}

/** A START that a STOP outranks is ignored, which the firm should know if the person is opted out for it. */
function optIn(member: MemberRow, sentAt: Date): ReplyDecision {
  if (isAfterStops(member, sentAt)) return accept('opt_in');
  return member.state === 'opted_out' ? { ignored: true } : null;
}

/** A clock may be wrong: the firm should know of a YES that seems to be from before the request. */
function yes(member: MemberRow, sentAt: Date): ReplyDecision {
  if (answersRequest(member, sentAt) && isAfterStops(member, sentAt)) return accept('accepted');
  return member.state === 'pending' ? { ignored: true } : null;
}

function accept(reason: Reason): Move {
  return { to: 'accepted', reason, outOfOrder: false };
}

/** Stamped after every STOP that has arrived. On a tie, the STOP wins. */
function isAfterStops({ stoppedAt }: MemberRow, sentAt: Date): boolean {
  return !stoppedAt || sentAt > stoppedAt;
}

/** Whether it was written since the first consent request, which is when pending began. */
function answersRequest({ state, lastChanged }: MemberRow, sentAt: Date): boolean {
  return state === 'pending' && sentAt >= lastChanged;
}

/**
 * The request that the person had seen when they wrote: the last one, or an earlier one if the last crossed their reply. Its
 * wording is read from its entry, which nobody can change unnoticed.
 */
async function wordingShown(
  deps: Deps,
  advisorId: number,
  { memberId, requestedAt }: MemberRow,
  sentAt: Date,
): Promise<Evidence['wording']> {
  if (!requestedAt) return undefined;
  const events = await listConsentEvents(deps, advisorId, memberId);
  return events.findLast(({ reason, dateTime }) => reason === 'requested' && dateTime <= sentAt)?.evidence?.wording;
}

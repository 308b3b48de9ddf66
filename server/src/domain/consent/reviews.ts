import type { Deps } from '../../deps.ts';
import { findAdvisor } from '../../store/accounts/advisors.ts';
import { lockMember } from '../../store/members/members.ts';
import { findReviewed, isLatestReview } from '../../store/supervision/reviews.ts';
import { type By, byStaff } from '../archive/archive.ts';
import type { Evidence } from '../archive/consent-entries.ts';
import { laterOf } from '../shared/time.ts';
import * as supervision from '../supervision/reviews.ts';
import { requireReleasable } from '../texting/held-texts.ts';
import { sendAnswer } from './answers.ts';
import type { Sender } from './consent-replies.ts';
import { type Move, moveConsent } from './consents.ts';
import { lockArchives, lockOthers, stopOthers } from './firm-opt-outs.ts';
import { endHold, findHeld } from './possible-opt-outs.ts';

/** Decides a review of any kind. */
export function decideReview(
  deps: Deps,
  reviewId: number,
  decision: supervision.Decision,
): ReturnType<typeof supervision.decideReview> {
  return supervision.decideReview(deps, reviewId, decision, settle);
}

/**
 * A reply that may mean stop did not if it is approved, and did if it is rejected. Nothing is left to do if the person has
 * settled it since, or has replied another such text after that, which has a review of its own.
 */
async function settle(
  deps: Deps,
  review: supervision.Review,
  { decision, staff }: supervision.Decision,
): Promise<supervision.Outcome> {
  const { advisorId, memberId, phone } = review;
  const others = decision === 'rejected' ? await lockOthers(deps, review, phone) : [];
  const member = memberId === null ? null : await lockMember(deps.db, advisorId, memberId);
  if (!member?.heldSince || !(await isLatestReview(deps.db, review))) return 'settled';
  if (decision === 'rejected') {
    await optOut(deps, review, { member, others, heldSince: member.heldSince }, byStaff(staff.staffId));
    return 'opted_out';
  }
  const { to, texts } = await findHeld(deps, advisorId, member);
  if (texts.length > 0) requireReleasable(deps, to, texts);
  await endHold(deps, advisorId, member);
  return 'released';
}

/** As if the person had said stop when they wrote the reply. */
async function optOut(
  deps: Deps,
  review: supervision.Review,
  { member, others, heldSince }: Sender & { heldSince: Date },
  by: By,
): Promise<void> {
  const { advisorId } = review;
  const reply = await replyOf(deps, review);
  const how = { reason: 'possible_opt_out', channel: 'text' } as const;
  const move: Move = { member, to: 'opted_out', ...how, evidence: { reply } };
  await lockArchives(deps, advisorId, others);
  const stamps = { stoppedAt: laterOf(member.stoppedAt, heldSince) };
  await moveConsent(deps, { advisorId, by, now: deps.clock.now() }, move, stamps);
  await stopOthers(deps, others, { advisorId, by, ...how, at: heldSince, reply });
  const advisor = await findAdvisor(deps.db, String(advisorId));
  if (advisor?.textingNumber)
    await sendAnswer(deps, advisor, member, { kind: 'opt_out', arrivedAt: review.dateTimeCreated });
}

async function replyOf(deps: Deps, { advisorId, archiveNumber }: supervision.Review): Promise<Evidence['reply']> {
  const reviewed = await findReviewed(deps.db, advisorId, archiveNumber);
  const { sent = '' } = JSON.parse(reviewed?.meta ?? '{}');
  return { text: reviewed?.text ?? '', sent, archiveNumber };
}

import type { Deps } from '../../deps.ts';
import { findAdvisor } from '../../store/accounts/advisors.ts';
import { findReviewed, isLatestReview } from '../../store/supervision/reviews.ts';
import { lockMember, type MemberRow } from '../../store/texting/members.ts';
import { byStaff } from '../archive/archive.ts';
import { laterOf } from '../shared/time.ts';
import * as supervision from '../supervision/reviews.ts';
import { requireReleasable } from '../texting/held-texts.ts';
import { sendAnswer } from './answers.ts';
import { type Evidence, type Move, moveConsent } from './consents.ts';
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
  const { advisorId, memberId } = review;
  const member = await lockMember(deps.db, advisorId, memberId);
  if (!member?.heldSince || !(await isLatestReview(deps.db, review))) return 'settled';
  if (decision === 'rejected') {
    await optOut(deps, review, member, staff.staffId);
    return 'opted_out';
  }
  const { to, texts } = await findHeld(deps, advisorId, member);
  if (texts.length > 0) requireReleasable(deps, to, texts);
  await endHold(deps, advisorId, member);
  return 'released';
}

/** As if the person had said stop when they wrote the reply. */
async function optOut(deps: Deps, review: supervision.Review, member: MemberRow, staffId: number): Promise<void> {
  const { advisorId } = review;
  const { stoppedAt, heldSince } = member;
  const evidence = { reply: await replyOf(deps, review) };
  const move: Move = { member, to: 'opted_out', reason: 'possible_opt_out', channel: 'text', evidence };
  const act = { advisorId, by: byStaff(staffId), now: deps.clock.now() };
  await moveConsent(deps, act, move, heldSince ? { stoppedAt: laterOf(stoppedAt, heldSince) } : {});
  const advisor = await findAdvisor(deps.db, String(advisorId));
  if (advisor?.textingNumber && !advisor.disabled) await sendAnswer(deps, advisor, member, 'opt_out');
}

async function replyOf(deps: Deps, { advisorId, archiveNumber }: supervision.Review): Promise<Evidence['reply']> {
  const reviewed = await findReviewed(deps.db, advisorId, archiveNumber);
  const { sent = '' } = JSON.parse(reviewed?.meta ?? '{}');
  return { text: reviewed?.text ?? '', sent, archiveNumber };
}

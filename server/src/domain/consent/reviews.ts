import type { Deps } from '../../deps.ts';
import { findAdvisor } from '../../store/accounts/advisors.ts';
import { lockMember } from '../../store/members/members.ts';
import { findReviewed, isLatestReview } from '../../store/supervision/reviews.ts';
import type { By } from '../archive/archive.ts';
import type { Evidence } from '../archive/consent-entries.ts';
import * as supervision from '../supervision/reviews.ts';
import { requireReleasable } from '../texting/held-texts.ts';
import { sendAnswer } from './answers.ts';
import { type LockedPerson, lockPerson, optOut } from './consents.ts';
import { endHold, findHeld } from './possible-opt-outs.ts';

/** Decides a review of any kind. */
export function decideReview(
  deps: Deps,
  reviewId: number,
  decision: supervision.ReviewDecision,
): ReturnType<typeof supervision.decideReview> {
  return supervision.decideReview(deps, reviewId, decision, settle);
}

/**
 * A reply that may mean stop did not if it is approved, and did if it is rejected. Nothing is left to do if the person has
 * settled it since. If they have written another such reply, texts stay held until that is approved.
 */
async function settle(
  deps: Deps,
  review: supervision.Review,
  { decision, by }: supervision.ReviewDecision & { by: By },
): Promise<supervision.ReviewOutcome> {
  const { advisorId, memberId, phone } = review;
  async function lockHeld() {
    const member = memberId === null ? null : await lockMember(deps.db, advisorId, memberId);
    return member?.heldSince ? member : null;
  }
  if (decision === 'rejected') {
    const { to, ...reply } = await replyOf(deps, review);
    const { member, others } = await lockPerson(deps, review, { phone, number: to }, lockHeld);
    if (!member) return 'settled';
    const hasOptedIn = member.startedAt !== null && member.startedAt >= new Date(reply.sent);
    if (hasOptedIn && !(await isLatestReview(deps.db, review))) return 'settled';
    await stop(deps, review, { member, others }, { reply, by });
    return 'opted_out';
  }
  const member = await lockHeld();
  if (!member || !(await isLatestReview(deps.db, review))) return 'settled';
  const { to, texts } = await findHeld(deps, advisorId, member);
  if (texts.length > 0) requireReleasable(deps, to, texts);
  await endHold(deps, advisorId, member);
  return 'released';
}

/** As if the person had said stop when they wrote the reply. */
async function stop(
  deps: Deps,
  review: supervision.Review,
  person: LockedPerson,
  { reply, by }: { reply: RepliedText; by: By },
): Promise<void> {
  const { advisorId } = review;
  const { member } = person;
  const now = deps.clock.now();
  const how = { reason: 'possible_opt_out', channel: 'text', evidence: { reply } } as const;
  await optOut(deps, { advisorId, by, now }, person, { ...how, at: member.heldSince ?? now });
  const advisor = await findAdvisor(deps.db, String(advisorId));
  if (advisor) await sendAnswer(deps, advisor, member, { kind: 'opt_out', arrivedAt: review.dateTimeCreated });
}

type RepliedText = NonNullable<Evidence['reply']>;

async function replyOf(
  deps: Deps,
  { advisorId, archiveNumber }: supervision.Review,
): Promise<RepliedText & { to?: string | undefined }> {
  const reviewed = await findReviewed(deps.db, advisorId, archiveNumber);
  const { sent = '', to } = JSON.parse(reviewed?.meta ?? '{}');
  return { text: reviewed?.text ?? '', sent, archiveNumber, to };
}

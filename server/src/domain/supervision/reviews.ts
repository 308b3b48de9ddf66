import { type Deps, inTransaction } from '../../deps.ts';
import type { ReviewFilter, ReviewKind, ReviewRow, ReviewStatus } from '../../store/supervision/reviews.ts';
import * as store from '../../store/supervision/reviews.ts';
import { failHeld, releaseHeld } from '../../store/texting/held-texts.ts';
import { listRecipients } from '../../store/texting/recipients.ts';
import { updateFirstTexted } from '../../store/texting/texts.ts';
import { requireStaffOf, type Staff } from '../accounts/staff.ts';
import { archive, byStaff } from '../archive/archive.ts';
import { problem } from '../problems.ts';
import { hasControlCharacters, isBlank } from '../shared/text-rules.ts';
import { failure } from '../texting/failures.ts';
import { gate, type RefusalCode } from '../texting/gate.ts';
import { knownRecipient } from '../texting/recipients.ts';

/** Something for the firm's staff to review: a lexicon's finding, a free-text opt-out, or a text in the daily sample. */
export type Review = ReviewRow;
/** A decision or a note, by whom and when; the note is gone once its retention is over. */
export type ReviewEvent = {
  number: number;
  dateTime: Date;
  actor: string;
  decision: ReviewStatus | null;
  outcome: string | null;
  note: string | null;
};
export type ReviewDetail = Review & { text: string | null; events: ReviewEvent[] };
export type Decision = { decision: 'approved' | 'rejected'; staff: Staff; note?: string };
/** What happened to a held text: it goes out, or why it can't. */
type Outcome = 'queued' | RefusalCode;

export const reviewKinds: readonly ReviewKind[] = [
  'opt_out_wording',
  'out_of_order',
  'held',
  'flagged',
  'blocked',
  'sample',
];
export const reviewStatuses: readonly ReviewStatus[] = ['open', 'approved', 'rejected'];
/** How many are listed at a time, oldest first. */
export const reviewsListedMax = 500;
const noteLengthMax = 10_000;

export async function listReviews(deps: Deps, filter: ReviewFilter): Promise<Review[]> {
  return store.listReviews(deps.db, filter, reviewsListedMax);
}

/** With the text it is about, and all decisions and notes. */
export async function getReview(deps: Deps, reviewId: number): Promise<ReviewDetail> {
  const review = await store.findReview(deps.db, reviewId);
  if (!review) throw noReview(reviewId);
  const { advisorId, memberId, archiveNumber } = review;
  const reviewed = await store.findReviewed(deps.db, advisorId, archiveNumber);
  const events = (await store.listReviewEvents(deps.db, advisorId, memberId)).flatMap((row) => eventOf(reviewId, row));
  return { ...review, text: reviewed?.text ?? null, events };
}

/**
 * Decides a review, once, with an archive entry. A held text that is approved goes out if the gate allows it at that moment;
 * one that is rejected fails. An opt-out stays one whatever is decided: only the person can opt back in.
 */
export async function decideReview(
  deps: Deps,
  reviewId: number,
  { decision, staff, note }: Decision,
): Promise<Review & { outcome: Outcome | null }> {
  checkNote(note);
  return inTransaction(deps, async (deps) => {
    const review = await lockFor(deps, reviewId, staff);
    if (review.status !== 'open')
      throw problem('conflict', `Review ${reviewId} was already ${review.status} by ${review.decidedBy}.`);
    const outcome = review.kind === 'held' ? await settleHeld(deps, review, decision) : null;
    const decidedAt = deps.clock.now();
    await store.updateReview(deps.db, review.advisorId, reviewId, {
      status: decision,
      decidedBy: staff.staffId,
      now: decidedAt,
    });
    await record(deps, review, staff, { decision, outcome, note });
    return { ...review, status: decision, decidedBy: staff.name, decidedAt, outcome };
  });
}

/** Adds a note, also after the decision. */
export async function noteReview(
  deps: Deps,
  reviewId: number,
  { staff, note }: { staff: Staff; note: string },
): Promise<void> {
  checkNote(note);
  await inTransaction(deps, async (deps) => {
    await record(deps, await lockFor(deps, reviewId, staff), staff, { note });
  });
}

/** Locks the review, for a staff member who may decide it. */
async function lockFor(deps: Deps, reviewId: number, staff: Staff): Promise<Review> {
  const review = await store.lockReview(deps.db, reviewId);
  if (!review) throw noReview(reviewId);
  requireStaffOf(staff, review, 'review this');
  return review;
}

async function settleHeld(deps: Deps, review: Review, decision: Decision['decision']): Promise<Outcome> {
  const { advisorId, messageId } = review;
  if (messageId === null) throw new Error(`Review ${review.reviewId} of a held text has no message.`);
  const outcome = decision === 'approved' ? await release(deps, review, messageId) : 'text_blocked';
  if (outcome !== 'queued' && !(await failHeld(deps.db, advisorId, messageId, outcome))) throw notHeld(review);
  return outcome;
}

/** Puts the text into the outbox as if it were sent now. It fails if the gate refuses it for good. */
async function release(deps: Deps, review: Review, messageId: number): Promise<Outcome> {
  const { advisorId, phone } = review;
  const [row] = await listRecipients(deps.db, [{ advisorId, phone }]);
  const to = knownRecipient(row);
  if (to.disabled || !to.textingNumber)
    throw problem('conflict', 'The advisor’s account is disabled or has no texting number; the text is still held.');
  const allowed = gate(deps, to, 'text', deps.clock.now());
  if ('refused' in allowed) {
    const { code, message, retryable } = failure(phone, to.memberId, allowed.refused, to);
    if (retryable) throw problem('conflict', `The text can’t go out now, and is still held. ${message}`);
    return code;
  }
  await markFirst(deps, review);
  const { deferredUntil, openUntil } = allowed.allowed;
  const released = { messageId, pace: to.textingPace, deferredUntil, openUntil };
  if (!(await releaseHeld(deps.db, advisorId, released, new Date()))) throw notHeld(review);
  deps.db.afterCommit(() => deps.signals.queued.raise());
  return 'queued';
}

/** A text with the line that names the firm and how to stop now counts as the person's first. */
async function markFirst(deps: Deps, { advisorId, memberId, archiveNumber }: Review): Promise<void> {
  const reviewed = await store.findReviewed(deps.db, advisorId, archiveNumber);
  if (!JSON.parse(reviewed?.meta ?? '{}').added) return;
  await updateFirstTexted(deps.db, [{ advisorId, memberId }], deps.clock.now());
}

type Recorded = { decision?: Decision['decision']; outcome?: Outcome | null; note: string | undefined };

async function record(deps: Deps, review: Review, staff: Staff, { decision, outcome, note }: Recorded): Promise<void> {
  const { advisorId, memberId, reviewId, kind, archiveNumber, messageId, rules, lexiconVersion } = review;
  const of = { reviewId, review: kind, archiveNumber, messageId, rules, lexiconVersion };
  const meta = { ...of, decision: decision ?? null, outcome: outcome ?? null };
  await archive(deps, byStaff(staff.staffId), { advisorId, kind: 'review', memberId, meta, body: note ?? '' });
}

function eventOf(reviewId: number, row: store.ReviewEventRow): ReviewEvent[] {
  const { number, actor, meta, body, dateTimeCreated: dateTime } = row;
  const facts = JSON.parse(meta);
  if (facts.reviewId !== reviewId) return [];
  return [{ number, dateTime, actor, decision: facts.decision, outcome: facts.outcome, note: body }];
}

function checkNote(note: string | undefined): void {
  if (note === undefined) return;
  if (isBlank(note) || hasControlCharacters(note) || !note.isWellFormed())
    throw problem('invalid_request', 'A note is text without control characters.');
  if ([...note].length > noteLengthMax)
    throw problem('invalid_request', `A note can have at most ${noteLengthMax} characters.`);
}

function noReview(reviewId: number) {
  return problem('not_found', `There is no review ${reviewId}.`);
}

function notHeld({ reviewId }: Review) {
  return problem('conflict', `The text of review ${reviewId} is no longer held.`);
}

import { type Deps, inTransaction } from '../../deps.ts';
import { findAdvisor } from '../../store/accounts/advisors.ts';
import { lockMember } from '../../store/members/members.ts';
import type { ReviewFilter, ReviewKind, ReviewRow, ReviewStatus } from '../../store/supervision/reviews.ts';
import * as store from '../../store/supervision/reviews.ts';
import { holdText } from '../../store/texting/held-texts.ts';
import { listRecipients } from '../../store/texting/recipients.ts';
import { getStaffOf, requireStaffOf, type Staff } from '../accounts/staff.ts';
import { archive, type By, byCommand, byOperator } from '../archive/archive.ts';
import { problem } from '../problems.ts';
import { hasControlCharacters, isBlank } from '../shared/text/text-rules.ts';
import type { GateCode } from '../texting/gate.ts';
import { failTexts, releaseTexts, requireReleasable } from '../texting/held-texts.ts';
import { knownRecipient } from '../texting/recipients.ts';
import { listMedia, type ReplyMedia } from './media.ts';

/** Something for the firm's staff to review: a lexicon's finding, a reply about consent, or a text in the daily sample. */
export type Review = ReviewRow;
/** A decision, a note or who it was given to, by whom and when; the note is gone once its retention is over. */
export type ReviewEvent = {
  number: number;
  dateTime: Date;
  actor: string;
  actorName: string | null;
  /** Null for a decision or a note. */
  action: ReviewAction | null;
  decision: ReviewStatus | null;
  outcome: string | null;
  note: string | null;
  /** By an operator's command, in their name. */
  isByCommand: boolean;
};
/**
 * `assigned` to somebody or nobody, `escalated` or not any more, a decision that was `undone` in time or `not_done` when it was due, or
 * the numbers in its text `shown` to somebody.
 */
type ReviewAction = 'assigned' | 'unassigned' | 'escalated' | 'returned' | 'undone' | 'not_done' | 'shown';
/** `dateTime`: of the text. `incomplete`: parts of the person's text that never came. `media`: what came with it. */
export type ReviewDetail = Review & {
  text: string | null;
  dateTime: Date;
  incomplete: { received: number; of: number } | null;
  media: ReplyMedia[];
  events: ReviewEvent[];
};
/** Who acts, and how: without `by`, it is a command that names them. */
type Acting = { staff: Staff; by?: By | undefined };
export type ReviewDecision = Acting & { decision: 'approved' | 'rejected'; note?: string };
/**
 * What a decision did. A held text goes out (`queued`), stays `held` since a reply of the person may mean stop, or fails.
 * After such a reply the person's texts are `released`, the person is `opted_out`, or had `settled` it before.
 */
export type ReviewOutcome = 'queued' | 'held' | 'released' | 'settled' | GateCode;
/** What a decision does, inside its transaction, with the review locked. */
export type Settle = (deps: Deps, review: Review, decision: ReviewDecision & { by: By }) => Promise<ReviewOutcome>;

export const reviewKinds: readonly ReviewKind[] = [
  'possible_opt_out',
  'opt_out_wording',
  'out_of_order',
  'misdirected',
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

/** A review of the firm. Another firm's is one that doesn't exist. */
export async function getReviewOf(deps: Deps, firmId: number, reviewId: number): Promise<Review> {
  const review = await store.findReview(deps.db, reviewId);
  if (review?.firmId !== firmId) throw noReview(reviewId);
  return review;
}

/** With the text it is about, and all decisions and notes. */
export async function getReview(deps: Deps, reviewId: number): Promise<ReviewDetail> {
  const review = await store.findReview(deps.db, reviewId);
  if (!review) throw noReview(reviewId);
  const { advisorId, archiveNumber } = review;
  const reviewed = await store.findReviewed(deps.db, advisorId, archiveNumber);
  const events = await listEvents(deps, review);
  const { incomplete = null } = JSON.parse(reviewed?.meta ?? '{}');
  const media = await listMedia(deps, advisorId, archiveNumber);
  const { text = null, dateTime = review.dateTimeCreated } = reviewed ?? {};
  return { ...review, text, dateTime, incomplete, media, events };
}

/** The same for an operator, who reads what a firm's staff should: that is an entry. */
export async function readReview(deps: Deps, reviewId: number): Promise<ReviewDetail> {
  const review = await getReview(deps, reviewId);
  const { advisorId, memberId } = review;
  const read = { advisorId, kind: 'text_read', memberId, meta: { what: 'review read', reviewId }, body: '{}' } as const;
  await archive(deps, byOperator, read);
  return review;
}

/**
 * Decides a review, once, with an archive entry. A held text that is approved goes out if the gate allows it at that moment;
 * one that is rejected fails. An opt-out stays one whatever is decided: only the person can opt back in. A reply that may
 * mean stop is settled by the caller, since consent stands above supervision.
 */
export async function decideReview(
  deps: Deps,
  reviewId: number,
  given: ReviewDecision,
  settlePossibleOptOut: Settle,
): Promise<Review & { outcome: ReviewOutcome | null }> {
  const { decision, staff, note } = given;
  const by = byOf(given);
  checkNote(note);
  return inTransaction(deps, async (deps) => {
    const review = await lockFor(deps, reviewId, staff);
    await requireDecidable(deps, review, staff);
    const settles: Partial<Record<ReviewKind, Settle>> = { held: settleHeld, possible_opt_out: settlePossibleOptOut };
    const settle = settles[review.kind];
    const outcome = settle ? await settle(deps, review, { ...given, by }) : null;
    const decidedAt = deps.clock.now();
    await store.updateReview(deps.db, review.advisorId, reviewId, {
      status: decision,
      decidedBy: staff.staffId,
      now: decidedAt,
    });
    await record(deps, review, by, { decision, outcome, note });
    return { ...review, status: decision, decidedBy: staff.name, decidedAt, outcome };
  });
}

/**
 * Throws unless it is open and this staff member may decide it: not the advisor whose text it is, since nobody reviews what they wrote
 * themselves, and only a compliance officer once it was escalated.
 */
export async function requireDecidable(deps: Deps, review: Review, staff: Staff): Promise<void> {
  const { reviewId, status, decidedBy, escalatedAt } = review;
  requireStaffOf(staff, review, 'review this');
  await requireOther(deps, review, staff);
  if (status !== 'open') throw problem('conflict', `Review ${reviewId} was already ${status} by ${decidedBy}.`);
  if (escalatedAt && staff.role !== 'compliance_officer')
    throw problem('forbidden', `Review ${reviewId} was escalated: only a compliance officer can decide it.`);
}

/** Gives an open review to somebody of the firm, or to nobody. Anybody who may can still decide it. */
export async function assignReview(
  deps: Deps,
  reviewId: number,
  { staff, by, to }: Acting & { to: number | null },
): Promise<void> {
  await inTransaction(deps, async (deps) => {
    const review = await lockOpen(deps, reviewId, staff);
    const assignee = to === null ? null : await getStaffOf(deps, review.firmId, to);
    if (assignee) {
      requireStaffOf(assignee, review, 'review this');
      await requireOther(deps, review, assignee);
    }
    if (review.assignedTo === to) return;
    await store.updateAssignee(deps.db, review.advisorId, reviewId, to);
    await record(deps, review, byOf({ staff, by }), {
      action: to === null ? 'unassigned' : 'assigned',
      assignedTo: to,
    });
  });
}

/** Leaves the decision to a compliance officer, or gives it back to reviewers, which only a compliance officer can. */
export async function escalateReview(
  deps: Deps,
  reviewId: number,
  { staff, by, escalated, note }: Acting & { escalated: boolean; note?: string | undefined },
): Promise<void> {
  checkNote(note);
  await inTransaction(deps, async (deps) => {
    const review = await lockOpen(deps, reviewId, staff);
    if (!escalated && staff.role !== 'compliance_officer')
      throw problem('forbidden', 'Only a compliance officer can give an escalated review back.');
    if ((review.escalatedAt !== null) === escalated) return;
    await store.updateEscalated(deps.db, review.advisorId, reviewId, escalated ? deps.clock.now() : null);
    await record(deps, review, byOf({ staff, by }), { action: escalated ? 'escalated' : 'returned', note });
  });
}

type Attempt = { by: By; attempted: ReviewDecision['decision']; action: 'undone' | 'not_done'; note?: string };

/** What somebody decided, and took back before it was due or couldn't be done then: the review is still open, and says so. */
export async function recordAttempt(deps: Deps, review: Review, { by, ...attempt }: Attempt): Promise<void> {
  await record(deps, review, by, attempt);
}

/** Adds a note, also after the decision. The same one again, right after it, is the repeat of a request whose answer was lost. */
export async function noteReview(
  deps: Deps,
  reviewId: number,
  { note, ...acting }: Acting & { note: string },
): Promise<void> {
  checkNote(note);
  const by = byOf(acting);
  await inTransaction(deps, async (deps) => {
    const review = await lockFor(deps, reviewId, acting.staff);
    const last = (await listEvents(deps, review)).at(-1);
    const isRepeat = last?.actor === by.actor && !last.action && !last.decision && last.note === note;
    if (!isRepeat) await record(deps, review, by, { note });
  });
}

/** The text as it was written, with the numbers that are hidden otherwise. That somebody saw them is an entry. */
export async function revealReview(
  deps: Deps,
  reviewId: number,
  { staff, by }: { staff: Staff; by: By },
): Promise<{ text: string | null }> {
  return inTransaction(deps, async (deps) => {
    const review = await lockFor(deps, reviewId, staff);
    await record(deps, review, by, { action: 'shown' });
    const reviewed = await store.findReviewed(deps.db, review.advisorId, review.archiveNumber);
    return { text: reviewed?.text ?? null };
  });
}

/** Locks the review, for a staff member who may decide it. */
async function lockFor(deps: Deps, reviewId: number, staff: Staff): Promise<Review> {
  const review = await store.lockReview(deps.db, reviewId);
  if (!review) throw noReview(reviewId);
  requireStaffOf(staff, review, 'review this');
  return review;
}

/** The same, of a review that nobody has decided. */
async function lockOpen(deps: Deps, reviewId: number, staff: Staff): Promise<Review> {
  const review = await lockFor(deps, reviewId, staff);
  if (review.status !== 'open')
    throw problem('conflict', `Review ${reviewId} was already ${review.status} by ${review.decidedBy}.`);
  return review;
}

/** Advisors may be on the staff too, with the same email. */
async function requireOther({ db }: Deps, { advisorId }: Review, { name, email }: Staff): Promise<void> {
  const advisor = await findAdvisor(db, String(advisorId));
  if (advisor?.email.toLowerCase() === email.toLowerCase())
    throw problem('forbidden', `${name} can’t review this: it is their own conversation.`);
}

async function settleHeld(deps: Deps, review: Review, { decision }: ReviewDecision): Promise<ReviewOutcome> {
  const { advisorId, messageId } = review;
  if (messageId === null) throw new Error(`Review ${review.reviewId} of a held text has no message.`);
  if (decision === 'approved') return release(deps, review, messageId);
  await failTexts(deps, advisorId, [messageId], 'text_blocked');
  return 'text_blocked';
}

/**
 * Puts the text into the outbox as if it were sent now. It fails if the gate refuses it for good, and stays held while a reply
 * of the person may mean stop.
 */
async function release(deps: Deps, review: Review, messageId: number): Promise<ReviewOutcome> {
  const { advisorId, memberId, phone, archiveNumber } = review;
  const member = memberId === null ? null : await lockMember(deps.db, advisorId, memberId);
  if (member?.heldSince && (await holdText(deps.db, advisorId, messageId, 'possible_opt_out'))) return 'held';
  const [row] = await listRecipients(deps.db, [{ advisorId, phone }]);
  const reviewed = await store.findReviewed(deps.db, advisorId, archiveNumber);
  const { added } = JSON.parse(reviewed?.meta ?? '{}');
  const texts = [{ messageId, kind: 'text' as const, isFirst: Boolean(added) }];
  const to = knownRecipient(row);
  requireReleasable(deps, to, texts);
  const [released] = await releaseTexts(deps, advisorId, to, texts);
  return released?.outcome ?? 'queued';
}

type DecisionRecord = {
  decision?: ReviewDecision['decision'];
  outcome?: ReviewOutcome | null;
  note?: string | undefined;
  action?: ReviewAction;
  assignedTo?: number | null;
  attempted?: ReviewDecision['decision'];
};

async function record(
  deps: Deps,
  review: Review,
  by: By,
  { decision, outcome, note, ...more }: DecisionRecord,
): Promise<void> {
  const { advisorId, memberId, reviewId, kind, archiveNumber, messageId, rules, lexiconVersion } = review;
  const of = { reviewId, review: kind, archiveNumber, messageId, rules, lexiconVersion };
  const meta = { ...of, decision: decision ?? null, outcome: outcome ?? null, ...more };
  await archive(deps, by, { advisorId, kind: 'review', memberId, meta, body: note ?? '' });
}

function byOf({ staff, by }: Acting): By {
  return by ?? byCommand(staff.staffId);
}

async function listEvents(deps: Deps, { advisorId, memberId, reviewId }: Review): Promise<ReviewEvent[]> {
  return (await store.listReviewEvents(deps.db, advisorId, memberId)).flatMap((row) => eventOf(reviewId, row));
}

function eventOf(reviewId: number, row: store.ReviewEventRow): ReviewEvent[] {
  const { number, actor, actorName, meta, body, dateTimeCreated: dateTime } = row;
  const facts = JSON.parse(meta);
  if (facts.reviewId !== reviewId) return [];
  const { action = null, decision, outcome, via } = facts;
  const isByCommand = via === 'command';
  return [{ number, dateTime, actor, actorName, action, decision, outcome, note: body, isByCommand }];
}

export function checkNote(note: string | undefined): void {
  if (note === undefined) return;
  if (isBlank(note) || hasControlCharacters(note) || !note.isWellFormed())
    throw problem('invalid_request', 'A note is text without control characters.');
  if ([...note].length > noteLengthMax)
    throw problem('invalid_request', `A note can have at most ${noteLengthMax} characters.`);
}

function noReview(reviewId: number) {
  return problem('not_found', `There is no review ${reviewId}.`);
}

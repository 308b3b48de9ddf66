import { type Deps, inTransaction } from '../../deps.ts';
import * as actions from '../../store/shared/pending-actions.ts';
import { findReview, lockReview } from '../../store/supervision/reviews.ts';
import { getStaff, type Staff } from '../accounts/staff.ts';
import { type By, byStaff } from '../archive/archive.ts';
import { Problem, problem, requireFound } from '../problems.ts';
import { type Act, holdAction, undoMs } from '../shared/pending-actions.ts';
import {
  checkNote,
  getReviewOf,
  type ReviewDecision,
  recordAttempt,
  requireDecidable,
} from '../supervision/reviews.ts';
import { decideReview } from './reviews.ts';

/** How many reviews can be selected and decided at a time. */
export const selectedMax = 200;

type FirmStaff = Staff & { firmId: number };
type HeldDecision = {
  decision: ReviewDecision['decision'];
  staffId: number;
  by: string;
  traceId: string | null;
  note?: string;
};

/**
 * Decides a review in eight seconds, unless it is undone. What can be known of it by then is checked now: that it is open, that they
 * may decide it, and that nobody else has just decided it.
 */
export async function decideLater(
  deps: Deps,
  reviewId: number,
  { decision, staff, by, note }: Omit<ReviewDecision, 'staff' | 'by'> & { staff: FirmStaff; by: By },
) {
  checkNote(note);
  await getReviewOf(deps, staff.firmId, reviewId);
  await inTransaction(deps, async (deps) => {
    const review = requireFound(await lockReview(deps.db, reviewId), `There is no review ${reviewId}.`);
    await requireDecidable(deps, review, staff);
    const pending = await findPending(deps, review.advisorId, reviewId);
    if (pending) throw problem('conflict', `${pending.by} has just decided this; they can still undo it.`);
    const detail: HeldDecision = {
      decision,
      staffId: staff.staffId,
      by: staff.name,
      traceId: by.traceId,
      ...(note === undefined ? {} : { note }),
    };
    const action = { targetIds: [reviewId], detail: JSON.stringify(detail) };
    await holdAction(deps, review.advisorId, { kind: 'decide_review', ...action });
  });
  return { undoMs };
}

/** Several at once, each by itself: one that can't be decided says why, and holds up no other. */
export async function decideSeveral(deps: Deps, reviewIds: number[], given: Parameters<typeof decideLater>[2]) {
  const data: { reviewId: number; refused: string | null }[] = [];
  const began = performance.now();
  for (const reviewId of new Set(reviewIds)) {
    const refused = await decideLater(deps, reviewId, given).then(() => null, refusalOf);
    data.push({ reviewId, refused });
  }
  // As long as all of them can be undone: the first was decided when this began.
  return { data, undoMs: Math.max(0, Math.round(undoMs - (performance.now() - began))) };
}

/** Takes back what this staff member has decided, which is an entry. Returns how many of them that was in time for. */
export async function undoDecisions(
  deps: Deps,
  reviewIds: number[],
  { staff, by }: { staff: FirmStaff; by: By },
): Promise<{ undone: number }> {
  let undone = 0;
  for (const reviewId of new Set(reviewIds)) {
    const review = await findReview(deps.db, reviewId);
    if (review?.firmId !== staff.firmId) continue;
    const pending = await findPending(deps, review.advisorId, reviewId);
    if (pending?.staffId !== staff.staffId) continue;
    const { actionId, decision } = pending;
    await inTransaction(deps, async (deps) => {
      if (!(await actions.deletePendingAction(deps.db, review.advisorId, actionId, ['decide_review']))) return;
      await recordAttempt(deps, review, { by, attempted: decision, action: 'undone' });
      undone += 1;
    });
  }
  return { undone };
}

/** What somebody has decided and can still undo. */
export async function findPending({ db }: Deps, advisorId: number, reviewId: number) {
  const found = await actions.findWaitingAction(db, advisorId, 'decide_review', reviewId);
  if (!found) return null;
  const { decision, staffId, by }: HeldDecision = JSON.parse(found.detail);
  return { decision, staffId, by, dueAt: found.dueAt, actionId: found.actionId };
}

/** What this staff member has decided and can still undo, the last one first. */
export async function listWaiting({ db, databaseClock }: Deps, staffId: number) {
  const waiting = (await actions.listWaitingActions(db, 'decide_review')).map(({ targetId, detail, dueAt }) => ({
    ...(JSON.parse(detail) as HeldDecision),
    reviewId: targetId,
    leftMs: dueAt.getTime() - databaseClock.now().getTime(),
  }));
  return waiting
    .filter((each) => each.staffId === staffId && each.leftMs > 0)
    .toSorted((a, b) => b.leftMs - a.leftMs)
    .map(({ reviewId, decision, leftMs }) => ({ reviewId, decision, leftMs }));
}

/**
 * By the same function as the command. What can't be done any more is on record, and the review stays open: its text may have become
 * one that can't go out now, or whoever decided was disabled meanwhile. If somebody decided it by the command, that stands.
 */
export const decisions: { decide_review: Act } = {
  async decide_review(deps, _, [reviewId = -1], detail) {
    const { decision, staffId, traceId, note }: HeldDecision = JSON.parse(detail ?? '{}');
    const by = byStaff(staffId, traceId);
    const staff = await getStaff(deps, String(staffId));
    const given = { decision, staff, by, ...(note === undefined ? {} : { note }) };
    const why = await deps.db.savepoint(() => decideReview(deps, reviewId, given)).then(() => null, refusalOf);
    const review = why === null ? null : await findReview(deps.db, reviewId);
    if (review && why !== null)
      await recordAttempt(deps, review, { by, attempted: decision, action: 'not_done', note: why });
  },
};

function refusalOf(error: unknown): string {
  if (error instanceof Problem && error.status < 500) return error.detail;
  throw error;
}

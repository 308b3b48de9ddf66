import type { FastifyReply } from 'fastify';
import type { Deps } from '../../deps.ts';
import { listStaffOf } from '../../domain/accounts/staff.ts';
import {
  decideLater,
  decideSeveral,
  findPending,
  listWaiting,
  selectedMax,
  undoDecisions,
} from '../../domain/consent/review-decisions.ts';
import { findEffect, markReview } from '../../domain/consent/review-effects.ts';
import { listConsentEvidence } from '../../domain/conversations/consent-evidence.ts';
import { getMedia, listItemsAround } from '../../domain/conversations/conversation-items.ts';
import { Problem } from '../../domain/problems.ts';
import { hideNumbersIn } from '../../domain/supervision/findings.ts';
import {
  countMax,
  countQueue,
  countSimilar,
  findName,
  listQueue,
  type QueueView,
  queueViews,
} from '../../domain/supervision/review-queue.ts';
import {
  assignReview,
  escalateReview,
  getReview,
  getReviewOf,
  noteReview,
  type Review,
  requireDecidable,
  revealReview,
} from '../../domain/supervision/reviews.ts';
import { Id } from '../../schemas/shared/strings.ts';
import { Type } from '../../schemas/shared/type.ts';
import { sendMedia } from '../browser/media.ts';
import { type FirmStaff, firmEndpoint } from './endpoint.ts';

const noteLengthMax = 10_000;
const Note = () => Type.Optional(Type.String({ minLength: 1, maxLength: noteLengthMax }));
const Decision = () => Type.Unsafe<'approved' | 'rejected'>({ enum: ['approved', 'rejected'] });
const ReviewIds = () => Type.Array(Id(), { minItems: 1, maxItems: selectedMax });

const ReviewParams = Type.Object({ reviewId: Id() });
const ReviewMediaParams = Type.Object({ reviewId: Id(), replyNumber: Id(), place: Id() });
const QueueQuery = Type.Object({
  view: Type.Optional(Type.Unsafe<QueueView>({ enum: [...queueViews] })),
  after: Type.Optional(Id()),
  order: Type.Optional(Type.Unsafe<'oldest' | 'newest'>({ enum: ['oldest', 'newest'] })),
  members: Type.Optional(Type.String({ pattern: '^[0-9]{1,15}(,[0-9]{1,15}){0,49}$' })),
});
const DecisionRequest = Type.Object({ decision: Decision(), note: Note() });
const DecisionsRequest = Type.Object({ reviewIds: ReviewIds(), decision: Decision(), note: Note() });
const UndoRequest = Type.Object({ reviewIds: ReviewIds() });
const NoteRequest = Type.Object({ note: Type.String({ minLength: 1, maxLength: noteLengthMax }) });
const AssigneeRequest = Type.Object({ staffId: Type.Unsafe<number | null>({ type: ['integer', 'null'] }) });
const EscalationRequest = Type.Object({ escalated: Type.Boolean(), note: Note() });

export const list = firmEndpoint({
  query: QueueQuery,
  handler: (deps, staff, { query: { view = 'all', after = null, order, members } }) =>
    listQueue(deps, staff, {
      view,
      after,
      isNewestFirst: order === 'newest',
      ...(members && { memberIds: members.split(',').map(Number) }),
    }),
});

export const counts = firmEndpoint({
  handler: async (deps, staff) => ({ counts: await countQueue(deps, staff), countMax }),
});

/** Who a review can be given to. */
export const reviewers = firmEndpoint({
  handler: async (deps, { firmId }) => ({
    data: (await listStaffOf(deps, firmId)).flatMap(({ staffId, name, role, disabled }) =>
      disabled ? [] : { staffId, name, role },
    ),
  }),
});

/** Everything that a decision needs, at once; without numbers that don't belong in texts. */
export const get = firmEndpoint({
  params: ReviewParams,
  cost: 2,
  async handler(deps, staff, { params: { reviewId } }) {
    const { advisorId, memberId } = await getReviewOf(deps, staff.firmId, reviewId);
    const review = await getReview(deps, reviewId);
    const [name, marks, thread, consent, effect, similar, pending, refusal] = await Promise.all([
      findName(deps, review),
      review.text === null ? [] : markReview(deps, review, review.text),
      memberId === null ? null : listItemsAround(deps, advisorId, memberId, review),
      memberId === null ? [] : listConsentEvidence(deps, advisorId, memberId),
      findEffect(deps, review),
      review.kind === 'possible_opt_out' ? countSimilar(deps, review) : null,
      findPending(deps, advisorId, reviewId),
      refusalOf(deps, review, staff),
    ]);
    const known = { name, marks, thread, consent, effect, similar, pending, refusal };
    const shown = await hideNumbersIn(deps.turn, { ...review, ...known });
    return { ...shown, isHidden: shown.text !== review.text };
  },
});

/** What the reader has decided and can still undo: a page that was loaded again offers it again. */
export const waiting = firmEndpoint({
  handler: async (deps, { staffId }) => ({ data: await listWaiting(deps, staffId) }),
});

export const media = firmEndpoint({
  params: ReviewMediaParams,
  async handler(deps, { firmId }, { params: { reviewId, ...of } }) {
    const { advisorId, memberId, archiveNumber } = await getReviewOf(deps, firmId, reviewId);
    // Somebody who is no member has only what the review is about.
    const own = memberId === null ? { ...of, replyNumber: archiveNumber } : { ...of, memberId };
    const bytes = await getMedia(deps, advisorId, own);
    return (reply: FastifyReply) => sendMedia(reply, bytes);
  },
});

export const reveal = firmEndpoint({
  params: ReviewParams,
  async handler(deps, staff, { params: { reviewId } }, by) {
    await getReviewOf(deps, staff.firmId, reviewId);
    return revealReview(deps, reviewId, { staff, by });
  },
});

export const decide = firmEndpoint({
  params: ReviewParams,
  body: DecisionRequest,
  handler: (deps, staff, { params, body }, by) => decideLater(deps, params.reviewId, { ...body, staff, by }),
});

export const decideAll = firmEndpoint({
  body: DecisionsRequest,
  handler: (deps, staff, { body: { reviewIds, ...given } }, by) =>
    decideSeveral(deps, reviewIds, { ...given, staff, by }),
});

export const undo = firmEndpoint({
  body: UndoRequest,
  handler: (deps, staff, { body }, by) => undoDecisions(deps, body.reviewIds, { staff, by }),
});

export const note = firmEndpoint({
  params: ReviewParams,
  body: NoteRequest,
  async handler(deps, staff, { params: { reviewId }, body }, by) {
    await getReviewOf(deps, staff.firmId, reviewId);
    await noteReview(deps, reviewId, { staff, by, note: body.note });
  },
});

export const assign = firmEndpoint({
  params: ReviewParams,
  body: AssigneeRequest,
  async handler(deps, staff, { params: { reviewId }, body }, by) {
    await getReviewOf(deps, staff.firmId, reviewId);
    await assignReview(deps, reviewId, { staff, by, to: body.staffId });
    return getReviewOf(deps, staff.firmId, reviewId);
  },
});

export const escalate = firmEndpoint({
  params: ReviewParams,
  body: EscalationRequest,
  async handler(deps, staff, { params: { reviewId }, body }, by) {
    await getReviewOf(deps, staff.firmId, reviewId);
    await escalateReview(deps, reviewId, { staff, by, ...body });
    return getReviewOf(deps, staff.firmId, reviewId);
  },
});

/** Why they can't decide it, in words; null if they can. */
async function refusalOf(deps: Deps, review: Review, staff: FirmStaff): Promise<string | null> {
  try {
    await requireDecidable(deps, review, staff);
    return null;
  } catch (error) {
    if (error instanceof Problem) return error.detail;
    throw error;
  }
}

import { selectedMax } from '../../domain/consent/review-decisions.ts';
import { type QueueView, queueViews } from '../../domain/supervision/review-queue.ts';
import { Id } from '../shared/strings.ts';
import { Type } from '../shared/type.ts';

const noteLengthMax = 10_000;
const Note = () => Type.Optional(Type.String({ minLength: 1, maxLength: noteLengthMax }));
const Decision = () => Type.Unsafe<'approved' | 'rejected'>({ enum: ['approved', 'rejected'] });
const ReviewIds = () => Type.Array(Id(), { minItems: 1, maxItems: selectedMax });

export const ReviewParams = Type.Object({ reviewId: Id() });
export const ReviewMediaParams = Type.Object({ reviewId: Id(), replyNumber: Id(), place: Id() });
export const QueueQuery = Type.Object({
  view: Type.Optional(Type.Unsafe<QueueView>({ enum: [...queueViews] })),
  after: Type.Optional(Id()),
  order: Type.Optional(Type.Unsafe<'oldest' | 'newest'>({ enum: ['oldest', 'newest'] })),
  members: Type.Optional(Type.String({ pattern: '^[0-9]{1,15}(,[0-9]{1,15}){0,49}$' })),
});
export const DecisionRequest = Type.Object({ decision: Decision(), note: Note() });
export const DecisionsRequest = Type.Object({ reviewIds: ReviewIds(), decision: Decision(), note: Note() });
export const UndoRequest = Type.Object({ reviewIds: ReviewIds() });
export const NoteRequest = Type.Object({ note: Type.String({ minLength: 1, maxLength: noteLengthMax }) });
export const AssigneeRequest = Type.Object({ staffId: Type.Unsafe<number | null>({ type: ['integer', 'null'] }) });
export const EscalationRequest = Type.Object({ escalated: Type.Boolean(), note: Note() });

import { auditKinds } from '../../domain/operations/audit.ts';
import { Id, stringLengthMax } from '../shared/strings.ts';
import { Type } from '../shared/type.ts';

const { Optional } = Type;
const text = () => Type.String({ minLength: 1, maxLength: stringLengthMax });

export const AuditQuery = Type.Object({
  kind: Optional(Type.Unsafe<(typeof auditKinds)[number]>({ type: 'string', enum: auditKinds })),
  actor: Optional(text()),
  since: Optional(Type.String({ format: 'date-time' })),
  until: Optional(Type.String({ format: 'date-time' })),
  cursor: Optional(text()),
});

export const DoubtsQuery = Type.Object({ before: Optional(Id()) });
export const DoubtParams = Type.Object({ advisorId: Id(), messageId: Id() });
export const DoubtDecision = Type.Object({ as: Type.Unsafe<'sent' | 'not_sent'>({ enum: ['sent', 'not_sent'] }) });
/** Somebody reads it later in the audit log. */
export const ReadingReason = Type.Object({ reason: Type.String({ minLength: 5, maxLength: stringLengthMax }) });

const number = () => Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER });
/** The entries of an advisor, 0 for the deployment, whose times are wrong, and why. */
export const TimesExplanation = Type.Object({
  advisorId: number(),
  from: number(),
  to: number(),
  reason: Type.String({ minLength: 5, maxLength: stringLengthMax }),
});

import { Id } from '../shared/strings.ts';
import { Type } from '../shared/type.ts';

/** What the console sends. It is no contract: the console and the server change together. */

const Reason = Type.String({ maxLength: 1_000 });

/** Of the whole firm, of an advisor, or of one person as an advisor knows them. */
export const NewHold = Type.Object({
  advisorId: Type.Optional(Id()),
  memberId: Type.Optional(Id()),
  reason: Reason,
});
export const HoldParams = Type.Object({ holdId: Id() });
export const HoldLift = Type.Object({ reason: Reason });
export const RetentionChange = Type.Object({ years: Type.Integer({ minimum: 1, maximum: 100 }) });

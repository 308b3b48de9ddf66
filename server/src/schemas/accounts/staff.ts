import { Id } from '../shared/strings.ts';
import { Type } from '../shared/type.ts';

export const StaffParams = Type.Object({ staffId: Id() });
/** What a compliance officer may change of the firm's staff. Operators are of no firm. */
export const StaffChange = Type.Object({
  disabled: Type.Optional(Type.Boolean()),
  role: Type.Optional(Type.Unsafe<'reviewer' | 'compliance_officer'>({ enum: ['reviewer', 'compliance_officer'] })),
});

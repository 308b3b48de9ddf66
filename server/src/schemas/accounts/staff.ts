import { firmRoles, staffRoles } from '../../domain/accounts/staff.ts';
import { emailLengthMax, Id, nameLengthMax } from '../shared/strings.ts';
import { Type } from '../shared/type.ts';

const firmRole = Type.Unsafe<(typeof firmRoles)[number]>({ enum: firmRoles });
const person = {
  name: Type.String({ minLength: 1, maxLength: nameLengthMax }),
  email: Type.String({ minLength: 3, maxLength: emailLengthMax }),
};

export const StaffParams = Type.Object({ staffId: Id() });
/** Whom a compliance officer may invite, and what they may change: never somebody to an operator, who is of no firm. */
export const StaffInput = Type.Object({ ...person, role: firmRole });
export const StaffChange = Type.Object({ disabled: Type.Optional(Type.Boolean()), role: Type.Optional(firmRole) });
/** Whom an operator may invite. The firm is left out for another operator. */
export const AnyStaffInput = Type.Object({
  ...person,
  role: Type.Unsafe<(typeof staffRoles)[number]>({ enum: staffRoles }),
  firmId: Type.Optional(Id()),
});

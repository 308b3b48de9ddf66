import { quietHoursPolicies } from '../../domain/accounts/advisors.ts';
import { emailLengthMax, Id, nameLengthMax } from '../shared/strings.ts';
import { Type } from '../shared/type.ts';

const { Optional } = Type;

/** What an operator may set of an advisor; the domain checks each of them. Numbers have a page of their own. */
const settings = {
  timeZone: Optional(Type.String({ maxLength: 100 })),
  consentRequired: Optional(Type.Boolean()),
  consentCollection: Optional(Type.Boolean()),
  quietHours: Optional(Type.Unsafe<(typeof quietHoursPolicies)[number]>({ enum: quietHoursPolicies })),
  disabled: Optional(Type.Boolean()),
};
const name = Type.String({ minLength: 1, maxLength: nameLengthMax });
const email = Type.String({ minLength: 3, maxLength: emailLengthMax });

export const AdvisorParams = Type.Object({ advisorId: Id() });
export const AdvisorInput = Type.Object({ name, email, ...settings });
export const AdvisorChange = Type.Object({ name: Optional(name), email: Optional(email), ...settings });

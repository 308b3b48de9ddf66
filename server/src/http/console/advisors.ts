import {
  addAdvisor,
  getAdvisor,
  listAdvisors,
  quietHoursPolicies,
  setAdvisor,
} from '../../domain/accounts/advisors.ts';
import { inviteAdvisor } from '../../domain/sign-in/invitations.ts';
import { emailLengthMax, Id, nameLengthMax } from '../../schemas/shared/strings.ts';
import { Type } from '../../schemas/shared/type.ts';
import { operatorEndpoint } from './endpoint.ts';
import { FirmParams } from './firms.ts';

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

const AdvisorParams = Type.Object({ advisorId: Id() });
const AdvisorInput = Type.Object({ name, email, ...settings });
const AdvisorChange = Type.Object({ name: Optional(name), email: Optional(email), ...settings });

export const list = operatorEndpoint({
  isLong: true,
  handler: async (deps) => ({ data: await listAdvisors(deps) }),
});

export const add = operatorEndpoint({
  params: FirmParams,
  body: AdvisorInput,
  handler: (deps, _, { params, body }, by) => addAdvisor(deps, { ...body, ...params }, by),
});

export const set = operatorEndpoint({
  params: AdvisorParams,
  body: AdvisorChange,
  // Another address takes over the account, and without these rules people get texts that they didn't ask for.
  async isFresh(deps, _, { params, body: { email, consentRequired, quietHours } }) {
    const before = await getAdvisor(deps, String(params.advisorId));
    const isNewEmail = email !== undefined && email !== before.email;
    return (
      isNewEmail ||
      (before.consentRequired && consentRequired === false) ||
      (before.quietHours !== 'off' && quietHours === 'off')
    );
  },
  async handler(deps, _, { params, body }, by) {
    const { advisorId } = await getAdvisor(deps, String(params.advisorId));
    await setAdvisor(deps, advisorId, body, by);
    return getAdvisor(deps, String(advisorId));
  },
});

/** The link is in this answer and nowhere else. */
export const invite = operatorEndpoint({
  isFresh: true,
  params: AdvisorParams,
  async handler(deps, _, { params }, by) {
    const { advisorId } = await getAdvisor(deps, String(params.advisorId));
    return inviteAdvisor(deps, advisorId, by);
  },
});

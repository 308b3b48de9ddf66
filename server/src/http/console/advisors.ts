import { addAdvisor, getAdvisor, listAdvisors, setAdvisor } from '../../domain/accounts/advisors.ts';
import { inviteAdvisor } from '../../domain/sign-in/invitations.ts';
import { AdvisorChange, AdvisorInput, AdvisorParams } from '../../schemas/accounts/advisors.ts';
import { FirmParams } from '../../schemas/accounts/firms.ts';
import { operatorEndpoint } from './endpoint.ts';

export const list = operatorEndpoint({
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

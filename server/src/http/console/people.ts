import { listAdvisorsOf } from '../../domain/accounts/advisors.ts';
import { findPeople, getPerson } from '../../domain/address-book/people.ts';
import { listConsentEvidence } from '../../domain/conversations/consent-evidence.ts';
import { hideNumbersIn } from '../../domain/supervision/findings.ts';
import { Id } from '../../schemas/shared/strings.ts';
import { Type } from '../../schemas/shared/type.ts';
import { firmEndpoint } from './endpoint.ts';

const PeopleSearch = Type.Object({ text: Type.String({ maxLength: 200 }) });
const PersonParams = Type.Object({ advisorId: Id(), memberId: Id() });

export const advisors = firmEndpoint({
  isLong: true,
  handler: async (deps, { firmId }) => ({
    data: (await listAdvisorsOf(deps, firmId)).map(({ advisorId, name, textingNumber, timeZone, disabled }) => ({
      advisorId,
      name,
      textingNumber,
      timeZone,
      disabled,
    })),
  }),
});

/** What is looked for is in a body, which no log keeps. */
export const search = firmEndpoint({
  body: PeopleSearch,
  handler: async (deps, { firmId }, { body }) => ({ data: await findPeople(deps, firmId, body.text) }),
});

/** A person's consent, with every change and what proves it. */
export const consent = firmEndpoint({
  params: PersonParams,
  async handler(deps, { firmId }, { params }) {
    const person = await getPerson(deps, firmId, params);
    return {
      ...person,
      history: await hideNumbersIn(deps.turn, await listConsentEvidence(deps, person.advisorId, person.memberId)),
    };
  },
});

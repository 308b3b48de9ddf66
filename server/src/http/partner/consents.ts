import type { Static } from 'typebox';
import type { Deps } from '../../deps.ts';
import type { By } from '../../domain/archive/archive.ts';
import { getConsent } from '../../domain/consent/consent-lookups.ts';
import { requestConsent } from '../../domain/consent/consent-requests.ts';
import type {
  ConsentQuery,
  ConsentRequest,
  ConsentRequestResult,
  ConsentStatus,
} from '../../schemas/consent/consents.ts';
import { withDetails } from './failures.ts';

type Body = { body: Static<typeof ConsentRequest> };
type Query = { query: Static<typeof ConsentQuery> };

export async function request(deps: Deps, advisorId: number, { body }: Body, by: By) {
  const outcome = await requestConsent(deps, advisorId, body.phoneNumbers, by);
  const result: Static<typeof ConsentRequestResult> = withDetails(outcome);
  return result;
}

export async function get(deps: Deps, advisorId: number, { query }: Query): Promise<Static<typeof ConsentStatus>> {
  const { wait, ...rest } = query;
  const { memberId, state, lastChanged } = await getConsent(deps, advisorId, { ...rest, waitSeconds: wait });
  return { memberId, state, lastChanged: lastChanged.getTime() };
}

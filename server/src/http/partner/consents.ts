import type { Static } from 'typebox';
import type { Deps } from '../../deps.ts';
import type { By } from '../../domain/archive/archive.ts';
import { type ConsentStatus as Consent, getConsent, searchConsents } from '../../domain/consent/consent-lookups.ts';
import { requestConsent } from '../../domain/consent/consent-requests.ts';
import type {
  ConsentQuery,
  ConsentRequest,
  ConsentRequestResult,
  ConsentSearch,
  ConsentSearchResult,
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

export async function search(
  deps: Deps,
  advisorId: number,
  { body }: { body: Static<typeof ConsentSearch> },
): Promise<Static<typeof ConsentSearchResult>> {
  const found = await searchConsents(deps, advisorId, body.phoneNumbers);
  const unknown = { memberId: null, state: null, lastChanged: null };
  return { data: found.map(({ phone, consent }) => ({ phone, ...(consent ? shown(consent) : unknown) })) };
}

export async function get(deps: Deps, advisorId: number, { query }: Query): Promise<Static<typeof ConsentStatus>> {
  const { wait, ...rest } = query;
  return shown(await getConsent(deps, advisorId, { ...rest, waitSeconds: wait }));
}

function shown({ memberId, state, lastChanged }: Consent): Static<typeof ConsentStatus> {
  return { memberId, state, lastChanged: lastChanged.getTime() };
}

import type { Static } from 'typebox';
import { type ConsentStatus as Consent, getConsent, searchConsents } from '../../domain/consent/consent-lookups.ts';
import { requestConsent } from '../../domain/consent/consent-requests.ts';
import {
  ConsentQuery,
  ConsentRequest,
  ConsentRequestResult,
  ConsentSearch,
  ConsentSearchResult,
  ConsentStatus,
} from '../../schemas/consent/consents.ts';
import { isToMany } from '../door/long-work.ts';
import { endpoint } from '../door/route.ts';
import { anySucceeded, nothingDone, withDetails } from './outcomes.ts';

export const request = endpoint({
  summary: 'Request consent',
  description:
    'Sends consent-request texts. If one number has already accepted, the whole request is refused before anything is done.',
  body: ConsentRequest,
  response: ConsentRequestResult,
  problems: ['conflict', 'not_found'],
  tookEffect: anySucceeded,
  async handler(deps, advisorId, { body }, by): Promise<Static<typeof ConsentRequestResult>> {
    return withDetails(await requestConsent(deps, advisorId, body.phoneNumbers, by));
  },
});

export const get = endpoint({
  summary: 'Get consent status',
  description:
    'After a consent request, poll every 30 seconds for 5 minutes, then every 5 minutes, for 24 hours; or use `wait` to hold the response while the state is `pending`.',
  query: ConsentQuery,
  response: ConsentStatus,
  problems: ['not_found'],
  async handler(deps, advisorId, { query }) {
    const { wait, ...rest } = query;
    return shown(await getConsent(deps, advisorId, { ...rest, waitSeconds: wait }));
  },
});

export const search = endpoint({
  summary: 'Search consents',
  description: 'The consent state of up to 1,000 numbers at once. Nothing is done: an `Idempotency-Key` is not spent.',
  body: ConsentSearch,
  response: ConsentSearchResult,
  problems: [],
  cost: 2,
  isLong: isToMany,
  tookEffect: nothingDone,
  async handler(deps, advisorId, { body }): Promise<Static<typeof ConsentSearchResult>> {
    const found = await searchConsents(deps, advisorId, body.phoneNumbers);
    const unknown = { memberId: null, state: null, lastChanged: null };
    return { data: found.map(({ phone, consent }) => ({ phone, ...(consent ? shown(consent) : unknown) })) };
  },
});

function shown({ memberId, state, lastChanged }: Consent): Static<typeof ConsentStatus> {
  return { memberId, state, lastChanged: lastChanged.getTime() };
}

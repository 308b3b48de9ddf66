import type { Static } from 'typebox';
import { type ConsentStatus as Consent, getConsent, searchConsents } from '../../domain/consent/consent-lookups.ts';
import { requestConsent } from '../../domain/consent/consent-requests.ts';
import { consentStates } from '../../domain/texting/gate.ts';
import { PhoneNumbers } from '../../schemas/messages/messages.ts';
import { waitSecondsMax } from '../../schemas/shared/paging.ts';
import { Id, Phone } from '../../schemas/shared/strings.ts';
import { Type } from '../../schemas/shared/type.ts';
import { FailureDetail } from '../../schemas/texting/failures.ts';
import { isToMany } from '../door/long-work.ts';
import { endpoint } from '../door/route.ts';
import { anySucceeded, nothingDone, withDetails } from './present.ts';

const State = Type.Unsafe<(typeof consentStates)[number]>({
  title: 'Consent state',
  type: 'string',
  enum: consentStates,
  description: 'Consent state; `opted_out` means that the person said stop.',
});

const ConsentRequest = Type.Object(
  { phoneNumbers: PhoneNumbers },
  {
    title: 'Consent request',
    'x-null-is-unset': true,
    description: '`null` is the same as leaving a field out.',
    examples: [{ phoneNumbers: ['+15005550012'] }],
  },
);

const ConsentRequestResult = Type.Object(
  {
    successes: Type.Array(
      Type.Object(
        {
          phone: Type.String({ description: 'In E.164.' }),
          memberId: Type.Union([Id(), Type.Null()]),
          consentState: Type.Union([State, Type.Null()]),
        },
        { title: 'Consent request success' },
      ),
      { description: 'One for each number that was sent a request.' },
    ),
    failures: Type.Array(Type.String(), {
      description: 'One sentence for each number that was not, for people to read.',
    }),
    failureDetails: Type.Array(FailureDetail, { description: 'The same failures, with stable codes.' }),
  },
  {
    title: 'Consent request result',
    examples: [
      {
        successes: [{ phone: '+15005550012', memberId: 500010, consentState: 'pending' }],
        failures: [],
        failureDetails: [],
      },
    ],
  },
);

const ConsentQuery = Type.Object({
  phone: Type.Optional(Phone({ description: 'In E.164, with the plus encoded as `%2B`.', examples: ['+15005550006'] })),
  memberId: Type.Optional(Id({ description: 'Instead of `phone`. If both are given, they must agree.' })),
  wait: Type.Optional(
    Type.Integer({
      minimum: 0,
      maximum: waitSecondsMax,
      description:
        'How many seconds to hold the response while the state is `pending`. If too many requests are waiting, it is answered at once.',
    }),
  ),
});

const lastChanged = Type.Number({
  description: 'When the state last changed, in epoch milliseconds; for `none`, when the number became known.',
});

const ConsentStatus = Type.Object(
  {
    memberId: Id(),
    state: State,
    lastChanged,
  },
  { title: 'Consent status', examples: [{ memberId: 500004, state: 'accepted', lastChanged: 1772384700000 }] },
);

const ConsentSearch = Type.Object(
  { phoneNumbers: PhoneNumbers },
  { title: 'Consent search', examples: [{ phoneNumbers: ['+15005550006', '+15005550199'] }] },
);

const ConsentSearchResult = Type.Object(
  {
    data: Type.Array(
      Type.Object(
        {
          phone: Type.String({ description: 'In E.164.' }),
          memberId: Type.Union([Id(), Type.Null()]),
          state: Type.Union([State, Type.Null()]),
          lastChanged: Type.Union([lastChanged, Type.Null()]),
        },
        { title: 'Consent search item' },
      ),
      {
        description:
          'One for each number, in the order given. `memberId`, `state` and `lastChanged` are null if no contact owns the number.',
      },
    ),
  },
  {
    title: 'Consent search result',
    examples: [
      {
        data: [
          { phone: '+15005550006', memberId: 500004, state: 'accepted', lastChanged: 1772384700000 },
          { phone: '+15005550199', memberId: null, state: null, lastChanged: null },
        ],
      },
    ],
  },
);

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

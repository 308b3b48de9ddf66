import { consentStates } from '../../domain/texting/gate.ts';
import { PhoneNumbers } from '../messages/messages.ts';
import { waitSecondsMax } from '../shared/paging.ts';
import { Id, Phone } from '../shared/strings.ts';
import { Type } from '../shared/type.ts';
import { FailureDetail } from '../texting/failures.ts';

const State = Type.Unsafe<(typeof consentStates)[number]>({
  title: 'Consent state',
  type: 'string',
  enum: consentStates,
  description: 'Consent state; `opted_out` means that the person said stop.',
});

export const ConsentRequest = Type.Object(
  { phoneNumbers: PhoneNumbers },
  {
    title: 'Consent request',
    'x-null-is-unset': true,
    description: '`null` is the same as leaving a field out.',
    examples: [{ phoneNumbers: ['+15005550012'] }],
  },
);

export const ConsentRequestResult = Type.Object(
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

export const ConsentQuery = Type.Object({
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

export const ConsentStatus = Type.Object(
  {
    memberId: Id(),
    state: State,
    lastChanged,
  },
  { title: 'Consent status', examples: [{ memberId: 500004, state: 'accepted', lastChanged: 1772384700000 }] },
);

export const ConsentSearch = Type.Object(
  { phoneNumbers: PhoneNumbers },
  { title: 'Consent search', examples: [{ phoneNumbers: ['+15005550006', '+15005550199'] }] },
);

export const ConsentSearchResult = Type.Object(
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

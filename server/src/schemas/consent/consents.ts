import { Type } from 'typebox';
import { consentStates } from '../../domain/texting/gate.ts';
import { PhoneNumbers } from '../messages/messages.ts';
import { Id, Phone } from '../shared/strings.ts';
import { FailureDetail } from '../texting/failures.ts';

const waitSecondsMax = 30;

const State = Type.Unsafe<(typeof consentStates)[number]>({
  type: 'string',
  enum: consentStates,
  description: 'Consent state; `opted_out` is a person who said stop.',
});

export const ConsentRequest = Type.Object({ phoneNumbers: PhoneNumbers }, { title: 'Consent request' });

export const ConsentRequestResult = Type.Object(
  {
    successes: Type.Array(
      Type.Object({
        memberId: Type.Union([Id(), Type.Null()]),
        consentState: Type.Union([State, Type.Null()]),
      }),
      { description: 'One for each number that was asked.' },
    ),
    failures: Type.Array(Type.String(), { description: 'One for each number that was not, for a person to read.' }),
    failureDetails: Type.Array(FailureDetail, { description: 'The same with stable codes.' }),
  },
  { title: 'Consent request result' },
);

export const ConsentQuery = Type.Object({
  phone: Type.Optional(Phone({ description: 'In E.164, its plus written as `%2B`.', examples: ['+15005550006'] })),
  memberId: Type.Optional(Id({ description: 'In place of `phone`; with it, it must be the same member.' })),
  wait: Type.Optional(
    Type.Integer({
      minimum: 0,
      maximum: waitSecondsMax,
      description: 'Seconds to hold the answer until the state changes.',
    }),
  ),
});

export const ConsentStatus = Type.Object(
  {
    memberId: Id(),
    state: State,
    lastChanged: Type.Number({
      description: 'When the state last changed, in epoch milliseconds; in `none`, when the number became known.',
    }),
  },
  { title: 'Consent status' },
);

import type { TProperties } from 'typebox';
import { messageStatuses } from '../../domain/messages/messages.ts';
import { consentStates } from '../../domain/texting/gate.ts';
import { FeedOf, FeedQuery, waitSecondsMax } from '../shared/paging.ts';
import { DateTime, Id } from '../shared/strings.ts';
import { Type } from '../shared/type.ts';
import { FailureCode } from '../texting/failures.ts';

const person = { memberId: Id(), phone: Type.String({ description: 'In E.164.' }) };
const State = Type.Unsafe<(typeof consentStates)[number]>({ type: 'string', enum: consentStates });

export function EventOf<Name extends string, Data extends TProperties>(name: Name, description: string, data: Data) {
  return Type.Object(
    {
      id: Type.String({ description: 'The same wherever and however often you see this event.' }),
      type: Type.Unsafe<Name>({ type: 'string', enum: [name] }),
      dateTime: DateTime(),
      data: Type.Object(data),
    },
    { title: titleOf(name), description },
  );
}

/** `message.status` is a Message status event. */
function titleOf(name: string): string {
  const words = name.replace(/[._]/g, ' ');
  return `${words[0]?.toUpperCase()}${words.slice(1)} event`;
}

export const Event = Type.Union(
  [
    EventOf('consent.changed', 'A person’s consent changed.', { ...person, state: State, previousState: State }),
    EventOf('message.status', 'A text has a new status, after the one that the send answered.', {
      messageId: Id(),
      ...person,
      status: Type.Unsafe<(typeof messageStatuses)[number]>({ type: 'string', enum: messageStatuses }),
      failureCode: Type.Union([FailureCode, Type.Null()]),
      scheduledMessageId: Type.Union([Id(), Type.Null()]),
    }),
    EventOf('message.received', 'A person texted the advisor. The text is not in it.', person),
    EventOf('scheduled_message.fired', 'A scheduled message became a text.', {
      scheduledMessageId: Id(),
      messageId: Id(),
      ...person,
    }),
    EventOf('scheduled_message.skipped', 'A scheduled message was due, but nothing was sent.', {
      scheduledMessageId: Id(),
      ...person,
      reason: FailureCode,
    }),
  ],
  {
    title: 'Event',
    examples: [
      {
        id: 'evt_1_42',
        type: 'message.status',
        dateTime: '2026-03-01T17:05:01.480Z',
        data: {
          messageId: 1,
          memberId: 500004,
          phone: '+15005550006',
          status: 'delivered',
          failureCode: null,
          scheduledMessageId: null,
        },
      },
    ],
  },
);

export const EventQuery = Type.Object({
  ...FeedQuery,
  wait: Type.Optional(
    Type.Integer({
      minimum: 0,
      maximum: waitSecondsMax,
      description:
        'How many seconds to hold the response while there is no event. If too many requests are waiting, it is answered at once.',
    }),
  ),
});

export const EventFeed = FeedOf(Event, 'Events');

import { Type } from 'typebox';
import { acceptedStatuses, heldReasons, messageStatuses } from '../../domain/messages/messages.ts';
import { textLengthMax } from '../../domain/shared/text/text-rules.ts';
import { DateTime, Enumeration, Id, Phone } from '../shared/strings.ts';
import { FailureDetail } from '../texting/failures.ts';

const recipientsMax = 1_000;

/** 1 to 1,600 code points. */
export const MessageText = Type.String({
  minLength: 1,
  maxLength: textLengthMax,
  'x-format': 'text',
  description: 'Message text, delivered and archived exactly as sent.',
  examples: ['Your annual review is due. Does Tuesday at 10 suit you?'],
});

export const PhoneNumbers = Type.Array(Phone(), {
  minItems: 1,
  maxItems: recipientsMax,
  description: 'In E.164; duplicates are ignored.',
  examples: [['+15005550006']],
});

export const MessageRequest = Type.Object(
  {
    text: MessageText,
    phone: Type.Optional(Phone({ description: 'Recipient, in E.164.', examples: ['+15005550006'] })),
    phoneNumbers: Type.Optional(PhoneNumbers),
    scheduleDelivery: Type.Optional(Type.Boolean({ description: 'Requests a scheduled send.', examples: [false] })),
    deliveryDate: Type.Optional(
      Type.Number({
        description:
          'Epoch milliseconds (below 1e11: seconds), in the future, at most 731 days ahead. Needs `scheduleDelivery`; ignored if that is false.',
        examples: [1798761600000],
      }),
    ),
    frequency: Type.Optional(Enumeration('frequency')),
  },
  {
    title: 'Message request',
    'x-null-is-unset': true,
    'x-empty-is-unset': { phoneNumbers: 'phone' },
    'x-ignored-if-false': { deliveryDate: 'scheduleDelivery', frequency: 'scheduleDelivery' },
    description:
      'Needs a recipient: `phone`, `phoneNumbers`, or both, which are combined. `null` is the same as leaving a field out.',
    examples: [
      {
        text: 'Your annual review is due. Does Tuesday at 10 suit you?',
        phoneNumbers: ['+15005550006', '+15005550001'],
      },
    ],
  },
);

export const MessageResult = Type.Object(
  {
    successes: Type.Array(
      Type.Object(
        {
          messageId: Type.Union([Id(), Type.Null()], { description: 'Null for scheduled sends.' }),
          memberId: Id(),
          phone: Type.String({ description: 'In E.164.' }),
          status: Type.Unsafe<(typeof acceptedStatuses)[number]>({ type: 'string', enum: acceptedStatuses }),
          deliverAfter: Type.Optional(
            Type.Number({ description: 'Only if quiet hours defer it: until then, in epoch milliseconds.' }),
          ),
          scheduledMessageId: Type.Optional(Id({ description: 'Only for scheduled sends.' })),
        },
        { title: 'Message success' },
      ),
      { description: 'One per accepted recipient.' },
    ),
    failures: Type.Array(Type.String(), {
      description: 'One per recipient that was not accepted, for people to read.',
    }),
    failureDetails: Type.Array(FailureDetail, { description: 'The same failures with stable codes.' }),
  },
  {
    title: 'Message result',
    examples: [
      {
        successes: [{ messageId: 1, memberId: 500004, phone: '+15005550006', status: 'queued' }],
        failures: ['+15005550001 can’t be reached by text. Check the number with its owner.'],
        failureDetails: [
          {
            phone: '+15005550001',
            memberId: 500001,
            code: 'unreachable',
            message: '+15005550001 can’t be reached by text. Check the number with its owner.',
            retryable: false,
          },
        ],
      },
    ],
  },
);

export const MessageParams = Type.Object({ messageId: Id({ description: 'The message’s id.', examples: [1] }) });

const NullableDateTime = Type.Union([DateTime(), Type.Null()]);

export const MessageStatus = Type.Object(
  {
    messageId: Id(),
    memberId: Id(),
    phone: Type.String({ description: 'In E.164.' }),
    status: Type.Unsafe<(typeof messageStatuses)[number]>({ type: 'string', enum: messageStatuses }),
    segments: Type.Integer({ description: 'How many segments the network splits it into.' }),
    encoding: Type.Unsafe<string>({ type: 'string', enum: ['GSM-7', 'UCS-2'] }),
    dateTimeCreated: DateTime(),
    dateTimeSent: NullableDateTime,
    dateTimeDelivered: NullableDateTime,
    failureCode: Type.Union([Type.String(), Type.Null()], {
      description: 'Why it failed or was not delivered: a code from `failureDetails`, or the carrier’s.',
    }),
    heldReason: Type.Union(
      [Type.Unsafe<(typeof heldReasons)[number]>({ type: 'string', enum: heldReasons }), Type.Null()],
      {
        description:
          'Why it is held: the firm’s supervision, or a reply of the person that may mean stop. Null when not held.',
      },
    ),
  },
  {
    title: 'Message status',
    examples: [
      {
        messageId: 1,
        memberId: 500004,
        phone: '+15005550006',
        status: 'delivered',
        segments: 1,
        encoding: 'GSM-7',
        dateTimeCreated: '2026-03-01T17:05:00.000Z',
        dateTimeSent: '2026-03-01T17:05:00.120Z',
        dateTimeDelivered: '2026-03-01T17:05:01.480Z',
        failureCode: null,
        heldReason: null,
      },
    ],
  },
);

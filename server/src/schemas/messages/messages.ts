import { heldReasons, messageSort, messageStatuses } from '../../domain/messages/messages.ts';
import type { Frequency } from '../../domain/messages/scheduled-messages.ts';
import { acceptedStatuses } from '../../domain/messages/sends.ts';
import { textLengthMax } from '../../domain/shared/text/text-rules.ts';
import { PageOf, PageQuery } from '../shared/paging.ts';
import { DateTime, Enumeration, Id, Phone } from '../shared/strings.ts';
import { Type } from '../shared/type.ts';
import { FailureCode, FailureDetail } from '../texting/failures.ts';

const recipientsMax = 1_000;

/** 1 to 1,600 code points. */
export const MessageText = Type.String({
  minLength: 1,
  maxLength: textLengthMax,
  'x-format': 'text',
  description:
    'Message text, delivered and archived exactly as sent. The first text to a person may get a line after it, with the firm’s name and how to stop: a setting of the firm.',
  examples: ['Your annual review is due. Does Tuesday at 10 suit you?'],
});

export const PhoneNumbers = Type.Array(Phone(), {
  minItems: 1,
  maxItems: recipientsMax,
  description: 'In E.164; duplicates are ignored.',
  examples: [['+15005550006']],
});

export const DeliveryDate = (more: string) =>
  Type.Number({
    description: `Epoch milliseconds (below 1e11: seconds), in the future, at most 731 days ahead. ${more}`,
    examples: [1798761600000],
  });

export const MessageRequest = Type.Object(
  {
    text: MessageText,
    phone: Type.Optional(Phone({ description: 'Recipient, in E.164.', examples: ['+15005550006'] })),
    phoneNumbers: Type.Optional(PhoneNumbers),
    scheduleDelivery: Type.Optional(Type.Boolean({ description: 'Requests a scheduled send.', examples: [false] })),
    deliveryDate: Type.Optional(DeliveryDate('Needs `scheduleDelivery`; ignored if that is false.')),
    frequency: Type.Optional(Enumeration<Frequency>('frequency')),
    whenConsented: Type.Optional(
      Type.Boolean({
        description:
          'If true, a recipient who hasn’t consented gets a consent request, unless one went out in the last 24 hours, and the text waits up to 24 hours for the answer. Not with `scheduleDelivery`.',
        examples: [true],
      }),
    ),
  },
  {
    title: 'Message request',
    'x-null-is-unset': true,
    'x-empty-is-unset': { phoneNumbers: 'phone' },
    'x-ignored-if-false': { deliveryDate: 'scheduleDelivery', frequency: 'scheduleDelivery' },
    description:
      'Needs a recipient: `phone`, `phoneNumbers`, or both, which are combined. `null` is the same as leaving a field out.',
    examples: [
      { phone: '+15005550006', text: 'Your annual review is due. Does Tuesday at 10 suit you?' },
      { text: 'Your annual review is due.', phoneNumbers: ['+15005550006', '+15005550001'] },
      { text: 'Your annual review is due.', phone: '+15005550012', whenConsented: true },
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
        failures: [],
        failureDetails: [],
      },
    ],
  },
);

export const MessageParams = Type.Object({ messageId: Id({ description: 'The message’s id.', examples: [1] }) });

const Status = (annotation: object = {}) =>
  Type.Unsafe<(typeof messageStatuses)[number]>({ type: 'string', enum: messageStatuses, ...annotation });

const NullableDateTime = Type.Union([DateTime(), Type.Null()]);

export const MessageStatus = Type.Object(
  {
    messageId: Id(),
    memberId: Id(),
    phone: Type.String({ description: 'In E.164.' }),
    status: Status(),
    segments: Type.Integer({ description: 'How many segments the network splits it into.' }),
    encoding: Type.Unsafe<string>({ type: 'string', enum: ['GSM-7', 'UCS-2'] }),
    dateTimeCreated: DateTime(),
    dateTimeSent: NullableDateTime,
    dateTimeDelivered: NullableDateTime,
    failureCode: Type.Union([FailureCode, Type.Null()], {
      description: 'Why it `failed` or is `undelivered`; null otherwise.',
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

/** Its order is fixed; the two names are there because `pageInfo` repeats them. */
const Newest = Type.Unsafe<'desc'>({ type: 'string', enum: ['desc'], default: 'desc', description: 'Newest first.' });

export const MessageQuery = PageQuery([messageSort], {
  sortDirection: Type.Optional(Newest) as unknown as typeof Newest,
  phone: Type.Optional(
    Phone({ description: 'The recipient, in E.164, with the plus encoded as `%2B`.', examples: ['+15005550006'] }),
  ),
  memberId: Type.Optional(Id({ description: 'The recipient. If `phone` is given too, both must match.' })),
  scheduledMessageId: Type.Optional(Id({ description: 'Texts that this scheduled message sent.' })),
  status: Type.Optional(Status({ description: 'Texts with this status now.', examples: ['delivered'] })),
  createdSince: Type.Optional(
    DateTime({ description: 'Texts accepted at or after this time, in RFC 3339.', examples: ['2020-01-01T00:00:00Z'] }),
  ),
});

export const MessagePage = PageOf(MessageStatus, [messageSort], 'Page of messages', 'desc');

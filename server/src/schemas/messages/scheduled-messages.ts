import {
  type Frequency,
  type ScheduledStatus,
  scheduledMessageSorts,
  scheduledStatuses,
} from '../../domain/messages/scheduled-messages.ts';
import { PageOf, PageQuery } from '../shared/paging.ts';
import { Enumeration, Id } from '../shared/strings.ts';
import { Type } from '../shared/type.ts';
import { FailureCode } from '../texting/failures.ts';
import { DeliveryDate, MessageText } from './messages.ts';

const Status = (annotation: object = {}) =>
  Type.Unsafe<ScheduledStatus>({ type: 'string', enum: scheduledStatuses, ...annotation });

export const ScheduledMessageParams = Type.Object({
  scheduledMessageId: Id({ description: 'The scheduled message’s id.', examples: [1] }),
});

const StatusFilter = Status({ default: 'scheduled', description: 'Still scheduled, or what happened to it.' });

export const ScheduledMessageQuery = PageQuery(scheduledMessageSorts, {
  // Optional in the request, but always there because of its default, like the four fields of a page.
  status: Type.Optional(StatusFilter) as unknown as typeof StatusFilter,
});

const EpochMs = (description: string) => Type.Integer({ description, examples: [1798761600000] });

export const ScheduledMessage = Type.Object(
  {
    scheduledMessageId: Id(),
    memberId: Id(),
    phone: Type.String({ description: 'In E.164.' }),
    text: Type.String(),
    deliveryDate: EpochMs('Epoch milliseconds: the next date while it is scheduled, otherwise the last one.'),
    frequency: Enumeration('frequency'),
    status: Status(),
    reason: Type.Union([FailureCode, Type.Null()], {
      description: 'Why it was skipped, or why the last occurrence was if it repeats; null otherwise.',
    }),
    nextDeliveryDates: Type.Array(EpochMs('Epoch milliseconds.'), {
      description: 'The next five, or fewer if there are no more.',
    }),
    lastMessageId: Type.Union([Id(), Type.Null()], {
      description: 'The last text that it sent; null before the first one.',
    }),
  },
  {
    title: 'Scheduled message',
    examples: [
      {
        scheduledMessageId: 1,
        memberId: 500004,
        phone: '+15005550006',
        text: 'Happy New Year!',
        deliveryDate: 1798761600000,
        frequency: 4,
        status: 'scheduled',
        reason: null,
        nextDeliveryDates: [1798761600000, 1830297600000, 1861920000000, 1893456000000, 1924992000000],
        lastMessageId: null,
      },
    ],
  },
);

export const ScheduledMessageChange = Type.Object(
  {
    text: Type.Optional(MessageText),
    deliveryDate: Type.Optional(DeliveryDate('It repeats from this date on.')),
    frequency: Type.Optional(Enumeration<Frequency>('frequency')),
  },
  {
    title: 'Scheduled message change',
    'x-null-is-unset': true,
    description: 'Replaces the fields that are given and keeps the others. `null` is the same as leaving a field out.',
    examples: [{ text: 'Happy New Year, and see you in January!', frequency: 4 }],
  },
);

export const ScheduledMessagePage = PageOf(ScheduledMessage, scheduledMessageSorts, 'Page of scheduled messages');

import { Type } from 'typebox';
import {
  type ScheduledStatus,
  scheduledMessageSorts,
  scheduledStatuses,
} from '../../domain/messages/scheduled-messages.ts';
import { PageOf, PageQuery } from '../shared/paging.ts';
import { Enumeration, Id } from '../shared/strings.ts';

const Status = (annotation: object = {}) =>
  Type.Unsafe<ScheduledStatus>({ type: 'string', enum: scheduledStatuses, ...annotation });

export const ScheduledMessageParams = Type.Object({
  scheduledMessageId: Id({ description: 'The scheduled message’s id.', examples: [1] }),
});

const StatusFilter = Status({ default: 'scheduled', description: 'Still to come, or what became of it.' });

export const ScheduledMessageQuery = PageQuery(scheduledMessageSorts, {
  // It has a default, so it may be left out and is there all the same, like a page's own four.
  status: Type.Optional(StatusFilter) as unknown as typeof StatusFilter,
});

const EpochMs = (description: string) => Type.Integer({ description, examples: [1798761600000] });

export const ScheduledMessage = Type.Object(
  {
    scheduledMessageId: Id(),
    memberId: Id(),
    phone: Type.String({ description: 'In E.164.' }),
    text: Type.String(),
    deliveryDate: EpochMs('Epoch milliseconds: the next one while it is scheduled, otherwise the last one.'),
    frequency: Enumeration('frequency'),
    status: Status(),
    reason: Type.Union([Type.String(), Type.Null()], {
      description:
        'Why it was skipped, or the last occurrence of one that repeats: a code of `failureDetails`, `account_disabled`, `no_texting_number` or `internal_error`.',
    }),
    nextDeliveryDates: Type.Array(EpochMs('Epoch milliseconds.'), {
      description: 'The next five, fewer where there are no more.',
    }),
  },
  { title: 'Scheduled message' },
);

export const ScheduledMessagePage = PageOf(ScheduledMessage, scheduledMessageSorts, 'Page of scheduled messages');

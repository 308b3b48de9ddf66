import type { Static } from 'typebox';
import { checkMessage } from '../../domain/messages/message-checks.ts';
import * as messages from '../../domain/messages/messages.ts';
import { MessageCheckResult } from '../../schemas/messages/message-checks.ts';
import {
  MessagePage,
  MessageParams,
  MessageQuery,
  MessageRequest,
  MessageResult,
  MessageStatus,
} from '../../schemas/messages/messages.ts';
import { instantOf } from '../../schemas/shared/validate.ts';
import { isToMany } from '../door/long-work.ts';
import { endpoint } from '../door/route.ts';
import { anySucceeded, nothingDone, withDetails } from './outcomes.ts';

export const send = endpoint({
  summary: 'Send message',
  description:
    'Sends or schedules a text, with an outcome for each recipient. An unknown number becomes a contact; an existing contact is never changed.',
  body: MessageRequest,
  response: MessageResult,
  problems: ['conflict'],
  isLong: isToMany,
  together: true,
  tookEffect: anySucceeded,
  async handler(deps, advisorId, { body }, by): Promise<Static<typeof MessageResult>> {
    return withDetails(await messages.sendMessage(deps, advisorId, body, by));
  },
});

export const list = endpoint({
  summary: 'List messages',
  description:
    'The status of the advisor’s texts, newest first; filters are combined. Consent requests and confirmations are not among them.',
  query: MessageQuery,
  response: MessagePage,
  problems: [],
  cost: 2,
  async handler(deps, advisorId, { query }) {
    const { createdSince, sortBy: _, sortDirection: __, ...rest } = query;
    const since = createdSince === undefined ? {} : { createdSince: instantOf(createdSince) };
    const { data, pageInfo } = await messages.listMessages(deps, advisorId, { ...rest, ...since });
    return { data: data.map(status), pageInfo };
  },
});

export const check = endpoint({
  summary: 'Check message',
  description:
    'What a send with this body would do for each recipient, and why. Nothing is done: no contact is created, and an `Idempotency-Key` is not spent.',
  body: MessageRequest,
  response: MessageCheckResult,
  problems: [],
  isLong: isToMany,
  tookEffect: nothingDone,
  async handler(deps, advisorId, { body }, by): Promise<Static<typeof MessageCheckResult>> {
    const checks = await checkMessage(deps, advisorId, body, by);
    return { data: checks.map(({ earliest, ...each }) => ({ ...each, earliest: earliest?.getTime() ?? null })) };
  },
});

export const get = endpoint({
  summary: 'Get message status',
  params: MessageParams,
  response: MessageStatus,
  problems: ['not_found'],
  handler: async (deps, advisorId, { params }) => status(await messages.getMessage(deps, advisorId, params.messageId)),
});

function status(message: messages.Message): Static<typeof MessageStatus> {
  return {
    ...message,
    dateTimeCreated: message.dateTimeCreated.toISOString(),
    dateTimeSent: message.dateTimeSent?.toISOString() ?? null,
    dateTimeDelivered: message.dateTimeDelivered?.toISOString() ?? null,
  };
}

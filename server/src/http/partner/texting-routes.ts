import {
  ConsentQuery,
  ConsentRequest,
  ConsentRequestResult,
  ConsentSearch,
  ConsentSearchResult,
  ConsentStatus,
} from '../../schemas/consent/consents.ts';
import { MessageCheckResult } from '../../schemas/messages/message-checks.ts';
import {
  MessagePage,
  MessageParams,
  MessageQuery,
  MessageRequest,
  MessageResult,
  MessageStatus,
} from '../../schemas/messages/messages.ts';
import {
  ScheduledMessage,
  ScheduledMessageChange,
  ScheduledMessagePage,
  ScheduledMessageParams,
  ScheduledMessageQuery,
} from '../../schemas/messages/scheduled-messages.ts';
import { type Route, route } from '../door/route.ts';
import * as consents from './consents.ts';
import * as messages from './messages.ts';
import * as scheduledMessages from './scheduled-messages.ts';

/** Of a send or a consent request: if nobody succeeded, the caller can try again under the same key. */
function anySucceeded(result: unknown): boolean {
  return (result as { successes: unknown[] }).successes.length > 0;
}

/** Of a POST that only reads: it never spends a key. */
function nothingDone(): boolean {
  return false;
}

/** The part of the table that needs text scopes. */
export const textingRoutes: Route[] = [
  route({
    method: 'POST',
    path: '/text/messaging/messages',
    scope: 'text.messaging.write',
    summary: 'Send message',
    description:
      'Sends or schedules a text, with an outcome for each recipient. An unknown number becomes a contact; an existing contact is never changed.',
    body: MessageRequest,
    answer: MessageResult,
    problems: ['conflict'],
    together: true,
    tookEffect: anySucceeded,
    handler: messages.send,
  }),
  route({
    method: 'GET',
    path: '/text/messaging/messages',
    scope: 'text.messaging.read',
    summary: 'List messages',
    description:
      'The status of the advisor’s texts, newest first; filters are combined. Consent requests and confirmations are not among them.',
    query: MessageQuery,
    answer: MessagePage,
    problems: [],
    cost: 2,
    handler: messages.list,
  }),
  route({
    method: 'POST',
    path: '/text/messaging/messages/check',
    scope: 'text.messaging.read',
    summary: 'Check message',
    description:
      'What a send with this body would do for each recipient, and why. Nothing is done: no contact is created, and an `Idempotency-Key` is not spent.',
    body: MessageRequest,
    answer: MessageCheckResult,
    problems: [],
    tookEffect: nothingDone,
    handler: messages.check,
  }),
  route({
    method: 'GET',
    path: '/text/messaging/messages/:messageId',
    scope: 'text.messaging.read',
    summary: 'Get message status',
    params: MessageParams,
    answer: MessageStatus,
    problems: ['not_found'],
    handler: messages.get,
  }),
  route({
    method: 'POST',
    path: '/text/messaging/consent-requests',
    scope: 'text.messaging.write',
    summary: 'Request consent',
    description:
      'Sends consent-request texts. If one number has already accepted, the whole request is refused before anything is done.',
    body: ConsentRequest,
    answer: ConsentRequestResult,
    problems: ['conflict', 'not_found'],
    tookEffect: anySucceeded,
    handler: consents.request,
  }),
  route({
    method: 'GET',
    path: '/text/messaging/consents',
    scope: 'text.messaging.read',
    summary: 'Get consent status',
    description:
      'After a consent request, poll every 30 seconds for 5 minutes, then every 5 minutes, for 24 hours; or use `wait` to hold the response while the state is `pending`.',
    query: ConsentQuery,
    answer: ConsentStatus,
    problems: ['not_found'],
    handler: consents.get,
  }),
  route({
    method: 'POST',
    path: '/text/messaging/consents/search',
    scope: 'text.messaging.read',
    summary: 'Search consents',
    description:
      'The consent state of up to 1,000 numbers at once. Nothing is done: an `Idempotency-Key` is not spent.',
    body: ConsentSearch,
    answer: ConsentSearchResult,
    problems: [],
    cost: 2,
    tookEffect: nothingDone,
    handler: consents.search,
  }),
  route({
    method: 'GET',
    path: '/text/messaging/scheduled-messages',
    scope: 'text.messaging.read',
    summary: 'List scheduled messages',
    query: ScheduledMessageQuery,
    answer: ScheduledMessagePage,
    problems: [],
    cost: 2,
    handler: scheduledMessages.list,
  }),
  route({
    method: 'GET',
    path: '/text/messaging/scheduled-messages/:scheduledMessageId',
    scope: 'text.messaging.read',
    summary: 'Get scheduled message',
    description: 'In any status: still scheduled, or what became of it.',
    params: ScheduledMessageParams,
    answer: ScheduledMessage,
    problems: ['not_found'],
    handler: scheduledMessages.get,
  }),
  route({
    method: 'PUT',
    path: '/text/messaging/scheduled-messages/:scheduledMessageId',
    scope: 'text.messaging.write',
    summary: 'Update scheduled message',
    description:
      'Changes the text, the date or the frequency of a message that is still scheduled, through the same checks as a send. If the person can’t be texted, it is a 400 with the failure’s code as `rule`.',
    params: ScheduledMessageParams,
    body: ScheduledMessageChange,
    answer: ScheduledMessage,
    problems: ['conflict', 'not_found'],
    handler: scheduledMessages.update,
  }),
  route({
    method: 'DELETE',
    path: '/text/messaging/scheduled-messages/:scheduledMessageId',
    scope: 'text.messaging.write',
    summary: 'Cancel scheduled message',
    params: ScheduledMessageParams,
    problems: ['not_found'],
    handler: scheduledMessages.cancel,
  }),
];

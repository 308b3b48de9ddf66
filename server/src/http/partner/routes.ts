import {
  ContactChange,
  ContactDetail,
  ContactInput,
  ContactPage,
  ContactParams,
  ContactQuery,
  IdResult,
  MembershipsInput,
} from '../../schemas/address-book/contacts.ts';
import { GroupInput, GroupPage, GroupParams, GroupQuery } from '../../schemas/address-book/groups.ts';
import { ConsentQuery, ConsentRequest, ConsentRequestResult, ConsentStatus } from '../../schemas/consent/consents.ts';
import { ContentPage, ContentQuery } from '../../schemas/content/content.ts';
import { MessageParams, MessageRequest, MessageResult, MessageStatus } from '../../schemas/messages/messages.ts';
import {
  ScheduledMessagePage,
  ScheduledMessageParams,
  ScheduledMessageQuery,
} from '../../schemas/messages/scheduled-messages.ts';
import { EnumerationsResult } from '../../schemas/shared/enumerations.ts';
import { type Route, route } from '../door/route.ts';
import * as consents from './consents.ts';
import * as contacts from './contacts.ts';
import * as content from './content.ts';
import * as enumerations from './enumerations.ts';
import * as groups from './groups.ts';
import * as messages from './messages.ts';
import * as scheduledMessages from './scheduled-messages.ts';

/** Of a send or a consent request: if nobody succeeded, the caller can try again under the same key. */
function anySucceeded(result: unknown): boolean {
  return (result as { successes: unknown[] }).successes.length > 0;
}

/** The contract as a table: each endpoint with its scope, its shapes and its handler. */
export const routes: Route[] = [
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
    method: 'DELETE',
    path: '/text/messaging/scheduled-messages/:scheduledMessageId',
    scope: 'text.messaging.write',
    summary: 'Cancel scheduled message',
    params: ScheduledMessageParams,
    problems: ['not_found'],
    handler: scheduledMessages.cancel,
  }),
  route({
    method: 'POST',
    path: '/core/contact/contacts',
    scope: 'core.contacts.write',
    summary: 'Create contact',
    body: ContactInput,
    answer: IdResult,
    problems: [],
    handler: contacts.create,
  }),
  route({
    method: 'PUT',
    path: '/core/contact/contacts/:contactId',
    scope: 'core.contacts.write',
    summary: 'Update contact',
    params: ContactParams,
    body: ContactChange,
    answer: IdResult,
    problems: ['not_found'],
    handler: contacts.update,
  }),
  route({
    method: 'GET',
    path: '/core/contact/contacts/:contactId',
    scope: 'core.contacts.read',
    summary: 'Get contact',
    params: ContactParams,
    answer: ContactDetail,
    problems: ['not_found'],
    handler: contacts.get,
  }),
  route({
    method: 'GET',
    path: '/core/contact/contacts',
    scope: 'core.contacts.read',
    summary: 'Search contacts',
    query: ContactQuery,
    answer: ContactPage,
    problems: [],
    cost: 2,
    handler: contacts.search,
  }),
  route({
    method: 'DELETE',
    path: '/core/contact/contacts/:contactId',
    scope: 'core.contacts.write',
    summary: 'Delete contact',
    description: 'The contact disappears from searches and groups. Its archive and consent stay with the number.',
    params: ContactParams,
    problems: ['not_found'],
    handler: contacts.remove,
  }),
  route({
    method: 'PUT',
    path: '/core/contact/contacts/:contactId/groups',
    scope: 'core.contacts.write',
    summary: 'Replace memberships',
    description: 'The contact becomes a member of exactly these groups. If a group id is unknown, nothing changes.',
    params: ContactParams,
    body: MembershipsInput,
    answer: IdResult,
    problems: ['not_found'],
    handler: contacts.replaceMemberships,
  }),
  route({
    method: 'POST',
    path: '/core/contact/groups',
    scope: 'core.contacts.write',
    summary: 'Create group',
    body: GroupInput,
    answer: IdResult,
    problems: [],
    handler: groups.create,
  }),
  route({
    method: 'GET',
    path: '/core/contact/groups',
    scope: 'core.contacts.read',
    summary: 'Search groups',
    query: GroupQuery,
    answer: GroupPage,
    problems: [],
    cost: 2,
    handler: groups.search,
  }),
  route({
    method: 'DELETE',
    path: '/core/contact/groups/:groupId',
    scope: 'core.contacts.write',
    summary: 'Delete group',
    description: 'Its members stay.',
    params: GroupParams,
    problems: ['not_found'],
    cost: 2,
    handler: groups.remove,
  }),
  route({
    method: 'GET',
    path: '/core/content/library/search',
    scope: 'core.content.read',
    summary: 'Search content',
    description:
      'Items published for everyone and for the advisor’s firm. With a search text the best match comes first; otherwise they are sorted by title.',
    query: ContentQuery,
    answer: ContentPage,
    problems: [],
    cost: 2,
    handler: content.search,
  }),
  route({
    method: 'GET',
    path: '/core/enumerations',
    scope: 'any',
    summary: 'List enumerations',
    description: 'Every numbered value with its word.',
    answer: EnumerationsResult,
    problems: [],
    handler: enumerations.list,
  }),
];

import { Account } from '../../schemas/accounts/account.ts';
import { ContactChanges, ContactChangesQuery } from '../../schemas/address-book/contact-changes.ts';
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
import { ContentPage, ContentQuery } from '../../schemas/content/content.ts';
import { EventFeed, EventQuery } from '../../schemas/events/events.ts';
import { EnumerationsResult } from '../../schemas/shared/enumerations.ts';
import { type Route, route } from '../door/route.ts';
import * as account from './account.ts';
import * as contacts from './contacts.ts';
import * as content from './content.ts';
import * as enumerations from './enumerations.ts';
import * as events from './events.ts';
import * as groups from './groups.ts';
import { textingRoutes } from './texting-routes.ts';

/** The contract as a table: each endpoint with its scope, its shapes and its handler. */
export const routes: Route[] = [
  ...textingRoutes,
  route({
    method: 'GET',
    path: '/text/messaging/events',
    scope: 'text.messaging.read',
    summary: 'List events',
    description:
      'What happened, oldest first, in the order in which it was committed, and kept for 30 days. Each response has a `cursor` for the next request, and none is skipped. With `wait`, an empty response waits for an event.',
    query: EventQuery,
    answer: EventFeed,
    problems: [],
    handler: events.list,
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
    exact: true,
    problems: [],
    cost: 2,
    handler: contacts.search,
  }),
  route({
    method: 'GET',
    path: '/core/contact/changes',
    scope: 'core.contacts.read',
    summary: 'List contact changes',
    description:
      'What changed in the address book, oldest first, in the order in which it was committed, and kept for 30 days. Each response has a `cursor` for the next request. Changes that a later one has overtaken may be left out, the last one never.',
    query: ContactChangesQuery,
    answer: ContactChanges,
    problems: [],
    cost: 2,
    handler: contacts.changes,
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
    path: '/core/account',
    scope: 'any',
    summary: 'Get account',
    description: 'The advisor that the access token acts for, their settings for texting, and the token’s scopes.',
    answer: Account,
    problems: [],
    handler: account.get,
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

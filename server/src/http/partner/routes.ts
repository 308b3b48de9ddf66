import type { PartnerEndpoint, PartnerRoute, Route } from '../door/route.ts';
import * as account from './account.ts';
import * as consents from './consents.ts';
import * as contacts from './contacts.ts';
import * as content from './content.ts';
import * as enumerations from './enumerations.ts';
import * as events from './events.ts';
import * as groups from './groups.ts';
import * as messages from './messages.ts';
import * as scheduledMessages from './scheduled-messages.ts';

/** The contract, a line for each endpoint. What it takes and answers stands with its handler. */
// biome-ignore format: a table
const table: [Route['method'], Route['path'], Route['scope'], PartnerEndpoint][] = [
  ['POST',   '/text/messaging/messages',                               'text.messaging.write', messages.send],
  ['GET',    '/text/messaging/messages',                               'text.messaging.read',  messages.list],
  ['POST',   '/text/messaging/messages/check',                         'text.messaging.read',  messages.check],
  ['GET',    '/text/messaging/messages/:messageId',                    'text.messaging.read',  messages.get],
  ['POST',   '/text/messaging/consent-requests',                       'text.messaging.write', consents.request],
  ['GET',    '/text/messaging/consents',                               'text.messaging.read',  consents.get],
  ['POST',   '/text/messaging/consents/search',                        'text.messaging.read',  consents.search],
  ['GET',    '/text/messaging/scheduled-messages',                     'text.messaging.read',  scheduledMessages.list],
  ['GET',    '/text/messaging/scheduled-messages/:scheduledMessageId', 'text.messaging.read',  scheduledMessages.get],
  ['PUT',    '/text/messaging/scheduled-messages/:scheduledMessageId', 'text.messaging.write', scheduledMessages.update],
  ['DELETE', '/text/messaging/scheduled-messages/:scheduledMessageId', 'text.messaging.write', scheduledMessages.cancel],
  ['GET',    '/text/messaging/events',                                 'text.messaging.read',  events.list],
  ['POST',   '/core/contact/contacts',                                 'core.contacts.write',  contacts.create],
  ['PUT',    '/core/contact/contacts/:contactId',                      'core.contacts.write',  contacts.update],
  ['GET',    '/core/contact/contacts/:contactId',                      'core.contacts.read',   contacts.get],
  ['GET',    '/core/contact/contacts',                                 'core.contacts.read',   contacts.search],
  ['GET',    '/core/contact/changes',                                  'core.contacts.read',   contacts.changes],
  ['DELETE', '/core/contact/contacts/:contactId',                      'core.contacts.write',  contacts.remove],
  ['PUT',    '/core/contact/contacts/:contactId/groups',               'core.contacts.write',  contacts.replaceMemberships],
  ['POST',   '/core/contact/groups',                                   'core.contacts.write',  groups.create],
  ['GET',    '/core/contact/groups',                                   'core.contacts.read',   groups.search],
  ['DELETE', '/core/contact/groups/:groupId',                          'core.contacts.write',  groups.remove],
  ['GET',    '/core/content/library/search',                           'core.content.read',    content.search],
  ['GET',    '/core/account',                                          'any',                  account.get],
  ['GET',    '/core/enumerations',                                     'any',                  enumerations.list],
];

export const routes: PartnerRoute[] = table.map(([method, path, scope, endpoint]) => ({
  method,
  path,
  scope,
  ...endpoint,
}));

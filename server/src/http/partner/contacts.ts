import type { Static } from 'typebox';
import { listChanges } from '../../domain/address-book/contact-changes.ts';
import * as contacts from '../../domain/address-book/contacts.ts';
import { invalid } from '../../domain/problems.ts';
import { numberOf, word } from '../../domain/shared/enumerations.ts';
import {
  ContactChange,
  ContactDetail,
  ContactInput,
  ContactPage,
  ContactParams,
  ContactQuery,
  type ContactSummary,
  IdResult,
  MembershipsInput,
} from '../../schemas/address-book/contacts.ts';
import { FeedOf, FeedQuery } from '../../schemas/shared/paging.ts';
import { Id, Instant } from '../../schemas/shared/strings.ts';
import { Type } from '../../schemas/shared/type.ts';
import { instantOf } from '../../schemas/shared/validate.ts';
import { endpoint } from '../door/route.ts';
import { present } from './present.ts';

const { examples: [contact] = [] } = ContactDetail as { examples?: unknown[] };

const ChangedContact = Type.Object(
  {
    contactId: Id(),
    change: Type.Unsafe<'created' | 'updated' | 'deleted'>({ type: 'string', enum: ['created', 'updated', 'deleted'] }),
    dateTime: Instant(),
    contact: Type.Optional(ContactDetail),
  },
  {
    title: 'Changed contact',
    description: 'With the contact as it is now; a deleted one is gone.',
    examples: [{ contactId: 52, change: 'created', dateTime: '2026-03-01T17:05:00.000Z', contact }],
  },
);

const ContactChangesQuery = Type.Object(FeedQuery);

const ContactChanges = FeedOf(ChangedContact, 'Contact changes');

export const create = endpoint({
  summary: 'Create contact',
  body: ContactInput,
  response: IdResult,
  problems: [],
  async handler(deps, advisorId, { body }) {
    const contact = body as contacts.ContactInput;
    return { id: await contacts.createContact(deps, advisorId, contact, numberOf('source', 'API')) };
  },
});

export const update = endpoint({
  summary: 'Update contact',
  params: ContactParams,
  body: ContactChange,
  response: IdResult,
  problems: ['not_found'],
  async handler(deps, advisorId, { params, body }) {
    await contacts.updateContact(deps, advisorId, params.contactId, body as contacts.ContactInput);
    return { id: params.contactId };
  },
});

export const get = endpoint({
  summary: 'Get contact',
  params: ContactParams,
  response: ContactDetail,
  problems: ['not_found'],
  handler: async (deps, advisorId, { params }) => detail(await contacts.getContact(deps, advisorId, params.contactId)),
});

export const search = endpoint({
  summary: 'Search contacts',
  query: ContactQuery,
  response: ContactPage,
  write: (page) => JSON.stringify(page),
  problems: [],
  cost: 2,
  async handler(deps, advisorId, { query }) {
    const { modifiedSince, ...rest } = query;
    const since = modifiedSince === undefined ? {} : { modifiedSince: instantOf(modifiedSince) };
    const { data, pageInfo } = await contacts.searchContacts(deps, advisorId, { ...rest, ...since });
    return { data: data.map(summary), pageInfo };
  },
});

export const changes = endpoint({
  summary: 'List contact changes',
  description:
    'What changed in the address book, oldest first, in the order in which it was committed, and kept for 30 days. Each response has a `cursor` for the next request. Changes that a later one has overtaken may be left out, the last one never.',
  query: ContactChangesQuery,
  response: ContactChanges,
  problems: [],
  cost: 2,
  async handler(deps, advisorId, { query }) {
    const { data, ...feed } = await listChanges(deps, advisorId, query);
    return {
      data: data.map(({ contact, ...change }) => ({ ...change, ...(contact ? { contact: detail(contact) } : {}) })),
      ...feed,
    };
  },
});

export const remove = endpoint({
  summary: 'Delete contact',
  description: 'The contact disappears from searches and groups. Its archive and consent stay with the number.',
  params: ContactParams,
  problems: ['not_found'],
  async handler(deps, advisorId, { params }) {
    await contacts.deleteContact(deps, advisorId, params.contactId);
  },
});

export const replaceMemberships = endpoint({
  summary: 'Replace memberships',
  description: 'The contact becomes a member of exactly these groups. If a group id is unknown, nothing changes.',
  params: ContactParams,
  body: MembershipsInput,
  response: IdResult,
  problems: ['not_found'],
  async handler(deps, advisorId, { params, body }) {
    if (!body.isSelectAllGroup && !body.groupIds)
      throw invalid([
        { path: '/groupIds', rule: 'required', message: 'groupIds is required unless isSelectAllGroup is true.' },
      ]);
    await contacts.replaceMemberships(deps, advisorId, params.contactId, body);
    return { id: params.contactId };
  },
});

function detail(contact: contacts.Contact): Static<typeof ContactDetail> {
  return present({
    ...contact,
    sourceText: word('source', contact.source),
    isCrmLinkedContact: contacts.isCrmLinked(contact),
    emailStatus: numberOf('emailStatus', contact.emailStatus as 'None'),
  });
}

/** Required fields come first, as everywhere. */
function summary(contact: contacts.ContactSummary): Static<typeof ContactSummary> {
  return {
    contactId: contact.contactId,
    identifier: contact.identifier,
    fullName: contact.fullName,
    emailStatus: contact.emailStatus,
    emailAddressDisposition: contact.emailAddressDisposition,
    status: contacts.contactStatus(contact),
    source: contact.source,
    sourceText: word('source', contact.source),
    groupCount: contact.groupCount,
    groupNames: contact.groupNames,
    isCrmLinkedContact: contacts.isCrmLinked(contact),
    dateTimeCreated: contact.dateTimeCreated,
    dateTimeModified: contact.dateTimeModified,
    firstName: contact.firstName || undefined,
    lastName: contact.lastName || undefined,
    email: contact.emailAddress || undefined,
    phone: contact.phone || undefined,
    remoteContactId: contact.remoteContactId || undefined,
    remoteContactUrl: contact.remoteContactUrl || undefined,
  };
}

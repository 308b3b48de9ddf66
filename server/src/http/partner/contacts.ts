import type { Static } from 'typebox';
import type { Deps } from '../../deps.ts';
import { listChanges } from '../../domain/address-book/contact-changes.ts';
import * as contacts from '../../domain/address-book/contacts.ts';
import { invalid } from '../../domain/problems.ts';
import { numberOf, word } from '../../domain/shared/enumerations.ts';
import type { ContactChangesQuery } from '../../schemas/address-book/contact-changes.ts';
import type {
  ContactChange,
  ContactDetail,
  ContactInput,
  ContactParams,
  ContactQuery,
  ContactSummary,
  MembershipsInput,
} from '../../schemas/address-book/contacts.ts';
import { instantOf } from '../../schemas/shared/validate.ts';
import { present } from './present.ts';

type Of<Schema> = { params: Static<typeof ContactParams> } & Schema;

export async function create(deps: Deps, advisorId: number, { body }: { body: Static<typeof ContactInput> }) {
  return {
    id: await contacts.createContact(deps, advisorId, body as contacts.ContactInput, numberOf('source', 'API')),
  };
}

export async function update(
  deps: Deps,
  advisorId: number,
  { params, body }: Of<{ body: Static<typeof ContactChange> }>,
) {
  await contacts.updateContact(deps, advisorId, params.contactId, body as contacts.ContactInput);
  return { id: params.contactId };
}

export async function get(deps: Deps, advisorId: number, { params }: Of<object>) {
  return detail(await contacts.getContact(deps, advisorId, params.contactId));
}

export async function search(deps: Deps, advisorId: number, { query }: { query: Static<typeof ContactQuery> }) {
  const { modifiedSince, ...rest } = query;
  const since = modifiedSince === undefined ? {} : { modifiedSince: instantOf(modifiedSince) };
  const { data, pageInfo } = await contacts.searchContacts(deps, advisorId, { ...rest, ...since });
  return { data: data.map(summary), pageInfo };
}

export async function changes(deps: Deps, advisorId: number, { query }: { query: Static<typeof ContactChangesQuery> }) {
  const { data, ...feed } = await listChanges(deps, advisorId, query);
  return {
    data: data.map(({ contact, ...change }) => ({ ...change, ...(contact ? { contact: detail(contact) } : {}) })),
    ...feed,
  };
}

export async function remove(deps: Deps, advisorId: number, { params }: Of<object>) {
  await contacts.deleteContact(deps, advisorId, params.contactId);
}

export async function replaceMemberships(
  deps: Deps,
  advisorId: number,
  { params, body }: Of<{ body: Static<typeof MembershipsInput> }>,
) {
  if (!body.isSelectAllGroup && !body.groupIds)
    throw invalid([
      { path: '/groupIds', rule: 'required', message: 'groupIds is required unless isSelectAllGroup is true.' },
    ]);
  await contacts.replaceMemberships(deps, advisorId, params.contactId, body);
  return { id: params.contactId };
}

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

import { type Deps, inTransaction } from '../../deps.ts';
import { lockBook } from '../../store/address-book/contact-books.ts';
import { insertMemberships } from '../../store/address-book/contact-imports.ts';
import { type ContactFilter, listContacts } from '../../store/address-book/contact-search.ts';
import type { ContactSort, ContactSummaryRow } from '../../store/address-book/contact-summaries.ts';
import type { ContactFields, ContactRow } from '../../store/address-book/contacts.ts';
import * as store from '../../store/address-book/contacts.ts';
import {
  deleteMembers,
  listGroupIds,
  replaceMemberships as storeMemberships,
} from '../../store/address-book/groups.ts';
import { knowNumbers } from '../members/known-numbers.ts';
import { invalid, problem } from '../problems.ts';
import { crmSourceMin } from '../shared/enumerations.ts';
import { type Page, type PageRequest, pageOf, rowsOf } from '../shared/paging.ts';
import { searchText, searchWords } from '../shared/text/folding.ts';
import { noGroup, tellBook } from './groups.ts';

export type Contact = store.ContactWithGroups;
export type ContactSummary = ContactSummaryRow;
/** `null` and `''` clear a field; a field that is left out is unset in a new contact, and kept in an update. */
export type ContactInput = Partial<ContactFields>;
export type ContactSearch = PageRequest<ContactSort> &
  Omit<ContactFilter, 'words' | 'consent' | 'without'> & { search?: string };
export type Memberships = { groupIds?: number[]; isSelectAllGroup?: boolean };

export { contactSorts } from '../../store/address-book/contact-summaries.ts';

export async function createContact(
  deps: Deps,
  advisorId: number,
  input: ContactInput,
  source: number,
): Promise<number> {
  const [contactId] = await createContacts(deps, advisorId, [input], source);
  if (contactId === undefined) throw new Error('The insert returned no contact.');
  return contactId;
}

export async function createContacts(
  deps: Deps,
  advisorId: number,
  inputs: ContactInput[],
  source: number,
): Promise<number[]> {
  const contacts = inputs.map((input) => {
    const fields = cleared(input);
    return { ...fields, source, searchText: contactSearchText(fields) };
  });
  return inTransaction(deps, async (deps) => {
    await ensureMembers(deps, advisorId, contacts);
    return store.insertContacts(deps.db, advisorId, contacts, deps.clock.now());
  });
}

/** Replaces the fields that are given and keeps the others. */
export async function updateContact(
  deps: Deps,
  advisorId: number,
  contactId: number,
  input: ContactInput,
): Promise<void> {
  const fields = cleared(input);
  await inTransaction(deps, async (deps) => {
    await ensureMembers(deps, advisorId, [fields]);
    await lockBook(deps.db, advisorId);
    const contact = await store.findContact(deps.db, advisorId, contactId);
    if (!contact) throw noContact();
    if (isUnchanged(contact, fields)) return;
    const change = { ...fields, searchText: contactSearchText({ ...contact, ...fields }) };
    await store.updateContact(deps.db, advisorId, contactId, change, deps.clock.now());
  });
}

export async function getContact(deps: Deps, advisorId: number, contactId: number): Promise<Contact> {
  const contact = await store.findContactWithGroups(deps.db, advisorId, contactId);
  if (!contact) throw noContact();
  return contact;
}

export async function searchContacts(
  deps: Deps,
  advisorId: number,
  { search = '', phone, email, groupId, remoteContactId, modifiedSince, ...page }: ContactSearch,
): Promise<Page<ContactSummary>> {
  // Searching for the email's words as well lets an index narrow the contacts down.
  const filter = {
    words: searchWords(`${search} ${email ?? ''}`),
    phone,
    email,
    groupId,
    remoteContactId,
    modifiedSince,
  };
  const { total, contacts } = await listContacts(deps.db, advisorId, filter, rowsOf(page));
  return pageOf(page, total, contacts);
}

/** Removes the contact from searches and groups. Consent and archive belong to its number, so they stay. */
export async function deleteContact(deps: Deps, advisorId: number, contactId: number): Promise<void> {
  await inTransaction(deps, async ({ db, clock }) => {
    await lockBook(db, advisorId);
    await storeMemberships(db, advisorId, contactId, [], clock.now());
    if (!(await store.deleteContact(db, advisorId, contactId, clock.now()))) throw noContact();
  });
}

/** Makes the contact a member of exactly these groups, or of every group that exists now. */
export async function replaceMemberships(
  deps: Deps,
  advisorId: number,
  contactId: number,
  { groupIds = [], isSelectAllGroup = false }: Memberships,
): Promise<void> {
  await inTransaction(deps, async ({ db, clock }) => {
    await lockBook(db, advisorId);
    const wanted = [...new Set(groupIds)];
    const known = await listGroupIds(db, advisorId, isSelectAllGroup ? undefined : wanted);
    if (!isSelectAllGroup && known.length < wanted.length) throw unknownGroups(groupIds, new Set(known));
    if (!(await store.findContact(db, advisorId, contactId))) throw noContact();
    await storeMemberships(db, advisorId, contactId, known, clock.now());
  });
}

/** Puts these contacts into a group, or takes them out of it. Returns how many that changed. */
export async function setMembers(
  deps: Deps,
  advisorId: number,
  groupId: number,
  { contactIds, isMember }: { contactIds: number[]; isMember: boolean },
): Promise<number> {
  return inTransaction(deps, async ({ db, clock }) => {
    await lockBook(db, advisorId);
    if ((await listGroupIds(db, advisorId, [groupId])).length === 0) throw noGroup();
    const known = (await store.listContactsById(db, advisorId, contactIds)).map(({ contactId }) => contactId);
    const memberships = known.map((contactId) => ({ contactId, groupId }));
    const changed = isMember
      ? await insertMemberships(db, advisorId, memberships, { counted: [] }, clock.now())
      : await deleteMembers(db, advisorId, groupId, known, clock.now());
    await tellBook({ db, clock }, advisorId);
    return changed;
  });
}

/** `Inactive` only when no channel is left: the email is unusable and there is no phone. */
export function contactStatus({
  emailStatus,
  phone,
}: Pick<ContactRow, 'emailStatus' | 'phone'>): 'Active' | 'Inactive' {
  return ['Unsubscribed', 'Bounced', 'Disabled'].includes(emailStatus) && !phone ? 'Inactive' : 'Active';
}

export function isCrmLinked({ source, remoteContactId }: Pick<ContactRow, 'source' | 'remoteContactId'>): boolean {
  return source >= crmSourceMin && remoteContactId !== null;
}

/** Makes each contact's number a member, which has its own consent. Members are locked before the book. */
async function ensureMembers(deps: Deps, advisorId: number, inputs: ContactInput[]): Promise<void> {
  const numbers = inputs.flatMap(({ phone }) => (phone ? [{ advisorId, phone }] : []));
  await knowNumbers(deps, numbers);
}

function isUnchanged(contact: ContactRow, fields: ContactInput): boolean {
  return Object.entries(fields).every(([field, value]) => contact[field as keyof ContactFields] === value);
}

function cleared(input: ContactInput): ContactInput {
  const entries = Object.entries(input).map(([field, value]) => [field, value === '' ? null : value]);
  const fields: ContactInput = Object.fromEntries(entries);
  // These two have a value for unknown, which is what clearing them sets.
  if (fields.gender === null) fields.gender = 0;
  if (fields.maritalStatus === null) fields.maritalStatus = 0;
  return fields;
}

export function contactSearchText({ firstName, lastName, emailAddress, phone }: ContactInput): string {
  return searchText([firstName, lastName, emailAddress], phone);
}

export function noContact() {
  return problem('not_found', 'There is no such contact on the advisor’s account.');
}

function unknownGroups(groupIds: number[], known: Set<number>) {
  return invalid(
    groupIds.flatMap((groupId, index) =>
      known.has(groupId)
        ? []
        : [
            {
              path: `/groupIds/${index}`,
              rule: 'exists',
              message: `groupIds/${index} is not a group on the advisor’s account.`,
            },
          ],
    ),
  );
}

import { type Deps, inTransaction } from '../../deps.ts';
import { lockBook } from '../../store/address-book/contact-books.ts';
import * as store from '../../store/address-book/contacts.ts';
import { replaceMemberships } from '../../store/address-book/groups.ts';
import { findMember } from '../../store/members/members.ts';
import { archive, type By } from '../archive/archive.ts';
import { problem } from '../problems.ts';
import { type Contact, contactSearchText, isCrmLinked, noContact } from './contacts.ts';

type SharedPhone = { phone: string; contactIds: number[]; names: string[] };

const sharedPhonesMax = 10_000;

/** Numbers that several contacts share. That is allowed, so a person decides what to do about them. */
export async function listSharedPhones(deps: Deps, advisorId: number): Promise<SharedPhone[]> {
  return store.listSharedPhones(deps.db, advisorId, sharedPhonesMax);
}

/**
 * Merges two contacts into one. The one that is kept takes what it lacks from the other: fields, groups and the CRM link.
 * Consent belongs to numbers, so the consent of either number stays as it is.
 */
export async function mergeContacts(
  deps: Deps,
  advisorId: number,
  { keep, merge }: { keep: number; merge: number },
  by: By,
): Promise<Contact> {
  if (keep === merge) throw problem('invalid_request', 'A contact can’t be merged with itself.');
  return inTransaction(deps, async (deps) => {
    const { db } = deps;
    await lockBook(db, advisorId);
    const kept = await store.findContactWithGroups(db, advisorId, keep);
    const other = await store.findContactWithGroups(db, advisorId, merge);
    if (!kept || !other) throw noContact();
    const now = deps.clock.now();
    const { contactId, source, remoteContactId, remoteContactUrl, ...fields } = merged(kept, other);
    const searchText = contactSearchText(fields);
    const link = { contactId, source, remoteContactId, remoteContactUrl };
    await store.updateContacts(db, advisorId, [{ ...link, ...fields, searchText }], now);
    await replaceMemberships(db, advisorId, merge, [], now);
    await replaceMemberships(db, advisorId, keep, [...new Set([...kept.groupIds, ...other.groupIds])], now);
    await store.deleteContact(db, advisorId, merge, now);
    // The archive keeps the contact that is gone, and who merged it: as long as a hold on its person lasts.
    const phone = other.phone ?? kept.phone;
    const member = phone === null ? null : await findMember(db, advisorId, phone);
    const entry = {
      advisorId,
      kind: 'merge',
      memberId: member?.memberId ?? null,
      meta: { keep, merge },
      body: JSON.stringify(other),
    } as const;
    await archive(deps, by, entry);
    const contact = await store.findContactWithGroups(db, advisorId, keep);
    if (!contact) throw noContact();
    return contact;
  });
}

function merged(kept: Contact, other: Contact): Contact {
  const contact = { ...kept };
  for (const name of store.contactFieldNames)
    if (contact[name] === null || contact[name] === 0) Object.assign(contact, { [name]: other[name] });
  if (isCrmLinked(kept) || !isCrmLinked(other)) return contact;
  const { source, remoteContactId, remoteContactUrl } = other;
  return { ...contact, source, remoteContactId, remoteContactUrl };
}

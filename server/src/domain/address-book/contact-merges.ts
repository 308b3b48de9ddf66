import type { Deps } from '../../deps.ts';
import * as store from '../../store/address-book/contacts.ts';
import { updateLinkedContact } from '../../store/address-book/crm-contacts.ts';
import { replaceMemberships } from '../../store/address-book/groups.ts';
import { archive, type By } from '../archive/archive.ts';
import { problem } from '../problems.ts';
import { type Contact, contactSearchText, isCrmLinked, noContact } from './contacts.ts';

export type SharedPhone = { phone: string; contactIds: number[]; names: string[] };

const sharedPhonesMax = 10_000;

/** Numbers that several contacts have: allowed, and for a person to look at. */
export async function listSharedPhones(deps: Deps, advisorId: number): Promise<SharedPhone[]> {
  return store.listSharedPhones(deps.db, advisorId, sharedPhonesMax);
}

/**
 * Makes one contact of two. The one that is kept takes from the other what it lacks: fields, groups, and the link to the
 * CRM. Consent belongs to numbers: neither number's is touched, nor joined with the other's.
 */
export async function mergeContacts(
  deps: Deps,
  advisorId: number,
  { keep, merge }: { keep: number; merge: number },
  by: By,
): Promise<Contact> {
  if (keep === merge) throw problem('invalid_request', 'A contact can’t be merged with itself.');
  return deps.db.transaction(async (db) => {
    await store.lockBook(db, advisorId);
    const kept = await store.findContactWithGroups(db, advisorId, keep);
    const other = await store.findContactWithGroups(db, advisorId, merge);
    if (!kept || !other) throw noContact();
    const now = deps.clock.now();
    const { contactId, source, remoteContactId, remoteContactUrl, ...fields } = merged(kept, other);
    const searchText = contactSearchText(fields);
    const link = { contactId, source, remoteContactId, remoteContactUrl };
    await store.updateContacts(db, advisorId, [{ ...link, ...fields, searchText }], now);
    if (!isCrmLinked(kept)) await updateLinkedContact(db, advisorId, { from: merge, to: keep });
    await replaceMemberships(db, advisorId, merge, [], now);
    await replaceMemberships(db, advisorId, keep, [...new Set([...kept.groupIds, ...other.groupIds])], now);
    await store.deleteContact(db, advisorId, merge);
    // What is gone from the book is kept here, with who did it.
    const entry = {
      advisorId,
      kind: 'merge',
      memberId: null,
      meta: { keep, merge },
      body: JSON.stringify(other),
    } as const;
    await archive({ ...deps, db }, by, entry);
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

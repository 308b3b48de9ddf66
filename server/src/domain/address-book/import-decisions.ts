import type { Deps } from '../../deps.ts';
import * as store from '../../store/address-book/contact-imports.ts';
import { type ContactFields, contactFieldNames, listContactsById } from '../../store/address-book/contacts.ts';
import type { ImportRow } from '../ports.ts';

/** A row with the ids of its groups, null for those that a dry run would create. */
export type Entry = { row: ImportRow; groupIds: (number | null)[] };

/** The contact of the book that a row is about, and what the row has that it hasn't. */
type KnownContact = {
  contactId: number;
  differing: (keyof ContactFields)[];
  joins: (number | null)[];
};
export type ImportDecision = Entry & { known: KnownContact | null };

/** Finds the contact of the book for each row that is about one. */
export async function decide({ db }: Pick<Deps, 'db'>, advisorId: number, entries: Entry[]): Promise<ImportDecision[]> {
  const people = entries.map(({ row }) => personOf(row.fields));
  const same = await store.listSameContacts(db, advisorId, people);
  const found = new Map(same.map(({ position, contactId }) => [position, contactId]));
  const contactIds = [...new Set(found.values())];
  const contacts = new Map((await listContactsById(db, advisorId, contactIds)).map((each) => [each.contactId, each]));
  const memberships = await store.listMemberships(db, advisorId, contactIds);
  const groupsOf = Map.groupBy(memberships, ({ contactId }) => contactId);
  return entries.map((entry, position) => {
    const contactId = found.get(position) ?? -1;
    const contact = contacts.get(contactId);
    if (!contact) return { ...entry, known: null };
    const groups = new Set(groupsOf.get(contactId)?.map(({ groupId }) => groupId));
    const { fields } = entry.row;
    return {
      ...entry,
      known: {
        contactId,
        differing: contactFieldNames.filter((name) => fields[name] !== undefined && fields[name] !== contact[name]),
        joins: entry.groupIds.filter((groupId) => groupId === null || !groups.has(groupId)),
      },
    };
  });
}

/** Who somebody is. */
function personOf({ firstName, lastName, emailAddress, phone }: Partial<ContactFields>): store.PersonFields {
  return {
    firstName: firstName ?? null,
    lastName: lastName ?? null,
    emailAddress: emailAddress ?? null,
    phone: phone ?? null,
  };
}

import type { Deps } from '../../deps.ts';
import * as store from '../../store/address-book/contact-imports.ts';
import {
  type ContactFields,
  type ContactRow,
  contactFieldNames,
  listContactsById,
} from '../../store/address-book/contacts.ts';
import type { ImportRow } from '../ports.ts';

/** A row with the ids of its groups, null for those that a dry run would create. */
export type Entry = { row: ImportRow; groupIds: (number | null)[] };

/** The contact of the book that a row is about, and what the row has that it hasn't. */
type KnownContact = {
  contact: ContactRow;
  /** The file has its ids: we exported it. */
  isOwn: boolean;
  differing: (keyof ContactFields)[];
  joins: (number | null)[];
};
export type ImportDecision = Entry & { known: KnownContact | null };

/** Finds the contact of the book for each row that is about one. */
export async function decide({ db }: Pick<Deps, 'db'>, advisorId: number, entries: Entry[]): Promise<ImportDecision[]> {
  const found = new Map<Entry, { contactId: number; isOwn: boolean }>();
  const own = entries.flatMap((entry) => (entry.row.own ? { entry, ...entry.row.own } : []));
  for (const { position, contactId } of await store.listOwnContacts(db, advisorId, own))
    if (own[position]) found.set(own[position].entry, { contactId, isOwn: true });
  const others = entries.filter((entry) => !found.has(entry));
  const people = others.map(({ row: { fields, own } }) => ({ ...personOf(fields), isOwn: own !== null }));
  for (const { position, contactId } of await store.listSameContacts(db, advisorId, people))
    if (others[position]) found.set(others[position], { contactId, isOwn: false });

  const contactIds = [...new Set([...found.values()].map(({ contactId }) => contactId))];
  const contacts = new Map((await listContactsById(db, advisorId, contactIds)).map((each) => [each.contactId, each]));
  const memberships = await store.listMemberships(db, advisorId, contactIds);
  const groupsOf = Map.groupBy(memberships, ({ contactId }) => contactId);
  return entries.map((entry) => {
    const { contactId = -1, isOwn = false } = found.get(entry) ?? {};
    const contact = contacts.get(contactId);
    if (!contact) return { ...entry, known: null };
    const groups = new Set(groupsOf.get(contactId)?.map(({ groupId }) => groupId));
    const { fields } = entry.row;
    return {
      ...entry,
      known: {
        contact,
        isOwn,
        differing: contactFieldNames.filter((name) => fields[name] !== undefined && fields[name] !== contact[name]),
        joins: entry.groupIds.filter((groupId) => groupId === null || !groups.has(groupId)),
      },
    };
  });
}

/** Who somebody is, where no id says so. */
function personOf({ firstName, lastName, emailAddress, phone }: Partial<ContactFields>): store.PersonFields {
  return {
    firstName: firstName ?? null,
    lastName: lastName ?? null,
    emailAddress: emailAddress ?? null,
    phone: phone ?? null,
  };
}

import { type Deps, inTransaction } from '../../deps.ts';
import { listSameContacts } from '../../store/address-book/contact-duplicates.ts';
import { type ContactRow, listContactsAfter } from '../../store/address-book/contacts.ts';
import { archive, byOperator } from '../archive/archive.ts';
import { numberOf } from '../shared/enumerations.ts';
import { type ContactInput, createContacts } from './contacts.ts';

const exportBatch = 1_000;

export type ExportedContact = ContactRow;

/** The outcome for one contact: its new id, or the id of the contact that is already the same person. */
export type Imported = { created: number } | { same: number };

/**
 * Imports a batch in one transaction. People who are already in the book, or earlier in the batch, with the same names,
 * email and phone are skipped, so an import that was interrupted can simply be run again.
 */
export async function importContacts(deps: Deps, advisorId: number, contacts: ContactInput[]): Promise<Imported[]> {
  return inTransaction(deps, async (deps) => {
    const people = contacts.map(personOf);
    const inBook = new Map<string, number>();
    for (const { position, contactId } of await listSameContacts(deps.db, advisorId, people))
      inBook.set(JSON.stringify(people[position - 1]), contactId);

    const fresh = new Map<string, ContactInput>();
    contacts.forEach((contact, index) => {
      const person = JSON.stringify(people[index]);
      if (!inBook.has(person) && !fresh.has(person)) fresh.set(person, contact);
    });
    const ids = await createContacts(deps, advisorId, [...fresh.values()], numberOf('source', 'Import'));
    const created = new Map([...fresh.keys()].map((person, index) => [person, ids[index] ?? -1]));

    return people.map((each) => {
      const person = JSON.stringify(each);
      const contactId = created.get(person);
      if (contactId === undefined) return { same: inBook.get(person) ?? -1 };
      // Only the first of several that are the same person was created; the others are the same as that one.
      created.delete(person);
      inBook.set(person, contactId);
      return { created: contactId };
    });
  });
}

function personOf({ firstName, lastName, emailAddress, phone }: ContactInput) {
  return {
    firstName: firstName ?? null,
    lastName: lastName ?? null,
    emailAddress: emailAddress || null,
    phone: phone || null,
  };
}

/** Every contact of the book by id, a batch at a time. The export is archived before the first batch is read. */
export async function* exportContacts(deps: Deps, advisorId: number): AsyncGenerator<ExportedContact[]> {
  const what = { what: 'contacts' };
  const entry = { advisorId, kind: 'export', memberId: null, meta: what, body: JSON.stringify(what) } as const;
  await archive(deps, byOperator, entry);
  for (let after = -1; ; ) {
    const contacts = await listContactsAfter(deps.db, advisorId, after, exportBatch);
    if (contacts.length > 0) yield contacts;
    if (contacts.length < exportBatch) return;
    after = contacts.at(-1)?.contactId ?? after;
  }
}

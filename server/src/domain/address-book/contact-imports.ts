import type { Deps } from '../../deps.ts';
import { type ContactRow, listContactsAfter, listSameContacts } from '../../store/address-book/contacts.ts';
import { archive, byOperator } from '../archive/archive.ts';
import { numberOf } from '../shared/enumerations.ts';
import { type ContactInput, createContacts } from './contacts.ts';

const exportBatch = 1_000;

export type ExportedContact = ContactRow;

/** What became of each contact of a batch: its new id, or that of the one that is the same person already. */
export type Imported = { created: number } | { same: number };

/**
 * Imports a batch in one transaction. Who is in the book already, by the same names, email and phone, or was earlier in
 * the batch, is left alone: an import that was cut off can simply be run again.
 */
export async function importContacts(deps: Deps, advisorId: number, contacts: ContactInput[]): Promise<Imported[]> {
  return deps.db.transaction(async (db) => {
    const people = contacts.map(personOf);
    const inBook = new Map<string, number>();
    for (const { position, contactId } of await listSameContacts(db, advisorId, people))
      inBook.set(JSON.stringify(people[position - 1]), contactId);

    const fresh = new Map<string, ContactInput>();
    contacts.forEach((contact, index) => {
      const person = JSON.stringify(people[index]);
      if (!inBook.has(person) && !fresh.has(person)) fresh.set(person, contact);
    });
    const ids = await createContacts({ ...deps, db }, advisorId, [...fresh.values()], numberOf('source', 'Import'));
    const created = new Map([...fresh.keys()].map((person, index) => [person, ids[index] ?? -1]));

    return people.map((each) => {
      const person = JSON.stringify(each);
      const contactId = created.get(person);
      if (contactId === undefined) return { same: inBook.get(person) ?? -1 };
      // The first of a batch was created; the next one that is the same person finds it there.
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

/** Every contact of the book, in the order of ids, a batch at a time. That it left is on record before any of it does. */
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

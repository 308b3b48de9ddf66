import { randomUUID } from 'node:crypto';
import { columnsOf } from '../database/columns.ts';
import type { Db, Transaction } from '../database/db.ts';
import { copyRow } from '../database/running/copy.ts';
import { recordChange } from './contact-books.ts';
import type { ContactFields } from './contacts.ts';
import { searchKeys } from './search-keys.ts';

export type ImportedContact = {
  contactId: number;
  fields: Partial<ContactFields>;
  source: number;
  groupCount: number;
  searchText: string;
};
export type PersonFields = Pick<ContactFields, 'firstName' | 'lastName' | 'emailAddress' | 'phone'>;
type ImportPosition = { position: number; contactId: number };
type GroupName = { groupId: number; name: string };
type Membership = { contactId: number; groupId: number };

/** Far more than a few batches need: the list is emptied after each. */
const searchListLimit = '64MB';

/** Takes ids for contacts to come, in ascending order. */
export async function takeContactIds(db: Db, count: number): Promise<number[]> {
  const found = await db.value<number[]>(
    `select coalesce(jsonb_agg(contact_id), '[]') as "contactIds"
     from (select nextval('contacts_contact_id_seq') as contact_id from generate_series(1, $1)) as taken`,
    [count],
    'take-contact-ids',
  );
  return found ?? [];
}

/**
 * Inserts a batch of an import. A contact is asked for when its row is written, so it is garbage right after. Each is added to a
 * list of those that are not in the index of searches yet, which every search reads: `emptySearchList` follows the commit.
 */
export async function insertImportedContacts(
  db: Transaction,
  advisorId: number,
  contactIds: number[],
  contactOf: (contactId: number, index: number) => ImportedContact,
  now: Date,
): Promise<void> {
  const time = now.toISOString();
  let emails = 0;
  const rows = contactIds.values().map((id, index) => {
    const contact = contactOf(id, index);
    if (contact.fields.emailAddress != null) emails += 1;
    return importedRow(advisorId, contact, time);
  });
  await db.query(`select set_config('gin_pending_list_limit', $1, true)`, [searchListLimit]);
  await db.copy(
    `copy contacts (
       advisor_id, contact_id, identifier, first_name, last_name, nickname, email_address, phone, birth_date,
       client_anniversary, gender, marital_status, address1, address2, city, state, postal_code, source,
       group_count, search_text, search_keys, date_time_created, date_time_modified
     )
     from stdin`,
    rows,
  );
  await recordChange(db, advisorId, { change: 'created', contactIds, emails, dateTime: now });
}

/** Moves the contacts of that list to the index. It takes a tenth of an import, and needs no lock on the book. */
export async function emptySearchList(db: Db): Promise<void> {
  await db.query('select empty_contact_search_list()', [], 'empty-search-list');
}

/** In the order of the statement above. */
function importedRow(advisorId: number, contact: ImportedContact, time: string): string {
  const { fields } = contact;
  return copyRow([
    advisorId,
    contact.contactId,
    randomUUID(),
    fields.firstName,
    fields.lastName,
    fields.nickname,
    fields.emailAddress,
    fields.phone,
    fields.birthDate,
    fields.clientAnniversary,
    fields.gender ?? 0,
    fields.maritalStatus ?? 0,
    fields.address1,
    fields.address2,
    fields.city,
    fields.state,
    fields.postalCode,
    contact.source,
    contact.groupCount,
    contact.searchText,
    arrayOf(searchKeys(contact.searchText)),
    time,
    time,
  ]);
}

/** An array as PostgreSQL reads it: JSON in braces, unless a control character is written differently. */
function arrayOf(values: (string | number | null | undefined)[]): string {
  const json = JSON.stringify(values);
  if (!/\\[^"\\]/.test(json)) return `{${json.slice(1, -1)}}`;
  const texts = values.map((value) =>
    typeof value === 'string' ? `"${value.replace(/["\\]/g, '\\$&')}"` : String(value ?? 'null'),
  );
  return `{${texts.join()}}`;
}

/** Which of these people are in the book, with the same names, email and phone. */
export async function listSameContacts(db: Db, advisorId: number, people: PersonFields[]): Promise<ImportPosition[]> {
  if (people.length === 0) return [];
  return db.query<ImportPosition>(
    `select (position - 1)::integer as position, found.contact_id as "contactId"
     from unnest($2::text[], $3::text[], $4::text[], $5::text[]) with ordinality
       as given (first_name, last_name, email_address, phone, position)
     cross join lateral (
       select c.contact_id
       from contacts c
       where c.advisor_id = $1
         and c.phone = given.phone
         and c.first_name is not distinct from given.first_name
         and c.last_name is not distinct from given.last_name
         and c.email_address is not distinct from given.email_address
       union all
       select c.contact_id
       from contacts c
       where c.advisor_id = $1
         and given.phone is null
         and c.full_name = coalesce(
           nullif(trim(coalesce(given.first_name, '') || ' ' || coalesce(given.last_name, '')), ''),
           given.email_address,
           'Unnamed'
         )
         and c.phone is null
         and c.first_name is not distinct from given.first_name
         and c.last_name is not distinct from given.last_name
         and c.email_address is not distinct from given.email_address
       order by contact_id
       limit 1
     ) as found`,
    [
      advisorId,
      arrayOf(people.map(({ firstName }) => firstName)),
      arrayOf(people.map(({ lastName }) => lastName)),
      arrayOf(people.map(({ emailAddress }) => emailAddress)),
      arrayOf(people.map(({ phone }) => phone)),
    ],
    'list-same-contacts',
  );
}

/** The oldest last. */
export async function listGroupNames(db: Db, advisorId: number): Promise<GroupName[]> {
  return db.query<GroupName>(
    `select group_id as "groupId", name
     from groups
     where advisor_id = $1
     order by group_id desc`,
    [advisorId],
  );
}

export async function listMemberships(db: Db, advisorId: number, contactIds: number[]): Promise<Membership[]> {
  if (contactIds.length === 0) return [];
  return db.query<Membership>(
    `select contact_id as "contactId", group_id as "groupId"
     from memberships
     where advisor_id = $1 and contact_id = any ($2)`,
    [advisorId, contactIds],
    'list-memberships',
  );
}

/**
 * Adds memberships to those that there are, and counts the new ones. Contacts that were inserted with their count have it
 * already. The book is locked. Returns how many contacts have more of them now.
 */
export async function insertMemberships(
  db: Db,
  advisorId: number,
  memberships: Membership[],
  { counted }: { counted: number[] },
  now: Date,
): Promise<number> {
  const rows = await db.query<{ contactId: number }>(
    `with joined as (
       insert into memberships (advisor_id, group_id, contact_id)
       select $1, group_id, contact_id
       from unnest($2::bigint[], $3::bigint[]) as given (group_id, contact_id)
       on conflict do nothing
       returning group_id, contact_id
     ),
     counted_groups as (
       update groups
       set contact_count = contact_count + joined_count, date_time_modified = $5
       from (select group_id, count(*) as joined_count from joined group by group_id) as of_group
       where advisor_id = $1 and groups.group_id = of_group.group_id
     )
     update contacts
     set group_count = group_count + joined_count, date_time_modified = $5
     from (
       select contact_id, count(*) as joined_count
       from joined
       where contact_id <> all ($4)
       group by contact_id
     ) as of_contact
     where advisor_id = $1 and contacts.contact_id = of_contact.contact_id
     returning contacts.contact_id as "contactId"`,
    [advisorId, ...columnsOf(memberships, 'groupId', 'contactId'), counted, now],
  );
  const contactIds = rows.map((row) => row.contactId);
  await recordChange(db, advisorId, { change: 'updated', contactIds, emails: 0, dateTime: now });
  return contactIds.length;
}

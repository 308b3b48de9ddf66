import type { Db } from '../database/db.ts';
import { recordChange } from './contact-books.ts';
import { searchKeys } from './search-keys.ts';

/** The fields that a person or a program can set. */
export type ContactFields = {
  firstName: string | null;
  lastName: string | null;
  nickname: string | null;
  emailAddress: string | null;
  phone: string | null;
  birthDate: string | null;
  clientAnniversary: string | null;
  gender: number;
  maritalStatus: number;
  address1: string | null;
  address2: string | null;
  city: string | null;
  state: string | null;
  postalCode: string | null;
};

/** A contact as the database has it: the contract's names, `null` for unset fields. */
export type ContactRow = ContactFields & {
  contactId: number;
  identifier: string;
  fullName: string;
  source: number;
  remoteContactId: string | null;
  remoteContactUrl: string | null;
  emailStatus: string;
  emailAddressDisposition: number;
  disableEmailStatus: boolean;
  dateTimeUnsubscribed: Date | null;
  customFields: { key: string; label: string; author: string; display: string; value: string }[];
  dateTimeCreated: Date;
  dateTimeModified: Date;
};

type NewContact = Partial<ContactFields> & Pick<ContactRow, 'source'> & { searchText: string };

export type ChangedContact = Pick<ContactRow, 'contactId' | 'source' | 'remoteContactId' | 'remoteContactUrl'> &
  ContactFields & { searchText: string };

const fieldColumns: Record<keyof ContactFields, string> = {
  firstName: 'first_name',
  lastName: 'last_name',
  nickname: 'nickname',
  emailAddress: 'email_address',
  phone: 'phone',
  birthDate: 'birth_date',
  clientAnniversary: 'client_anniversary',
  gender: 'gender',
  maritalStatus: 'marital_status',
  address1: 'address1',
  address2: 'address2',
  city: 'city',
  state: 'state',
  postalCode: 'postal_code',
};

export const contactFieldNames = Object.keys(fieldColumns) as (keyof ContactFields)[];

export const contactColumns = `
  c.contact_id as "contactId", c.identifier, c.full_name as "fullName", c.first_name as "firstName",
  c.last_name as "lastName", c.nickname, c.email_address as "emailAddress", c.phone, c.birth_date as "birthDate",
  c.client_anniversary as "clientAnniversary", c.gender, c.marital_status as "maritalStatus", c.address1, c.address2,
  c.city, c.state, c.postal_code as "postalCode", c.source, c.remote_contact_id as "remoteContactId",
  c.remote_contact_url as "remoteContactUrl", c.email_status as "emailStatus",
  c.email_address_disposition as "emailAddressDisposition", c.disable_email_status as "disableEmailStatus",
  c.date_time_unsubscribed as "dateTimeUnsubscribed", c.custom_fields as "customFields",
  c.date_time_created as "dateTimeCreated", c.date_time_modified as "dateTimeModified"`;

export async function insertContacts(db: Db, advisorId: number, contacts: NewContact[], now: Date): Promise<number[]> {
  const rows = await db.query<{ contactId: number }>(
    `insert into contacts (
       advisor_id, first_name, last_name, nickname, email_address, phone, birth_date, client_anniversary, gender,
       marital_status, address1, address2, city, state, postal_code, source, search_text, search_keys,
       date_time_created, date_time_modified
     )
     select
       $1, "firstName", "lastName", nickname, "emailAddress", phone, "birthDate", "clientAnniversary",
       coalesce(gender, 0), coalesce("maritalStatus", 0), address1, address2, city, state, "postalCode", source,
       "searchText", "searchKeys", $3, $3
     from rows from (
       jsonb_to_recordset($2) as (
         "firstName" text, "lastName" text, nickname text, "emailAddress" text, phone text, "birthDate" date,
         "clientAnniversary" date, gender smallint, "maritalStatus" smallint, address1 text, address2 text, city text,
         state text, "postalCode" text, source integer, "searchText" text, "searchKeys" text[]
       )
     ) with ordinality
     order by ordinality
     returning contact_id as "contactId"`,
    [advisorId, JSON.stringify(contacts.map(withKeys)), now],
    'insert-contacts',
  );
  const contactIds = rows.map((row) => row.contactId);
  const emails = contacts.filter(({ emailAddress }) => emailAddress != null).length;
  await recordChange(db, advisorId, { change: 'created', contactIds, emails, dateTime: now });
  return contactIds;
}

/** A contact that was updated, and by how many that changed the number of emails: -1, 0 or 1. */
type ContactUpdate = { contactId: number; emails: number };

/** With `old`, the contact as the statement found it. */
const updated = `
  c.contact_id as "contactId",
  (c.email_address is not null)::integer - (old.email_address is not null)::integer as emails`;

export async function updateContact(
  db: Db,
  advisorId: number,
  contactId: number,
  change: Partial<ContactFields> & { searchText: string },
  now: Date,
): Promise<void> {
  const { searchText, ...fields } = change;
  const given = Object.entries(fields) as [keyof ContactFields, unknown][];
  const assignments = given.map(([field], index) => `${fieldColumns[field]} = $${index + 6}`);
  const rows = await db.query<ContactUpdate>(
    `update contacts c
     set ${[...assignments, 'search_text = $3', 'search_keys = $4', 'date_time_modified = $5'].join(', ')}
     from contacts old
     where c.advisor_id = $1 and c.contact_id = $2 and old.advisor_id = $1 and old.contact_id = $2
     returning ${updated}`,
    [advisorId, contactId, searchText, searchKeys(searchText), now, ...given.map(([, value]) => value)],
  );
  await recordUpdate(db, advisorId, rows, now);
}

/** Replaces all fields of each contact. */
export async function updateContacts(db: Db, advisorId: number, contacts: ChangedContact[], now: Date): Promise<void> {
  if (contacts.length === 0) return;
  const rows = await db.query<ContactUpdate>(
    `update contacts c
     set first_name = "firstName", last_name = "lastName", nickname = given.nickname, email_address = "emailAddress",
         phone = given.phone, birth_date = "birthDate", client_anniversary = "clientAnniversary",
         gender = given.gender, marital_status = "maritalStatus", address1 = given.address1,
         address2 = given.address2, city = given.city, state = given.state, postal_code = "postalCode",
         source = given.source, remote_contact_id = "remoteContactId", remote_contact_url = "remoteContactUrl",
         search_text = "searchText", search_keys = "searchKeys", date_time_modified = $3
     from jsonb_to_recordset($2) as given (
       "contactId" bigint, "firstName" text, "lastName" text, nickname text, "emailAddress" text, phone text,
       "birthDate" date, "clientAnniversary" date, gender smallint, "maritalStatus" smallint, address1 text,
       address2 text, city text, state text, "postalCode" text, source integer, "remoteContactId" text,
       "remoteContactUrl" text, "searchText" text, "searchKeys" text[]
     )
     join contacts old on old.advisor_id = $1 and old.contact_id = "contactId"
     where c.advisor_id = $1 and c.contact_id = "contactId"
     returning ${updated}`,
    [advisorId, JSON.stringify(contacts.map(withKeys)), now],
    'update-contacts',
  );
  await recordUpdate(db, advisorId, rows, now);
}

async function recordUpdate(db: Db, advisorId: number, rows: ContactUpdate[], dateTime: Date): Promise<void> {
  const contactIds = rows.map((row) => row.contactId);
  const emails = rows.reduce((sum, row) => sum + row.emails, 0);
  await recordChange(db, advisorId, { change: 'updated', contactIds, emails, dateTime });
}

export async function listContactsById(db: Db, advisorId: number, contactIds: number[]): Promise<ContactRow[]> {
  return db.query<ContactRow>(
    `select ${contactColumns}
     from contacts c
     where c.advisor_id = $1 and c.contact_id = any ($2)`,
    [advisorId, contactIds],
    'list-contacts-by-id',
  );
}

/** For each number, the oldest contact first. */
export async function listContactsByPhone(db: Db, advisorId: number, phones: string[]): Promise<ContactRow[]> {
  return db.query<ContactRow>(
    `select ${contactColumns}
     from contacts c
     where c.advisor_id = $1 and c.phone = any ($2)
     order by c.phone, c.contact_id`,
    [advisorId, phones],
    'list-contacts-by-phone',
  );
}

export async function findContact(db: Db, advisorId: number, contactId: number): Promise<ContactRow | null> {
  return db.find<ContactRow>(
    `select ${contactColumns}
     from contacts c
     where c.advisor_id = $1 and c.contact_id = $2`,
    [advisorId, contactId],
    'find-contact',
  );
}

export type ContactWithGroups = ContactRow & { groupIds: number[] };

const groupIds = `
  case when c.group_count = 0 then '{}' else array(
    select m.group_id::double precision
    from memberships m
    where m.advisor_id = c.advisor_id and m.contact_id = c.contact_id
      and exists (select from groups where advisor_id = m.advisor_id and group_id = m.group_id offset 0)
    order by m.group_id
  ) end as "groupIds"`;

export async function findContactWithGroups(
  db: Db,
  advisorId: number,
  contactId: number,
): Promise<ContactWithGroups | null> {
  return db.lookUpOne<ContactWithGroups>(
    `select asked.position, ${contactColumns}, ${groupIds}
     from unnest($1::bigint[], $2::bigint[]) with ordinality as asked (advisor_id, contact_id, position)
     cross join lateral (
       select *
       from contacts
       where advisor_id = asked.advisor_id and contact_id = asked.contact_id
       -- A fence: each key is looked up by itself, however many the planner expects.
       offset 0
     ) as c`,
    [advisorId, contactId],
    'find-contact-with-groups',
  );
}

export async function listContactsWithGroups(
  db: Db,
  advisorId: number,
  contactIds: number[],
): Promise<ContactWithGroups[]> {
  return db.query<ContactWithGroups>(
    `select ${contactColumns}, ${groupIds}
     from contacts c
     where c.advisor_id = $1 and c.contact_id = any ($2)`,
    [advisorId, contactIds],
    'list-contacts-with-groups',
  );
}

export async function deleteContact(db: Db, advisorId: number, contactId: number, now: Date): Promise<boolean> {
  const row = await db.find<{ emails: number }>(
    `delete from contacts
     where advisor_id = $1 and contact_id = $2
     returning -(email_address is not null)::integer as emails`,
    [advisorId, contactId],
    'delete-contact',
  );
  if (!row) return false;
  await recordChange(db, advisorId, { change: 'deleted', contactIds: [contactId], ...row, dateTime: now });
  return true;
}

/** Which of these numbers a contact in the book has. */
export async function listKnownPhones(db: Db, advisorId: number, phones: string[]): Promise<string[]> {
  const rows = await db.query<{ phone: string }>(
    `select distinct phone
     from contacts
     where advisor_id = $1 and phone = any ($2)`,
    [advisorId, phones],
  );
  return rows.map((row) => row.phone);
}

/** Whether a contact in the book has this source and this id there. */
export async function hasRemoteContact(
  db: Db,
  advisorId: number,
  { source, remoteContactId }: { source: number; remoteContactId: string },
): Promise<boolean> {
  return db.has(
    `select
     from contacts
     where advisor_id = $1 and remote_contact_id = $2 and source = $3
     limit 1`,
    [advisorId, remoteContactId, source],
    'has-remote-contact',
  );
}

/** Numbers that more than one contact in the book has. */
export async function listSharedPhones(db: Db, advisorId: number, limit: number) {
  return db.query<{ phone: string; contactIds: number[]; names: string[] }>(
    `select phone, array_agg(contact_id::double precision order by contact_id) as "contactIds",
       array_agg(full_name order by contact_id) as names
     from contacts
     where advisor_id = $1 and phone is not null
     group by phone
     having count(*) > 1
     order by phone
     limit $2`,
    [advisorId, limit],
  );
}

function withKeys<Contact extends { searchText: string }>(contact: Contact) {
  return { ...contact, searchKeys: searchKeys(contact.searchText) };
}

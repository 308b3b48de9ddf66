import type { Db } from '../database/db.ts';
import type { ContactFields } from './contacts.ts';

/** A contact as the CRM last had it, and the contact in the book that it is linked to. */
export type CrmContactRow = {
  remoteContactId: string;
  contactId: number | null;
  locator: string;
  version: string | null;
  fields: ContactFields;
};

/** Known versions by locator, including those of contacts deleted here: they needn't be read again. */
export async function listKnownVersions(db: Db, advisorId: number, kind: string) {
  return db.query<{ locator: string; version: string }>(
    `select locator, version
     from crm_contacts
     where advisor_id = $1 and kind = $2 and version is not null`,
    [advisorId, kind],
  );
}

export async function listCrmContacts(
  db: Db,
  advisorId: number,
  kind: string,
  remoteContactIds: string[],
): Promise<CrmContactRow[]> {
  return db.query<CrmContactRow>(
    `select remote_contact_id as "remoteContactId", contact_id as "contactId", locator, version, fields
     from crm_contacts
     where advisor_id = $1 and kind = $2 and remote_contact_id = any ($3)`,
    [advisorId, kind, remoteContactIds],
    'list-crm-contacts',
  );
}

/** Saves what the CRM has now; a contact that was missing no longer is. */
export async function upsertCrmContacts(
  db: Db,
  advisorId: number,
  kind: string,
  contacts: CrmContactRow[],
): Promise<void> {
  if (contacts.length === 0) return;
  await db.query(
    `insert into crm_contacts (advisor_id, kind, remote_contact_id, contact_id, locator, version, fields)
     select $1, $2, "remoteContactId", "contactId", locator, version, fields
     from jsonb_to_recordset($3) as given (
       "remoteContactId" text, "contactId" bigint, locator text, version text, fields jsonb
     )
     on conflict (advisor_id, kind, remote_contact_id) do update
     set contact_id = excluded.contact_id, locator = excluded.locator, version = excluded.version,
         fields = excluded.fields, missing_since = null`,
    [advisorId, kind, JSON.stringify(contacts)],
    'upsert-crm-contacts',
  );
}

/** Contacts that are listed again are no longer missing. */
export async function updateReturned(db: Db, advisorId: number, kind: string, locators: string[]): Promise<void> {
  await db.query(
    `update crm_contacts
     set missing_since = null
     where advisor_id = $1 and kind = $2 and locator = any ($3) and missing_since is not null`,
    [advisorId, kind, locators],
    'update-returned',
  );
}

/** Marks the contacts that the CRM no longer lists, and returns those that weren't marked yet. */
export async function updateMissing(db: Db, advisorId: number, kind: string, seenLocators: string[], now: Date) {
  return db.query<{ remoteContactId: string; contactId: number | null }>(
    `update crm_contacts c
     set missing_since = $4, version = null
     where advisor_id = $1
       and kind = $2
       and missing_since is null
       and not exists (
         select
         from unnest($3::text[]) as seen
         where seen = c.locator
       )
     returning remote_contact_id as "remoteContactId", contact_id as "contactId"`,
    [advisorId, kind, seenLocators, now],
  );
}

/** Links the CRM's contact to a different contact in the book. */
export async function updateLinkedContact(
  db: Db,
  advisorId: number,
  { from, to }: { from: number; to: number },
): Promise<void> {
  await db.query(
    `update crm_contacts
     set contact_id = $3
     where advisor_id = $1 and contact_id = $2`,
    [advisorId, from, to],
  );
}

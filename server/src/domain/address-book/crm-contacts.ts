import type { Deps } from '../../deps.ts';
import { lockBook } from '../../store/address-book/contact-books.ts';
import type { ChangedContact, ContactFields, ContactRow, NewContact } from '../../store/address-book/contacts.ts';
import * as contacts from '../../store/address-book/contacts.ts';
import type { CrmContactRow } from '../../store/address-book/crm-contacts.ts';
import * as store from '../../store/address-book/crm-contacts.ts';
import type { SyncFinding } from '../../store/address-book/crm-syncs.ts';
import { knowNumbers } from '../members/known-numbers.ts';
import type { CrmKind, RemoteContact } from '../ports.ts';
import { numberOf } from '../shared/enumerations.ts';
import { contactSearchText } from './contacts.ts';
import { crmSources } from './crm-connections.ts';

/** The outcome of a batch. */
type SavedBatch = { added: number; updated: number; unchanged: number; findings: SyncFinding[] };

type ContactDecision = { remote: RemoteContact; base: CrmContactRow | undefined; merged: MergeResult | null };
/** The contact after a merge; `conflicts` are fields that both sides changed. */
type MergeResult = { contact: ContactRow; changed: boolean; conflicts: (keyof ContactFields)[] };

/**
 * Saves a batch of the CRM's contacts in the book, inside a transaction. A known contact is updated where it wasn't edited
 * here. A new one fills in the contact that texting created for its number, or is added. One that was deleted here stays
 * deleted until its number is texted again.
 * A CRM can't say who may be texted: consent belongs to the number and isn't touched.
 */
export async function saveCrmContacts(
  deps: Deps,
  advisorId: number,
  kind: CrmKind,
  remotes: RemoteContact[],
): Promise<SavedBatch> {
  const { db, clock } = deps;
  const phones = [...new Set(remotes.flatMap(({ fields }) => fields.phone ?? []))];
  await knowNumbers(
    deps,
    phones.map((phone) => ({ advisorId, phone })),
  );
  await lockBook(db, advisorId);
  const decisions = await decide(deps, advisorId, kind, remotes, phones);
  const updates = decisions.flatMap(({ merged }) => (merged?.changed ? changeOf(merged.contact) : []));
  await contacts.updateContacts(db, advisorId, updates, clock.now());
  const fresh = decisions.filter(({ base, merged }) => !base && !merged);
  const ids = await contacts.insertContacts(
    db,
    advisorId,
    fresh.map(({ remote }) => newContact(kind, remote)),
    clock.now(),
  );
  const created = new Map(fresh.map(({ remote }, index) => [remote.remoteContactId, ids[index] ?? -1]));
  const rows = decisions.map(({ remote, base, merged }) => ({
    remoteContactId: remote.remoteContactId,
    contactId: merged?.contact.contactId ?? base?.contactId ?? created.get(remote.remoteContactId) ?? null,
    locator: remote.locator,
    version: remote.version,
    fields: listedFields(remote),
  }));
  await store.upsertCrmContacts(db, advisorId, kind, rows);
  return {
    added: fresh.length,
    updated: updates.length,
    unchanged: decisions.length - fresh.length - updates.length,
    findings: [
      ...decisions.flatMap(conflictFindings),
      ...decisions.flatMap(leftOutFindings),
      ...(await duplicateFindings(deps, advisorId, created, fresh)),
    ],
  };
}

async function decide(
  { db }: Deps,
  advisorId: number,
  kind: CrmKind,
  remotes: RemoteContact[],
  phones: string[],
): Promise<ContactDecision[]> {
  const ids = remotes.map(({ remoteContactId }) => remoteContactId);
  const bases = new Map(
    (await store.listCrmContacts(db, advisorId, kind, ids)).map((row) => [row.remoteContactId, row]),
  );
  const linked = [...bases.values()].flatMap(({ contactId }) => contactId ?? []);
  const inBook = new Map(
    (await contacts.listContactsById(db, advisorId, linked)).map((contact) => [contact.contactId, contact]),
  );
  const bare = new Map<string, ContactRow>();
  for (const contact of (await contacts.listContactsByPhone(db, advisorId, phones)).filter(isBare))
    if (contact.phone && !bare.has(contact.phone)) bare.set(contact.phone, contact);

  return remotes.map((remote) => {
    const base = bases.get(remote.remoteContactId);
    const known = inBook.get(base?.contactId ?? -1);
    if (base && known) return { remote, base, merged: merge(kind, known, base.fields, remote) };
    const phone = remote.fields.phone ?? '';
    const nameless = bare.get(phone);
    // Only one of the CRM's contacts can be the person who was texted.
    bare.delete(phone);
    return { remote, base, merged: nameless ? merge(kind, nameless, fieldsOf(nameless), remote) : null };
  });
}

/** Only its number is known: texting created it, and nobody has edited it since. */
export function isBare(contact: ContactRow): boolean {
  const { phone, ...rest } = fieldsOf(contact);
  const isTexting = contact.source === numberOf('source', 'Texting') && contact.remoteContactId === null;
  return isTexting && phone !== null && Object.values(rest).every((value) => value === null || value === 0);
}

/** Merges field by field: the CRM's change counts, unless the field was edited here since the last sync. */
function merge(kind: CrmKind, local: ContactRow, base: ContactFields, remote: RemoteContact): MergeResult {
  const wanted = fieldsOf(remote.fields);
  const isNameless = wanted.firstName === null && wanted.lastName === null;
  const contact = { ...local };
  const conflicts: (keyof ContactFields)[] = [];
  for (const name of contacts.contactFieldNames) {
    // A card without a name doesn't mean that the person lost theirs.
    if (isNameless && (name === 'firstName' || name === 'lastName')) continue;
    if (wanted[name] === base[name] || wanted[name] === local[name]) continue;
    if (local[name] !== base[name]) conflicts.push(name);
    else Object.assign(contact, { [name]: wanted[name] });
  }
  contact.source = crmSources[kind];
  contact.remoteContactId = remote.remoteContactId;
  contact.remoteContactUrl = remote.remoteContactUrl;
  const changed = [...contacts.contactFieldNames, 'source', 'remoteContactId', 'remoteContactUrl'] as const;
  return { contact, changed: changed.some((name) => contact[name] !== local[name]), conflicts };
}

/** What the CRM has, for the next sync to compare: of a contact that was looked up, the number it lists is no change then. */
function listedFields({ fields, listedPhone }: RemoteContact): ContactFields {
  return fieldsOf(listedPhone ? { ...fields, phone: listedPhone } : fields);
}

function changeOf(contact: ContactRow): ChangedContact {
  const { contactId, source, remoteContactId, remoteContactUrl } = contact;
  const searchText = contactSearchText(contact);
  return { contactId, source, remoteContactId, remoteContactUrl, ...fieldsOf(contact), searchText };
}

function newContact(kind: CrmKind, { fields, remoteContactId, remoteContactUrl }: RemoteContact): NewContact {
  return {
    ...fields,
    source: crmSources[kind],
    remoteContactId,
    remoteContactUrl,
    searchText: contactSearchText(fields),
  };
}

/** Every field, with unset ones as the database stores them. */
function fieldsOf(given: Partial<ContactFields>): ContactFields {
  const entries = contacts.contactFieldNames.map((name) => [name, given[name] || null]);
  const fields: ContactFields = Object.fromEntries(entries);
  return { ...fields, gender: given.gender ?? 0, maritalStatus: given.maritalStatus ?? 0 };
}

function conflictFindings({ remote, merged }: ContactDecision): SyncFinding[] {
  if (!merged || merged.conflicts.length === 0) return [];
  const detail = `edited here and changed in the CRM, kept as edited: ${merged.conflicts.join(', ')}`;
  const { remoteContactId } = remote;
  return [{ kind: 'conflict', remoteContactId, contactId: merged.contact.contactId, detail }];
}

function leftOutFindings({ remote: { remoteContactId, leftOut } }: ContactDecision): SyncFinding[] {
  return leftOut.map((detail) => ({ kind: 'left_out', remoteContactId, contactId: null, detail }));
}

/** Contacts that were added although others have the same number: a person decides whether to merge them. */
async function duplicateFindings(
  { db }: Deps,
  advisorId: number,
  created: Map<string, number>,
  fresh: ContactDecision[],
): Promise<SyncFinding[]> {
  const phones = fresh.flatMap(({ remote }) => remote.fields.phone ?? []);
  const owners = Map.groupBy(await contacts.listContactsByPhone(db, advisorId, phones), ({ phone }) => phone);
  return fresh.flatMap(({ remote: { remoteContactId, fields } }) => {
    const contactId = created.get(remoteContactId) ?? null;
    const others = (owners.get(fields.phone ?? null) ?? []).filter((each) => each.contactId !== contactId);
    if (!fields.phone || others.length === 0) return [];
    const detail = `has the same number as contact ${others.map((each) => each.contactId).join(', ')}`;
    return [{ kind: 'duplicate', remoteContactId, contactId, detail }];
  });
}

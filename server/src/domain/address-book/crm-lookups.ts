import { type Deps, inTransaction } from '../../deps.ts';
import { lockBook } from '../../store/address-book/contact-books.ts';
import type { ChangedContact, ContactFields, ContactRow } from '../../store/address-book/contacts.ts';
import * as contacts from '../../store/address-book/contacts.ts';
import type { CrmLookup } from '../../store/address-book/crm-lookups.ts';
import * as store from '../../store/address-book/crm-lookups.ts';
import { CrmFault, type RemoteContact } from '../ports.ts';
import { numberOf } from '../shared/enumerations.ts';
import { realTimeIn } from '../shared/time.ts';
import { contactSearchText } from './contacts.ts';
import { openConnection } from './crm-connections.ts';

const leaseMs = 30_000;
const lookupsMax = 16;
const lookupsPerAdvisorMax = 4;
const backoffMs = 5_000;
const backoffMsMax = 10 * 60 * 1000;
/** After that many the contact stays as texting made it. */
const failuresMax = 8;

/** Looks up numbers that are new from texting, in their advisors' CRMs. Sending never waits for it. */
export async function lookUpDue(deps: Deps, report: (fault: CrmFault, advisorId: number) => void): Promise<void> {
  const until = realTimeIn(deps, leaseMs);
  const claim = { realNow: deps.databaseClock.now(), until, limit: lookupsMax, eachMax: lookupsPerAdvisorMax };
  const lookups = await store.claimCrmLookups(deps.db, claim);
  await Promise.all(lookups.map((lookup) => lookUp(deps, lookup, report)));
}

async function lookUp(
  deps: Deps,
  lookup: CrmLookup,
  report: (fault: CrmFault, advisorId: number) => void,
): Promise<void> {
  const { advisorId, phone } = lookup;
  const { stopping } = deps.signals;
  try {
    const crm = await openConnection(deps, advisorId);
    await saveResponse(deps, lookup, await crm.lookup(phone, stopping.signal));
  } catch (error) {
    if (stopping.signal.aborted) return store.updateReleasedLookup(deps.db, lookup);
    const fault = error instanceof CrmFault ? error : new CrmFault('It could not be asked.', { cause: error });
    report(fault, advisorId);
    await saveFailure(deps, lookup, fault);
  }
}

async function saveResponse(deps: Deps, lookup: CrmLookup, remote: RemoteContact | null): Promise<void> {
  await inTransaction(deps, async (deps) => {
    if (remote) await fillIn(deps, lookup, remote);
    await store.deleteCrmLookup(deps.db, lookup);
    await store.updateAnsweringCrm(deps.db, lookup.advisorId);
  });
}

/**
 * The contact may have been edited or deleted in the meantime: only one that is still bare is filled in. A CRM can't say who may be
 * texted: consent belongs to the number and isn't touched.
 */
async function fillIn({ db, clock }: Deps, { advisorId, phone }: CrmLookup, remote: RemoteContact): Promise<void> {
  const { remoteContactId, remoteContactUrl } = remote;
  const source = numberOf('source', 'HTTPS lookup');
  await lockBook(db, advisorId);
  const bare = (await contacts.listContactsByPhone(db, advisorId, [phone])).find(isBare);
  if (!bare || (await contacts.hasRemoteContact(db, advisorId, { source, remoteContactId }))) return;
  const fields = fieldsOf({ ...remote.fields, phone });
  const searchText = contactSearchText(fields);
  const filled: ChangedContact = {
    contactId: bare.contactId,
    source,
    remoteContactId,
    remoteContactUrl,
    ...fields,
    searchText,
  };
  await contacts.updateContacts(db, advisorId, [filled], clock.now());
}

/** Only its number is known: texting created it, and nobody has edited it since. */
function isBare(contact: ContactRow): boolean {
  const { phone, ...rest } = fieldsOf(contact);
  const isTexting = contact.source === numberOf('source', 'Texting') && contact.remoteContactId === null;
  return isTexting && phone !== null && Object.values(rest).every((value) => value === null || value === 0);
}

/** Every field, with unset ones as the database stores them. */
function fieldsOf(given: Partial<ContactFields>): ContactFields {
  const entries = contacts.contactFieldNames.map((name) => [name, given[name] || null]);
  const fields: ContactFields = Object.fromEntries(entries);
  return { ...fields, gender: given.gender ?? 0, maritalStatus: given.maritalStatus ?? 0 };
}

async function saveFailure(deps: Deps, lookup: CrmLookup, { message: fault }: CrmFault): Promise<void> {
  const again = realTimeIn(deps, Math.min(backoffMs * 2 ** lookup.failures, backoffMsMax));
  await inTransaction(deps, async ({ db }) => {
    await store.updateFailedLookup(db, lookup, { fault, again });
    if (lookup.failures + 1 >= failuresMax) await store.deleteCrmLookup(db, lookup);
  });
}

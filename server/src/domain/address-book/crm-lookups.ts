import { listContactsByPhone } from '../../store/address-book/contacts.ts';
import { listCrmContacts } from '../../store/address-book/crm-contacts.ts';
import type { CrmLookup } from '../../store/address-book/crm-lookups.ts';
import * as store from '../../store/address-book/crm-lookups.ts';
import { CrmFault, type CrmKind, type RemoteContact } from '../ports.ts';
import { type CrmDeps, openConnection } from './crm-connections.ts';
import { isBare, takeContacts } from './crm-contacts.ts';

const lookupTimeoutMs = 10_000;
const leaseMs = 30_000;
const togetherMax = 16;
const eachMax = 4;
const againMs = 5_000;
const againMsMax = 10 * 60 * 1000;
/** Then it is left to the daily sync, which also finds who has the number. */
const failuresMax = 8;

/** Looks up numbers that texting made known, in the CRMs of their advisors. Nothing that is sent waits for it. */
export async function lookUpDue(deps: CrmDeps, report: (fault: CrmFault, advisorId: number) => void): Promise<void> {
  const until = new Date(Date.now() + leaseMs);
  const lookups = await store.claimCrmLookups(deps.db, { realNow: new Date(), until, limit: togetherMax, eachMax });
  await Promise.all(lookups.map((lookup) => lookUp(deps, lookup, report)));
}

async function lookUp(
  deps: CrmDeps,
  lookup: CrmLookup,
  report: (fault: CrmFault, advisorId: number) => void,
): Promise<void> {
  const { advisorId, phone } = lookup;
  const { stopping } = deps.signals;
  try {
    const { kind, crm } = await openConnection(deps, advisorId);
    const until = AbortSignal.any([stopping.signal, AbortSignal.timeout(lookupTimeoutMs)]);
    const remote = await crm.lookup(phone, until);
    await settle(deps, lookup, kind, remote);
  } catch (error) {
    if (stopping.signal.aborted) return store.updateReleasedLookup(deps.db, lookup);
    const fault = error instanceof CrmFault ? error : new CrmFault('It could not be asked.', { cause: error });
    report(fault, advisorId);
    await failed(deps, lookup, fault);
  }
}

/** The contact may have been edited, deleted or linked meanwhile: only one that is still bare is filled in. */
async function settle(deps: CrmDeps, lookup: CrmLookup, kind: CrmKind, remote: RemoteContact | null): Promise<void> {
  const { advisorId, phone } = lookup;
  await deps.db.transaction(async (db) => {
    if (remote && remote.fields.phone === phone) {
      const contacts = await listContactsByPhone(db, advisorId, [phone]);
      const [known] = await listCrmContacts(db, advisorId, kind, [remote.remoteContactId]);
      if (contacts.some(isBare) && !known?.contactId) await takeContacts({ ...deps, db }, advisorId, kind, [remote]);
    }
    await store.deleteCrmLookup(db, lookup);
  });
  // After it: a sync locks the connection before the book.
  await store.updateAnsweringCrm(deps.db, advisorId);
}

async function failed({ db }: CrmDeps, lookup: CrmLookup, { message: fault }: CrmFault): Promise<void> {
  const again = new Date(Date.now() + Math.min(againMs * 2 ** lookup.failures, againMsMax));
  await db.transaction(async (tx) => {
    await store.updateFailedLookup(tx, lookup, { fault, again });
    if (lookup.failures + 1 >= failuresMax) await store.deleteCrmLookup(tx, lookup);
  });
}

import { type Deps, inTransaction } from '../../deps.ts';
import { listContactsByPhone } from '../../store/address-book/contacts.ts';
import { listCrmContacts } from '../../store/address-book/crm-contacts.ts';
import type { CrmLookup } from '../../store/address-book/crm-lookups.ts';
import * as store from '../../store/address-book/crm-lookups.ts';
import { CrmFault, type CrmKind, type RemoteContact } from '../ports.ts';
import { openConnection } from './crm-connections.ts';
import { isBare, saveCrmContacts } from './crm-contacts.ts';

const lookupTimeoutMs = 10_000;
const leaseMs = 30_000;
const lookupsMax = 16;
const lookupsPerAdvisorMax = 4;
const backoffMs = 5_000;
const backoffMsMax = 10 * 60 * 1000;
/** After that many, it is left to the daily sync, which also finds who has the number. */
const failuresMax = 8;

/** Looks up numbers that are new from texting, in their advisors' CRMs. Sending never waits for it. */
export async function lookUpDue(deps: Deps, report: (fault: CrmFault, advisorId: number) => void): Promise<void> {
  const until = new Date(Date.now() + leaseMs);
  const claim = { realNow: new Date(), until, limit: lookupsMax, eachMax: lookupsPerAdvisorMax };
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
    const { kind, crm } = await openConnection(deps, advisorId);
    const until = AbortSignal.any([stopping.signal, AbortSignal.timeout(lookupTimeoutMs)]);
    const remote = await crm.lookup(phone, until);
    await saveResponse(deps, lookup, kind, remote);
  } catch (error) {
    if (stopping.signal.aborted) return store.updateReleasedLookup(deps.db, lookup);
    const fault = error instanceof CrmFault ? error : new CrmFault('It could not be asked.', { cause: error });
    report(fault, advisorId);
    await saveFailure(deps, lookup, fault);
  }
}

/** The contact may have been edited, deleted or linked in the meantime: only one that is still bare is filled in. */
async function saveResponse(deps: Deps, lookup: CrmLookup, kind: CrmKind, remote: RemoteContact | null): Promise<void> {
  const { advisorId, phone } = lookup;
  await inTransaction(deps, async (deps) => {
    const { db } = deps;
    if (remote && remote.fields.phone === phone) {
      const contacts = await listContactsByPhone(db, advisorId, [phone]);
      const [known] = await listCrmContacts(db, advisorId, kind, [remote.remoteContactId]);
      if (contacts.some(isBare) && !known?.contactId) await saveCrmContacts(deps, advisorId, kind, [remote]);
    }
    await store.deleteCrmLookup(db, lookup);
  });
  // Outside the transaction, because a sync locks the connection before the book.
  await store.updateAnsweringCrm(deps.db, advisorId);
}

async function saveFailure(deps: Deps, lookup: CrmLookup, { message: fault }: CrmFault): Promise<void> {
  const again = new Date(Date.now() + Math.min(backoffMs * 2 ** lookup.failures, backoffMsMax));
  await inTransaction(deps, async ({ db }) => {
    await store.updateFailedLookup(db, lookup, { fault, again });
    if (lookup.failures + 1 >= failuresMax) await store.deleteCrmLookup(db, lookup);
  });
}

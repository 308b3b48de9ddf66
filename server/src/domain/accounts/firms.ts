import { type Deps, inTransaction } from '../../deps.ts';
import type { FirmChange, FirmRow } from '../../store/accounts/firms.ts';
import * as store from '../../store/accounts/firms.ts';
import { type By, byOperator } from '../archive/archive.ts';
import { requireFound } from '../problems.ts';
import { checkName } from './names.ts';
import { archiveSetting, changesOf } from './settings.ts';

export type Firm = FirmRow;
export { type FirmChange, type OptOutScope, optOutScopes } from '../../store/accounts/firms.ts';

export async function addFirm(deps: Deps, name: string, by: By = byOperator): Promise<Firm> {
  checkName('A firm', name);
  return inTransaction(deps, async (deps) => {
    const firm = await store.insertFirm(deps.db, name.trim(), deps.clock.now());
    await archiveSetting(deps, by, { what: 'firm added', of: { firmId: firm.firmId }, values: firm });
    return firm;
  });
}

export async function setFirm(deps: Deps, firmId: number, change: FirmChange, by: By = byOperator): Promise<Firm> {
  return inTransaction(deps, async (deps) => {
    const before = await lockFirm(deps, firmId);
    await store.updateFirm(deps.db, firmId, change);
    const values = changesOf(before, { ...before, ...change });
    if (values) await archiveSetting(deps, by, { what: 'firm set', of: { firmId }, values });
    return { ...before, ...change };
  });
}

/** The firm, locked: until the transaction ends, nobody else can change its settings or dispose of its records. */
export async function lockFirm(deps: Deps, firmId: number): Promise<Firm> {
  return requireFound(await store.findFirmForUpdate(deps.db, firmId), `There is no firm ${firmId}.`);
}

export async function getFirm(deps: Deps, firmId: number): Promise<Firm> {
  return requireFound(await store.findFirm(deps.db, firmId), `There is no firm ${firmId}.`);
}

export async function listFirms(deps: Deps): Promise<Firm[]> {
  return store.listFirms(deps.db);
}

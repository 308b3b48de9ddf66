import type { Deps } from '../../deps.ts';
import type { FirmRow } from '../../store/accounts/firms.ts';
import * as store from '../../store/accounts/firms.ts';
import { type By, byOperator } from '../archive/archive.ts';
import { problem } from '../problems.ts';
import { archiveSetting, changesOf } from './settings.ts';

export type Firm = FirmRow;

export async function addFirm(deps: Deps, name: string, by: By = byOperator): Promise<Firm> {
  if (name.trim() === '') throw problem('invalid_request', 'A firm needs a name.');
  return deps.db.transaction(async (db) => {
    const firm = await store.insertFirm(db, name.trim(), deps.clock.now());
    await archiveSetting({ ...deps, db }, by, { what: 'firm added', of: { firmId: firm.firmId }, values: firm });
    return firm;
  });
}

export async function setFirm(
  deps: Deps,
  firmId: number,
  change: { firstTextLine: boolean },
  by: By = byOperator,
): Promise<Firm> {
  return deps.db.transaction(async (db) => {
    const within = { ...deps, db };
    const before = await lockFirm(within, firmId);
    await store.updateFirm(db, firmId, change);
    const values = changesOf(before, { ...before, ...change });
    if (values) await archiveSetting(within, by, { what: 'firm set', of: { firmId }, values });
    return { ...before, ...change };
  });
}

/** The firm, which until the end of the transaction nobody else sets anything of, nor disposes of records of. */
export async function lockFirm(deps: Deps, firmId: number): Promise<Firm> {
  const firm = await store.findFirmForUpdate(deps.db, firmId);
  if (!firm) throw noFirm(firmId);
  return firm;
}

export async function getFirm(deps: Deps, firmId: number): Promise<Firm> {
  const firm = await store.findFirm(deps.db, firmId);
  if (!firm) throw noFirm(firmId);
  return firm;
}

export async function listFirms(deps: Deps): Promise<Firm[]> {
  return store.listFirms(deps.db);
}

function noFirm(firmId: number) {
  return problem('not_found', `There is no firm ${firmId}.`);
}

import type { Deps } from '../deps.ts';
import type { FirmRow } from '../store/firms.ts';
import * as store from '../store/firms.ts';
import { problem } from './problems.ts';

export type Firm = FirmRow;

export async function addFirm(deps: Deps, name: string): Promise<Firm> {
  if (name.trim() === '') throw problem('invalid_request', 'A firm needs a name.');
  return store.insertFirm(deps.db, name.trim(), deps.clock.now());
}

export async function setFirm(deps: Deps, firmId: number, change: { firstTextLine: boolean }): Promise<Firm> {
  await getFirm(deps, firmId);
  await store.updateFirm(deps.db, firmId, change);
  return getFirm(deps, firmId);
}

export async function getFirm(deps: Deps, firmId: number): Promise<Firm> {
  const firm = await store.findFirm(deps.db, firmId);
  if (!firm) throw problem('not_found', `There is no firm ${firmId}.`);
  return firm;
}

export async function listFirms(deps: Deps): Promise<Firm[]> {
  return store.listFirms(deps.db);
}

import type { Deps } from '../deps.ts';
import { findFirm } from '../store/firms.ts';
import type { NewStaff, StaffRow } from '../store/staff.ts';
import * as store from '../store/staff.ts';
import { problem } from './problems.ts';

/** A person of a firm who supervises: records consent given on paper, and reviews. */
export type Staff = StaffRow;

export async function addStaff(deps: Deps, { firmId, name, email }: NewStaff): Promise<Staff> {
  if (name.trim() === '') throw problem('invalid_request', 'Staff need a name.');
  if (!/^[^\s@]+@[^\s@]+$/.test(email)) throw problem('invalid_request', `${email} is not an email address.`);
  if (!(await findFirm(deps.db, firmId))) throw problem('not_found', `There is no firm ${firmId}.`);
  const staff = await store.insertStaff(deps.db, { firmId, name: name.trim(), email }, deps.clock.now());
  if (!staff) throw problem('invalid_request', 'Somebody else of the staff has that email.');
  return staff;
}

export async function setStaff(deps: Deps, staffId: number, change: { disabled: boolean }): Promise<void> {
  await store.updateStaff(deps.db, staffId, change);
}

/** Whom an operator names by id or email. */
export async function getStaff(deps: Deps, idOrEmail: string): Promise<Staff> {
  const staff = await store.findStaff(deps.db, idOrEmail);
  if (!staff) throw problem('not_found', `There is nobody ${idOrEmail} on the staff.`);
  return staff;
}

export async function listStaff(deps: Deps): Promise<Staff[]> {
  return store.listStaff(deps.db);
}

import { type Deps, inTransaction } from '../../deps.ts';
import { findFirm } from '../../store/accounts/firms.ts';
import type { NewStaff, StaffRow } from '../../store/accounts/staff.ts';
import * as store from '../../store/accounts/staff.ts';
import { archive, type By, byOperator, deployment } from '../archive/archive.ts';
import { problem } from '../problems.ts';

/** A firm's supervisor: they record consent given on paper, and review texts. */
export type Staff = StaffRow;

export async function addStaff(deps: Deps, { firmId, name, email }: NewStaff, by: By = byOperator): Promise<Staff> {
  if (name.trim() === '') throw problem('invalid_request', 'A staff member needs a name.');
  if (!/^[^\s@]+@[^\s@]+$/.test(email)) throw problem('invalid_request', `${email} is not an email address.`);
  if (!(await findFirm(deps.db, firmId))) throw problem('not_found', `There is no firm ${firmId}.`);
  return inTransaction(deps, async (deps) => {
    const staff = await store.insertStaff(deps.db, { firmId, name: name.trim(), email }, deps.clock.now());
    if (!staff) throw problem('invalid_request', 'Another staff member has that email.');
    await archiveStaff(deps, by, 'added', staff);
    return staff;
  });
}

export async function setStaff(
  deps: Deps,
  staffId: number,
  { disabled }: { disabled: boolean },
  by: By = byOperator,
): Promise<void> {
  await inTransaction(deps, async (deps) => {
    const staff = await store.updateStaff(deps.db, staffId, { disabled });
    if (staff) await archiveStaff(deps, by, disabled ? 'disabled' : 'enabled', staff);
  });
}

async function archiveStaff(
  deps: Deps,
  by: By,
  action: 'added' | 'disabled' | 'enabled',
  { staffId, firmId, name, email }: Staff,
): Promise<void> {
  const meta = { action, staffId, firmId };
  const body = JSON.stringify({ name, email });
  await archive(deps, by, { advisorId: deployment, kind: 'staff', memberId: null, meta, body });
}

/** The staff member with this id or email, as an operator gives it. */
export async function getStaff(deps: Deps, idOrEmail: string): Promise<Staff> {
  const staff = await store.findStaff(deps.db, idOrEmail);
  if (!staff) throw problem('not_found', `There is no staff member ${idOrEmail}.`);
  return staff;
}

export async function listStaff(deps: Deps): Promise<Staff[]> {
  return store.listStaff(deps.db);
}

/** Throws unless this is an enabled staff member of the firm. `what` completes "<name> can’t …". */
export function requireStaffOf(staff: Staff, { firmId }: { firmId: number }, what: string): void {
  if (staff.disabled || staff.firmId !== firmId)
    throw problem('forbidden', `${staff.name} can’t ${what}: not on the firm’s staff.`);
}

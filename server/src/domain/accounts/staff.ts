import { type Deps, inTransaction } from '../../deps.ts';
import { findFirm } from '../../store/accounts/firms.ts';
import type { ListedStaffRow, NewStaff, StaffRole, StaffRow } from '../../store/accounts/staff.ts';
import * as store from '../../store/accounts/staff.ts';
import { deleteInvitationOf } from '../../store/sign-in/invitations.ts';
import { archive, type By, byOperator, byStaff, deployment } from '../archive/archive.ts';
import { problem, requireFound } from '../problems.ts';
import { isMailAddress } from '../shared/mail.ts';
import { endSessions } from '../sign-in/sessions.ts';
import { inviteNewcomer } from '../sign-in/staff-invitations.ts';
import { checkName } from './names.ts';

/** Somebody who works in the console: a firm's reviewer or compliance officer, or an operator of the deployment. */
export type Staff = StaffRow;
export type { StaffRole } from '../../store/accounts/staff.ts';

/** Those that a firm has. */
export const firmRoles = ['reviewer', 'compliance_officer'] as const;
export const staffRoles: readonly StaffRole[] = [...firmRoles, 'operator'];

type StaffInput = Omit<NewStaff, 'role'> & { role?: StaffRole };

export async function addStaff(
  deps: Deps,
  { firmId, name, email, role = 'compliance_officer' }: StaffInput,
  by: By = byOperator,
): Promise<Staff> {
  checkName('A staff member', name);
  if (!isMailAddress(email)) throw problem('invalid_request', `${email} is not an email address.`);
  if ((firmId === null) !== (role === 'operator'))
    throw problem('invalid_request', 'Reviewers and compliance officers belong to a firm, and operators to none.');
  if (firmId !== null && !(await findFirm(deps.db, firmId))) throw problem('not_found', `There is no firm ${firmId}.`);
  return inTransaction(deps, async (deps) => {
    const staff = await store.insertStaff(deps.db, { firmId, name: name.trim(), email, role }, deps.clock.now());
    if (!staff)
      throw problem(
        'invalid_request',
        `${firmId === null ? 'Another operator' : 'Another of the firm’s staff'} has that email.`,
      );
    await archiveStaff(deps, by, 'added', staff);
    return staff;
  });
}

/** Adds them with a link at which they add their first passkey. */
export async function inviteNewStaff(deps: Deps, input: StaffInput, by: By = byOperator) {
  return inTransaction(deps, async (deps) => {
    const staff = await addStaff(deps, input, by);
    return { staff, invitation: await inviteNewcomer(deps, staff, by) };
  });
}

/**
 * An operator stays one, because the others belong to a firm, and so the last who is enabled can't be disabled: nobody could let
 * anybody in. And nobody can do it to themselves.
 */
export async function setStaff(
  deps: Deps,
  staffId: number,
  change: { disabled?: boolean; role?: StaffRole },
  by: By = byOperator,
): Promise<void> {
  if (by.actor === byStaff(staffId).actor)
    throw problem('conflict', 'You can’t disable yourself or change your own role: somebody else has to.');
  await inTransaction(deps, async (deps) => {
    const operators = await store.lockOperators(deps.db);
    const [before] = await store.findStaff(deps.db, String(staffId));
    if (!before) return;
    if (change.role && (change.role === 'operator') !== (before.role === 'operator'))
      throw problem('conflict', 'An operator belongs to no firm: disable this account and invite another.');
    if (change.disabled && operators.length === 1 && operators.includes(staffId))
      throw problem('conflict', 'This is the last operator who can sign in: invite another one first.');
    const staff = await store.updateStaff(deps.db, staffId, change);
    if (!staff) return;
    if (staff.disabled) {
      await endSessions(deps, { staffId });
      await deleteInvitationOf(deps.db, { staffId });
    }
    // Each by itself: with one word for both, nobody would find who was let in again beside a change of role.
    if (staff.role !== before.role)
      await archiveStaff(deps, by, 'role changed', staff, { from: before.role, to: staff.role });
    if (staff.disabled !== before.disabled)
      await archiveStaff(deps, by, staff.disabled ? 'disabled' : 'enabled', staff);
  });
}

async function archiveStaff(
  deps: Deps,
  by: By,
  action: 'added' | 'disabled' | 'enabled' | 'role changed',
  { staffId, firmId, name, email, ...staff }: Staff,
  role: StaffRole | { from: StaffRole; to: StaffRole } = staff.role,
): Promise<void> {
  const meta = { action, staffId, firmId };
  const body = JSON.stringify({ name, email, role });
  await archive(deps, by, { advisorId: deployment, kind: 'staff', memberId: null, meta, body });
}

/** The staff member with this id or email, as an operator gives it. Somebody who works for two firms has an account in each. */
export async function getStaff(deps: Deps, idOrEmail: string): Promise<Staff> {
  const [staff, another] = await store.findStaff(deps.db, idOrEmail);
  if (another) throw problem('conflict', `${idOrEmail} has several accounts: give the id of one, from \`staff list\`.`);
  return requireFound(staff, `There is no staff member ${idOrEmail}.`);
}

export async function listStaff(deps: Deps): Promise<ListedStaffRow[]> {
  return store.listStaff(deps.db);
}

/** The staff of one firm. Another firm's staff member is one that doesn't exist. */
export async function listStaffOf(deps: Deps, firmId: number): Promise<ListedStaffRow[]> {
  return (await store.listStaff(deps.db)).filter((staff) => staff.firmId === firmId);
}

export async function getStaffOf(deps: Deps, firmId: number, staffId: number): Promise<Staff> {
  const found = (await listStaffOf(deps, firmId)).find((staff) => staff.staffId === staffId);
  if (!found) throw problem('not_found', `There is no staff member ${staffId}.`);
  return found;
}

/** Throws unless this is an enabled staff member of the firm. `what` completes "<name> can’t …". */
export function requireStaffOf(staff: Staff, { firmId }: { firmId: number }, what: string): void {
  if (staff.disabled || staff.firmId !== firmId)
    throw problem('forbidden', `${staff.name} can’t ${what}: not on the firm’s staff.`);
}

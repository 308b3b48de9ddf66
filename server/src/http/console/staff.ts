import type { Static } from 'typebox';
import type { Deps } from '../../deps.ts';
import {
  getStaff,
  getStaffOf,
  inviteNewStaff,
  listStaff,
  listStaffOf,
  type Staff,
  setStaff,
} from '../../domain/accounts/staff.ts';
import type { By } from '../../domain/archive/archive.ts';
import { inviteNewcomer, inviteStaffByMail } from '../../domain/sign-in/staff-invitations.ts';
import { AnyStaffInput, StaffChange, StaffInput, StaffParams } from '../../schemas/accounts/staff.ts';
import { firmEndpoint, operatorEndpoint } from './endpoint.ts';

export const list = firmEndpoint({
  handler: async (deps, { firmId }) => ({ data: await listStaffOf(deps, firmId) }),
});

export const inviteNew = firmEndpoint({
  isFresh: true,
  body: StaffInput,
  handler: async (deps, { firmId }, { body }, by) => (await inviteNewStaff(deps, { ...body, firmId }, by)).invitation,
});

export const set = firmEndpoint({
  isFresh: (_, __, { body }) => givesAccess(body),
  params: StaffParams,
  body: StaffChange,
  async handler(deps, { firmId }, { params, body }, by) {
    return change(deps, await getStaffOf(deps, firmId, params.staffId), body, by);
  },
});

export const invite = firmEndpoint({
  isFresh: true,
  params: StaffParams,
  async handler(deps, { firmId }, { params }, by) {
    return inviteNewcomer(deps, await getStaffOf(deps, firmId, params.staffId), by);
  },
});

export const listAll = operatorEndpoint({ handler: async (deps) => ({ data: await listStaff(deps) }) });

export const inviteNewOfAny = operatorEndpoint({
  isFresh: true,
  body: AnyStaffInput,
  handler: async (deps, _staff, { body: { firmId = null, ...body } }, by) =>
    (await inviteNewStaff(deps, { ...body, firmId }, by)).invitation,
});

export const setAny = operatorEndpoint({
  isFresh: (_, __, { body }) => givesAccess(body),
  params: StaffParams,
  body: StaffChange,
  async handler(deps, _staff, { params, body }, by) {
    return change(deps, await getStaff(deps, String(params.staffId)), body, by);
  },
});

export const inviteAny = operatorEndpoint({
  isFresh: true,
  params: StaffParams,
  async handler(deps, _staff, { params }, by) {
    return inviteStaffByMail(deps, await getStaff(deps, String(params.staffId)), by);
  },
});

/** Somebody can be disabled at once, and whatever lets them do more needs a fresh sign-in. */
function givesAccess({ disabled, role }: Static<typeof StaffChange>): boolean {
  return disabled === false || role !== undefined;
}

async function change(deps: Deps, { staffId }: Staff, given: Parameters<typeof setStaff>[2], by: By): Promise<Staff> {
  await setStaff(deps, staffId, given, by);
  return getStaff(deps, String(staffId));
}

import { getStaffOf, listStaffOf, setStaff } from '../../domain/accounts/staff.ts';
import { StaffChange, StaffParams } from '../../schemas/accounts/staff.ts';
import { firmEndpoint } from './endpoint.ts';

export const list = firmEndpoint({
  handler: async (deps, { firmId }) => ({ data: await listStaffOf(deps, firmId) }),
});

export const set = firmEndpoint({
  params: StaffParams,
  body: StaffChange,
  async handler(deps, { firmId }, { params, body }, by) {
    const { staffId } = await getStaffOf(deps, firmId, params.staffId);
    await setStaff(deps, staffId, body, by);
    return getStaffOf(deps, firmId, staffId);
  },
});

import type { Deps } from '../../deps.ts';
import { getAdvisorOf } from '../../domain/accounts/advisors.ts';
import { getPerson } from '../../domain/address-book/people.ts';
import { addHold, getHoldOf, type HoldScope, liftHold, listHoldsOf } from '../../domain/record-keeping/holds.ts';
import { getRetention, listDue, setRetention } from '../../domain/record-keeping/retention.ts';
import { Id } from '../../schemas/shared/strings.ts';
import { Type } from '../../schemas/shared/type.ts';
import { firmEndpoint } from './endpoint.ts';

const Reason = Type.String({ maxLength: 1_000 });

/** Of the whole firm, of an advisor, or of one person as an advisor knows them. */
const NewHold = Type.Object({
  advisorId: Type.Optional(Id()),
  memberId: Type.Optional(Id()),
  reason: Reason,
});
const HoldParams = Type.Object({ holdId: Id() });
const HoldLift = Type.Object({ reason: Reason });
const RetentionChange = Type.Object({ years: Type.Integer({ minimum: 1, maximum: 100 }) });

export const list = firmEndpoint({
  handler: async (deps, { firmId }) => ({ data: await listHoldsOf(deps, firmId) }),
});

export const add = firmEndpoint({
  body: NewHold,
  async handler(deps, staff, { body: { advisorId, memberId, reason } }, by) {
    const scope = await scopeOf(deps, staff.firmId, { advisorId, memberId });
    return addHold(deps, scope, { reason, staff, by });
  },
});

export const lift = firmEndpoint({
  isFresh: true,
  params: HoldParams,
  body: HoldLift,
  async handler(deps, staff, { params, body }, by) {
    const { holdId } = await getHoldOf(deps, staff.firmId, params.holdId);
    return liftHold(deps, holdId, { ...body, staff, by });
  },
});

export const retention = firmEndpoint({ handler: (deps, { firmId }) => getRetention(deps, firmId) });

export const setYears = firmEndpoint({
  body: RetentionChange,
  isFresh: async (deps, { firmId }, { body }) => body.years < (await getRetention(deps, firmId)).years,
  handler: (deps, { firmId }, { body }, by) => setRetention(deps, firmId, body.years, by),
});

/** It looks at the oldest text of each advisor. */
export const due = firmEndpoint({
  cost: 2,
  handler: async (deps, { firmId }) => ({ data: await listDue(deps, firmId) }),
});

type HoldTarget = { advisorId: number | undefined; memberId: number | undefined };

async function scopeOf(deps: Deps, firmId: number, { advisorId, memberId }: HoldTarget): Promise<HoldScope> {
  if (advisorId === undefined) return { firmId };
  if (memberId === undefined) return { advisorId: (await getAdvisorOf(deps, firmId, advisorId)).advisorId };
  return { advisorId, phone: (await getPerson(deps, firmId, { advisorId, memberId })).phone };
}

import { getAdvisor } from '../../domain/accounts/advisors.ts';
import { getStaff } from '../../domain/accounts/staff.ts';
import { addHold, type Hold, type HoldScope, liftHold, listHolds } from '../../domain/record-keeping/holds.ts';
import { type Call, type Option, UsageError, type Verb, wholeNumber } from '../verb.ts';

const by: Option = { value: 'EMAIL|ID', about: 'Staff member who does this.', required: true };

export const holdVerbs: Verb[] = [
  {
    name: 'holds add',
    about: 'Keep records from being disposed of: a firm’s, an advisor’s, or an advisor’s about one person.',
    options: {
      firm: { value: 'FIRM', about: 'All of a firm’s records.' },
      advisor: { value: 'EMAIL|ID', about: 'All of an advisor’s records.' },
      phone: { value: 'E164', about: 'With --advisor: only those about this number.' },
      reason: { value: 'TEXT', about: 'Why, such as the legal matter.', required: true },
      by,
    },
    examples: ["holds add --advisor avery@sandbox.example --reason 'Matter 2026-117' --by dana@example.com"],
    run: async (call) => {
      const { runtime, options, out } = call;
      const staff = await getStaff(runtime, options.by ?? '');
      out.records([recordOf(await addHold(runtime, await scopeOf(call), { reason: options.reason ?? '', staff }))]);
    },
  },
  {
    name: 'holds list',
    about: 'List all holds, including those that were lifted.',
    run: async ({ runtime, out }) => out.records((await listHolds(runtime)).map(recordOf)),
  },
  {
    name: 'holds lift',
    about: 'Lift a hold: in seven days, those of its records whose retention has ended are disposed of.',
    operands: ['HOLD'],
    options: { reason: { value: 'TEXT', about: 'Why.', required: true }, by },
    run: async ({ runtime, operands, options, out }) => {
      const staff = await getStaff(runtime, options.by ?? '');
      const holdId = wholeNumber('HOLD', operands.HOLD ?? '');
      out.records([recordOf(await liftHold(runtime, holdId, { reason: options.reason ?? '', staff }))]);
    },
  },
];

async function scopeOf({ runtime, options: { firm, advisor, phone } }: Call): Promise<HoldScope> {
  if ((firm === undefined) === (advisor === undefined) || (firm !== undefined && phone !== undefined))
    throw new UsageError('Say what to hold: --firm FIRM, or --advisor EMAIL|ID, or --advisor EMAIL|ID --phone E164.');
  if (firm !== undefined) return { firmId: wholeNumber('--firm', firm) };
  const { advisorId } = await getAdvisor(runtime, advisor ?? '');
  return { advisorId, phone };
}

function recordOf({ holdId, firmId, advisorId, phone, reason, ...acts }: Hold) {
  const { by, dateTimeCreated, dateTimeLifted, liftedBy, liftReason } = acts;
  return { holdId, firmId, advisorId, phone, reason, by, dateTimeCreated, dateTimeLifted, liftedBy, liftReason };
}

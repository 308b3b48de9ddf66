import { getAdvisor } from '../../domain/accounts/advisors.ts';
import { getStaff } from '../../domain/accounts/staff.ts';
import { addHold, type Hold, type HoldScope, liftHold, listHolds } from '../../domain/record-keeping/holds.ts';
import { type Call, type Option, UsageError, type Verb, wholeNumber } from '../verb.ts';

const by: Option = { value: 'EMAIL|ID', about: 'Who of the firm’s staff does it.', required: true };

export const holdVerbs: Verb[] = [
  {
    name: 'holds add',
    about: 'Keep records from being disposed of: of a firm, of an advisor, or of one person as an advisor knows them.',
    operands: [],
    options: {
      firm: { value: 'FIRM', about: 'All records of a firm.' },
      advisor: { value: 'EMAIL|ID', about: 'All records of an advisor.' },
      phone: { value: 'E164', about: 'With --advisor: only those about this number.' },
      reason: { value: 'TEXT', about: 'Why, such as the matter.', required: true },
      by,
    },
    run: async (call) => {
      const { runtime, options, out } = call;
      const staff = await getStaff(runtime, options.by ?? '');
      out.records([shown(await addHold(runtime, await scopeOf(call), { reason: options.reason ?? '', staff }))]);
    },
  },
  {
    name: 'holds list',
    about: 'List the holds, those that were lifted too.',
    operands: [],
    options: {},
    run: async ({ runtime, out }) => out.records((await listHolds(runtime)).map(shown)),
  },
  {
    name: 'holds lift',
    about: 'Lift a hold: what it kept is disposed of once its retention is over.',
    operands: ['HOLD'],
    options: { reason: { value: 'TEXT', about: 'Why.', required: true }, by },
    run: async ({ runtime, operands, options, out }) => {
      const staff = await getStaff(runtime, options.by ?? '');
      const holdId = wholeNumber('HOLD', operands.HOLD ?? '');
      out.records([shown(await liftHold(runtime, holdId, { reason: options.reason ?? '', staff }))]);
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

function shown({ holdId, firmId, advisorId, phone, reason, ...acts }: Hold) {
  const { by, dateTimeCreated, dateTimeLifted, liftedBy, liftReason } = acts;
  return { holdId, firmId, advisorId, phone, reason, by, dateTimeCreated, dateTimeLifted, liftedBy, liftReason };
}

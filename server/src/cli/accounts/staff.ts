import { addStaff, getStaff, listStaff, setStaff } from '../../domain/accounts/staff.ts';
import { type Verb, wholeNumber, yesOrNo } from '../verb.ts';

export const staffVerbs: Verb[] = [
  {
    name: 'staff add',
    about: 'Add a staff member who supervises for a firm.',
    operands: ['FIRM'],
    options: {
      name: { value: 'TEXT', about: 'The staff member’s name.', required: true },
      email: { value: 'ADDRESS', about: 'The staff member’s email address.', required: true },
    },
    examples: ["staff add 1 --name 'Dana Cole' --email dana@example.com"],
    run: async ({ runtime, operands, options, out }) => {
      const { name = '', email = '' } = options;
      out.records([await addStaff(runtime, { firmId: wholeNumber('FIRM', operands.FIRM ?? ''), name, email })]);
    },
  },
  {
    name: 'staff list',
    about: 'List every firm’s staff.',
    run: async ({ runtime, out }) => out.records(await listStaff(runtime)),
  },
  {
    name: 'staff set',
    about: 'Disable or enable a staff member.',
    operands: ['STAFF'],
    options: {
      disabled: { oneOf: yesOrNo, about: 'Whether they are refused everywhere.', required: true },
    },
    run: async ({ runtime, operands, options, out }) => {
      const { staffId } = await getStaff(runtime, operands.STAFF ?? '');
      await setStaff(runtime, staffId, { disabled: options.disabled === 'yes' });
      out.records([await getStaff(runtime, String(staffId))]);
    },
  },
];

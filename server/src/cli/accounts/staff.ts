import { addStaff, getStaff, listStaff, type StaffRole, setStaff, staffRoles } from '../../domain/accounts/staff.ts';
import { type Verb, wholeNumber, yesOrNo } from '../verb.ts';

const firmRoles = staffRoles.filter((role) => role !== 'operator');

export const staffVerbs: Verb[] = [
  {
    name: 'staff add',
    about: 'Add a staff member who reviews for a firm, or is its compliance officer.',
    operands: ['FIRM'],
    options: {
      name: { value: 'TEXT', about: 'The staff member’s name.', required: true },
      email: { value: 'ADDRESS', about: 'The staff member’s email address.', required: true },
      role: { value: 'ROLE', oneOf: firmRoles, about: 'compliance_officer by default.' },
    },
    examples: ["staff add 1 --name 'Dana Cole' --email dana@example.com"],
    run: async ({ runtime, operands, options, out }) => {
      const { name = '', email = '', role = 'compliance_officer' } = options;
      const firmId = wholeNumber('FIRM', operands.FIRM ?? '');
      out.records([await addStaff(runtime, { firmId, name, email, role: role as StaffRole })]);
    },
  },
  {
    name: 'staff list',
    about: 'List every firm’s staff.',
    run: async ({ runtime, out }) => out.records(await listStaff(runtime)),
  },
  {
    name: 'staff set',
    about: 'Disable or enable a staff member, or give them another role of their firm.',
    operands: ['STAFF'],
    options: {
      disabled: { oneOf: yesOrNo, about: 'Whether they are refused everywhere.' },
      role: { value: 'ROLE', oneOf: firmRoles, about: 'What they may do in the console.' },
    },
    run: async ({ runtime, operands, options, out }) => {
      const { staffId } = await getStaff(runtime, operands.STAFF ?? '');
      const { disabled, role } = options;
      await setStaff(runtime, staffId, {
        ...(disabled && { disabled: disabled === 'yes' }),
        ...(role && { role: role as StaffRole }),
      });
      out.records([await getStaff(runtime, String(staffId))]);
    },
  },
];

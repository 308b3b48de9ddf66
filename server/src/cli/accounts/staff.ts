import {
  addStaff,
  firmRoles,
  getStaff,
  inviteNewStaff,
  listStaff,
  type StaffRole,
  setStaff,
  staffRoles,
} from '../../domain/accounts/staff.ts';
import { inviteStaff } from '../../domain/sign-in/staff-invitations.ts';
import { type Call, firmIn, UsageError, type Verb, wholeNumber, yesOrNo } from '../verb.ts';

export const staffVerbs: Verb[] = [
  {
    name: 'staff add',
    about: 'Add a reviewer or compliance officer to a firm.',
    operands: ['FIRM'],
    options: {
      name: { value: 'TEXT', about: 'The staff member’s name.', required: true },
      email: { value: 'ADDRESS', about: 'The staff member’s email address.', required: true },
      role: { value: 'ROLE', oneOf: firmRoles, about: 'compliance_officer by default.' },
    },
    examples: ["staff add 1 --name 'Dana Cole' --email dana@example.com"],
    run: async ({ runtime, operands, options, out }) => {
      const { name = '', email = '', role = 'compliance_officer' } = options;
      const firmId = firmIn(operands);
      out.records([await addStaff(runtime, { firmId, name, email, role: role as StaffRole })]);
    },
  },
  {
    name: 'staff invite',
    about:
      'Print a link at which a staff member adds a passkey for the console, in place of lost ones, and add them first if they are new. It works once, for 24 hours, and signs them out.',
    operands: ['[STAFF]'],
    options: {
      name: { value: 'TEXT', about: 'The name of somebody new.' },
      email: { value: 'ADDRESS', about: 'The email address of somebody new.' },
      role: { value: 'ROLE', oneOf: staffRoles, about: 'The role of somebody new.' },
      firm: { value: 'FIRM', about: 'The firm of somebody new; operators have none.' },
    },
    examples: [
      "staff invite --role operator --name 'Oakley Tran' --email oakley@example.com",
      'staff invite dana@example.com',
    ],
    run: async (call) => {
      const { email, link, expires } = await invite(call);
      call.out.note(`For ${email} alone, until ${expires.toISOString()}. Links from before no longer work.`);
      call.out.line(link);
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

async function invite({ runtime, operands, options }: Call) {
  const { name, email, role, firm } = options;
  if (operands.STAFF) {
    if (name ?? email ?? role ?? firm) throw new UsageError('Name somebody on the staff, or describe somebody new.');
    const staff = await getStaff(runtime, operands.STAFF);
    return { email: staff.email, ...(await inviteStaff(runtime, staff)) };
  }
  if (!name || !email || !role) throw new UsageError('Somebody new needs --role, --name and --email.');
  const firmId = firm === undefined ? null : wholeNumber('--firm', firm);
  const added = await inviteNewStaff(runtime, { firmId, name, email, role: role as StaffRole });
  return { email: added.staff.email, ...added.invitation };
}

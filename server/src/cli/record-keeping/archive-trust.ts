import { getStaff } from '../../domain/accounts/staff.ts';
import { trustTree } from '../../domain/record-keeping/archive-trust.ts';
import type { Verb } from '../verb.ts';

export const archiveTrustVerbs: Verb[] = [
  {
    name: 'archive trust',
    about:
      'Let this node sign again after it lost its memory of what was signed and no copies outside can replace it. It then goes by the tree as it is. Find out first what became of them: who did this and why is archived. Refused if copies contradict the tree.',
    operands: [],
    options: {
      reason: { value: 'TEXT', about: 'What became of the memory and the copies.', required: true },
      by: { value: 'EMAIL|ID', about: 'Staff member who does this.', required: true },
    },
    run: async ({ runtime, options, out }) => {
      const staff = await getStaff(runtime, options.by ?? '');
      out.records([await trustTree(runtime, { reason: options.reason ?? '', staff })]);
    },
  },
];

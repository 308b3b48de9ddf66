import { getStaff } from '../../domain/accounts/staff.ts';
import { trustTree } from '../../domain/record-keeping/archive-trust.ts';
import { always, type Verb } from '../verb.ts';

export const archiveTrustVerbs: Verb[] = [
  {
    name: 'archive trust',
    about:
      'Let this node sign again after it lost its memory of what was signed and no outside copy can replace it. It then trusts the tree as it is. Find out first what happened: who ran this and why is archived. Refused if a copy contradicts the tree.',
    options: {
      reason: { value: 'TEXT', about: 'What happened to the memory and the copies.', required: true },
      by: { value: 'EMAIL|ID', about: 'Staff member who does this.', required: true },
    },
    examples: ["archive trust --reason 'The disk failed, and the machine was replaced' --by dana@example.com --yes"],
    isFinal: always,
    run: async ({ runtime, options, out }) => {
      const staff = await getStaff(runtime, options.by ?? '');
      out.records([await trustTree(runtime, { reason: options.reason ?? '', staff })]);
    },
  },
];

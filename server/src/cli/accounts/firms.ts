import { addFirm, listFirms, setFirm } from '../../domain/accounts/firms.ts';
import { type Verb, wholeNumber, yesOrNo } from '../verb.ts';

export const firmVerbs: Verb[] = [
  {
    name: 'firms add',
    about: 'Add a firm.',
    operands: ['NAME'],
    options: {},
    run: async ({ runtime, operands, out }) => out.records([await addFirm(runtime, operands.NAME ?? '')]),
  },
  {
    name: 'firms list',
    about: 'List the firms.',
    operands: [],
    options: {},
    run: async ({ runtime, out }) => out.records(await listFirms(runtime)),
  },
  {
    name: 'firms set',
    about: 'Change a firm’s setting.',
    operands: ['FIRM'],
    options: {
      'first-text-line': {
        value: 'yes|no',
        about: 'Whether the first text to a person names the firm and how to stop; by default only in production.',
        required: true,
      },
    },
    run: async ({ runtime, operands, options, out }) => {
      const firstTextLine = yesOrNo('--first-text-line', options['first-text-line'] ?? '');
      out.records([await setFirm(runtime, wholeNumber('FIRM', operands.FIRM ?? ''), { firstTextLine })]);
    },
  },
];

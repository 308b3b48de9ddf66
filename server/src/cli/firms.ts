import { addFirm, listFirms } from '../domain/firms.ts';
import type { Verb } from './verb.ts';

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
];

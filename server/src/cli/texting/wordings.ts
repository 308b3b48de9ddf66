import { listWordings, setWording, wordingKinds } from '../../domain/texting/wordings.ts';
import { firmIn, type Verb } from '../verb.ts';

export const wordingVerbs: Verb[] = [
  {
    name: 'wordings list',
    about: 'List the wordings that a firm’s texts use now; version 0 is our default.',
    operands: ['FIRM'],
    run: async ({ runtime, operands, out }) => out.records(await listWordings(runtime, firmIn(operands))),
  },
  {
    name: 'wordings set',
    about: `Set a firm’s wording for a KIND of text (${wordingKinds.join(', ')}). {firm} and {advisor} are replaced by the names.`,
    operands: ['FIRM', 'KIND', 'TEXT'],
    examples: ["wordings set 1 help '{advisor} of {firm}. Call us at 212-555-0100. Text STOP to opt out.'"],
    run: async ({ runtime, operands, out }) => {
      const { KIND: kind = '', TEXT: text = '' } = operands;
      out.records([await setWording(runtime, firmIn(operands), { kind, text })]);
    },
  },
];

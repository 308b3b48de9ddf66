import { listWordings, setWording, wordingKinds } from '../../domain/texting/wordings.ts';
import { type Verb, wholeNumber } from '../verb.ts';

export const wordingVerbs: Verb[] = [
  {
    name: 'wordings list',
    about: 'List what a firm’s own texts say now; version 0 is ours.',
    operands: ['FIRM'],
    options: {},
    run: async ({ runtime, operands, out }) =>
      out.records(await listWordings(runtime, wholeNumber('FIRM', operands.FIRM ?? ''))),
  },
  {
    name: 'wordings set',
    about: `Reword a firm’s texts of a KIND (${wordingKinds.join(', ')}). {firm} and {advisor} stand for the names.`,
    operands: ['FIRM', 'KIND', 'TEXT'],
    options: {},
    run: async ({ runtime, operands, out }) => {
      const { KIND: kind = '', TEXT: text = '' } = operands;
      out.records([await setWording(runtime, wholeNumber('FIRM', operands.FIRM ?? ''), { kind, text })]);
    },
  },
];

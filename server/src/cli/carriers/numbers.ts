import {
  addNumber,
  checkNumber,
  listNumbers,
  type NumberChange,
  releaseNumber,
  setNumber,
} from '../../domain/carriers/numbers.ts';
import { always, type Call, type Option, requireChange, type Verb, wholeNumber } from '../verb.ts';

const carrierOption: Option = { value: 'NAME', about: 'The carrier to send through; see assent carriers list.' };
const more: Record<string, Option> = {
  pace: { value: 'N|unlimited', about: 'Texts per second from the number; unlimited by default.' },
  campaign: { value: 'ID', about: 'The 10DLC campaign that it is registered for, as a note; none removes it.' },
};

export const numberVerbs: Verb[] = [
  {
    name: 'numbers add',
    about: 'Assign an advisor the number to text from, and its carrier.',
    operands: ['NUMBER'],
    options: {
      advisor: { value: 'EMAIL|ID', about: 'The advisor, who has no number yet.', required: true },
      carrier: { ...carrierOption, required: true },
      ...more,
    },
    examples: ['numbers add +12125550100 --advisor avery@sandbox.example --carrier acme --pace 1'],
    run: async (call) => {
      const { NUMBER: number = '' } = call.operands;
      const { advisor = '', carrier = '' } = call.options;
      const input = { ...changeIn(call), number, advisor, carrier };
      call.out.records([await addNumber(call.runtime, input)]);
    },
  },
  {
    name: 'numbers list',
    about: 'List the texting numbers with their advisors and carriers.',
    run: async ({ runtime, out }) => out.records(await listNumbers(runtime)),
  },
  {
    name: 'numbers set',
    about: 'Change a number’s carrier, pace or campaign. Queued texts are sent through the new carrier.',
    operands: ['NUMBER'],
    options: { carrier: carrierOption, ...more },
    examples: ['numbers set +12125550100 --pace unlimited'],
    run: async (call) => {
      const change = changeIn(call);
      requireChange(change);
      call.out.records([await setNumber(call.runtime, call.operands.NUMBER ?? '', change)]);
    },
  },
  {
    name: 'numbers release',
    about: 'Release the number. Its advisor can no longer text, and queued texts fail.',
    operands: ['NUMBER'],
    isFinal: always,
    run: ({ runtime, operands }) => releaseNumber(runtime, operands.NUMBER ?? ''),
    says: 'Released.',
  },
  {
    name: 'numbers check',
    about: 'Show whether a number can text, its last delivery, and the errors of the last hour. Exits 1 if it can’t.',
    operands: ['NUMBER'],
    run: async ({ runtime, operands, out }) => {
      const check = await checkNumber(runtime, operands.NUMBER ?? '');
      out.records([{ ...check, faults: check.faults.join('; ') || 'none' }]);
      if (check.faults.length > 0) out.exitCode = 1;
    },
  },
];

function changeIn({ options: { carrier, pace, campaign } }: Call): NumberChange {
  return {
    carrier,
    pace: pace === undefined ? undefined : pace === 'unlimited' ? null : wholeNumber('--pace', pace),
    campaign: campaign === 'none' ? null : campaign,
  };
}

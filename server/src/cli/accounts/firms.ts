import { addFirm, type FirmChange, listFirms, type OptOutScope, optOutScopes } from '../../domain/accounts/firms.ts';
import { setFirm } from '../../domain/consent/firm-opt-outs.ts';
import { type Call, firmIn, requireChange, type Verb, yesOrNo } from '../verb.ts';

export const firmVerbs: Verb[] = [
  {
    name: 'firms add',
    about: 'Add a firm.',
    operands: ['NAME'],
    examples: ["firms add 'Hill Wealth'"],
    run: async ({ runtime, operands, out }) => out.records([await addFirm(runtime, operands.NAME ?? '')]),
  },
  {
    name: 'firms list',
    about: 'List the firms.',
    run: async ({ runtime, out }) => out.records(await listFirms(runtime)),
  },
  {
    name: 'firms set',
    about: 'Change a firm’s settings.',
    operands: ['FIRM'],
    options: {
      'first-text-line': {
        oneOf: yesOrNo,
        about: 'Whether the first text to a person names the firm and how to stop; by default only in production.',
      },
      'opt-out-scope': {
        oneOf: optOutScopes,
        about: 'Whether a STOP counts for the advisor it was sent to, or for every advisor of the firm.',
      },
    },
    examples: ['firms set 1 --opt-out-scope firm'],
    run: async ({ runtime, operands, options, out }) => {
      const change = changeOf(options);
      out.records([await setFirm(runtime, firmIn(operands), change)]);
    },
  },
];

function changeOf({ 'first-text-line': line, 'opt-out-scope': scope }: Call['options']): FirmChange {
  const change: FirmChange = {};
  if (line !== undefined) change.firstTextLine = line === 'yes';
  if (scope !== undefined) change.optOutScope = scope as OptOutScope;
  requireChange(change);
  return change;
}

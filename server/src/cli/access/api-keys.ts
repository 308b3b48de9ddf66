import {
  defaultPlan,
  issueKey,
  listKeys,
  revokeKey,
  setPlan,
  type UsagePlan,
  unlimited,
} from '../../domain/access/api-keys.ts';
import { type Call, type Option, UsageError, type Verb, wholeNumber } from '../verb.ts';

const planOptions: Record<string, Option> = {
  rate: { value: 'N', about: `Requests a second; ${defaultPlan.ratePerSecond} by default.` },
  burst: { value: 'N', about: `Requests at once; ${defaultPlan.burst} by default.` },
  'daily-quota': { value: 'N', about: 'Requests a day (UTC); none by default.' },
  unlimited: { about: 'No usage plan at all.' },
};

export const keyVerbs: Verb[] = [
  {
    name: 'keys issue',
    about: 'Issue an API key to an application. The key is shown this once.',
    operands: ['CLIENT-ID'],
    options: planOptions,
    run: async (call) =>
      call.out.records([await issueKey(call.runtime, call.operands['CLIENT-ID'] ?? '', planOf(call))]),
  },
  {
    name: 'keys list',
    about: 'List the keys with their plans.',
    operands: [],
    options: {},
    run: async ({ runtime, out }) => out.records(await listKeys(runtime)),
  },
  {
    name: 'keys set-plan',
    about: 'Replace a key’s usage plan; felt on every node within a second.',
    operands: ['KEY'],
    options: planOptions,
    run: async (call) => {
      await setPlan(call.runtime, wholeNumber('KEY', call.operands.KEY ?? ''), planOf(call));
      call.out.note('Set.');
    },
  },
  {
    name: 'keys revoke',
    about: 'Refuse a key, on every node within a second.',
    operands: ['KEY'],
    options: {},
    run: async ({ runtime, operands, out }) => {
      await revokeKey(runtime, wholeNumber('KEY', operands.KEY ?? ''));
      out.note('Revoked.');
    },
  },
];

function planOf({ options, switches }: Call): UsagePlan {
  const numberOr = <Default>(name: string, otherwise: Default) =>
    options[name] === undefined ? otherwise : wholeNumber(`--${name}`, options[name]);
  if (switches.has('unlimited')) {
    if (Object.keys(options).length > 0)
      throw new UsageError('--unlimited goes without --rate, --burst, --daily-quota.');
    return unlimited;
  }
  return {
    ratePerSecond: numberOr('rate', defaultPlan.ratePerSecond),
    burst: numberOr('burst', defaultPlan.burst),
    dailyQuota: numberOr('daily-quota', defaultPlan.dailyQuota),
  };
}

import {
  defaultPlan,
  issueApiKey,
  listApiKeys,
  revokeApiKey,
  setApiKeyPlan,
  type UsagePlan,
  unlimited,
} from '../../domain/access/api-keys.ts';
import { always, type Call, type Option, UsageError, type Verb, wholeNumber } from '../verb.ts';

const planOptions: Record<string, Option> = {
  rate: { value: 'N', about: `Requests per second; ${defaultPlan.ratePerSecond} by default.` },
  burst: { value: 'N', about: `Requests at once; ${defaultPlan.burst} by default.` },
  'daily-quota': { value: 'N', about: 'Requests per day (UTC); no limit by default.' },
  unlimited: { about: 'No usage plan at all.' },
};

export const apiKeyVerbs: Verb[] = [
  {
    name: 'keys issue',
    about: 'Issue an API key to an application. The key is shown only once.',
    operands: ['CLIENT-ID'],
    options: planOptions,
    examples: ['keys issue app_sandbox_x7k2', 'keys issue app_sandbox_x7k2 --rate 10 --daily-quota 5000'],
    run: async (call) =>
      call.out.records([await issueApiKey(call.runtime, call.operands['CLIENT-ID'] ?? '', planOf(call))]),
  },
  {
    name: 'keys list',
    about: 'List the API keys with their usage plans.',
    run: async ({ runtime, out }) => out.records(await listApiKeys(runtime)),
  },
  {
    name: 'keys set-plan',
    about: 'Replace a key’s usage plan, on every node within a second.',
    operands: ['KEY'],
    options: planOptions,
    examples: ['keys set-plan 3 --rate 100 --burst 200'],
    run: (call) => setApiKeyPlan(call.runtime, wholeNumber('KEY', call.operands.KEY ?? ''), planOf(call)),
    says: 'Set.',
  },
  {
    name: 'keys revoke',
    about: 'Revoke a key, on every node within a second.',
    operands: ['KEY'],
    isFinal: always,
    run: ({ runtime, operands }) => revokeApiKey(runtime, wholeNumber('KEY', operands.KEY ?? '')),
    says: 'Revoked.',
  },
];

function planOf({ options, switches }: Call): UsagePlan {
  const numberOr = <Default>(name: string, otherwise: Default) =>
    options[name] === undefined ? otherwise : wholeNumber(`--${name}`, options[name]);
  if (switches.has('unlimited')) {
    if (Object.keys(options).length > 0)
      throw new UsageError('--unlimited can’t be combined with --rate, --burst or --daily-quota.');
    return unlimited;
  }
  return {
    ratePerSecond: numberOr('rate', defaultPlan.ratePerSecond),
    burst: numberOr('burst', defaultPlan.burst),
    dailyQuota: numberOr('daily-quota', defaultPlan.dailyQuota),
  };
}

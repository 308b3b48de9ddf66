import { getAdvisor } from '../../domain/accounts/advisors.ts';
import { seedLarge } from '../../domain/sandbox/large-seed.ts';
import { type Call, UsageError, type Verb } from '../verb.ts';
import { callSandbox } from './running-sandbox.ts';

export const sandboxVerbs: Verb[] = [
  {
    name: 'sandbox reset',
    about:
      'Make everything in the running sandbox as it was after the first start: contacts, texts, consent, settings, the archive, the clock. The credentials stay; tokens from before are ended.',
    options: { yes: { about: 'Do it. What is in the sandbox is lost.' } },
    examples: ['sandbox reset --yes'],
    offline: true,
    async run({ config, switches }) {
      if (!switches.has('yes'))
        throw new UsageError('Everything in the sandbox would be lost. Repeat the command with --yes to do it.');
      await callSandbox(config, '/sandbox/reset', { method: 'POST' });
    },
    says: 'The sandbox is as it was after the first start.',
  },
  {
    name: 'sandbox seed',
    about:
      'Fill an advisor’s book and inbox in the sandbox, for demonstrations. The texts have outcomes, replies and archive entries like any others, all from now; no carrier gets them. Webhooks are sent their events: add them afterwards.',
    options: {
      large: { about: '100,000 contacts, 5,000 of them with a conversation. Takes minutes.' },
      advisor: { about: 'By email or id; avery@sandbox.example by default.', value: 'ADVISOR' },
    },
    examples: ['sandbox seed --large', 'sandbox seed --large --advisor casey@sandbox.example'],
    isLong: true,
    run: seed,
  },
];

async function seed({ runtime, options, switches, out }: Call): Promise<void> {
  if (runtime.config.environment !== 'sandbox') throw new UsageError('This works in a sandbox only.');
  if (!switches.has('large'))
    throw new UsageError('Say how much: --large is 100,000 contacts and 5,000 conversations.');
  const advisor = await getAdvisor(runtime, options.advisor ?? 'avery@sandbox.example');
  const seeded = await seedLarge(runtime, advisor, undefined, out.progress);
  if (!seeded) return out.note(`${advisor.name} is seeded already. \`assent sandbox reset --yes\` begins again.`);
  out.records([{ advisor: advisor.name, ...seeded }]);
}

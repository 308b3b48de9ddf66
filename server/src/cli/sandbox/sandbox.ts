import { UsageError, type Verb } from '../verb.ts';
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
];

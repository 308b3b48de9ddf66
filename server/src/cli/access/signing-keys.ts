import { listSigningKeys, replaceSigningKeys, rotateSigningKeys } from '../../domain/access/signing-keys.ts';
import type { Verb } from '../verb.ts';

export const signingKeyVerbs: Verb[] = [
  {
    name: 'signing-keys rotate',
    about:
      'Make a new key for access tokens. It is published at once and signs ten seconds later, on every node; the old one verifies until its tokens expire.',
    options: {
      leaked: {
        about:
          'Delete the old keys at once, because they have leaked. Every token they signed is revoked; clients refresh.',
      },
    },
    examples: ['signing-keys rotate', 'signing-keys rotate --leaked --yes'],
    isFinal: ({ switches }) => switches.has('leaked'),
    run: async ({ runtime, switches, out }) => {
      const rotate = switches.has('leaked') ? replaceSigningKeys : rotateSigningKeys;
      const { kid, dateTimeSigns } = await rotate(runtime);
      out.records([{ kid, signsFrom: dateTimeSigns }]);
    },
  },
  {
    name: 'signing-keys list',
    about: 'List the published keys: which one signs, which only verify, and which don’t sign yet.',
    run: async ({ runtime, out }) => {
      const keys = await listSigningKeys(runtime);
      out.records(
        keys.map(({ kid, use, dateTimeCreated, dateTimeSigns }) => ({ kid, use, dateTimeCreated, dateTimeSigns })),
      );
    },
  },
];

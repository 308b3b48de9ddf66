import {
  type Application,
  addApplication,
  disableApplication,
  listApplications,
  rotateSecret,
} from '../domain/applications.ts';
import type { Verb } from './verb.ts';

export const applicationVerbs: Verb[] = [
  {
    name: 'applications add',
    about: 'Add a partner application. Its client secret is shown this once.',
    operands: ['NAME'],
    options: {
      'redirect-uri': { value: 'URI', about: 'Its one exact redirect URI.', required: true },
      scope: { value: '"SCOPE …"', about: 'The scopes it may ask for; all by default.' },
    },
    run: async ({ runtime, operands, options, out }) => {
      const { application, clientSecret } = await addApplication(runtime, {
        name: operands.NAME ?? '',
        redirectUris: [options['redirect-uri'] ?? ''],
        scopes: options.scope?.split(/\s+/).filter(Boolean),
      });
      out.records([{ clientId: application.clientId, clientSecret }]);
    },
  },
  {
    name: 'applications list',
    about: 'List the applications.',
    operands: [],
    options: {},
    run: async ({ runtime, out }) => out.records((await listApplications(runtime)).map(shown)),
  },
  {
    name: 'applications rotate-secret',
    about: 'Give an application a new client secret, shown this once; the old one stops working.',
    operands: ['CLIENT-ID'],
    options: {},
    run: async ({ runtime, operands, out }) => out.line(await rotateSecret(runtime, operands['CLIENT-ID'] ?? '')),
  },
  {
    name: 'applications disable',
    about: 'Refuse an application’s tokens and keys, on every node within a second.',
    operands: ['CLIENT-ID'],
    options: {},
    run: async ({ runtime, operands, out }) => {
      await disableApplication(runtime, operands['CLIENT-ID'] ?? '');
      out.note('Disabled.');
    },
  },
];

function shown({ clientId, name, scopes, redirectUris, disabled }: Application) {
  return { clientId, name, scopes, redirectUris, disabled };
}

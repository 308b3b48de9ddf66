import {
  type Application,
  addApplication,
  disableApplication,
  listApplications,
  rotateSecret,
  setApplication,
} from '../../domain/access/applications.ts';
import { disconnect, provision, unprovision } from '../../domain/access/grants.ts';
import { getAdvisor } from '../../domain/accounts/advisors.ts';
import { always, type Option, requireChange, type Verb } from '../verb.ts';

const advisor: Option = { value: 'EMAIL|ID', about: 'The advisor.' };

export const applicationVerbs: Verb[] = [
  {
    name: 'applications add',
    about: 'Add a partner application. Its client secret is shown only once.',
    operands: ['NAME'],
    options: {
      'redirect-uri': { value: 'URI', about: 'Its one exact redirect URI.', required: true },
      scope: { value: '"SCOPE …"', about: 'The scopes it may ask for; all by default.' },
    },
    examples: ["applications add 'Hill CRM' --redirect-uri https://crm.example/callback"],
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
    run: async ({ runtime, out }) => out.records((await listApplications(runtime)).map(shown)),
  },
  {
    name: 'applications set',
    about: 'Change an application’s redirect URI or its scopes. What advisors allowed before stays allowed.',
    operands: ['CLIENT-ID'],
    options: {
      'redirect-uri': { value: 'URI', about: 'Its one exact redirect URI.' },
      scope: { value: '"SCOPE …"', about: 'The scopes it may ask for.' },
    },
    examples: ['applications set app_sandbox_x7k2 --redirect-uri https://crm.example/callback'],
    run: ({ runtime, operands, options }) => {
      const { 'redirect-uri': redirectUri, scope } = options;
      const change = {
        ...(redirectUri !== undefined && { redirectUris: [redirectUri] }),
        ...(scope !== undefined && { scopes: scope.split(/\s+/).filter(Boolean) }),
      };
      requireChange(change);
      return setApplication(runtime, operands['CLIENT-ID'] ?? '', change);
    },
    says: 'Set.',
  },
  {
    name: 'applications rotate-secret',
    about: 'Give an application a new client secret, shown only once; the old one stops working.',
    operands: ['CLIENT-ID'],
    isFinal: always,
    run: async ({ runtime, operands, out }) => out.line(await rotateSecret(runtime, operands['CLIENT-ID'] ?? '')),
  },
  {
    name: 'applications provision',
    about: 'Let an application text for an advisor with client credentials.',
    operands: ['CLIENT-ID'],
    options: { advisor: { ...advisor, required: true } },
    run: async ({ runtime, operands, options }) => {
      const { advisorId } = await getAdvisor(runtime, options.advisor ?? '');
      await provision(runtime, advisorId, operands['CLIENT-ID'] ?? '');
    },
    says: 'Provisioned.',
  },
  {
    name: 'applications unprovision',
    about: 'Stop an application from texting for an advisor; its tokens are revoked within a second.',
    operands: ['CLIENT-ID'],
    options: { advisor: { ...advisor, required: true } },
    run: async ({ runtime, operands, options }) => {
      const { advisorId } = await getAdvisor(runtime, options.advisor ?? '');
      await unprovision(runtime, advisorId, operands['CLIENT-ID'] ?? '');
    },
    says: 'No longer provisioned.',
  },
  {
    name: 'applications disconnect',
    about:
      'Disconnect an application from its advisors. Refresh tokens stop at once, access tokens within a second on every node.',
    operands: ['CLIENT-ID'],
    options: { advisor: { ...advisor, about: 'The advisor to disconnect it from; all of them by default.' } },
    isFinal: always,
    run: async ({ runtime, operands, options, out }) => {
      const advisorId = options.advisor ? (await getAdvisor(runtime, options.advisor)).advisorId : null;
      const ended = await disconnect(runtime, operands['CLIENT-ID'] ?? '', advisorId);
      out.note(
        `Disconnected: ${ended} ${ended === 1 ? 'advisor' : 'advisors'} had authorized it. Its tokens have ended.`,
      );
    },
  },
  {
    name: 'applications disable',
    about: 'Refuse an application’s tokens and keys, on every node within a second.',
    operands: ['CLIENT-ID'],
    isFinal: always,
    run: ({ runtime, operands }) => disableApplication(runtime, operands['CLIENT-ID'] ?? ''),
    says: 'Disabled.',
  },
];

function shown({ clientId, name, scopes, redirectUris, disabled }: Application) {
  return { clientId, name, scopes, redirectUris, disabled };
}

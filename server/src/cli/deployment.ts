import { getApplication } from '../domain/access/applications.ts';
import { resealSigningKeys } from '../domain/access/signing-keys.ts';
import { issueArchivedToken } from '../domain/access/tokens.ts';
import { getAdvisor } from '../domain/accounts/advisors.ts';
import { resealSecrets } from '../domain/address-book/crm-connections.ts';
import { resealCarriers } from '../domain/carriers/carriers.ts';
import { resealAlertSecrets } from '../domain/operations/alerts.ts';
import { readSandboxFile } from '../domain/sandbox/sandbox-file.ts';
import { resealWebhookSecrets } from '../domain/webhooks/webhooks.ts';
import { migrateDatabase } from '../runtime.ts';
import { UsageError, type Verb } from './verb.ts';

export const deploymentVerbs: Verb[] = [
  {
    name: 'serve',
    about: 'Run the server until SIGTERM or Ctrl-C, as `npm start` does.',
    options: {
      role: {
        value: 'all|api|work',
        about: 'Serve requests only (api), or send texts and run jobs only (work); by default ROLE, or all.',
      },
    },
    examples: ['serve', 'serve --role api'],
    offline: true,
    // Loaded on demand: without the server's libraries, every other verb starts in half the time.
    run: async ({ options }) => (await import('../main.ts')).main(options),
  },
  {
    name: 'migrate',
    about: 'Migrate the schema of DATABASE_URL to the latest version, as its owner.',
    options: {
      shards: {
        value: 'N',
        about: 'On Citus, how many shards to make when tables are first distributed; by default two for each worker.',
      },
    },
    offline: true,
    run: async ({ config, options, out }) => {
      const shards = options.shards === undefined ? undefined : Number(options.shards);
      if (shards !== undefined && !(Number.isInteger(shards) && shards > 0))
        throw new UsageError('--shards needs a whole number, such as 8.');
      const applied = await migrateDatabase(config, out.note, { shards });
      out.note(applied.length > 0 ? `Applied ${applied.join(', ')}.` : 'Nothing to apply.');
    },
  },
  {
    name: 'token',
    about:
      'Print an access token for an advisor, and nothing else. It is valid for 15 minutes, and its issue is archived.',
    options: {
      advisor: { value: 'EMAIL|ID', about: 'The advisor that the token acts for.', required: true },
      scope: { value: '"SCOPE …"', about: 'The token’s scopes; by default all of the application’s scopes.' },
      application: {
        value: 'CLIENT-ID',
        about: 'The application that the token is issued to; by default the sandbox’s.',
      },
    },
    examples: [
      'token --advisor avery@sandbox.example',
      "token --advisor avery@sandbox.example --scope 'text.messaging.read text.messaging.write'",
    ],
    run: async ({ runtime, options, out }) => {
      const sandbox = readSandboxFile(runtime.config.dataDir);
      const clientId = options.application ?? sandbox?.clientId;
      if (!clientId) throw new UsageError('Name the application: --application CLIENT-ID.');
      const application = await getApplication(runtime, clientId);
      const scopes = options.scope?.split(/\s+/).filter(Boolean) ?? application.scopes;
      const missing = scopes.find((scope) => !application.scopes.includes(scope));
      if (missing) throw new UsageError(`The application is not provisioned for ${missing}.`);
      const { advisorId } = await getAdvisor(runtime, options.advisor ?? '');
      out.line(await issueArchivedToken(runtime, { clientId, advisorId, scopes }));
    },
  },
  {
    name: 'secrets reseal',
    about:
      'Encrypt every stored secret (of CRMs, webhooks, alerts and carriers, and the keys that sign tokens) again with the first key of CREDENTIALS_KEY.',
    run: async ({ runtime, out }) => {
      const [crms, webhooks] = [await resealSecrets(runtime), await resealWebhookSecrets(runtime)];
      const alerts = await resealAlertSecrets(runtime);
      const keys = await resealSigningKeys(runtime);
      const carriers = await resealCarriers(runtime);
      out.note(
        `Resealed the secrets of ${crms} CRMs, ${webhooks} webhooks, ${alerts} alert targets and ${carriers} carriers, and ${keys} signing keys.`,
      );
    },
  },
];

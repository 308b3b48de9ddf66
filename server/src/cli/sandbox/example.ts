import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { defaultPlan, issueApiKey } from '../../domain/access/api-keys.ts';
import { addApplication } from '../../domain/access/applications.ts';
import type { SandboxFile } from '../../domain/sandbox/sandbox.ts';
import { readSandboxFile } from '../../domain/sandbox/sandbox-file.ts';
import { addWebhook, listWebhooks, rotateWebhookSecret } from '../../domain/webhooks/webhooks.ts';
import { type Call, UsageError, type Verb, wholeNumber } from '../verb.ts';

/** The packed server brings it along; in a checkout it is the client's example. */
const sources = ['web-app/', '../../../../sdk/examples/web-app/'].map((path) => new URL(path, import.meta.url));
const unversioned = 'node_modules/\n.env\ntokens.json*\n';

export const exampleVerbs: Verb[] = [
  {
    name: 'example',
    about:
      'Write a small web application to start from. It connects an advisor, texts with consent and receives webhooks. Its .env has credentials of the sandbox that is running.',
    operands: ['DIR'],
    options: {
      port: {
        value: 'N',
        about: 'The port that it listens on; by default 3000. On another port it is an application of its own.',
      },
    },
    examples: ['example web-app', 'example web-app --port 4000'],
    run: writeExample,
  },
];

async function writeExample({ runtime, config, operands, options, out }: Call): Promise<void> {
  const sandbox = config.environment === 'sandbox' ? readSandboxFile(config.dataDir) : null;
  const source = sources.find((each) => existsSync(each));
  if (!sandbox || !source) throw new UsageError('The example needs a sandbox: run `npm start` first, in a checkout.');
  const folder = resolve(operands.DIR ?? '');
  if (existsSync(folder) && readdirSync(folder).length > 0) throw new UsageError(`${folder} is not empty.`);

  const application = await applicationFor(runtime, sandbox, options.port);
  const { origin } = new URL(application.redirectUri);
  const secret = await webhookSecret(runtime, application.clientId, `${origin}/webhooks`);

  mkdirSync(folder, { recursive: true });
  cpSync(fileURLToPath(source), folder, { recursive: true });
  for (const name of ['package.json', 'README.md']) {
    const text = readFileSync(join(folder, name), 'utf8');
    const here = text.replaceAll('http://localhost:3000', origin).replaceAll('http://localhost:8080', config.publicUrl);
    writeFileSync(join(folder, name), here);
  }
  writeFileSync(join(folder, '.gitignore'), unversioned);
  writeFileSync(join(folder, '.env'), settingsOf({ ...sandbox, ...application }, secret), { mode: 0o600, flag: 'wx' });
  out.note(`Wrote ${folder}. Now run:\n`);
  out.line(`cd ${folder} && npm install && npm start`);
  out.note(
    `\nand open ${origin}. Sign in as avery@sandbox.example; the password is in ${config.dataDir}/sandbox.json.`,
  );
}

type Application = Pick<SandboxFile, 'clientId' | 'clientSecret' | 'redirectUri' | 'apiKey'>;

/** The sandbox's own, unless that comes back to another port. */
async function applicationFor(runtime: Call['runtime'], sandbox: SandboxFile, port?: string): Promise<Application> {
  const redirectUri = new URL(sandbox.redirectUri);
  if (port !== undefined) redirectUri.port = String(wholeNumber('--port', port));
  if (redirectUri.href === sandbox.redirectUri) return sandbox;
  const { application, clientSecret } = await addApplication(runtime, {
    name: `Web app on port ${redirectUri.port}`,
    redirectUris: [redirectUri.href],
  });
  const { clientId } = application;
  const { apiKey } = await issueApiKey(runtime, clientId, defaultPlan);
  return { clientId, clientSecret, redirectUri: redirectUri.href, apiKey };
}

/** Where the example was written before, its endpoint is there already; that project's secret works for another day. */
async function webhookSecret(runtime: Call['runtime'], clientId: string, url: string): Promise<string> {
  const isThere = (await listWebhooks(runtime)).some((each) => each.clientId === clientId && each.url === url);
  return isThere ? rotateWebhookSecret(runtime, { clientId, url }) : addWebhook(runtime, clientId, url);
}

function settingsOf(sandbox: SandboxFile, secret: string): string {
  const { baseUrl, authUrl, tokenUrl, clientId, clientSecret, redirectUri, apiKey } = sandbox;
  const settings = {
    BASE_URL: baseUrl,
    AUTH_URL: authUrl,
    TOKEN_URL: tokenUrl,
    API_KEY: apiKey,
    CLIENT_ID: clientId,
    CLIENT_SECRET: clientSecret,
    REDIRECT_URI: redirectUri,
    WEBHOOK_SECRET: secret,
  };
  return Object.entries(settings)
    .map(([name, value]) => `ASSENT_${name}=${value}\n`)
    .join('');
}

import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { registerHooks } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, suite, test } from 'node:test';
import { promisify } from 'node:util';
import { root } from '../../src/config.ts';
import { issueToken } from '../../src/domain/access/tokens.ts';
import { makeSandbox, type SandboxFile } from '../../src/domain/sandbox/sandbox.ts';
import type { RunningJobs } from '../../src/jobs/repeat.ts';
import { startRequestJobs } from '../../src/jobs/requests.ts';
import { makeLog } from '../../src/log.ts';
import { freePort } from '../support/programs.ts';
import { makeWorld, type World } from '../support/world.ts';

const run = promisify(execFile);
const guide = readFileSync(join(root, 'docs/partners/clients.md'), 'utf8');
/** What the guide says that a partner has: ES modules, strict types. */
const project = {
  'package.json': { type: 'module' },
  'tsconfig.json': {
    compilerOptions: { strict: true, module: 'nodenext', target: 'esnext', types: ['node'], outDir: 'built' },
    include: ['*.ts', 'assent/**/*.ts'],
  },
};

/** The guide's program with the other generator that it names. */
const withHeyApi = `import { readFileSync } from 'node:fs';
import { client } from './assent/client.gen.js';
import { getConsentStatus, getMessageStatus, requestConsent, sendMessage } from './assent/index.js';

const { baseUrl, apiKey } = JSON.parse(readFileSync('.assent/sandbox.json', 'utf8'));
client.setConfig({
  baseUrl,
  auth: ({ name }) => (name === 'x-api-key' ? apiKey : process.env.ASSENT_TOKEN),
});
const phone = '+15005550010';

const asked = await requestConsent({ body: { phoneNumbers: [phone] } });
if (asked.error) throw new Error(\`\${asked.error.code}: \${asked.error.detail}\`);

const { data: consent } = await getConsentStatus({ query: { phone, wait: 30 } });
console.log(consent?.state);

const { data: sent } = await sendMessage({
  headers: { 'Idempotency-Key': crypto.randomUUID() },
  body: { phone, text: 'Your annual review is due.' },
});
const messageId = sent?.successes[0]?.messageId;
if (!messageId) throw new Error(sent?.failures[0]);

for (let status = 'queued'; status !== 'delivered'; console.log(status)) {
  const { data } = await getMessageStatus({ path: { messageId } });
  status = data?.status ?? status;
}
`;

/** docs/partners/clients.md as a reader follows it: generates both clients, compiles its programs and runs them. */
suite('clients generated from the document that a sandbox serves', () => {
  let world: World;
  let sandbox: SandboxFile;
  let jobs: RunningJobs;
  const folder = mkdtempSync(join(tmpdir(), 'assent-clients-'));
  before(async () => {
    const PORT = await freePort();
    world = await makeWorld({ env: { PORT: String(PORT) } });
    sandbox = await makeSandbox(world.deps, null);
    await world.app.listen({ port: PORT, host: '127.0.0.1' });
    // They wake a request whose answer came between its look and its wait.
    jobs = startRequestJobs(world.deps, makeLog('silent'));
    symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'));
    mkdirSync(join(folder, '.assent'));
    for (const [file, content] of Object.entries({ ...project, '.assent/sandbox.json': sandbox }))
      writeFileSync(join(folder, file), JSON.stringify(content));
    for (const [, name = '', code = ''] of guide.matchAll(/^```ts\n\/\/ (\S+)\n(.*?)^```/gms))
      writeFileSync(join(folder, name), code);
    writeFileSync(join(folder, 'with-hey-api.ts'), withHeyApi);
    await generate(`${world.config.publicUrl}/openapi.json`);
  });
  after(async () => {
    rmSync(folder, { recursive: true });
    await jobs.stop();
    await world.close();
  });

  async function generate(url: string): Promise<void> {
    // Both need TypeScript's JavaScript API, which version 7 doesn't have. The server's own dependency is 5.
    const own = import.meta.url;
    const hooks = registerHooks({
      resolve: (name, context, next) => next(name, name === 'typescript' ? { ...context, parentURL: own } : context),
    });
    const { default: openapiTypescript, astToString } = await import('openapi-typescript');
    writeFileSync(join(folder, 'assent.ts'), astToString(await openapiTypescript(new URL(url))));
    const { createClient } = await import('@hey-api/openapi-ts');
    const output = { path: join(folder, 'assent'), tsConfigPath: join(folder, 'tsconfig.json') };
    await createClient({ input: url, output, logs: { level: 'silent' } });
    hooks.deregister();
  }

  /** Each as another advisor, because the number accepts once. */
  async function runAs(name: string, program: string): Promise<string[]> {
    const advisor = sandbox.advisors.find(({ email }) => email.startsWith(name));
    assert.ok(advisor);
    const scopes = ['text.messaging.read', 'text.messaging.write'];
    const ASSENT_TOKEN = await issueToken(world.deps, {
      clientId: sandbox.clientId,
      advisorId: advisor.id,
      scopes,
    });
    const { stdout } = await run(process.execPath, [join('built', program)], { cwd: folder, env: { ASSENT_TOKEN } });
    return stdout.trim().split('\n');
  }

  test('compile, and the guide’s programs with them', async () => {
    await run(process.execPath, [join(root, 'node_modules/typescript/bin/tsc'), '--project', folder]).catch((error) =>
      assert.fail(error.stdout),
    );
  });

  for (const [program, advisor] of [
    ['with-openapi-fetch.js', 'avery'],
    ['with-hey-api.js', 'devon'],
  ] as const)
    test(`${program} asks for consent, waits for it, texts, and sees it delivered`, async () => {
      const [state, ...statuses] = await runAs(advisor, program);
      assert.equal(state, 'accepted');
      assert.equal(statuses.at(-1), 'delivered');
    });
});

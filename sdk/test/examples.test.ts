// The examples and the guides, as somebody runs them: with the client built, against a sandbox.
import assert from 'node:assert/strict';
import { type ChildProcess, execFile, spawn, spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, suite, test } from 'node:test';
import { promisify } from 'node:util';
import { Webhook } from 'standardwebhooks';
import type { SandboxAdvisor } from '../../server/src/domain/sandbox/sandbox.ts';
import { runCommand } from '../../server/test/support/commands.ts';
import {
  type Deployment,
  freePort,
  makeDeployment,
  type Program,
  startServer,
} from '../../server/test/support/programs.ts';
import { skip as lacksPython } from '../../server/test/support/python.ts';
import { Visitor } from '../../server/test/support/visitor.ts';
import { until } from '../../server/test/support/waiting.ts';
import { Assent } from '../src/index.ts';
import { languages, makeReader, type Reader, root } from './guides.ts';

suite('the examples and the guides', () => {
  let deployment: Deployment;
  let program: Program;
  let reader: Reader;
  before(async () => {
    const built = spawnSync('npm', ['run', '--silent', 'build', '--workspace', 'sdk'], { cwd: root, encoding: 'utf8' });
    assert.equal(built.status, 0, built.stdout);
    deployment = await makeDeployment();
    program = await startServer(deployment.env);
    reader = await makeReader(deployment, program);
  });
  after(async () => {
    await program.stop();
    await deployment.remove();
  });

  async function run(example: string, args: string[] = [], env: Record<string, string> = {}): Promise<string> {
    const path = join(root, 'sdk/examples', example);
    const settings = { ...process.env, SANDBOX_JSON: join(deployment.folder.path, 'sandbox.json'), ...env };
    const { stdout } = await promisify(execFile)(process.execPath, [path, ...args], { env: settings, timeout: 60_000 });
    return stdout;
  }

  test('the first text of the README goes out', async () => {
    const project = join(deployment.folder.path, 'readme');
    mkdirSync(join(project, 'node_modules/@assent'), { recursive: true });
    symlinkSync(join(root, 'sdk'), join(project, 'node_modules/@assent/client'));
    symlinkSync(deployment.folder.path, join(project, '.assent'));
    const [, program = ''] = /```js\n(.*?)```/s.exec(readFileSync(join(root, 'sdk/README.md'), 'utf8')) ?? [];
    writeFileSync(join(project, 'first.mjs'), program);
    const { stdout } = await promisify(execFile)(process.execPath, ['first.mjs'], { cwd: project, timeout: 60_000 });
    assert.match(stdout, /^\d+ queued\n$/);
  });

  test('a text with consent asks, waits and is delivered once', async () => {
    assert.match(
      await run('text-with-consent.ts'),
      /^sending\nasking for consent\nsending\n(the text is sent\n)?the text is delivered\n$/,
    );
  });

  test('a birthday is scheduled for every year', async () => {
    const lines = (await run('birthday.ts')).trim().split('\n');
    assert.equal(lines.length, 6);
    for (const line of lines.slice(0, 5)) assert.match(line, /^\d{4}-0[23]-\d\dT/);
  });

  test('a birthday that is scheduled already isn’t scheduled again, however long ago that was', async () => {
    const { stdout } = await runCommand(['token', '--advisor', 'avery@sandbox.example'], deployment.env);
    const { baseUrl, apiKey } = deployment.folder.sandbox();
    const assent = new Assent({ baseUrl, apiKey, token: stdout.trim() });
    const message = { phone: '+15005550006', text: 'Happy birthday, Pia!', scheduleDelivery: true };
    const { successes } = await assent.messages.send({ ...message, deliveryDate: Date.now() + 86_400_000 });
    assert.equal(await run('birthday.ts'), 'It is scheduled already.\n');
    await assent.scheduledMessages.cancel(successes[0]?.scheduledMessageId ?? 0);
  });

  test('a reconciliation takes everything once, and then only what changed', async () => {
    const { stdout } = await runCommand(['token', '--advisor', 'avery@sandbox.example'], deployment.env);
    const [file, env] = [join(deployment.folder.path, 'copy.json'), { ASSENT_TOKEN: stdout.trim() }];
    const first = /^(\d+) changes, (\d+) contacts$/m.exec(await run('reconcile.ts', [file], env));
    assert.ok(Number(first?.[2]) > 10);
    assert.equal(Object.keys(JSON.parse(readFileSync(file, 'utf8')).contacts).length, Number(first?.[2]));
    assert.equal(await run('reconcile.ts', [file], env), `0 changes, ${first?.[2]} contacts\n`);
  });

  test('a reconciliation also takes what hasn’t changed for 30 days, and starts over with a cursor from before', async () => {
    const email = 'blake@sandbox.example';
    const { stdout } = await runCommand(['token', '--advisor', email], deployment.env);
    const [file, env] = [join(deployment.folder.path, 'old-copy.json'), { ASSENT_TOKEN: stdout.trim() }];
    const all = /(\d+) contacts\n$/.exec(await run('reconcile.ts', [file], env))?.[1];
    const [advisorId] = deployment.folder.sandbox().advisors.flatMap((each) => (each.email === email ? each.id : []));
    // As the server does after 30 days.
    await deployment.database.asOwner('delete from contact_changes where advisor_id = $1', [advisorId]);
    assert.equal(await run('reconcile.ts', [`${file}.new`], env), `${all} changes, ${all} contacts\n`);
    const copy = JSON.parse(readFileSync(file, 'utf8'));
    writeFileSync(file, JSON.stringify({ ...copy, cursor: 'too old' }));
    assert.equal(await run('reconcile.ts', [file], env), `${all} changes, ${all} contacts\n`);
  });

  /** What a language's blocks print if they did what the pages say. */
  const printed = {
    sh: [/"code":"landline"/, /"status":"held".*"status":"deferred"/, /webhook\.test/, /^HTTP\/1\.1 429 /m],
    js: [
      /^\+15005550003 landline /m,
      /^\+15005550041 held\n\+15005550042 deferred\n/m,
      /^rate_limited 429 true [0-9a-f]{32}$/m,
    ],
    python: [/^\+15005550003 landline /m, /^\+15005550041 held\n\+15005550042 deferred\n/m, /^429 \d+ b'/m],
  };
  for (const time of ['', ', and again'])
    for (const language of languages)
      test(`the guides’ blocks for ${language} run${time}`, {
        skip: language === 'python' && lacksPython,
      }, async () => {
        const said = await reader.run(language);
        for (const expected of printed[language]) assert.match(said, expected);
      });

  test('the guides’ blocks that every reader runs need nothing from another terminal', async () => {
    assert.match(await reader.runInNewTerminals(), /webhook\.test/);
  });

  for (const language of ['js', 'python'] as const)
    test(`the guides’ program for ${language} connects an advisor`, {
      skip: language === 'python' && lacksPython,
    }, async () => {
      assert.match(await reader.connect(language), /^Connected: \w+ \w+$/);
    });

  suite('the web application that `assent example` writes', () => {
    let folder: string;
    let port: string;
    let app: ChildProcess;
    before(async () => {
      folder = join(deployment.folder.path, 'web-app');
      port = String(await freePort());
      const written = await runCommand(['example', folder, '--port', port], deployment.env);
      assert.equal(written.status, 0, written.stderr);
      // As `npm install` does from the sandbox.
      mkdirSync(join(folder, 'node_modules/@assent'), { recursive: true });
      symlinkSync(join(root, 'sdk'), join(folder, 'node_modules/@assent/client'));
      await start();
    });
    after(() => stop());

    async function start(): Promise<void> {
      const { scripts } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
      app = spawn('sh', ['-c', `exec ${scripts.start}`], { cwd: folder, stdio: ['ignore', 'pipe', 'inherit'] });
      let said = '';
      app.stdout?.on('data', (text) => {
        said += text;
      });
      await until('it listens', () => said.includes(`Open http://localhost:${port}`));
    }
    async function stop(): Promise<void> {
      const ended = new Promise((resolve) => app.once('exit', resolve));
      app.kill();
      await ended;
    }
    const call = (path: string, init: RequestInit = {}) =>
      fetch(`http://localhost:${port}${path}`, { redirect: 'manual', ...init });
    const home = async () => (await call('/')).text();
    const post = (path: string, form: Record<string, string>, origin = `http://localhost:${port}`) =>
      call(path, { method: 'POST', body: new URLSearchParams(form), headers: { origin } });
    const tokens = () => JSON.parse(readFileSync(join(folder, 'tokens.json'), 'utf8'));

    test('has its credentials in a file for its owner, and is never written over something', async () => {
      assert.equal(statSync(join(folder, '.env')).mode & 0o777, 0o600);
      assert.match(readFileSync(join(folder, '.gitignore'), 'utf8'), /^\.env$/m);
      const { dependencies } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
      assert.equal(dependencies['@assent/client'], `http://localhost:${program.port}/client.tgz`);
      const again = await runCommand(['example', folder], deployment.env);
      assert.deepEqual([again.status, again.stderr], [2, `assent: ${folder} is not empty.\n`]);
    });

    test('is connected by an advisor, and only by the browser that asked', async () => {
      assert.match(await home(), /Connect with Assent/);
      const asked = await call('/connect');
      const cookie = asked.headers.get('set-cookie')?.split(';')[0] ?? '';
      const back = new URL(await allow(asked.headers.get('location') ?? ''));
      const path = back.pathname + back.search;
      assert.match(await (await call(path)).text(), /The state is not the one of this session/);
      assert.equal((await call(path, { headers: { cookie } })).headers.get('location'), '/');
      assert.equal(statSync(join(folder, 'tokens.json')).mode & 0o777, 0o600);
      assert.match(await home(), /<h1>Ellis/);
    });

    function ellis(): SandboxAdvisor {
      const { advisors } = deployment.folder.sandbox();
      return advisors.find(({ email }) => email === 'ellis@sandbox.example') ?? assert.fail();
    }

    /** Follows the application's link through the sandbox's pages, as Ellis, and returns where the browser is sent. */
    async function allow(url: string): Promise<string> {
      const visitor = new Visitor(new URL(url).origin);
      const { location: path = '' } = await visitor.get(url);
      const signIn = await visitor.get(path);
      const { email, password } = ellis();
      await visitor.submit(signIn, '/sign-in', { email, password });
      const decided = await visitor.submit(await visitor.get(path), path, { decision: 'allow' });
      return (await visitor.get(decided.location ?? '')).location ?? '';
    }

    test('texts with consent, and shows the events that were pushed to it, also while somebody watches', async () => {
      const watched = (await call('/events')).body?.getReader();
      const phone = '+15005557311';
      const text = { phone, text: 'Your annual review is on Tuesday at 10.' };
      assert.equal((await post('/texts', text, 'https://evil.example')).status, 404);
      assert.equal((await post('/texts', text)).status, 303);
      const { apiKey } = deployment.folder.sandbox();
      const answered = await program.fetch(`/sandbox/handset/${encodeURIComponent(phone)}/replies`, {
        method: 'POST',
        headers: { 'x-api-key': apiKey, 'content-type': 'application/json' },
        body: JSON.stringify({ to: ellis().textingNumber, text: 'ACCEPT' }),
      });
      assert.equal(answered.status, 202);
      const shows = (type: string, word: string) =>
        until(`${type} ${word}`, async () =>
          new RegExp(`<b>${type}</b>\\s*<span>\\${phone}</span><span class="chip ${word}"`).test(await home()),
        );
      await shows('consent.changed', 'accepted');
      await shows('message.status', 'delivered');
      assert.match(await home(), /<b>\+15005557311<\/b><span class="soft">/, 'whom we text becomes a contact');
      const { value } = (await watched?.read()) ?? {};
      assert.match(String(value && Buffer.from(value)), /^data: ".*<b>[a-z_.]+<\/b>/);
      await watched?.cancel();
    });

    test('takes a webhook only from Assent', async () => {
      const forged = { type: 'consent.changed', id: 'forged', dateTime: new Date(), data: { phone: '+15005550666' } };
      const headers = {
        'webhook-id': 'forged',
        'webhook-timestamp': String(Math.floor(Date.now() / 1000)),
        'webhook-signature': `v1,${Buffer.alloc(32).toString('base64')}`,
      };
      const answer = await call('/webhooks', { method: 'POST', body: JSON.stringify(forged), headers });
      assert.equal(answer.status, 401);
      assert.doesNotMatch(await home(), /5550666/);
    });

    test('neither shows the events of another advisor nor ends with their authorization', async () => {
      const secret = /^ASSENT_WEBHOOK_SECRET=(.+)$/m.exec(readFileSync(join(folder, '.env'), 'utf8'))?.[1] ?? '';
      const ended = { type: 'authorization.ended', id: 'e1', dateTime: new Date(), advisorId: 1, data: {} };
      const body = JSON.stringify(ended);
      const headers = {
        'webhook-id': ended.id,
        'webhook-timestamp': String(Math.floor(Date.now() / 1000)),
        'webhook-signature': new Webhook(secret).sign(ended.id, new Date(), body),
      };
      assert.equal((await call('/webhooks', { method: 'POST', body, headers })).status, 204);
      const page = await home();
      assert.match(page, /<h1>Ellis/);
      assert.doesNotMatch(page, /authorization\.ended/);
    });

    test('refreshes tokens that have expired, and forgets them when it is disconnected', async () => {
      const { accessToken } = tokens();
      await stop();
      writeFileSync(join(folder, 'tokens.json'), JSON.stringify({ ...tokens(), expiresAt: 0 }));
      await start();
      assert.match(await home(), /<h1>Ellis/);
      const { refreshToken, ...fresh } = tokens();
      assert.notEqual(fresh.accessToken, accessToken);
      assert.equal((await post('/disconnect', {})).headers.get('location'), '/');
      assert.ok(!existsSync(join(folder, 'tokens.json')));
      assert.match(await home(), /Connect with Assent/);
      // What somebody copied doesn't work any more.
      writeFileSync(join(folder, 'tokens.json'), JSON.stringify({ ...fresh, refreshToken, expiresAt: 0 }));
      assert.equal((await call('/')).headers.get('location'), '/');
      assert.ok(!existsSync(join(folder, 'tokens.json')));
    });
  });
});

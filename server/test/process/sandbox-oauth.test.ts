import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, suite, test } from 'node:test';
import type { SandboxAdvisor, SandboxFile } from '../../src/domain/sandbox/sandbox.ts';
import { runCommand } from '../support/commands.ts';
import { credentials } from '../support/nodes.ts';
import { type LibraryClient, openidClient, ResponseBodyError, type TokenAnswer } from '../support/oauth-libraries.ts';
import { freePort, makeDataFolder, type Program, startServer } from '../support/programs.ts';
import { type Visit, Visitor } from '../support/visitor.ts';

const allScopes =
  'openid offline_access core.contacts.read core.contacts.write core.content.read text.messaging.read text.messaging.write';

/** One sandbox from its first start, used by a partner who has read nothing but sandbox.json. */
suite('the sandbox’s authorization server', () => {
  const folder = makeDataFolder();
  let env: Record<string, string>;
  let program: Program;
  let sandbox: SandboxFile;
  let client: LibraryClient;
  let browser: Visitor;
  let tokens: TokenAnswer;
  /** Everything that must not be in a log, from each start and step. */
  const secrets = new Set<string>();
  const said: string[] = [];

  before(async () => {
    env = { ASSENT_DATA_DIR: folder.path, PORT: String(await freePort()), LOG_LEVEL: 'debug' };
    await start();
  });
  after(async () => {
    if (!program.hasEnded()) await program.stop();
    folder.remove();
  });

  async function start(): Promise<void> {
    program = await startServer(env);
    sandbox = folder.sandbox();
    client = await openidClient('basic').connect(origin(), sandbox);
    const { apiKey, clientSecret, advisors } = sandbox;
    keep(apiKey, clientSecret, ...advisors.flatMap(({ password, email, name }) => [password, email, name]));
  }

  function keep(...values: (string | undefined | null)[]): void {
    for (const value of values) if (value) secrets.add(value);
  }

  function origin(): string {
    return new URL(sandbox.tokenUrl).origin;
  }

  function advisor(email: string): SandboxAdvisor {
    const found = sandbox.advisors.find((each) => each.email === email);
    assert.ok(found);
    return found;
  }

  async function status(accessToken: string, path: string): Promise<number> {
    const answer = await fetch(`${sandbox.baseUrl}${path}`, { headers: credentials(accessToken, sandbox.apiKey) });
    await answer.body?.cancel();
    return answer.status;
  }

  /** Follows the application's link through the pages and back, as an advisor who isn't signed in yet. */
  async function signInAndAllow(visitor: Visitor, url: URL, { email, password }: SandboxAdvisor): Promise<URL> {
    const { location: path = '' } = await visitor.get(url.href);
    const page = await visitor.get(path);
    assert.match(page.body, /Sign in to connect Sandbox CRM/);
    await visitor.submit(page, '/sign-in', { email, password });
    const consent = await visitor.get(path);
    assert.match(consent.body, /Sandbox CRM wants to act for you/);
    const uid = path.split('/').at(-1);
    const cookies = `${visitor.cookies.sentTo(path)}; ${visitor.cookies.sentTo(`/oauth/authorize/${uid}`)}`.split('; ');
    keep(uid, ...cookies.map((cookie) => cookie.split('=')[1]));
    return allow(visitor, consent, path);
  }

  async function allow(visitor: Visitor, consent: Visit, path: string): Promise<URL> {
    const decided = await visitor.submit(consent, path, { decision: 'allow' });
    const { location = '' } = await visitor.get(decided.location ?? '');
    assert.ok(location.startsWith(`${sandbox.redirectUri}?`), location);
    keep(new URL(location).searchParams.get('code'));
    return new URL(location);
  }

  test('has its endpoints at the addresses in sandbox.json', () => {
    assert.equal(client.metadata.authorization_endpoint, sandbox.authUrl);
    assert.equal(client.metadata.token_endpoint, sandbox.tokenUrl);
  });

  test('takes an application through the code flow, to a call of the API', async () => {
    browser = new Visitor(origin());
    const avery = advisor('avery@sandbox.example');
    const { url, finish } = await client.authorize(sandbox.redirectUri, allScopes);
    keep(url.searchParams.get('state'), url.searchParams.get('nonce'), url.searchParams.get('code_challenge'));
    tokens = await finish(await signInAndAllow(browser, url, avery));
    keep(tokens.access_token, tokens.refresh_token, tokens.id_token);
    assert.equal(tokens.claims?.sub, String(avery.id));
    assert.equal(tokens.claims?.email, avery.email);
    assert.equal(await status(tokens.access_token, '/core/contact/contacts'), 200);
  });

  test('grants client credentials for each of the five advisors by the id in sandbox.json', async () => {
    assert.equal(sandbox.advisors.length, 5);
    for (const { id } of sandbox.advisors) {
      const answer = await client.clientCredentials({ advisor_id: String(id) });
      keep(answer.access_token);
      assert.equal(answer.scope, 'text.messaging.read text.messaging.write');
      assert.equal(await status(answer.access_token, '/core/enumerations'), 200);
    }
    await assert.rejects(client.clientCredentials({}), (error) => {
      assert.ok(error instanceof ResponseBodyError);
      assert.equal(error.error, 'invalid_request');
      assert.match(error.error_description ?? '', /advisor_id/);
      return true;
    });
  });

  test('accepts the token that the command prints', async () => {
    const { status: ended, stdout } = await runCommand(['token', '--advisor', 'blake@sandbox.example'], env);
    assert.equal(ended, 0);
    keep(stdout.trim());
    assert.equal(await status(stdout.trim(), '/core/contact/contacts'), 200);
  });

  test('keeps secrets, grants, sessions and keys across a restart', async () => {
    const earlier = sandbox;
    assert.equal(await program.stop(), 0);
    said.push(program.said());
    await start();
    assert.deepEqual(sandbox, earlier);
    assert.equal(await status(tokens.access_token, '/core/contact/contacts'), 200);
    const { status: shown, body } = await browser.get('/connected-apps');
    assert.equal(shown, 200, 'the browser is still signed in');
    assert.match(body, /Disconnect Sandbox CRM/);
    tokens = await client.refresh(tokens.refresh_token ?? '');
    keep(tokens.access_token, tokens.refresh_token, tokens.id_token);
    assert.equal(await status(tokens.access_token, '/core/contact/contacts'), 200);
  });

  test('finishes an authorization that began before a restart', async () => {
    const { url, finish } = await client.authorize(sandbox.redirectUri, allScopes);
    const { location: path = '' } = await browser.get(url.href);
    const consent = await browser.get(path);
    assert.equal(await program.stop(), 0);
    said.push(program.said());
    await start();
    const answer = await finish(await allow(browser, consent, path));
    keep(answer.access_token, answer.refresh_token, answer.id_token);
    assert.equal(await status(answer.access_token, '/core/contact/contacts'), 200);
  });

  test('writes no code, token, secret, password, cookie or email to any log, whatever goes wrong', async () => {
    const canary = 'canary-d41d8cd98f';
    keep(canary);
    const form = {
      grant_type: 'authorization_code',
      redirect_uri: sandbox.redirectUri,
      code_verifier: canary.repeat(3),
    };
    const { clientId: client_id, clientSecret: client_secret } = sandbox;
    const mistakes: Record<string, string>[] = [
      { ...form, client_id, client_secret, code: canary },
      { ...form, client_id, client_secret: `cs_sandbox_${canary}`, code: canary },
      { grant_type: 'refresh_token', client_id, client_secret, refresh_token: canary },
      { grant_type: canary, client_id, client_secret },
    ];
    for (const wrong of mistakes) {
      const { status: refused } = await fetch(sandbox.tokenUrl, { method: 'POST', body: new URLSearchParams(wrong) });
      assert.ok(refused === 400 || refused === 401);
    }
    const { url } = await client.authorize(sandbox.redirectUri, allScopes);
    url.searchParams.set('login_hint', `${canary}@else.example`);
    const visitor = new Visitor(origin());
    const { location: path = '' } = await visitor.get(url.href);
    const page = await visitor.get(path);
    const stranger = { email: `${canary}@else.example`, password: canary };
    assert.equal((await visitor.submit(page, '/sign-in', stranger)).status, 400);
    url.searchParams.set('redirect_uri', `https://${canary}.example`);
    assert.equal((await visitor.get(url.href)).status, 400);
    // A refresh token whose successor was used ends the grant and logs a warning.
    const repeated = await client.refresh(tokens.refresh_token ?? '');
    keep(repeated.access_token, repeated.refresh_token, repeated.id_token);
    const next = await client.refresh(repeated.refresh_token ?? '');
    keep(next.access_token, next.refresh_token, next.id_token);
    await assert.rejects(client.refresh(tokens.refresh_token ?? ''), ResponseBodyError);

    assert.equal(await program.stop(), 0);
    said.push(program.said());
    const logged = said
      .join('')
      .split('\n')
      .filter((line) => line.startsWith('{'));
    assert.ok(logged.length > 50, 'there is a log');
    assert.ok(logged.some((line) => line.includes('a code or refresh token was used twice')));
    const logs = `${logged.join('\n')}\n${readFileSync(join(folder.path, 'postgres.log'), 'utf8')}`;
    assert.ok(secrets.size > 30);
    for (const secret of secrets) assert.ok(!logs.includes(secret), `a log holds ${secret}`);
  });

  test('greets on stdout, and no library prints anything', () => {
    assert.equal(said.length, 3);
    for (const each of said) {
      assert.doesNotMatch(each, /oidc-provider|warning|notice|deprecat/i);
      const greeting = each.split('\n').filter((line) => !line.startsWith('{'));
      assert.match(greeting.join('\n'), /Assent's sandbox is at/);
      for (const { password } of sandbox.advisors) assert.ok(!each.includes(password));
      assert.ok(!each.includes(sandbox.clientSecret));
    }
  });
});

import assert from 'node:assert/strict';
import { after, before, suite, test } from 'node:test';
import { runCommand } from '../support/commands.ts';
import { type StandardProvider, startStandardProvider } from '../support/identity-provider.ts';
import { credentials } from '../support/nodes.ts';
import { assertProblem } from '../support/problem.ts';
import {
  type Deployment,
  freePort,
  launchServer,
  makeDeployment,
  type Program,
  startServer,
} from '../support/programs.ts';
import { until } from '../support/waiting.ts';
import type { Answer } from '../support/world.ts';

suite('a sandbox whose tokens come from an identity provider', () => {
  let deployment: Deployment;
  const crm = { id: 'crm-at-the-provider', secret: 'a secret that is long enough' };
  let provider: StandardProvider;
  let program: Program;
  let env: Record<string, string>;
  before(async () => {
    const PORT = String(await freePort());
    provider = await startStandardProvider({
      audience: `http://localhost:${PORT}/v1`,
      clients: [crm],
      advisorOf: () => 'avery@sandbox.example',
    });
    deployment = await makeDeployment();
    env = { ...deployment.env, PORT, OAUTH_ISSUER: provider.issuer };
    program = await startServer(env);
  });
  after(async () => {
    await program.stop();
    await provider.close();
    await deployment.remove();
  });

  const ask = async (path: string, init?: RequestInit): Promise<Answer> => {
    const answer = await program.fetch(path, init);
    return { status: answer.status, headers: Object.fromEntries(answer.headers), body: await answer.json() };
  };

  test('says where tokens come from, and has the provider’s addresses in sandbox.json', async () => {
    await until('it is ready', () => program.said().includes('Ctrl-C'));
    assert.ok(program.said().includes(`an access token from ${provider.issuer}`));
    assert.doesNotMatch(program.said(), /^TOKEN=/m);
    const { authUrl, tokenUrl } = deployment.folder.sandbox();
    assert.deepEqual(
      { authUrl, tokenUrl },
      { authUrl: `${provider.issuer}/auth`, tokenUrl: `${provider.issuer}/token` },
    );
  });

  test('has no authorization server of its own', async () => {
    for (const path of [
      '/oauth/authorize',
      '/oauth/jwks',
      '/.well-known/openid-configuration',
      '/.well-known/oauth-authorization-server',
    ])
      assertProblem(await ask(path), 'not_found');
    for (const path of ['/oauth/token', '/oauth/revoke'])
      assertProblem(await ask(path, { method: 'POST', body: new URLSearchParams({ grant_type: 'x' }) }), 'not_found');
  });

  test('accepts the provider’s tokens once it knows the application’s name there', async () => {
    const { apiKey, clientId } = deployment.folder.sandbox();
    const headers = credentials(await provider.token(crm), apiKey);
    const contacts = () => ask('/v1/core/contact/contacts?search=pia', { headers });
    assertProblem(await contacts(), 'unauthorized', /application/);
    const set = await runCommand(['applications', 'set', clientId, '--external-client-id', crm.id], env);
    assert.equal(set.status, 0, set.stderr);
    await until('the name is known', async () => (await contacts()).status === 200);
    assert.equal((await contacts()).body.data.length, 1);
  });

  test('issues no tokens by command either', async () => {
    const { status, stdout, stderr } = await runCommand(['token', '--advisor', 'avery@sandbox.example'], env);
    assert.equal(status, 2);
    assert.equal(stdout, '');
    assert.ok(
      stderr.includes(`OAUTH_ISSUER is set: tokens and authorizations are managed at ${provider.issuer}.`),
      stderr,
    );
  });

  test('doesn’t start if the provider is unreachable, and names the setting', async () => {
    const nowhere = `http://127.0.0.1:${await freePort()}`;
    const another = await makeDeployment();
    const started = await launchServer({ ...another.env, OAUTH_ISSUER: nowhere });
    assert.equal(await started.ended(), 1);
    assert.match(started.said(), new RegExp(`OAUTH_ISSUER is "${nowhere}": The identity provider can’t be reached\\.`));
    assert.doesNotMatch(started.said(), /^\s+at /m);
    await another.remove();
  });
});

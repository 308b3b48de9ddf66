import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, suite, test } from 'node:test';
import type { SandboxFile } from '../../src/domain/sandbox/sandbox.ts';
import { writeSandboxFile } from '../../src/domain/sandbox/sandbox-start.ts';
import { assertProblem } from '../support/problem.ts';
import { type Answer, inject, makeWorld, type World } from '../support/world.ts';

const host = 'localhost:8080';
const path = '/sandbox/credentials';

suite('the sandbox’s credentials for the reference page', () => {
  const folder = mkdtempSync(join(tmpdir(), 'assent-credentials-'));
  const dataDir = join(folder, 'data');
  let world: World;
  let sandbox: SandboxFile;
  before(async () => {
    world = await makeWorld({ env: { ASSENT_DATA_DIR: dataDir } });
    sandbox = await writeSandboxFile({ ...world.deps, config: world.config });
  });
  after(async () => {
    await world.close();
    rmSync(folder, { recursive: true });
  });

  /** As the page asks: with its form token, its cookie and its origin. */
  async function ask(advisorId: unknown, changes: Record<string, string> = {}): Promise<Answer> {
    const page = await inject(world.app, { method: 'GET', url: '/docs/reference', headers: { host } });
    const [, token = ''] = /data-form-token="([^"]+)"/.exec(page.body) ?? [];
    const [cookie = ''] = String(page.headers['set-cookie']).split(';');
    const own = { host, cookie, origin: `http://${host}`, 'sec-fetch-site': 'same-origin', 'x-form-token': token };
    const headers = { ...own, 'content-type': 'application/json', ...changes };
    return inject(world.app, { method: 'POST', url: path, headers, payload: JSON.stringify({ advisorId }) });
  }

  test('are in a data folder that only its owner can enter', () => {
    assert.equal(statSync(dataDir).mode & 0o777, 0o700);
  });

  test('work for the advisor who is asked for', async () => {
    for (const { id } of sandbox.advisors) {
      const { status, body } = await ask(id);
      assert.equal(status, 200);
      assert.deepEqual(Object.keys(body), ['apiKey', 'accessToken']);
      assert.equal(body.apiKey, sandbox.apiKey);
      const claims = JSON.parse(Buffer.from(body.accessToken.split('.')[1], 'base64url').toString());
      assert.equal(claims.advisor_id, id);
      const headers = { authorization: `Bearer ${body.accessToken}`, 'x-api-key': body.apiKey };
      assert.equal((await inject(world.app, { method: 'GET', url: '/v1/core/enumerations', headers })).status, 200);
    }
  });

  const id = () => sandbox.advisors[0]?.id;
  const foreign: [string, Record<string, string>][] = [
    ['another site', { origin: 'https://evil.example' }],
    ['a site with our name in front', { origin: `http://${host}.evil.example` }],
    ['a page of another site, as the browser says', { 'sec-fetch-site': 'cross-site' }],
    ['a page without the form token', { 'x-form-token': '' }],
    ['a browser without the cookie', { cookie: '' }],
    ['a host name that leads here', { host: 'evil.example:8080' }],
  ];
  for (const [what, changes] of foreign)
    test(`are refused to ${what}`, async () => {
      const { status, body } = await ask(id(), changes);
      assert.equal(status, 403);
      assert.doesNotMatch(String(body), /ak_sandbox|eyJ/);
    });

  test('don’t exist for anybody but the sandbox’s advisors', async () => {
    for (const advisorId of [0, String(id()), null, world.ann.advisor.advisorId])
      assert.equal((await ask(advisorId)).status, 404, String(advisorId));
  });
});

test('without sandbox.json the page offers no credentials', async () => {
  const world = await makeWorld({ env: { ASSENT_DATA_DIR: join(tmpdir(), 'assent-no-such-folder') } });
  try {
    const { body } = await inject(world.app, { method: 'GET', url: '/docs/reference' });
    assert.match(body, /class="credentials"[^>]* hidden/);
  } finally {
    await world.close();
  }
});

test('production has no credentials to give, and its page doesn’t ask for any', async () => {
  const world = await makeWorld({
    env: {
      ASSENT_ENV: 'production',
      PUBLIC_URL: 'https://api.example.com',
      DATABASE_URL: 'postgres://database.example/assent',
    },
  });
  try {
    for (const url of [path, '/sandbox/reset', '/sandbox/clock'])
      assertProblem(await inject(world.app, { method: 'POST', url }), 'not_found');
    const page = await inject(world.app, { method: 'GET', url: '/docs/reference' });
    assert.equal(page.status, 200);
    assert.equal(page.headers['set-cookie'], undefined);
    assert.doesNotMatch(page.body, /data-form-token|data-advisor|\/handset/);
  } finally {
    await world.close();
  }
});

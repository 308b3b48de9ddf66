import assert from 'node:assert/strict';
import { after, before, suite, test } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import type { JWK } from 'jose';
import type { App } from '../../src/app.ts';
import {
  type Answers,
  endless,
  json,
  keysPath,
  metadataPath,
  refusing,
  settingsFor,
  signed,
  startSmallProvider,
  text,
} from '../support/identity-provider.ts';
import { anotherNode, credentials } from '../support/nodes.ts';
import { assertProblem } from '../support/problem.ts';
import { until } from '../support/waiting.ts';
import { type Answer, inject, makeWorld, type World } from '../support/world.ts';

const believedMs = 10 * 60 * 1000;
const unknownKeyMs = 1_000;
const leftAloneMs = 1_000;

/** What a faulty provider answers. */
type Lie = { metadata?: Record<string, unknown>; answers?: Record<string, Answers | null>; key?: Partial<JWK> };

suite('the identity provider’s keys', () => {
  let world: World;
  before(async () => {
    world = await makeWorld();
  });
  after(() => world.close());

  const get = (app: App, token: string): Promise<Answer> =>
    inject(app, { method: 'GET', url: '/v1/core/contact/contacts', headers: credentials(token, world.apiKey) });

  /** A provider and a node for this test alone, and calls with correct tokens. */
  async function scene(t: { after(done: () => Promise<void>): void }, path = '') {
    const provider = await startSmallProvider(path);
    const key = await provider.addKey();
    const app = await anotherNode(world, { config: settingsFor(world.config, provider.issuer) });
    t.after(async () => {
      await app.close();
      await provider.close();
    });
    let serial = 0;
    const token = (by = key) =>
      // Each token is new, so that none is cached.
      signed(provider, by, {
        client_id: world.clientId,
        advisor_id: world.ann.advisor.advisorId,
        jti: String(serial++),
        exp: Math.floor(Date.now() / 1000) + 3_600,
      });
    const call = async (by = key) => get(app, await token(by));
    return { provider, key, app, token, call };
  }

  test('are fetched once, with the metadata, for any number of tokens', async (t) => {
    const { provider, call } = await scene(t);
    const answers = await Promise.all(Array.from({ length: 20 }, () => call()));
    assert.ok(answers.every(({ status }) => status === 200));
    assert.equal((await call()).status, 200);
    assert.deepEqual(provider.asked, [metadataPath, keysPath]);
  });

  test('a new one is accepted without a restart', async (t) => {
    const { provider, call } = await scene(t);
    assert.equal((await call()).status, 200);
    const next = await provider.addKey();
    t.mock.timers.enable({ apis: ['Date'], now: Date.now() });
    t.mock.timers.tick(unknownKeyMs);
    assert.equal((await call(next)).status, 200);
    assert.equal((await call()).status, 200, 'the old one still works');
  });

  test('a withdrawn one is refused within ten minutes, even for tokens seen before', async (t) => {
    const { provider, app, key, token, call } = await scene(t);
    const seen = await token();
    assert.equal((await get(app, seen)).status, 200);
    const next = await provider.addKey();
    provider.withdraw(key);
    t.mock.timers.enable({ apis: ['Date'], now: Date.now() });
    t.mock.timers.tick(believedMs);
    assertProblem(await call(), 'unauthorized', /not valid/);
    assertProblem(await get(app, seen), 'unauthorized', /not valid/);
    assert.equal((await call(next)).status, 200);
  });

  test('an unknown one is 401, and the provider is asked no more than once a second', async (t) => {
    const { provider, call } = await scene(t);
    const stranger = await provider.addKey();
    provider.withdraw(stranger);
    const startedAt = performance.now();
    for (let i = 0; i < 20; i++) assertProblem(await call(stranger), 'unauthorized', /not valid/);
    const seconds = (performance.now() - startedAt) / 1_000;
    assert.ok(provider.asked.filter((path) => path === keysPath).length <= 2 + seconds);
  });

  test('are found after they move', async (t) => {
    const { provider, call } = await scene(t);
    assert.equal((await call()).status, 200);
    provider.answers.delete(keysPath);
    provider.answers.set(
      '/moved',
      json(() => ({ keys: provider.keys })),
    );
    provider.metadata.jwks_uri = `${provider.issuer}/moved`;
    t.mock.timers.enable({ apis: ['Date'], now: Date.now() });
    t.mock.timers.tick(believedMs);
    assert.equal((await call()).status, 200);
  });

  test('of an issuer with a path are found at both standard addresses', async (t) => {
    for (const path of ['/realms/one', '/realms/one/']) {
      const { call } = await scene(t, path);
      assert.equal((await call()).status, 200, path);
    }
    const { provider, call } = await scene(t, '/realms/one');
    provider.answers.delete(`/realms/one${metadataPath}`);
    const inserted = '/.well-known/oauth-authorization-server/realms/one';
    provider.answers.set(
      inserted,
      json(() => provider.metadata),
    );
    assert.equal((await call()).status, 200);
    assert.deepEqual(provider.asked, [`/realms/one${metadataPath}`, inserted, keysPath]);
  });

  test('while the provider is down it is 502, and the provider is asked again when it is back', async (t) => {
    const { provider, call } = await scene(t);
    // A second passes when the test says so.
    let now = performance.now();
    t.mock.method(performance, 'now', () => now);
    await provider.goDown();
    assertProblem(await call(), 'downstream_unavailable', /identity provider can’t be reached/);
    await provider.comeBack();
    now += leftAloneMs - 1;
    assertProblem(await call(), 'downstream_unavailable');
    assert.deepEqual(provider.asked, [], 'after a failure it isn’t asked for a second');
    now += 1;
    assert.equal((await call()).status, 200, 'it works again');

    await provider.goDown();
    assert.equal((await call()).status, 200, 'known keys still work');
    const stranger = { ...(await provider.addKey()), publicJwk: { kid: 'unheard-of' } };
    await pause(unknownKeyMs);
    assertProblem(await call(stranger), 'downstream_unavailable');
    assert.equal((await call()).status, 200);
  });

  test('a provider that takes longer than 5 seconds is a 504', async (t) => {
    const [slow, dripping] = [await scene(t), await scene(t)];
    slow.provider.answers.set(metadataPath, () => {});
    dripping.provider.answers.set(keysPath, (_request, response) => {
      response.writeHead(200, { 'content-type': 'application/json' });
      const drops = setInterval(() => response.write(' '), 100);
      response.on('close', () => clearInterval(drops));
    });
    for (const answer of await Promise.all([slow.call(), dripping.call()]))
      assertProblem(answer, 'downstream_timeout', /identity provider took too long/);
  });

  const lies: [string, Lie, RegExp][] = [
    ['metadata of another issuer', { metadata: { issuer: 'https://other.example' } }, /other\.example/],
    ['metadata without an issuer', { metadata: { issuer: undefined } }, /not exactly OAUTH_ISSUER/],
    ['metadata without keys', { metadata: { jwks_uri: undefined } }, /no https address/],
    ['keys at no address', { metadata: { jwks_uri: 'keys' } }, /no https address/],
    ['keys at an address of another kind', { metadata: { jwks_uri: 'data:,{}' } }, /no https address/],
    ['metadata that is a page', { answers: { [metadataPath]: text('<html>') } }, /not a JSON object/],
    ['metadata that is null', { answers: { [metadataPath]: text('null') } }, /not a JSON object/],
    ['no metadata at all', { answers: { [metadataPath]: null } }, /no metadata/],
    ['metadata elsewhere', { answers: { [metadataPath]: refusing(302) } }, /answers 302/],
    ['keys elsewhere', { answers: { [keysPath]: refusing(302) } }, /answers 302/],
    ['huge metadata', { answers: { [metadataPath]: endless } }, /more than 262144 bytes/],
    ['huge keys', { answers: { [keysPath]: endless } }, /more than 262144 bytes/],
    ['an error instead of metadata', { answers: { [metadataPath]: refusing(500) } }, /answers 500/],
    ['an error instead of keys', { answers: { [keysPath]: refusing(503) } }, /answers 503/],
    ['nothing instead of keys', { answers: { [keysPath]: null } }, /answers 404/],
    ['keys that are not JSON', { answers: { [keysPath]: text('<html>') } }, /can’t be used/],
    ['keys that are no set', { answers: { [keysPath]: text('[]') } }, /can’t be used/],
    ['a connection that breaks', { answers: { [keysPath]: ({ socket }) => socket.destroy() } }, /can’t be reached/],
    ['a key that is none', { key: { x: 'AQAB' } }, /can’t be used/],
    ['a secret key', { key: { d: 'AQAB' } }, /can’t be used/],
  ];
  suite('are a 502, never a 401, and fetched again, if the provider has', { concurrency: 10 }, () => {
    for (const [name, lie, detail] of lies)
      test(`${name}`, async (t) => {
        const { provider, call } = await scene(t);
        const { metadata, answers, keys } = provider;
        const truth = { metadata: { ...metadata }, answers: [...answers] };
        Object.assign(metadata, lie.metadata);
        Object.assign(keys[0] ?? {}, lie.key);
        for (const [path, answer] of Object.entries(lie.answers ?? {}))
          if (answer) answers.set(path, answer);
          else answers.delete(path);
        let answer = await call();
        // Ten at a time in one process: on a busy machine a provider may need longer than five seconds, which is a 504.
        const isHeard = async () => {
          if (answer.body.code === 'downstream_timeout') answer = await call();
          return answer.body.code !== 'downstream_timeout';
        };
        await until('the provider is heard', isHeard);
        assertProblem(answer, 'downstream_unavailable', detail);
        // A well-formed key set is cached as usual, whatever is in it.
        if (lie.key) return;
        Object.assign(metadata, truth.metadata);
        for (const [path, answer] of truth.answers) answers.set(path, answer);
        await until('it works', async () => (await call()).status === 200);
      });
  });
});

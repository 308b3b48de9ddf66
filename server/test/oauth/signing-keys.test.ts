import assert from 'node:assert/strict';
import { after, afterEach, before, beforeEach, mock, suite, test } from 'node:test';
import { createLocalJWKSet, decodeProtectedHeader, type JSONWebKeySet, jwtVerify } from 'jose';
import type { App } from '../../src/app.ts';
import { provision } from '../../src/domain/access/grants.ts';
import {
  forgetRetiredSigningKeys,
  listSigningKeys,
  replaceSigningKeys,
  rotateSigningKeys,
} from '../../src/domain/access/signing-keys.ts';
import { deleteSigningKey } from '../../src/store/access/signing-keys.ts';
import { runCommand } from '../support/commands.ts';
import { anotherNode, credentials } from '../support/nodes.ts';
import { type Client, makeClient, signInTo } from '../support/oauth-client.ts';
import { assertProblem } from '../support/problem.ts';
import { makeDataFolder } from '../support/programs.ts';
import { Visitor } from '../support/visitor.ts';
import { until } from '../support/waiting.ts';
import { credentialsKey, inject, makeWorld, type World } from '../support/world.ts';

/** We promise one second and need half; the rest is for a busy machine. */
const endedWithinMs = 2_000;
/** Nodes read the keys again after a second. */
const readSeconds = 1.1;

/** How far the clock that nodes measure durations with is ahead. */
let aheadMs = 0;
const realNow = performance.now.bind(performance);
mock.method(performance, 'now', () => realNow() + aheadMs);

let world: World;
let client: Client;
let nodes: App[];
before(async () => {
  world = await makeWorld();
  client = await makeClient(world);
  await provision(world.deps, world.ann.advisor.advisorId, client.clientId);
  nodes = [world.app, await anotherNode(world), await anotherNode(world)];
});
after(async () => {
  for (const node of nodes.slice(1)) await node.close();
  await world.close();
});
beforeEach(async () => {
  const { kid } = await replaceSigningKeys(world.deps);
  await pass(readSeconds);
  await untilAll('a new key signs', async (node) => signer(await accessToken(node)) === kid);
});
afterEach(async () => {
  for (const node of nodes.splice(3)) await node.close();
});

async function accessToken(node: App): Promise<string> {
  const { clientId, clientSecret } = client;
  const form = { grant_type: 'client_credentials', client_id: clientId, client_secret: clientSecret };
  const answer = await inject(node, {
    method: 'POST',
    url: '/oauth/token',
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
    payload: new URLSearchParams(form).toString(),
  });
  assert.equal(answer.status, 200, JSON.stringify(answer.body));
  return answer.body.access_token;
}

async function published(node: App): Promise<JSONWebKeySet> {
  return (await inject(node, { method: 'GET', url: '/oauth/jwks' })).body;
}

async function kids(node: App): Promise<unknown[]> {
  return (await published(node)).keys.map(({ kid }) => kid);
}

function signer(token: string): string | undefined {
  return decodeProtectedHeader(token).kid;
}

async function call(node: App, token: string) {
  const headers = credentials(token, client.apiKey);
  return inject(node, { method: 'GET', url: '/v1/core/enumerations', headers });
}

async function onlyKey(): Promise<string> {
  const [key, ...others] = await listSigningKeys(world.deps);
  assert.deepEqual(others, []);
  return key?.kid ?? '';
}

/** Makes it look as if that much time had passed for the keys, and for the nodes since they last read them. */
async function pass(seconds: number): Promise<void> {
  aheadMs += seconds * 1000;
  await world.database.asOwner(
    `update signing_keys
     set date_time_signs = date_time_signs - $1 * interval '1 second',
         date_time_created = date_time_created - $1 * interval '1 second'`,
    [seconds],
  );
}

async function untilAll(what: string, isTrue: (node: App) => Promise<boolean>): Promise<void> {
  for (const node of nodes) await until(what, () => isTrue(node));
}

test('a new key is published by every node before any token is signed with it', async () => {
  const old = await onlyKey();
  const { kid, dateTimeSigns } = await rotateSigningKeys(world.deps);
  await untilAll('the new key is published', async (node) => (await kids(node)).includes(kid));
  assert.ok(Date.now() < dateTimeSigns.getTime(), 'all nodes know it well before it signs');
  for (const node of nodes) {
    assert.deepEqual((await kids(node)).sort(), [old, kid].sort());
    assert.equal(signer(await accessToken(node)), old);
  }
});

test('when its time has come the new key signs on every node, and every node accepts its tokens', async () => {
  const { kid } = await rotateSigningKeys(world.deps);
  await pass(10);
  await untilAll('the new key signs', async (node) => signer(await accessToken(node)) === kid);
  for (const node of nodes) {
    const token = await accessToken(node);
    for (const each of nodes) assert.equal((await call(each, token)).status, 200);
    const { protectedHeader } = await jwtVerify(token, createLocalJWKSet(await published(node)));
    assert.equal(protectedHeader.kid, kid);
  }
  assert.equal(signer(await world.token(world.ann.advisor.advisorId)), kid, 'the command’s tokens too');
  assert.equal(signer((await client.tokens(world.ann)).id_token), kid, 'and id tokens');
});

test('the old key’s tokens are accepted until they expire, even by a node that never saw them', async () => {
  const old = await accessToken(world.app);
  const { kid } = await rotateSigningKeys(world.deps);
  await pass(10);
  await untilAll('the new key signs', async (node) => signer(await accessToken(node)) === kid);
  const fresh = await anotherNode(world);
  nodes.push(fresh);
  for (const node of nodes) {
    assert.equal((await call(node, old)).status, 200);
    await jwtVerify(old, createLocalJWKSet(await published(node)));
  }
});

test('a key is forgotten only when its last token has expired', async () => {
  const old = await onlyKey();
  const { kid } = await rotateSigningKeys(world.deps);
  // It signs 10 s after it was made; the old key's last token lives 15 minutes more, plus a minute for clock skew.
  for (const seconds of [0, 11, 15 * 60, 50]) {
    await pass(seconds);
    await forgetRetiredSigningKeys(world.deps);
    assert.equal((await listSigningKeys(world.deps)).length, 2, 'both are there');
  }
  await pass(20);
  await forgetRetiredSigningKeys(world.deps);
  assert.equal(await onlyKey(), kid);
  await untilAll('the old key is no longer published', async (node) => !(await kids(node)).includes(old));
  await forgetRetiredSigningKeys(world.deps);
  assert.equal(await onlyKey(), kid, 'the one that signs stays');
});

test('a waiting key retires no other, however old they are', async () => {
  await pass(24 * 60 * 60);
  await rotateSigningKeys(world.deps);
  await forgetRetiredSigningKeys(world.deps);
  assert.deepEqual((await listSigningKeys(world.deps)).map(({ use }) => use).sort(), ['signs', 'waits']);
});

test('two concurrent rotations leave two new keys, and all nodes sign with the same one', async () => {
  const old = await onlyKey();
  const made = await Promise.all([rotateSigningKeys(world.deps), rotateSigningKeys(world.deps)]);
  const all = [old, ...made.map(({ kid }) => kid)].sort();
  await untilAll('both are published', async (node) => (await kids(node)).length === 3);
  for (const node of nodes) assert.deepEqual((await kids(node)).sort(), all);
  await pass(20);
  await untilAll('a new key signs', async (node) => signer(await accessToken(node)) !== old);
  const signers = await Promise.all(nodes.map(async (node) => signer(await accessToken(node))));
  assert.equal(new Set(signers).size, 1);
  assert.ok(made.some(({ kid }) => kid === signers[0]));
});

test('nodes that start at the same time on an empty database make one key', async () => {
  await world.database.asOwner('delete from signing_keys');
  const fresh = await Promise.all(Array.from({ length: 5 }, () => anotherNode(world)));
  nodes.push(...fresh);
  const all = await Promise.all(fresh.map(kids));
  const kid = await onlyKey();
  for (const each of all) assert.deepEqual(each, [kid]);
  for (const token of await Promise.all(fresh.map(accessToken))) assert.equal(signer(token), kid);
});

test('leaked keys are replaced at once: every token they signed is 401 within a second on every node', async () => {
  const { refresh_token, access_token } = await client.tokens(world.ann);
  for (const node of nodes) assert.equal((await call(node, access_token)).status, 200, 'they remember this one');
  const unseen = await accessToken(world.app);
  const { kid } = await replaceSigningKeys(world.deps);
  for (const node of nodes)
    for (const token of [access_token, unseen]) {
      await until('the token is refused', async () => (await call(node, token)).status === 401, endedWithinMs);
      assertProblem(await call(node, token), 'unauthorized');
    }
  await untilAll('only the new key is published', async (node) => String(await kids(node)) === kid);
  await untilAll('the new key signs', async (node) => signer(await accessToken(node)) === kid);
  const refreshed = await client.refresh(refresh_token);
  assert.equal(refreshed.status, 200, 'the client refreshes and goes on');
  const taken = async (node: App) => (await call(node, refreshed.body.access_token)).status === 200;
  await untilAll('the new token is taken', taken);
});

test('a token with a forgotten key is 401, on a node that saw it before and on one that didn’t', async () => {
  const token = await accessToken(world.app);
  const [knows, other] = nodes as [App, App];
  assert.equal((await call(knows, token)).status, 200);
  const old = await onlyKey();
  await rotateSigningKeys(world.deps);
  await pass(10);
  await deleteSigningKey(world.deps.db, old);
  for (const node of [knows, other]) {
    await until('the key is gone', async () => !(await kids(node)).includes(old));
    await until('the token is refused', async () => (await call(node, token)).status === 401, endedWithinMs);
    assertProblem(await call(node, token), 'unauthorized');
  }
});

test('the keys and the metadata answer HEAD too', async () => {
  for (const url of ['/oauth/jwks', '/.well-known/openid-configuration', '/.well-known/oauth-authorization-server']) {
    const { statusCode, headers, body } = await world.app.inject({ method: 'HEAD', url });
    assert.equal(statusCode, 200);
    assert.match(String(headers['content-type']), /json/);
    assert.equal(body, '');
  }
});

test('the private part of a key is never published', async () => {
  const rotated = await rotateSigningKeys(world.deps);
  await until('the new key is published', async () => (await kids(world.app)).includes(rotated.kid));
  const { keys } = await published(world.app);
  assert.equal(keys.length, 2);
  for (const key of keys) {
    assert.deepEqual(Object.keys(key).sort(), ['alg', 'crv', 'kid', 'kty', 'use', 'x', 'y']);
    assert.deepEqual([key.alg, key.crv, key.kty, key.use], ['ES256', 'P-256', 'EC', 'sig']);
  }
  const secrets = (await listSigningKeys(world.deps)).map(({ privateJwk }) => privateJwk?.d ?? '');
  for (const path of ['/oauth/jwks', '/.well-known/openid-configuration', '/metrics']) {
    const { body } = await inject(world.app, { method: 'GET', url: path });
    for (const secret of secrets) assert.ok(secret.length > 40 && !JSON.stringify(body).includes(secret));
  }
});

test('an authorization that began with the old keys is finished with the new ones, on any node', async () => {
  const visitor = new Visitor(world.app);
  const { page, path } = await signInTo(world, visitor, client.authorizeUrl(), world.ann);
  const old = await onlyKey();
  const { kid } = await rotateSigningKeys(world.deps);
  await pass(10);
  await untilAll('the new key signs', async (node) => signer(await accessToken(node)) === kid);

  const decided = await visitor.submit(page, path, { decision: 'allow' });
  await world.database.asOwner('delete from signing_keys where kid = $1', [old]);
  await untilAll('the old key is gone', async (node) => !(await kids(node)).includes(old));
  const { location } = await visitor.get(decided.location ?? '');
  const code = new URL(location ?? '').searchParams.get('code') ?? '';
  const { status, body } = await client.redeem(code);
  assert.equal(status, 200);
  assert.equal(signer(body.access_token), kid);

  const refreshed = await client.refresh(body.refresh_token);
  assert.equal(refreshed.status, 200);
  assert.equal((await client.call(refreshed.body.access_token)).status, 200);
});

test('requests in progress while the keys change are all answered', async () => {
  const busy = { yes: true };
  const answered: (string | undefined)[] = [];
  const load = nodes.map(async (node) => {
    while (busy.yes) answered.push(signer(await accessToken(node)));
  });
  await until('they are under way', () => answered.length > 10);
  const { kid } = await rotateSigningKeys(world.deps);
  await pass(10);
  await untilAll('the new key signs', async (node) => signer(await accessToken(node)) === kid);
  await until('they go on', () => answered.filter((each) => each === kid).length > 10);
  busy.yes = false;
  await Promise.all(load);
  assert.equal(new Set(answered).size, 2);
});

suite('the operator’s command', () => {
  const folder = makeDataFolder();
  after(() => folder.remove());

  async function command(...args: string[]): Promise<string> {
    const env = { DATABASE_URL: world.database.url, ASSENT_DATA_DIR: folder.path, CREDENTIALS_KEY: credentialsKey };
    const { status, stdout, stderr } = await runCommand(['signing-keys', ...args], env);
    assert.equal(status, 0, stderr);
    return stdout + stderr;
  }

  async function list(): Promise<{ kid: string; use: string }[]> {
    return JSON.parse(await command('list', '--json'));
  }

  test('rotates the keys and says when the new one starts to sign; the list shows what each is for', async () => {
    const old = await onlyKey();
    assert.deepEqual(
      (await list()).map(({ kid, use }) => [kid, use]),
      [[old, 'signs']],
    );
    const [{ kid, signsFrom }] = JSON.parse(await command('rotate', '--json'));
    assert.ok(Date.parse(signsFrom) > Date.now());
    const uses = async () => Object.fromEntries((await list()).map((key) => [key.kid, key.use]));
    assert.deepEqual(await uses(), { [old]: 'signs', [kid]: 'waits' });
    await untilAll('the new key is published', async (node) => (await kids(node)).includes(kid));
    await pass(10);
    assert.deepEqual(await uses(), { [old]: 'verifies', [kid]: 'signs' });
    await untilAll('the new key signs', async (node) => signer(await accessToken(node)) === kid);
  });

  test('replaces leaked keys: the old ones are gone, and the new one signs at once', async () => {
    const old = await onlyKey();
    const [{ kid }] = JSON.parse(await command('rotate', '--leaked', '--yes', '--json'));
    assert.deepEqual(
      (await list()).map((key) => [key.kid, key.use]),
      [[kid, 'signs']],
    );
    await untilAll('the old key is gone', async (node) => !(await kids(node)).includes(old));
    await untilAll('the new key signs', async (node) => signer(await accessToken(node)) === kid);
  });

  test('shows no private key', async () => {
    const [key] = await listSigningKeys(world.deps);
    for (const args of [['list'], ['list', '--json'], ['rotate'], ['rotate', '--json']]) {
      const said = await command(...args);
      assert.doesNotMatch(said, /"d"|privateJwk/);
      assert.ok(!said.includes(key?.privateJwk?.d ?? ''));
    }
  });
});

import assert from 'node:assert/strict';
import { after, before, beforeEach, suite, test } from 'node:test';
import type { App } from '../../src/app.ts';
import { disableApplication } from '../../src/domain/access/applications.ts';
import { disconnect, listConnections, provision, unprovision } from '../../src/domain/access/grants.ts';
import { forgetExpiredTokens } from '../../src/domain/access/oauth-tokens.ts';
import { issueToken } from '../../src/domain/access/tokens.ts';
import { setAdvisor } from '../../src/domain/accounts/advisors.ts';
import { hashSecret } from '../../src/domain/shared/secrets.ts';
import { runCommand } from '../support/commands.ts';
import { isWaiting } from '../support/database.ts';
import { anotherNode, credentials } from '../support/nodes.ts';
import {
  type Client,
  makeClient,
  password,
  redirectUri,
  signedIn,
  signInTo,
  type Tokens,
} from '../support/oauth-client.ts';
import { assertProblem } from '../support/problem.ts';
import { makeDataFolder } from '../support/programs.ts';
import { withinTransactions } from '../support/statements.ts';
import { type Visit, Visitor } from '../support/visitor.ts';
import { until } from '../support/waiting.ts';
import { type Answer, inject, makeWorld, type Person, type World } from '../support/world.ts';

/** We promise one second and need half; the rest is for a busy machine. */
const endedWithinMs = 2_000;

let world: World;
let crm: Client;
let other: Client;
let nodes: App[];
before(async () => {
  world = await makeWorld();
  nodes = [world.app, await anotherNode(world)];
});
after(async () => {
  await nodes[1]?.close();
  await world.close();
});
beforeEach(async () => {
  await setAdvisor(world.deps, world.ann.advisor.advisorId, { disabled: false });
  crm = await makeClient(world, { name: 'Partner CRM' });
  other = await makeClient(world, { name: 'Another CRM' });
  for (const client of [crm, other])
    for (const { advisor } of [world.ann, world.bob]) await provision(world.deps, advisor.advisorId, client.clientId);
});

/** Everything an application can hold for an advisor, each token in use on every node. */
type HeldTokens = { client: Client; person: Person; code: string; refreshToken: string; accessTokens: string[] };

async function connect(client: Client, person: Person): Promise<HeldTokens> {
  const { access_token, refresh_token }: Tokens = await client.tokens(person);
  const byCredentials = await clientCredentials(client, person);
  assert.equal(byCredentials.status, 200, JSON.stringify(byCredentials.body));
  const issued = await issueToken(world.deps, {
    clientId: client.clientId,
    advisorId: person.advisor.advisorId,
    scopes: ['core.contacts.read'],
  });
  const held = {
    client,
    person,
    code: await client.code(person),
    refreshToken: refresh_token,
    accessTokens: [access_token, byCredentials.body.access_token, issued],
  };
  for (const token of held.accessTokens)
    for (const node of nodes) assert.equal((await call(node, client, token)).status, 200);
  return held;
}

function clientCredentials(client: Client, person: Person): Promise<Answer> {
  return client.token({ grant_type: 'client_credentials', advisor_id: String(person.advisor.advisorId) });
}

function call(node: App, client: Client, token: string): Promise<Answer> {
  const headers = credentials(token, client.apiKey);
  return inject(node, { method: 'GET', url: '/v1/core/enumerations', headers });
}

async function assertEnded({ client, code, refreshToken, accessTokens }: HeldTokens): Promise<void> {
  const refreshed = await client.refresh(refreshToken);
  assert.equal(refreshed.status, 400);
  assert.equal(refreshed.body.error, 'invalid_grant');
  await assertRefused({ client, accessTokens });
  const redeemed = await client.redeem(code);
  assert.equal(redeemed.status, 400);
  assert.equal(redeemed.body.error, 'invalid_grant');
}

async function assertRefused({ client, accessTokens }: Pick<HeldTokens, 'client' | 'accessTokens'>): Promise<void> {
  for (const node of nodes)
    for (const token of accessTokens) {
      const refused = async () => (await call(node, client, token)).status === 401;
      await until('the access token is refused', refused, endedWithinMs);
      assertProblem(await call(node, client, token), 'unauthorized');
    }
}

/** Everything still works, including the code, which this uses up. */
async function assertUntouched({ client, code, refreshToken, accessTokens }: HeldTokens): Promise<void> {
  for (const node of nodes)
    for (const token of accessTokens) assert.equal((await call(node, client, token)).status, 200);
  assert.equal((await client.refresh(refreshToken)).status, 200);
  assert.equal((await client.redeem(code)).status, 200);
}

/** The browser goes back to the application without a code. */
async function assertDenied({ status, location }: Visit): Promise<void> {
  assert.equal(status, 303);
  const back = new URL(location ?? '');
  assert.ok(back.href.startsWith(`${redirectUri}&`));
  assert.equal(back.searchParams.get('error'), 'access_denied');
  assert.equal(back.searchParams.get('code'), null);
}

async function disconnectByPage(client: Client, person: Person): Promise<void> {
  const visitor = await signedIn(world, person);
  const { clientId } = client;
  const page = await visitor.get(`/connected-apps/disconnect?clientId=${clientId}`);
  const { status, location } = await visitor.submit(page, '/connected-apps/disconnect', { clientId });
  assert.deepEqual([status, location], [303, '/connected-apps?done=disconnected']);
}

async function disconnectByCommand(client: Client, ...options: string[]): Promise<string> {
  const folder = makeDataFolder();
  const env = { DATABASE_URL: world.database.url, ASSENT_DATA_DIR: folder.path };
  const { status, stderr } = await runCommand(
    ['applications', 'disconnect', client.clientId, '--yes', ...options],
    env,
  );
  folder.remove();
  assert.equal(status, 0, stderr);
  return stderr;
}

const ways: [string, () => Promise<unknown>][] = [
  ['the page', () => disconnectByPage(crm, world.ann)],
  ['the command', () => disconnectByCommand(crm, '--advisor', world.ann.advisor.email)],
];
for (const [name, disconnectAnn] of ways)
  test(`a disconnect by ${name} ends refresh tokens and codes at once, and each access token within a second on every node`, async () => {
    const ended = await connect(crm, world.ann);
    const untouched = [await connect(crm, world.bob), await connect(other, world.ann)];
    await disconnectAnn();
    await assertEnded(ended);
    for (const held of untouched) await assertUntouched(held);
  });

test('without an advisor, the command disconnects the application from all of them and says how many', async () => {
  const ended = [await connect(crm, world.ann), await connect(crm, world.bob)];
  const untouched = await connect(other, world.ann);
  assert.equal(await disconnectByCommand(crm), 'Disconnected: 2 advisors had authorized it. Its tokens have ended.\n');
  for (const held of ended) await assertEnded(held);
  await assertUntouched(untouched);
  assert.equal(
    await disconnectByCommand(crm),
    'Disconnected: 0 advisors had authorized it. Its tokens have ended.\n',
    'again',
  );
});

test('a disconnect by the operator leaves provisioning: client credentials get a new token', async () => {
  const ended = await connect(crm, world.ann);
  await disconnect(world.deps, crm.clientId, world.ann.advisor.advisorId);
  const fresh = await clientCredentials(crm, world.ann);
  assert.equal(fresh.status, 200);
  await assertEnded(ended);
  for (const node of nodes) assert.equal((await call(node, crm, fresh.body.access_token)).status, 200);
});

suite('a disconnect by the advisor ends client credentials', () => {
  async function assertNoToken(client: Client): Promise<void> {
    const { status, body } = await clientCredentials(client, world.ann);
    assert.deepEqual([status, body.error], [400, 'invalid_grant'], JSON.stringify(body));
    assert.match(body.error_description, /was disconnected/);
  }

  test('for that advisor and application alone', async () => {
    const ended = await connect(crm, world.ann);
    await disconnectByPage(crm, world.ann);
    await assertNoToken(crm);
    await assertEnded(ended);
    for (const [client, person] of [[crm, world.bob] as const, [other, world.ann] as const])
      assert.equal((await clientCredentials(client, person)).status, 200);
    await disconnectByCommand(crm, '--advisor', world.ann.advisor.email);
    await assertNoToken(crm);
  });

  test('also of an application that the advisor never authorized', async () => {
    const { body } = await clientCredentials(crm, world.ann);
    assert.equal((await call(world.app, crm, body.access_token)).status, 200);
    await disconnectByPage(crm, world.ann);
    await assertNoToken(crm);
    await assertRefused({ client: crm, accessTokens: [body.access_token] });
  });

  test('until the operator provisions the application again', async () => {
    await disconnectByPage(crm, world.ann);
    await assertNoToken(crm);
    await provision(world.deps, world.ann.advisor.advisorId, crm.clientId);
    assert.equal((await clientCredentials(crm, world.ann)).status, 200);
  });

  test('until the advisor authorizes the application again, and its earlier tokens stay dead', async () => {
    const ended = await connect(crm, world.ann);
    await disconnectByPage(crm, world.ann);
    await assertNoToken(crm);
    const visitor = new Visitor(world.app);
    const { page, path } = await signInTo(world, visitor, crm.authorizeUrl({ scope: 'openid' }), world.ann);
    assert.match(page.body, /also text for you while you are away/);
    const denied = await visitor.submit(page, path, { decision: 'deny' });
    await visitor.get(denied.location ?? '');
    await assertNoToken(crm);
    const again = await connect(crm, world.ann);
    await assertEnded(ended);
    await assertUntouched(again);
  });

  test('and authorizing gives none to an application that the operator no longer provisions', async () => {
    await disconnectByPage(crm, world.ann);
    await unprovision(world.deps, world.ann.advisor.advisorId, crm.clientId);
    assert.ok(await crm.tokens(world.ann));
    await assertNoToken(crm);
    await assert.rejects(unprovision(world.deps, world.ann.advisor.advisorId, crm.clientId), { code: 'not_found' });
  });
});

test('a request that waits for the advisor during a disconnect can still be allowed', async () => {
  const ended = await connect(crm, world.ann);
  const visitor = new Visitor(world.app);
  const { page, path } = await signInTo(world, visitor, crm.authorizeUrl(), world.ann);
  await disconnectByCommand(crm, '--advisor', world.ann.advisor.email);
  const decided = await visitor.submit(page, path, { decision: 'allow' });
  const { location } = await visitor.get(decided.location ?? '');
  const { status, body } = await crm.redeem(new URL(location ?? '').searchParams.get('code') ?? '');
  assert.equal(status, 200);
  assert.equal((await crm.call(body.access_token)).status, 200);
  await assertEnded(ended);
});

test('permission takes effect with the code: denied before that, nothing is connected', async () => {
  const visitor = new Visitor(world.app);
  const { page, path } = await signInTo(world, visitor, crm.authorizeUrl(), world.ann);
  await visitor.submit(page, path, { decision: 'allow' });
  const connected = async () =>
    (await listConnections(world.deps, world.ann.advisor.advisorId)).some(
      ({ clientId, authorized }) => clientId === crm.clientId && authorized,
    );
  assert.equal(await connected(), false);
  const decided = await visitor.submit(page, path, { decision: 'deny' });
  await assertDenied(await visitor.get(decided.location ?? ''));
  assert.equal(await connected(), false);
});

for (const what of ['refresh', 'code'] as const)
  test(`a disconnect during a ${what} waits for it, and then ends the tokens it gave`, async () => {
    const gate = gateBefore('insert into oauth_tokens');
    const node = await anotherNode(world, { pool: gate.pool });
    const client = await makeClient({ ...world, app: node });
    const { refresh_token } = await client.tokens(world.ann);
    const code = await client.code(world.ann);
    gate.close();
    const exchange = what === 'refresh' ? client.refresh(refresh_token) : client.redeem(code);
    await gate.reached;
    const disconnecting = disconnect(world.deps, client.clientId, world.ann.advisor.advisorId);
    await until('the disconnect waits', () => isWaiting(world.database));
    gate.open();
    const { status, body } = await exchange;
    assert.equal(status, 200, JSON.stringify(body));
    assert.equal(await disconnecting, 1);
    assert.equal((await client.refresh(body.refresh_token)).status, 400);
    await assertRefused({ client, accessTokens: [body.access_token] });
    await node.close();
  });

/** The world's database with a gate that, once closed, holds transactions before a statement that starts like this. */
function gateBefore(start: string) {
  const [opened, reached] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  let closed = false;
  const pool = withinTransactions(world.database.pool, async (statement) => {
    if (!closed || !statement.startsWith(start)) return;
    reached.resolve();
    await opened.promise;
  });
  const close = () => {
    closed = true;
  };
  return { pool, close, open: () => opened.resolve(), reached: reached.promise };
}

suite('an application that is disabled', () => {
  test('gets no token, its tokens end within a second on every node, and other applications keep working', async () => {
    const ended = await connect(crm, world.ann);
    const untouched = await connect(other, world.ann);
    await disableApplication(world.deps, crm.clientId);
    const answers = [
      await crm.refresh(ended.refreshToken),
      await crm.redeem(ended.code),
      await clientCredentials(crm, world.ann),
    ];
    for (const { status, body } of answers) {
      assert.equal(status, 401);
      assert.equal(body.error, 'invalid_client');
    }
    await assertRefused(ended);
    await assertUntouched(untouched);
  });

  test('can’t begin an authorization, and a waiting one can’t be finished', async () => {
    const visitor = new Visitor(world.app);
    const { page, path } = await signInTo(world, visitor, crm.authorizeUrl(), world.ann);
    const late = new Visitor(world.app);
    const allowed = await signInTo(world, late, crm.authorizeUrl(), world.ann);
    const decided = await late.submit(allowed.page, allowed.path, { decision: 'allow' });
    await disableApplication(world.deps, crm.clientId);
    for (const visit of [
      await new Visitor(world.app).get(crm.authorizeUrl()),
      await visitor.get(path),
      await visitor.submit(page, path, { decision: 'allow' }),
      await late.get(decided.location ?? ''),
    ]) {
      assert.equal(visit.status, 400);
      assert.equal(visit.location, undefined);
      assert.match(visit.body, /<h1>/);
    }
  });
});

suite('an advisor who is disabled', () => {
  test('has no applications acting for them: refresh, codes and client credentials end, access tokens within a second', async () => {
    const ended = [await connect(crm, world.ann), await connect(other, world.ann)];
    const untouched = await connect(crm, world.bob);
    await setAdvisor(world.deps, world.ann.advisor.advisorId, { disabled: true });
    for (const held of ended) {
      await assertEnded(held);
      const { status, body } = await clientCredentials(held.client, world.ann);
      assert.deepEqual([status, body.error], [400, 'invalid_grant']);
    }
    await assertUntouched(untouched);
  });

  test('is signed out everywhere, and can’t allow anything', async () => {
    const visitor = new Visitor(world.app);
    const { page, path } = await signInTo(world, visitor, crm.authorizeUrl(), world.ann);
    const late = new Visitor(world.app);
    await setAdvisor(world.deps, world.ann.advisor.advisorId, { disabled: true });
    const decided = await visitor.submit(page, path, { decision: 'allow' });
    assert.deepEqual([decided.status, decided.location], [303, path], 'back to the sign-in');
    assert.match((await visitor.get(path)).body, /type="password"/);
    const form = await late.get('/sign-in');
    const { email } = world.ann.advisor;
    assert.equal((await late.submit(form, '/sign-in', { email, password })).status, 400);
  });

  test('who is disabled after allowing gets the application no code', async () => {
    const visitor = new Visitor(world.app);
    const { page, path } = await signInTo(world, visitor, crm.authorizeUrl(), world.ann);
    const decided = await visitor.submit(page, path, { decision: 'allow' });
    await setAdvisor(world.deps, world.ann.advisor.advisorId, { disabled: true });
    await assertDenied(await visitor.get(decided.location ?? ''));
  });
});

test('a grant with any number of tokens ends at once, and they are deleted afterwards', async () => {
  const client = await makeClient(world);
  const { refresh_token: refreshToken } = await client.tokens(world.ann);
  const [{ grant_id: grantId } = { grant_id: '' }] = await world.database.asOwner<{ grant_id: string }>(
    'select grant_id from oauth_tokens where token_hash = $1',
    [hashSecret(refreshToken)],
  );
  await world.database.asOwner(
    `insert into oauth_tokens (token_hash, kind, grant_id, payload, date_time_expires, date_time_used)
     select sha256(convert_to(n::text, 'utf8')), 'RefreshToken', $1, '{}', now() + interval '1 day', now()
     from generate_series(1, 2500) n`,
    [grantId],
  );
  const held = async () =>
    (await world.database.asOwner('select from oauth_tokens where grant_id = $1', [grantId])).length;
  await disconnect(world.deps, client.clientId, world.ann.advisor.advisorId);
  assert.ok((await held()) > 2500, 'ending it touches none of them');
  assert.equal((await client.refresh(refreshToken)).status, 400);
  await forgetExpiredTokens(world.deps);
  assert.equal(await held(), 0);
  assert.deepEqual(await world.database.asOwner('select from ended_grants'), []);
});

import assert from 'node:assert/strict';
import { after, afterEach, before, beforeEach, mock, suite, test } from 'node:test';
import pg from 'pg';
import type { App } from '../../src/app.ts';
import { provision } from '../../src/domain/access/grants.ts';
import { setAdvisor } from '../../src/domain/accounts/advisors.ts';
import type { Pool } from '../../src/store/database/db.ts';
import { connect } from '../../src/store/database/pool.ts';
import { appRole } from '../../src/store/database/schema/migrate.ts';
import { type DatabaseProxy, type Fate, startProxy } from '../support/database-proxy.ts';
import { anotherNode } from '../support/nodes.ts';
import { type Client, makeClient, password, redirectUri, signInTo } from '../support/oauth-client.ts';
import { withinTransactions } from '../support/statements.ts';
import { type Visit, Visitor } from '../support/visitor.ts';
import { until } from '../support/waiting.ts';
import { type Answer, inject, makeWorld, type World } from '../support/world.ts';

const form = { 'content-type': 'application/x-www-form-urlencoded' };

/** The contract's transient fault: a client waits and retries the same request. */
function assertUnavailable({ status, headers, body }: Answer, description = /Nothing was done: try again\.$/): void {
  assert.equal(status, 503, JSON.stringify(body));
  assert.match(headers['retry-after'] ?? '', /^[1-9]\d*$/);
  assert.match(headers['content-type'] ?? '', /^application\/json\b/);
  assert.equal(headers['cache-control'], 'no-store');
  assert.deepEqual(Object.keys(body), ['error', 'error_description']);
  assert.equal(body.error, 'temporarily_unavailable');
  assert.match(body.error_description, description);
}

/** The same as a page for the advisor: it shows nothing of the request's effect. */
function assertUnavailablePage({ status, headers, body, location }: Visit): void {
  assert.equal(status, 503, body);
  assert.match(String(headers['retry-after']), /^[1-9]\d*$/);
  assert.match(String(headers['content-type']), /^text\/html\b/);
  assert.equal(location, undefined);
  assert.equal(headers['set-cookie'], undefined);
  assert.match(body, /reload/i);
}

function codeOf(back: Visit): string {
  assert.ok(back.location?.startsWith(redirectUri), `${back.status} ${back.location}`);
  return new URL(back.location ?? '').searchParams.get('code') ?? '';
}

suite('while PostgreSQL can’t be reached', () => {
  let world: World;
  let proxy: DatabaseProxy;
  let pool: Pool;
  let node: App;
  let client: Client;
  before(async () => {
    world = await makeWorld();
    proxy = await startProxy(world.database.url);
    pool = connect({ connectionString: proxy.url, size: 5, timeoutMs: 1_000, role: appRole });
    node = await anotherNode(world, { pool });
    client = await makeClient({ ...world, app: node });
    await provision(world.deps, world.ann.advisor.advisorId, client.clientId);
  });
  after(async () => {
    await node.close();
    await pool.end();
    await proxy.close();
    await world.close();
  });
  afterEach(start);

  function start(): void {
    proxy.fate = 'pass';
  }

  function stop(): void {
    proxy.fate = 'cut the cable';
    proxy.drop();
  }

  test('a code exchange is 503 with Retry-After, and the same code works afterwards', async () => {
    const code = await client.code(world.ann);
    stop();
    for (let attempt = 1; attempt <= 3; attempt++) assertUnavailable(await client.redeem(code));
    start();
    const { status, body } = await client.redeem(code);
    assert.equal(status, 200);
    assert.equal((await client.call(body.access_token)).status, 200);
  });

  test('a refresh is 503 with Retry-After, and the same refresh token works afterwards', async () => {
    const { refresh_token } = await client.tokens(world.ann);
    stop();
    for (let attempt = 1; attempt <= 3; attempt++) assertUnavailable(await client.refresh(refresh_token));
    start();
    const { status, body } = await client.refresh(refresh_token);
    assert.equal(status, 200);
    assert.equal((await client.refresh(body.refresh_token)).status, 200);
  });

  test('client credentials are 503 with Retry-After, whether the secret is right or wrong', async () => {
    const grant = { grant_type: 'client_credentials' };
    stop();
    assertUnavailable(await client.token(grant));
    assertUnavailable(await client.token({ ...grant, client_secret: 'wrong' }));
    start();
    assert.equal((await client.token(grant)).status, 200);
    assert.equal((await client.token({ ...grant, client_secret: 'wrong' })).status, 401);
  });

  test('a revocation is 503 with Retry-After, and works afterwards', async () => {
    const { access_token, refresh_token } = await client.tokens(world.ann);
    const revoke = (token: string) =>
      client.post('/oauth/revoke', { client_id: client.clientId, client_secret: client.clientSecret, token });
    stop();
    for (const token of [access_token, refresh_token, 'unknown']) assertUnavailable(await revoke(token));
    start();
    assert.equal((await client.call(access_token)).status, 200, 'nothing was revoked');
    assert.equal((await revoke(access_token)).status, 200);
    await until('the token is refused', async () => (await client.call(access_token)).status === 401);
    assert.equal((await revoke(refresh_token)).status, 200);
    assert.equal((await client.refresh(refresh_token)).status, 400);
  });

  test('an authorization request is a 503 page, and the same link works afterwards', async () => {
    const visitor = new Visitor(node);
    const link = client.authorizeUrl();
    stop();
    assertUnavailablePage(await visitor.get(link));
    start();
    const { page, path } = await signInTo(world, visitor, link, world.ann);
    const decided = await visitor.submit(page, path, { decision: 'allow' });
    assert.equal((await client.redeem(codeOf(await visitor.get(decided.location ?? '')))).status, 200);
  });

  test('each of the advisor’s steps is a 503 page, and works on the same page afterwards', async () => {
    await setAdvisor(world.deps, world.ann.advisor.advisorId, { password });
    const visitor = new Visitor(node);
    const { location: path = '' } = await visitor.get(client.authorizeUrl());
    const signIn = await visitor.get(path);

    /** Tries the step without PostgreSQL, then with it. */
    async function twice(step: () => Promise<Visit>): Promise<Visit> {
      stop();
      assertUnavailablePage(await step());
      start();
      return step();
    }
    const { email } = world.ann.advisor;
    const signedIn = await twice(() => visitor.submit(signIn, '/sign-in', { email, password }));
    assert.deepEqual([signedIn.status, signedIn.location], [303, path]);
    const consent = await twice(() => visitor.get(path));
    const decided = await twice(() => visitor.submit(consent, path, { decision: 'allow' }));
    assert.equal(decided.status, 303);
    const back = await twice(() => visitor.get(decided.location ?? ''));
    assert.equal((await client.redeem(codeOf(back))).status, 200);
  });

  test('a denial is a 503 page, and works on the same page afterwards', async () => {
    const visitor = new Visitor(node);
    const { page, path } = await signInTo(world, visitor, client.authorizeUrl(), world.ann);
    stop();
    assertUnavailablePage(await visitor.submit(page, path, { decision: 'deny' }));
    start();
    const decided = await visitor.submit(page, path, { decision: 'deny' });
    const { location } = await visitor.get(decided.location ?? '');
    assert.equal(new URL(location ?? '').searchParams.get('error'), 'access_denied');
  });

  test('a disconnect is a 503 page that ends nothing, and works on the same page afterwards', async () => {
    const { refresh_token } = await client.tokens(world.ann);
    const visitor = new Visitor(node);
    await signInTo(world, visitor, client.authorizeUrl(), world.ann);
    const page = await visitor.get(`/connected-apps/disconnect?clientId=${client.clientId}`);
    const press = () => visitor.submit(page, '/connected-apps/disconnect', { clientId: client.clientId });
    stop();
    assertUnavailablePage(await press());
    start();
    const { status, body } = await client.refresh(refresh_token);
    assert.equal(status, 200);
    assert.equal((await press()).status, 303);
    assert.equal((await client.refresh(body.refresh_token)).status, 400);
  });

  test('discovery and the keys stay available', async () => {
    const paths = ['/.well-known/openid-configuration', '/.well-known/oauth-authorization-server', '/oauth/jwks'];
    const answers = () => Promise.all(paths.map((url) => inject(node, { method: 'GET', url })));
    const earlier = await answers();
    stop();
    for (let attempt = 1; attempt <= 2; attempt++) {
      const now = await answers();
      for (const [index, { status, body }] of now.entries()) {
        assert.equal(status, 200);
        assert.deepEqual(body, earlier[index]?.body);
      }
    }
  });

  test('a node that hasn’t read its keys yet is 503 with Retry-After until it has', async () => {
    const fresh = await anotherNode(world, { pool });
    const keys = () => inject(fresh, { method: 'GET', url: '/oauth/jwks' });
    stop();
    assertUnavailable(await keys(), /Try again\.$/);
    start();
    assert.equal((await keys()).status, 200);
    await fresh.close();
  });
});

suite('when a connection fails', () => {
  let world: World;
  let proxy: DatabaseProxy;
  let pool: Pool;
  let node: App;
  let client: Client;
  before(async () => {
    world = await makeWorld();
  });
  beforeEach(async () => {
    proxy = await startProxy(world.database.url);
    pool = connect({ connectionString: proxy.url, size: 5, timeoutMs: 1_000, settleMs: 1_000, role: appRole });
    node = await anotherNode(world, { pool });
    client = await makeClient({ ...world, app: node });
  });
  after(() => world.close());
  afterEach(async () => {
    await node.close();
    await pool.end();
    await proxy.close();
  });

  async function meanwhile<Result>(fate: Fate, work: () => Promise<Result>): Promise<Result> {
    proxy.fate = fate;
    return work().finally(() => {
      proxy.fate = 'pass';
    });
  }

  test('a lost commit has done nothing: code and refresh are 503, and then work', async () => {
    const code = await client.code(world.ann);
    assertUnavailable(await meanwhile('lose the commit', () => client.redeem(code)));
    const { status, body } = await client.redeem(code);
    assert.equal(status, 200);
    const { refresh_token } = body;
    assertUnavailable(await meanwhile('lose the commit', () => client.refresh(refresh_token)));
    assert.equal((await client.refresh(refresh_token)).status, 200);
  });

  test('a lost commit during the advisor’s redirect is a 503 page, and a reload gets the code', async () => {
    const visitor = new Visitor(node);
    const { page, path } = await signInTo(world, visitor, client.authorizeUrl(), world.ann);
    const { location = '' } = await visitor.submit(page, path, { decision: 'allow' });
    assertUnavailablePage(await meanwhile('lose the commit', () => visitor.get(location)));
    assert.equal((await client.redeem(codeOf(await visitor.get(location)))).status, 200);
  });

  for (const fate of ['lose the answer', 'fall silent'] as const)
    test(`a commit without an answer (${fate}) is looked up: the client gets its tokens`, async () => {
      const code = await client.code(world.ann);
      const redeemed = await meanwhile(fate, () => client.redeem(code));
      assert.equal(redeemed.status, 200, JSON.stringify(redeemed.body));
      assert.equal((await client.call(redeemed.body.access_token)).status, 200);
      const refreshed = await meanwhile(fate, () => client.refresh(redeemed.body.refresh_token));
      assert.equal(refreshed.status, 200);
      assert.equal((await client.refresh(refreshed.body.refresh_token)).status, 200);
    });

  test('a commit without an answer during the advisor’s redirect still gives the code', async () => {
    const visitor = new Visitor(node);
    const { page, path } = await signInTo(world, visitor, client.authorizeUrl(), world.ann);
    const { location = '' } = await visitor.submit(page, path, { decision: 'allow' });
    const back = await meanwhile('lose the answer', () => visitor.get(location));
    assert.equal((await client.redeem(codeOf(back))).status, 200);
  });

  for (const fate of ['cut the cable', 'hang'] as const)
    test(`a refresh with an unknown outcome (${fate}) is 503, and a retry gets its answer`, async () => {
      const { refresh_token } = await client.tokens(world.ann);
      assertUnavailable(await meanwhile(fate, () => client.refresh(refresh_token)), /Try again\.$/);
      proxy.drop();
      const retried = await client.refresh(refresh_token);
      assert.equal(retried.status, 200, JSON.stringify(retried.body));
      assert.deepEqual((await client.refresh(refresh_token)).body, retried.body, 'always the same one');
      assert.equal((await client.refresh(retried.body.refresh_token)).status, 200);
    });

  test('a code exchange with an unknown outcome is a 503 that doesn’t claim that nothing was done', async () => {
    const code = await client.code(world.ann);
    const answer = await meanwhile('cut the cable', () => client.redeem(code));
    assertUnavailable(answer, / Try again\.$/);
    assert.doesNotMatch(answer.body.error_description, /nothing was done/i);
    const { status, body } = await client.redeem(code);
    assert.deepEqual([status, body.error], [400, 'invalid_grant'], 'it was redeemed: the flow begins again');
    assert.equal((await client.redeem(await client.code(world.ann))).status, 200);
  });

  const locks: [string, string][] = [
    ['its grant', 'select from grants for update'],
    ['its token', 'select from oauth_tokens for update'],
  ];
  for (const [what, lock] of locks)
    test(`a request that waits too long for ${what} is 503 while it is still held, and then works`, async () => {
      const { refresh_token } = await client.tokens(world.ann);
      const code = await client.code(world.ann);
      const holder = new pg.Client({ connectionString: world.database.url });
      await holder.connect();
      await holder.query(`begin; ${lock}`);
      const startedAt = performance.now();
      const answers = await Promise.all([client.refresh(refresh_token), client.redeem(code)]);
      const tookMs = performance.now() - startedAt;
      await holder.end();
      for (const answer of answers) assertUnavailable(answer);
      assert.ok(tookMs > 900, `${tookMs} ms`);
      assert.equal((await client.refresh(refresh_token)).status, 200);
      assert.equal((await client.redeem(code)).status, 200);
    });
});

suite('a fault on our side', () => {
  const secret = 'a secret of the inside';
  let world: World;
  let client: Client;
  before(async () => {
    world = await makeWorld();
  });
  beforeEach(async () => {
    client = await makeClient(world);
  });
  after(() => world.close());
  afterEach(() => mock.restoreAll());

  function assertServerError({ status, body }: Answer): void {
    assert.equal(status, 500);
    assert.deepEqual(Object.keys(body), ['error', 'error_description']);
    assert.equal(body.error, 'server_error');
    assert.doesNotMatch(JSON.stringify(body), /secret|Error:|\.ts|select|insert/);
  }

  test('is 500 server_error, never 503, and reveals no internals', async () => {
    const { refresh_token } = await client.tokens(world.ann);
    const fail = async () => {
      throw new TypeError(secret);
    };
    const { clientId, clientSecret } = client;
    mock.method(world.database.pool, 'transaction', fail);
    mock.method(world.database.pool, 'query', fail);
    assertServerError(await client.refresh(refresh_token));
    assertServerError(await client.token({ grant_type: 'client_credentials' }));
    const revocation = { client_id: clientId, client_secret: clientSecret, token: refresh_token };
    assertServerError(await client.post('/oauth/revoke', revocation));
    const { status, body, location } = await new Visitor(world.app).get(client.authorizeUrl());
    assert.equal(status, 500);
    assert.equal(location, undefined);
    assert.match(body, /<h1>/);
    assert.doesNotMatch(body, /secret|TypeError/);
    mock.restoreAll();
    assert.equal((await client.refresh(refresh_token)).status, 200);
  });

  test('in the middle of a request spends nothing: the same code, token and page work afterwards', async () => {
    let broken = '';
    const pool = withinTransactions(world.database.pool, async (statement) => {
      if (broken && statement.startsWith(broken)) throw new TypeError(secret);
    });
    const node = await anotherNode(world, { pool });
    client = await makeClient({ ...world, app: node });
    const visitor = new Visitor(node);
    const { page, path } = await signInTo(world, visitor, client.authorizeUrl(), world.ann);
    const { location = '' } = await visitor.submit(page, path, { decision: 'allow' });

    broken = 'insert into oauth_tokens';
    const failed = await visitor.get(location);
    assert.equal(failed.status, 500);
    assert.equal(failed.location, undefined);
    assert.equal(failed.headers['set-cookie'], undefined);
    assert.doesNotMatch(failed.body, /secret/);
    broken = '';
    const code = codeOf(await visitor.get(location));

    broken = 'insert into oauth_tokens';
    assertServerError(await client.redeem(code));
    broken = '';
    const { status, body } = await client.redeem(code);
    assert.equal(status, 200);

    broken = 'update oauth_tokens set successor_hash';
    assertServerError(await client.refresh(body.refresh_token));
    broken = '';
    assert.equal((await client.refresh(body.refresh_token)).status, 200);
    await node.close();
  });

  test('on a node that hasn’t read its keys yet is 500 too, and reveals no internals', async () => {
    mock.method(world.database.pool, 'query', async () => {
      throw new TypeError(secret);
    });
    const fresh = await anotherNode(world);
    assertServerError(await inject(fresh, { method: 'POST', url: '/oauth/token', headers: form, payload: '' }));
    await fresh.close();
  });
});

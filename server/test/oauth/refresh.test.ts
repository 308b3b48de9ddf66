import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { after, suite, test } from 'node:test';
import { disconnect } from '../../src/domain/access/grants.ts';
import { setAdvisor } from '../../src/domain/accounts/advisors.ts';
import { allOf, makeClient } from '../support/oauth-client.ts';
import { assertProblem } from '../support/problem.ts';
import {
  assertError,
  assertServerSideOnly,
  assertStillWorks,
  claimsOf,
  granted,
  makeOAuthWorld,
  untilEnded,
} from './setup.ts';

const { world, crm, other, tokensFor, expire } = await makeOAuthWorld();
after(() => world.close());
const { ann, bob } = world;

suite('a refresh token', () => {
  test('is exchanged for a new one and a new access token', async () => {
    const first = await tokensFor(crm);
    const answer = await crm.refresh(first.refresh_token);
    const second = granted(answer);
    assert.notEqual(second.refresh_token, first.refresh_token);
    assert.notEqual(second.access_token, first.access_token);
    assert.deepEqual(Object.keys(second).toSorted(), Object.keys(first).toSorted());
    assert.equal(second.scope, first.scope);
    assert.equal(second.token_type, 'Bearer');
    assert.ok(second.expires_in <= 900);
    assertServerSideOnly(answer);
    for (const token of [first.access_token, second.access_token]) assert.equal((await crm.call(token)).status, 200);
    const third = granted(await crm.refresh(second.refresh_token));
    assert.equal(claimsOf(third.access_token).grant_id, claimsOf(first.access_token).grant_id);
  });

  test('narrows the scope on request, for that access token only', async () => {
    const first = await tokensFor(crm);
    const narrow = granted(await crm.refresh(first.refresh_token, { scope: 'openid text.messaging.read' }));
    assert.equal(narrow.scope, 'openid text.messaging.read');
    assert.equal(claimsOf(narrow.access_token).scope, 'openid text.messaging.read');
    assertProblem(await crm.call(narrow.access_token), 'forbidden');
    assert.equal(granted(await crm.refresh(narrow.refresh_token)).scope, allOf);
  });

  test('gives no id_token if the narrower scope lacks openid', async () => {
    const first = await tokensFor(crm);
    const narrow = granted(await crm.refresh(first.refresh_token, { scope: 'text.messaging.read' }));
    assert.equal('id_token' in narrow, false);
  });

  for (const scope of ['openid core.contacts.write', 'openid nonsense', 'openid  openid', allOf])
    test(`can’t widen the scope to ${JSON.stringify(scope)}: it is 400, and the token still works`, async () => {
      const client = await makeClient(world);
      await tokensFor(client);
      const { refresh_token } = await tokensFor(client, 'openid offline_access core.contacts.read');
      assertError(await client.refresh(refresh_token, { scope }), 400, 'invalid_scope');
      granted(await client.refresh(refresh_token));
    });

  test('with another resource is 400, and the token still works', async () => {
    const { refresh_token } = await tokensFor(crm);
    assertError(await crm.refresh(refresh_token, { resource: 'https://evil.example/' }), 400, 'invalid_target');
    granted(await crm.refresh(refresh_token));
  });

  test('that has expired is 400', async () => {
    const { refresh_token } = await tokensFor(crm);
    await expire(refresh_token);
    assertError(await crm.refresh(refresh_token), 400, 'invalid_grant', /expired/);
  });

  test('that was never issued, is missing, or is an access token is 400', async () => {
    const { access_token } = await tokensFor(crm);
    for (const token of ['nonsense', randomBytes(32).toString('base64url'), '\0', access_token])
      assertError(await crm.refresh(token), 400, 'invalid_grant', /unknown/);
    assertError(await crm.refresh(''), 400, 'invalid_request', /refresh_token/);
  });

  test('of another client is 400, and its own client’s grant keeps working', async () => {
    const client = await makeClient(world);
    const tokens = await tokensFor(client);
    assertError(await other.refresh(tokens.refresh_token), 400, 'invalid_grant', /different client/);
    await assertStillWorks(client, tokens);
    assertError(await other.refresh(tokens.refresh_token), 400, 'invalid_grant', /different client/);
  });

  test('is 400 once the application is disconnected, and its access tokens end within a second', async () => {
    const client = await makeClient(world);
    const tokens = await tokensFor(client);
    assert.equal((await client.call(tokens.access_token)).status, 200);
    await disconnect(world.deps, client.clientId, ann.advisor.advisorId);
    assertError(await client.refresh(tokens.refresh_token), 400, 'invalid_grant');
    await untilEnded(client, tokens.access_token);
  });

  test('of a disabled advisor is 400, and works again when the advisor is enabled', async () => {
    const tokens = await crm.tokens(bob);
    await setAdvisor(world.deps, bob.advisor.advisorId, { disabled: true });
    assertError(await crm.refresh(tokens.refresh_token), 400, 'invalid_grant');
    await setAdvisor(world.deps, bob.advisor.advisorId, { disabled: false });
    granted(await crm.refresh(tokens.refresh_token));
  });

  test('outlives the session in which it was issued', async () => {
    const tokens = await crm.tokens(bob);
    await world.database.asOwner('delete from sessions where advisor_id = $1', [bob.advisor.advisorId]);
    granted(await crm.refresh(tokens.refresh_token));
  });
});

test('a grant that is refreshed without end is throttled, and works again after the wait', async () => {
  const client = await makeClient(world);
  let tokens = await tokensFor(client);
  const startedMs = performance.now();
  let answer = await client.refresh(tokens.refresh_token);
  let refreshes = 0;
  for (; answer.status === 200 && refreshes < 600; refreshes++) {
    tokens = answer.body;
    answer = await client.refresh(tokens.refresh_token);
  }
  // The bucket holds 200, and refills by one every five seconds while a slow machine refreshes.
  const refilled = Math.floor((performance.now() - startedMs) / 5_000);
  assert.ok(refreshes >= 200 && refreshes <= 200 + refilled, `${refreshes} refreshes`);
  assertError(answer, 429, 'temporarily_unavailable', /too often/);
  assert.match(answer.headers['retry-after'] ?? '', /^[1-5]$/);
  await world.database.asOwner("update throttles set date_time_filled = date_time_filled - interval '10 seconds'");
  granted(await client.refresh(tokens.refresh_token));
});

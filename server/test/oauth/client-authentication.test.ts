import assert from 'node:assert/strict';
import { after, suite, test } from 'node:test';
import { rotateSecret } from '../../src/domain/access/applications.ts';
import { makeSecret } from '../../src/domain/shared/secrets.ts';
import { makeClient } from '../support/oauth-client.ts';
import { inject } from '../support/world.ts';
import { assertError, formType, granted, makeOAuthWorld, refreshForm } from './setup.ts';

const { world, crm, other, codeFor, tokensFor, post } = await makeOAuthWorld();
after(() => world.close());

suite('client authentication', () => {
  test('a wrong secret is 401', async () => {
    for (const client_secret of [makeSecret('clientSecret', 'sandbox'), other.clientSecret, 'x', '\0', crm.clientId])
      assertError(await crm.token({ ...refreshForm(crm), client_secret }), 401, 'invalid_client', /secret is wrong/);
    const almost = crm.clientSecret.toUpperCase();
    assertError(await crm.token({ ...refreshForm(crm), client_secret: almost }), 401, 'invalid_client');
  });

  test('an unknown client is 401, with any client_id', async () => {
    for (const client_id of [makeSecret('clientId', 'sandbox'), 'nobody', '\0', '__proto__', 'a'.repeat(10_000)])
      assertError(await crm.token({ ...refreshForm(crm), client_id }), 401, 'invalid_client', /unknown or disabled/);
  });

  test('a missing secret is 401, and so is a missing client', async () => {
    assertError(await crm.token({ ...refreshForm(crm), client_secret: '' }), 401, 'invalid_client', /client_secret/);
    const { client_secret: _left, ...withoutSecret } = refreshForm(crm);
    const { client_id: _out, ...withoutId } = refreshForm(crm);
    assertError(await crm.post('/oauth/token', withoutSecret), 401, 'invalid_client', /client_secret/);
    assertError(await crm.post('/oauth/token', withoutId), 401, 'invalid_client', /client_id/);
    assertError(await crm.post('/oauth/token', { grant_type: 'refresh_token' }), 401, 'invalid_client');
  });

  test('Basic is 401 even with the right credentials, with or without the form', async () => {
    const authorization = `Basic ${btoa(`${crm.clientId}:${crm.clientSecret}`)}`;
    const { refresh_token } = await tokensFor(crm);
    for (const form of [refreshForm(crm, refresh_token), { grant_type: 'refresh_token', refresh_token }]) {
      const answer = await crm.post('/oauth/token', form, { authorization });
      assertError(answer, 401, 'invalid_client', /in the form, not in the Authorization header/);
      assert.match(answer.headers['www-authenticate'] ?? '', /^Basic /);
    }
    granted(await crm.refresh(refresh_token));
  });

  test('a bearer token in the Authorization header is not accepted', async () => {
    const { access_token } = await tokensFor(crm);
    const authorization = `Bearer ${access_token}`;
    assertError(await crm.post('/oauth/token', refreshForm(crm), { authorization }), 401, 'invalid_client');
  });

  test('a secret in the query is ignored', async () => {
    const { client_secret, ...form } = refreshForm(crm, (await tokensFor(crm)).refresh_token);
    const answer = await post(String(new URLSearchParams(form)), {}, `/oauth/token?client_secret=${client_secret}`);
    assertError(answer, 401, 'invalid_client', /in the form/);
    const all = await post('', {}, `/oauth/token?${new URLSearchParams(refreshForm(crm))}`);
    assert.ok(all.status === 400 || all.status === 401, String(all.status));
  });

  test('a production secret is 401 and the error says so, and so is a production client id', async () => {
    const secret = { client_secret: makeSecret('clientSecret', 'production') };
    const id = { client_id: makeSecret('clientId', 'production') };
    for (const [form, name] of [
      [secret, 'client_secret'],
      [id, 'client_id'],
    ] as const)
      assertError(
        await crm.token({ ...refreshForm(crm), ...form }),
        401,
        'invalid_client',
        new RegExp(`The ${name} is for a different environment: this is the sandbox`),
      );
  });

  test('after a rotation the old secret is 401 and the new one works', async () => {
    const client = await makeClient(world);
    const { refresh_token } = await tokensFor(client);
    const client_secret = await rotateSecret(world.deps, client.clientId);
    assertError(await client.refresh(refresh_token), 401, 'invalid_client');
    granted(await client.refresh(refresh_token, { client_secret }));
  });

  test('a wrong secret spends nothing: code and refresh token still work', async () => {
    const code = await codeFor(crm);
    assertError(await crm.redeem(code, { client_secret: 'x' }), 401, 'invalid_client');
    const { refresh_token } = granted(await crm.redeem(code));
    assertError(await crm.refresh(refresh_token, { client_secret: 'x' }), 401, 'invalid_client');
    granted(await crm.refresh(refresh_token));
  });

  test('many wrong secrets are 429 with Retry-After, but the right one still works', async () => {
    const client = await makeClient(world);
    const tokens = await tokensFor(client);
    const wrong = () => client.token({ ...refreshForm(client), client_secret: 'x' });
    let answer = await wrong();
    for (let attempt = 1; attempt < 300 && answer.status === 401; attempt++) answer = await wrong();
    assertError(answer, 429, 'temporarily_unavailable', /Too many/);
    assert.match(answer.headers['retry-after'] ?? '', /^[1-9]\d*$/);
    granted(await client.refresh(tokens.refresh_token));
    assertError(await other.token({ ...refreshForm(other), client_secret: 'x' }), 401, 'invalid_client');
  });
});

test('attempts at many clients from one address are throttled, in a single bucket', async () => {
  const from = (clientId: string) =>
    inject(world.app, {
      method: 'POST',
      url: '/oauth/token',
      headers: { 'content-type': formType },
      remoteAddress: '203.0.113.99',
      payload: new URLSearchParams({
        client_id: clientId,
        client_secret: 'x',
        grant_type: 'client_credentials',
      }).toString(),
    });
  const buckets = async () => (await world.database.asOwner('select from throttles')).length;
  const before = await buckets();
  const statuses = new Set<number>();
  // More than the bucket holds, because it refills while a slow machine tries.
  for (let count = 0; count < 600 && !statuses.has(429); count++)
    statuses.add((await from(makeSecret('clientId', 'sandbox'))).status);
  assert.deepEqual([...statuses], [401, 429]);
  assert.equal((await buckets()) - before, 1);
});

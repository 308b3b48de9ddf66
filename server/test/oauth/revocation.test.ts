import assert from 'node:assert/strict';
import { after, suite, test } from 'node:test';
import { importJWK, SignJWT } from 'jose';
import { provision } from '../../src/domain/access/grants.ts';
import { signingKeyRing } from '../../src/domain/access/signing-keys.ts';
import { type Client, makeClient } from '../support/oauth-client.ts';
import { until } from '../support/waiting.ts';
import { type Answer, inject, makeWorld } from '../support/world.ts';
import {
  assertError,
  assertServerSideOnly,
  assertStillWorks,
  claimsOf,
  granted,
  makeOAuthWorld,
  untilEnded,
} from './setup.ts';

const { world, crm, other, codeFor, tokensFor, post, expire } = await makeOAuthWorld();
after(() => world.close());
const { ann } = world;

suite('revocation', () => {
  function revoke(client: Client, token: string, changes: Record<string, string> = {}): Promise<Answer> {
    const { clientId: client_id, clientSecret: client_secret } = client;
    return client.post('/oauth/revoke', { client_id, client_secret, token, ...changes });
  }

  /** RFC 7009: 200, and the body means nothing; a client that parses it finds nothing to parse. */
  function assertRevoked(answer: Answer): void {
    assert.equal(answer.status, 200, JSON.stringify(answer.body));
    assert.equal(answer.body, '');
    assert.doesNotMatch(answer.headers['content-type'] ?? '', /json/);
    assertServerSideOnly(answer);
  }

  test('of a refresh token ends the grant with all its refresh and access tokens', async () => {
    const client = await makeClient(world);
    const [one, two] = [await tokensFor(client), await tokensFor(client)];
    assert.equal((await client.call(one.access_token)).status, 200);
    assertRevoked(await revoke(client, one.refresh_token));
    for (const { refresh_token } of [one, two]) assertError(await client.refresh(refresh_token), 400, 'invalid_grant');
    for (const { access_token } of [one, two]) await untilEnded(client, access_token);
    await tokensFor(client);
  });

  test('of a used refresh token ends the grant too', async () => {
    const client = await makeClient(world);
    const first = await tokensFor(client);
    const second = granted(await client.refresh(first.refresh_token));
    assertRevoked(await revoke(client, first.refresh_token));
    assertError(await client.refresh(second.refresh_token), 400, 'invalid_grant');
  });

  test('of an access token ends that one within a second, and nothing else', async () => {
    const client = await makeClient(world);
    const first = await tokensFor(client);
    const second = granted(await client.refresh(first.refresh_token));
    assert.equal((await client.call(first.access_token)).status, 200);
    assertRevoked(await revoke(client, first.access_token));
    await untilEnded(client, first.access_token);
    await assertStillWorks(client, second);
    assertRevoked(await revoke(client, first.access_token));
  });

  test('of an access token from client credentials ends it within a second', async () => {
    const client = await makeClient(world);
    await provision(world.deps, ann.advisor.advisorId, client.clientId);
    const { access_token } = granted(await client.token({ grant_type: 'client_credentials' }));
    const status = async () => (await client.call(access_token, '/core/enumerations')).status;
    assert.equal(await status(), 200);
    assertRevoked(await revoke(client, access_token));
    await until('the access token is refused', async () => (await status()) === 401);
    granted(await client.token({ grant_type: 'client_credentials' }));
  });

  test('of a token that is unknown, garbled, expired or a code is 200, and ends nothing', async () => {
    const client = await makeClient(world);
    const tokens = await tokensFor(client);
    const code = await codeFor(client);
    const { refresh_token: expired } = await tokensFor(client);
    await expire(expired);
    const forged = `${tokens.access_token.slice(0, -4)}AAAA`;
    const garbage = ['nonsense', 'a.b.c', '...', '\0', 'é', 'a'.repeat(10_000), 'eyJhbGciOiJub25lIn0.e30.'];
    const late = await expiredCopy(tokens.access_token);
    for (const token of [...garbage, expired, late, forged, code, tokens.id_token])
      assertRevoked(await revoke(client, token));
    granted(await client.redeem(code));
    await assertStillWorks(client, tokens);
  });

  /** The access token as if it had expired an hour ago. */
  async function expiredCopy(accessToken: string): Promise<string> {
    const [key] = await signingKeyRing(world.deps)();
    assert.ok(key?.privateJwk);
    const hourAgo = Math.floor(Date.now() / 1000) - 3_600;
    return new SignJWT({ ...claimsOf(accessToken), iat: hourAgo - 900, exp: hourAgo })
      .setProtectedHeader({ alg: 'ES256', typ: 'at+jwt', kid: key.kid })
      .sign(await importJWK(key.privateJwk, 'ES256'));
  }

  test('of another client’s token is 400, and ends nothing', async () => {
    const client = await makeClient(world);
    const tokens = await tokensFor(client);
    for (const token of [tokens.refresh_token, tokens.access_token])
      assertError(await revoke(other, token), 400, 'invalid_request', /different client/);
    await assertStillWorks(client, tokens);
  });

  test('works with a wrong, unknown or missing hint', async () => {
    for (const hint of ['access_token', 'refresh_token', 'nonsense', '']) {
      const client = await makeClient(world);
      const tokens = await tokensFor(client);
      assertRevoked(await revoke(client, tokens.access_token, { token_type_hint: hint }));
      await untilEnded(client, tokens.access_token);
      assertRevoked(await revoke(client, tokens.refresh_token, { token_type_hint: hint }));
      assertError(await client.refresh(tokens.refresh_token), 400, 'invalid_grant');
    }
  });

  test('without a token is 400', async () => {
    assertError(await revoke(crm, ''), 400, 'invalid_request', /token/);
  });

  test('with the token twice is 400', async () => {
    const { clientId: client_id, clientSecret: client_secret } = crm;
    const form = new URLSearchParams({ client_id, client_secret, token: 'a' });
    form.append('token', 'b');
    assertError(await post(String(form), {}, '/oauth/revoke'), 400, 'invalid_request', /token/);
  });

  test('needs the client’s credentials, and without them ends nothing', async () => {
    const client = await makeClient(world);
    const tokens = await tokensFor(client);
    for (const token of [tokens.refresh_token, tokens.access_token]) {
      assertError(await revoke(client, token, { client_secret: 'x' }), 401, 'invalid_client');
      assertError(await revoke(client, token, { client_secret: '' }), 401, 'invalid_client');
      assertError(await client.post('/oauth/revoke', { token }), 401, 'invalid_client');
      const authorization = `Basic ${btoa(`${client.clientId}:x`)}`;
      assertError(await client.post('/oauth/revoke', { token }, { authorization }), 401, 'invalid_client');
    }
    await assertStillWorks(client, tokens);
  });

  test('of many access tokens at once works with two connections', async () => {
    const small = await makeWorld({ database: { size: 2, timeoutMs: 20_000 } });
    try {
      const client = await makeClient(small);
      const issue = () => small.token(small.ann.advisor.advisorId);
      const tokens = await Promise.all(Array.from({ length: 8 }, issue));
      await inject(small.app, { method: 'GET', url: '/oauth/jwks' });
      const { clientId: client_id, clientSecret: client_secret } = client;
      const answers = await Promise.all(
        tokens.map((token) => client.post('/oauth/revoke', { client_id, client_secret, token })),
      );
      // They were issued to another application; what matters is that each is checked, and quickly.
      assert.deepEqual([...new Set(answers.map(({ status }) => status))], [400]);
    } finally {
      await small.close();
    }
  });
});

import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { after, suite, test } from 'node:test';
import { disableApplication } from '../../src/domain/access/applications.ts';
import { disconnect } from '../../src/domain/access/grants.ts';
import { setAdvisor } from '../../src/domain/accounts/advisors.ts';
import { hashSecret } from '../../src/domain/shared/secrets.ts';
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

const { world, crm, other, codeFor, tokensFor, verified, expire } = await makeOAuthWorld();
after(() => world.close());
const { ann, bob } = world;
const { publicUrl } = world.config;

suite('the answer to a code', () => {
  test('has exactly the documented fields', async () => {
    const answer = await crm.redeem(await codeFor(crm));
    const body = granted(answer);
    assert.deepEqual(Object.keys(body).toSorted(), [
      'access_token',
      'expires_in',
      'id_token',
      'refresh_token',
      'scope',
      'token_type',
    ]);
    assert.equal(body.token_type, 'Bearer');
    assert.ok(body.expires_in > 0 && body.expires_in <= 900);
    assert.equal(body.scope, allOf);
    assert.match(body.refresh_token, /^[\w-]{43}$/);
    assert.match(answer.headers['content-type'] ?? '', /^application\/json\b/);
    assertServerSideOnly(answer);
  });

  test('has a refresh token only with offline_access', async () => {
    const body = await tokensFor(crm, 'openid core.contacts.read');
    assert.equal('refresh_token' in body, false);
    assert.equal(body.scope, 'openid core.contacts.read');
    assert.equal('refresh_token' in (await tokensFor(crm, 'openid offline_access')), true);
  });

  test('has an access token that is an ES256 at+jwt for our API and lasts at most 15 minutes', async () => {
    const { access_token, expires_in } = await tokensFor(crm, 'openid core.content.read text.messaging.read');
    const { payload, protectedHeader } = await verified(access_token);
    assert.equal(protectedHeader.alg, 'ES256');
    assert.equal(protectedHeader.typ, 'at+jwt');
    assert.equal(typeof protectedHeader.kid, 'string');
    const { iat = 0, exp = 0, jti, grant_id, authorization_id, ...rest } = payload;
    assert.deepEqual(rest, {
      iss: publicUrl,
      aud: `${publicUrl}/v1`,
      sub: String(ann.advisor.advisorId),
      client_id: crm.clientId,
      advisor_id: ann.advisor.advisorId,
      scope: 'openid core.content.read text.messaging.read',
    });
    assert.equal(exp - iat, expires_in);
    assert.ok(exp - iat <= 900);
    assert.ok(Math.abs(iat - Date.now() / 1000) < 60);
    assert.ok(jti && grant_id && authorization_id);
    assert.notEqual(claimsOf((await tokensFor(crm)).access_token).jti, jti);
  });

  test('has an id_token that verifies with the published keys and says who the advisor is', async () => {
    const nonce = 'n-1 <&>';
    const { id_token } = granted(await crm.redeem(await codeFor(crm, { nonce })));
    const { payload, protectedHeader } = await verified(id_token);
    assert.equal(protectedHeader.alg, 'ES256');
    assert.notEqual(protectedHeader.typ, 'at+jwt');
    assert.equal(payload.iss, publicUrl);
    assert.equal(payload.aud, crm.clientId);
    assert.equal(payload.sub, String(ann.advisor.advisorId));
    assert.equal(payload.advisor_id, ann.advisor.advisorId);
    assert.equal(payload.name, ann.advisor.name);
    assert.equal(payload.email, ann.advisor.email);
    assert.equal(payload.nonce, nonce);
    assert.ok((payload.exp ?? 0) - (payload.iat ?? 0) <= 900);
  });

  test('has an id_token that is not an access token', async () => {
    const { id_token } = await tokensFor(crm);
    assertProblem(await crm.call(id_token), 'unauthorized');
  });

  test('works on the API for that advisor, with that application’s key and no other', async () => {
    const { access_token } = await tokensFor(crm);
    assert.equal((await crm.call(access_token)).status, 200);
    assertProblem(await other.call(access_token), 'unauthorized', /different applications/);
  });

  test('a token without a route’s scope is 403, and the detail names the scope', async () => {
    const { access_token } = await tokensFor(crm, 'openid text.messaging.read');
    assertProblem(await crm.call(access_token), 'forbidden', /core\.contacts\.read/);
  });
});

suite('a code', () => {
  test('that was never issued is 400', async () => {
    for (const code of ['nonsense', randomBytes(32).toString('base64url'), '\0', 'é', 'a'.repeat(10_000)])
      assertError(await crm.redeem(code), 400, 'invalid_grant', /unknown/);
  });

  test('that is missing or empty is 400', async () => {
    assertError(await crm.redeem(''), 400, 'invalid_request', /code/);
    assertError(await crm.token({ grant_type: 'authorization_code' }), 400, 'invalid_request', /code/);
  });

  test('that has expired is 400', async () => {
    const code = await codeFor(crm);
    await expire(code);
    assertError(await crm.redeem(code), 400, 'invalid_grant', /expired/);
  });

  test('lasts at most a minute', async () => {
    const code = await codeFor(crm);
    const [row] = await world.database.asOwner<{ seconds: number }>(
      `select extract(epoch from date_time_expires - now())::float8 as seconds,
         (payload->>'exp')::bigint - (payload->>'iat')::bigint as lasts
       from oauth_tokens where token_hash = $1`,
      [hashSecret(code)],
    );
    assert.ok(row && row.seconds > 0 && row.seconds <= 61, JSON.stringify(row));
  });

  test('that is used again is 400, and ends every token that it gave', async () => {
    const client = await makeClient(world);
    const code = await codeFor(client);
    const first = granted(await client.redeem(code));
    const second = granted(await client.refresh(first.refresh_token));
    for (const { access_token } of [first, second]) assert.equal((await client.call(access_token)).status, 200);
    for (let time = 0; time < 2; time++) {
      assertError(await client.redeem(code), 400, 'invalid_grant', /used before, and its tokens have ended/);
      for (const { refresh_token, access_token } of [first, second]) {
        assertError(await client.refresh(refresh_token), 400, 'invalid_grant');
        await untilEnded(client, access_token);
      }
    }
  });

  test('that is used again ends nothing that another code gave, before or after', async () => {
    const client = await makeClient(world);
    const before = await tokensFor(client);
    const code = await codeFor(client);
    const ended = granted(await client.redeem(code));
    assertError(await client.redeem(code), 400, 'invalid_grant');
    await untilEnded(client, ended.access_token);
    await assertStillWorks(client, before);
    await assertStillWorks(client, await tokensFor(client));
  });

  test('that was used comes again with a wrong code_verifier or redirect_uri: 400, and its tokens keep working', async () => {
    const client = await makeClient(world);
    const code = await codeFor(client);
    const tokens = granted(await client.redeem(code));
    for (const name of ['code_verifier', 'redirect_uri'])
      assertError(await client.redeem(code, { [name]: randomBytes(32).toString('base64url') }), 400, 'invalid_grant');
    await assertStillWorks(client, tokens);
  });

  test('of another client is 400, and still works for its own', async () => {
    const code = await codeFor(crm);
    assertError(await other.redeem(code, { code_verifier: crm.verifier }), 400, 'invalid_grant', /different client/);
    granted(await crm.redeem(code));
  });

  test('that was used is 400 for another client too, and its own client’s grant keeps working', async () => {
    const client = await makeClient(world);
    const code = await codeFor(client);
    const tokens = granted(await client.redeem(code));
    assertError(await other.redeem(code, { code_verifier: client.verifier }), 400, 'invalid_grant');
    await assertStillWorks(client, tokens);
  });

  const mistakes: [string, Record<string, string>, string, RegExp][] = [
    ['another redirect_uri', { redirect_uri: 'https://crm.example/callback' }, 'invalid_grant', /redirect_uri/],
    ['no redirect_uri', { redirect_uri: '' }, 'invalid_request', /redirect_uri/],
    [
      'another code_verifier',
      { code_verifier: randomBytes(32).toString('base64url') },
      'invalid_grant',
      /does not match/,
    ],
    ['no code_verifier', { code_verifier: '' }, 'invalid_grant', /code_verifier/],
    ['a code_verifier that is too short', { code_verifier: 'a'.repeat(42) }, 'invalid_request', /code_verifier/],
    ['another resource', { resource: 'https://evil.example/' }, 'invalid_target', /resource/],
  ];
  for (const [what, changes, error, description] of mistakes)
    test(`with ${what} is 400, and the code still works after the mistake`, async () => {
      const code = await codeFor(crm);
      assertError(await crm.redeem(code, changes), 400, error, description);
      granted(await crm.redeem(code));
    });

  test('of an advisor who has been disabled is 400', async () => {
    const code = await crm.code(bob);
    await setAdvisor(world.deps, bob.advisor.advisorId, { disabled: true });
    try {
      assertError(await crm.redeem(code), 400, 'invalid_grant');
    } finally {
      await setAdvisor(world.deps, bob.advisor.advisorId, { disabled: false });
    }
  });

  test('of an application that has been disconnected is 400', async () => {
    const client = await makeClient(world);
    const code = await codeFor(client);
    await disconnect(world.deps, client.clientId, ann.advisor.advisorId);
    assertError(await client.redeem(code), 400, 'invalid_grant');
  });

  test('of an application that has been disabled is 401', async () => {
    const client = await makeClient(world);
    const code = await codeFor(client);
    await disableApplication(world.deps, client.clientId);
    assertError(await client.redeem(code), 401, 'invalid_client', /unknown or disabled/);
  });

  test('doesn’t work as a refresh token, nor a refresh token as a code', async () => {
    const client = await makeClient(world);
    const code = await codeFor(client);
    assertError(await client.refresh(code), 400, 'invalid_grant');
    const tokens = granted(await client.redeem(code));
    assertError(await client.redeem(tokens.refresh_token), 400, 'invalid_grant');
    await assertStillWorks(client, tokens);
  });
});

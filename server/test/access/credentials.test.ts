import assert from 'node:assert/strict';
import { createHmac, generateKeyPairSync, type KeyObject, randomUUID } from 'node:crypto';
import { after, before, suite, test } from 'node:test';
import { decodeJwt, importJWK, type JWTHeaderParameters, type JWTPayload, SignJWT } from 'jose';
import { issueApiKey, revokeApiKey, unlimited } from '../../src/domain/access/api-keys.ts';
import { addApplication, disableApplication } from '../../src/domain/access/applications.ts';
import { allScopes } from '../../src/domain/access/scopes.ts';
import { signingKeyRing } from '../../src/domain/access/signing-keys.ts';
import { issueToken } from '../../src/domain/access/tokens.ts';
import { setAdvisor } from '../../src/domain/accounts/advisors.ts';
import { makeSecret } from '../../src/domain/shared/secrets.ts';
import { routes } from '../../src/http/partner/routes.ts';
import { monotonicTime } from '../support/monotonic-time.ts';
import { assertProblem } from '../support/problem.ts';
import { type Answer, inject, makeWorld, type World } from '../support/world.ts';

const path = '/v1/core/contact/contacts';
const recordsMs = 1_000;
const tokenLifeMs = 15 * 60 * 1000;

suite('credentials', () => {
  let world: World;
  before(async () => {
    world = await makeWorld();
  });
  after(() => world.close());

  const get = (headers: Record<string, string>): Promise<Answer> =>
    inject(world.app, { method: 'GET', url: path, headers });
  const withKey = (apiKey: string) => get({ authorization: `Bearer ${world.ann.token}`, 'x-api-key': apiKey });
  const withToken = (token: string) => get({ authorization: `Bearer ${token}`, 'x-api-key': world.apiKey });

  test('both credentials together open the door', async () => {
    assert.equal((await withKey(world.apiKey)).status, 200);
  });

  suite('the API key', () => {
    test('a request without one is told to send x-api-key', async () => {
      assertProblem(await get({ authorization: `Bearer ${world.ann.token}` }), 'unauthorized', /x-api-key/);
      assertProblem(await withKey(''), 'unauthorized', /x-api-key/);
    });

    test('an unknown key is refused, and the detail names its header', async () => {
      assertProblem(await withKey(makeSecret('apiKey', 'sandbox')), 'unauthorized', /x-api-key.*unknown/);
    });

    test('a mistyped key is refused', async () => {
      const last = world.apiKey.at(-1) === 'a' ? 'b' : 'a';
      for (const mistyped of [
        world.apiKey.slice(0, -1) + last,
        world.apiKey.toUpperCase(),
        `${world.apiKey}x`,
        ` ${world.apiKey.slice(1)}`,
        world.clientId,
        'null',
        'é'.repeat(2000),
      ])
        assertProblem(await withKey(mistyped), 'unauthorized', /x-api-key/);
    });

    test('a key for the other environment is refused with a clear error', async () => {
      for (const key of [makeSecret('apiKey', 'production'), world.apiKey.replace('sandbox', 'production')])
        assertProblem(await withKey(key), 'unauthorized', /environment.*sandbox/);
    });

    test('a revoked key is refused within a second', async (t) => {
      const { keyId, apiKey } = await world.newKey(unlimited);
      assert.equal((await withKey(apiKey)).status, 200);
      const time = monotonicTime(t);
      await revokeApiKey(world.deps, keyId);
      time.pass(recordsMs);
      assertProblem(await withKey(apiKey), 'unauthorized', /x-api-key.*revoked/);
    });

    test('a key of a different application than the token’s is refused', async () => {
      const { application } = await addApplication(world.deps, { name: 'Other CRM', redirectUris: [] });
      const { apiKey } = await issueApiKey(world.deps, application.clientId, unlimited);
      assertProblem(await withKey(apiKey), 'unauthorized', /x-api-key.*different applications/);
    });

    test('two keys in one request count as none', async () => {
      const response = await world.app.inject({
        method: 'GET',
        url: path,
        headers: { authorization: `Bearer ${world.ann.token}`, 'x-api-key': [world.apiKey, world.apiKey] },
      });
      assert.equal(response.statusCode, 401);
      assert.match(response.json().detail, /x-api-key header was sent twice/);
    });
  });

  suite('the access token', () => {
    test('a request without one is told to send it', async () => {
      const key = { 'x-api-key': world.apiKey };
      const bearer = /send Authorization: Bearer <token>/;
      for (const authorization of ['Bearer', 'Bearer ', `Basic ${world.ann.token}`, world.ann.token])
        assertProblem(await get({ ...key, authorization }), 'unauthorized', bearer);
      for (const headers of [key, { ...key, authorization: '' }])
        assertProblem(await get(headers), 'unauthorized', /access token is missing/);
      assert.equal((await get(key)).headers['www-authenticate'], 'Bearer');
      const two = await get({ ...key, authorization: `Bearer ${world.ann.token} ${world.ann.token}` });
      assert.equal(two.headers['www-authenticate'], 'Bearer error="invalid_token"');
    });

    test('a bad one is challenged as an invalid token, and a bad key is not', async () => {
      const bad = await get({ 'x-api-key': world.apiKey, authorization: 'Bearer nonsense' });
      assert.equal(bad.headers['www-authenticate'], 'Bearer error="invalid_token"');
      const badKey = await get({ 'x-api-key': 'nonsense', authorization: `Bearer ${world.ann.token}` });
      assert.equal(badKey.headers['www-authenticate'], 'Bearer');
    });

    test('the scheme is case-insensitive', async () => {
      for (const scheme of ['bearer', 'BEARER'])
        assert.equal(
          (await get({ authorization: `${scheme} ${world.ann.token}`, 'x-api-key': world.apiKey })).status,
          200,
        );
    });

    test('an expired token is refused, and the detail says to refresh it', async () => {
      const expired = await signed({ exp: Math.floor(Date.now() / 1000) - 1 });
      assertProblem(await withToken(expired), 'unauthorized', /expired.*refresh/);
    });

    test('a token that was verified before is refused once it has expired', async (t) => {
      const token = await world.token(world.ann.advisor.advisorId);
      t.mock.timers.enable({ apis: ['Date'], now: Date.now() });
      assert.equal((await withToken(token)).status, 200);
      t.mock.timers.tick(tokenLifeMs - 2_000);
      assert.equal((await withToken(token)).status, 200);
      t.mock.timers.tick(2_000);
      assertProblem(await withToken(token), 'unauthorized', /expired/);
    });

    test('something that isn’t a token at all is refused', async () => {
      for (const token of ['x', 'a.b.c', '..', `${'a'.repeat(8000)}.b.c`, 'eyJhbGciOiJFUzI1NiJ9.e30.', 'null', '🙂'])
        assertProblem(await withToken(token), 'unauthorized');
    });

    test('a token is refused if any part of it was tampered with', async () => {
      const [header = '', payload = '', signature = ''] = world.ann.token.split('.');
      const claims = JSON.parse(Buffer.from(payload, 'base64url').toString());
      const otherAdvisor = encoded({ ...claims, advisor_id: world.bob.advisor.advisorId });
      const flipped = (signature[10] === 'A' ? 'B' : 'A') + signature.slice(11);
      for (const token of [
        `${header}.${otherAdvisor}.${signature}`,
        `${header}.${payload}.${signature.slice(0, 10)}${flipped}`,
        `${header}.${payload}.`,
        `${encoded({ alg: 'ES256', typ: 'at+jwt' })}.${payload}.${signature}`,
      ])
        assertProblem(await withToken(token), 'unauthorized');
    });

    test('a token from a different issuer or for a different audience is refused', async () => {
      assertProblem(
        await withToken(await signed({ iss: 'https://other.example' })),
        'unauthorized',
        /different server/,
      );
      assertProblem(
        await withToken(await signed({ aud: 'https://other.example' })),
        'unauthorized',
        /different server/,
      );
    });

    test('an unsigned token is refused', async () => {
      const { payload } = await parts();
      for (const alg of ['none', 'None', 'NONE'])
        assertProblem(await withToken(`${encoded({ alg, typ: 'at+jwt' })}.${payload}.`), 'unauthorized');
    });

    test('a token signed with the public key as a shared secret is refused', async () => {
      const { kid, privateJwk, payload } = await parts();
      const { d: _private, ...publicJwk } = privateJwk;
      const head = encoded({ alg: 'HS256', typ: 'at+jwt', kid });
      const mac = createHmac('sha256', JSON.stringify(publicJwk)).update(`${head}.${payload}`).digest('base64url');
      assertProblem(await withToken(`${head}.${payload}.${mac}`), 'unauthorized');
    });

    test('a token signed with a foreign key is refused, even if it names ours', async () => {
      const { kid } = await parts();
      const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
      assertProblem(await withToken(await signed({}, { kid }, privateKey)), 'unauthorized');
      assertProblem(await withToken(await signed({}, { kid: randomUUID() }, privateKey)), 'unauthorized');
      assertProblem(await withToken(await signed({}, { kid: undefined }, privateKey)), 'unauthorized');
    });

    test('a token of another type is refused: an id token is not an access token', async () => {
      assertProblem(await withToken(await signed({}, { typ: 'JWT' })), 'unauthorized');
      assertProblem(await withToken(await signed({}, { typ: undefined })), 'unauthorized');
    });

    test('a token with a missing claim is refused', async () => {
      assert.equal((await withToken(await signed({}))).status, 200);
      for (const claim of ['exp', 'jti', 'client_id', 'advisor_id', 'grant_id', 'scope', 'iss', 'aud'])
        assertProblem(await withToken(await signed({ [claim]: undefined })), 'unauthorized');
      assertProblem(await withToken(await signed({ advisor_id: 'ann' })), 'unauthorized');
    });

    test('a token that doesn’t name its key is refused, though the one published key fits', async () => {
      assertProblem(await withToken(await signed({}, { kid: undefined })), 'unauthorized');
    });

    test('a token for an advisor who doesn’t exist is refused', async () => {
      assertProblem(await withToken(await signed({ advisor_id: 9_999_999 })), 'unauthorized');
    });

    test('a token with a grant that doesn’t exist is refused', async () => {
      assertProblem(await withToken(await signed({ grant_id: randomUUID() })), 'unauthorized', /was revoked/);
    });
  });

  test('a disabled application is refused within a second, with any token', async (t) => {
    const { application } = await addApplication(world.deps, { name: 'Short-lived CRM', redirectUris: [] });
    const { clientId } = application;
    const { apiKey } = await issueApiKey(world.deps, clientId, unlimited);
    const { advisorId } = world.ann.advisor;
    const token = await issueToken(world.deps, { clientId, advisorId, scopes: allScopes });
    const headers = { authorization: `Bearer ${token}`, 'x-api-key': apiKey };
    assert.equal((await get(headers)).status, 200);
    const time = monotonicTime(t);
    await disableApplication(world.deps, clientId);
    time.pass(recordsMs);
    assertProblem(await get(headers), 'unauthorized', /application.*disabled/);
  });

  test('a disabled advisor is refused within a second, and accepted again when enabled', async (t) => {
    const { advisorId } = world.bob.advisor;
    assert.equal((await withToken(world.bob.token)).status, 200);
    const time = monotonicTime(t);
    await setAdvisor(world.deps, advisorId, { disabled: true });
    time.pass(recordsMs);
    assertProblem(await withToken(world.bob.token), 'unauthorized', /account is disabled/);
    await setAdvisor(world.deps, advisorId, { disabled: false });
    time.pass(recordsMs);
    assert.equal((await withToken(world.bob.token)).status, 200);
  });

  test('a missing scope is 403, and the detail names it', async () => {
    const token = await world.token(world.ann.advisor.advisorId, ['core.contacts.write', 'core.contacts.reader']);
    const answer = await withToken(token);
    assertProblem(answer, 'forbidden', /core\.contacts\.read\b/);
    assert.deepEqual(answer.body.details, { scope: 'core.contacts.read' });
  });

  test('the list of numbered values needs both credentials and no scope', async () => {
    const url = '/v1/core/enumerations';
    const token = await world.token(world.ann.advisor.advisorId, []);
    const headers = { authorization: `Bearer ${token}`, 'x-api-key': world.apiKey };
    assert.equal((await inject(world.app, { method: 'GET', url, headers })).status, 200);
    assertProblem(await inject(world.app, { method: 'GET', url }), 'unauthorized');
  });

  test('every route refuses a request without credentials before it checks anything else', async () => {
    for (const row of routes)
      assertProblem(
        await inject(world.app, {
          method: row.method,
          url: `/v1${row.path.replace(/:\w+/, 'x')}?page=0`,
          headers: { 'content-type': 'text/plain', 'x-sandbox-fault': 'conflict', 'idempotency-key': 'k'.repeat(300) },
          ...(row.body ? { payload: '{' } : {}),
        }),
        'unauthorized',
      );
  });

  /** One of our tokens, claim by claim: correct except for the test's changes. */
  async function signed(claims: JWTPayload, header: Partial<JWTHeaderParameters> = {}, key?: KeyObject) {
    const { kid, privateJwk } = await parts();
    const now = Math.floor(Date.now() / 1000);
    const right = { ...decodeJwt(world.ann.token), jti: randomUUID(), iat: now, exp: now + 60 };
    return new SignJWT({ ...right, ...claims })
      .setProtectedHeader({ alg: 'ES256', typ: 'at+jwt', kid, ...header })
      .sign(key ?? (await importJWK(privateJwk, 'ES256')));
  }

  async function parts() {
    const [key] = await signingKeyRing(world.deps)();
    assert.ok(key?.privateJwk);
    const [, payload = ''] = world.ann.token.split('.');
    return { kid: key.kid, privateJwk: key.privateJwk, payload };
  }
});

function encoded(value: object): string {
  return Buffer.from(JSON.stringify(value)).toString('base64url');
}

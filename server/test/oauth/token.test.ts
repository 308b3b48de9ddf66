import assert from 'node:assert/strict';
import { createHash, randomBytes } from 'node:crypto';
import { after, before, suite, test } from 'node:test';
import { createLocalJWKSet, decodeProtectedHeader, importJWK, jwtVerify, SignJWT } from 'jose';
import { disableApplication, rotateSecret } from '../../src/domain/access/applications.ts';
import { disconnect, provision, unprovision } from '../../src/domain/access/grants.ts';
import { keyRing } from '../../src/domain/access/signing-keys.ts';
import { setAdvisor } from '../../src/domain/accounts/advisors.ts';
import { hashSecret, makeSecret } from '../../src/domain/shared/secrets.ts';
import { assertProblem } from '../support/problem.ts';
import { exchange, listen, openWire } from '../support/sockets.ts';
import { until } from '../support/waiting.ts';
import { type Answer, inject, makeWorld, type Person } from '../support/world.ts';
import { allOf, type Client, makeClient, redirectUri, signedIn, type Tokens } from './client.ts';
import type { Visitor } from './visitor.ts';

const world = await makeWorld();
after(() => world.close());
const { publicUrl } = world.config;
const { ann, bob } = world;
const formType = 'application/x-www-form-urlencoded';

let browser: Visitor;
let crm: Client;
let other: Client;
before(async () => {
  crm = await makeClient(world);
  other = await makeClient(world, { name: 'Another CRM' });
  browser = await signedIn(world, ann);
});

async function codeFor(client: Client, changes: Record<string, string> = {}): Promise<string> {
  return (await client.authorizeIn(browser, changes)).searchParams.get('code') ?? '';
}

async function tokensFor(client: Client, scope = allOf): Promise<Tokens> {
  return granted(await client.redeem(await codeFor(client, { scope })));
}

function granted({ status, body }: Answer): Tokens {
  assert.equal(status, 200, JSON.stringify(body));
  return body;
}

/** The OAuth error body and nothing else, kept nowhere and for no browser. */
function assertError(answer: Answer, status: number, error: string, description = /./): void {
  const { body, headers } = answer;
  const shown = `${answer.status} ${JSON.stringify(body)}`;
  assert.equal(answer.status, status, shown);
  assert.deepEqual(Object.keys(body), ['error', 'error_description'], shown);
  assert.equal(body.error, error, shown);
  assert.match(body.error_description, description);
  assert.match(headers['content-type'] ?? '', /^application\/json\b/);
  assertServerSideOnly(answer);
}

function assertServerSideOnly({ headers }: Answer): void {
  assert.equal(headers['cache-control'], 'no-store');
  assert.deepEqual(
    Object.keys(headers).filter((name) => name.startsWith('access-control-') || name === 'set-cookie'),
    [],
  );
}

function claimsOf(jwt: string) {
  return JSON.parse(Buffer.from(jwt.split('.')[1] ?? '', 'base64url').toString());
}

async function verified(jwt: string) {
  const { body } = await inject(world.app, { method: 'GET', url: '/oauth/jwks' });
  return jwtVerify(jwt, createLocalJWKSet(body));
}

async function untilEnded(client: Client, accessToken: string): Promise<void> {
  await until('the access token is refused', async () => (await client.call(accessToken)).status === 401, 2_000);
}

async function goesOn(client: Client, tokens: Tokens): Promise<void> {
  assert.equal((await client.call(tokens.access_token)).status, 200);
  granted(await client.refresh(tokens.refresh_token));
}

/** As the clock would have it after that time. */
async function expire(token: string): Promise<void> {
  await world.database.asOwner(
    `update oauth_tokens
     set date_time_expires = now() - interval '1 second', payload = jsonb_set(payload, '{exp}', to_jsonb(1))
     where token_hash = $1`,
    [hashSecret(token)],
  );
}

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

  test('has an access token that is an ES256 at+jwt for our API, of at most fifteen minutes', async () => {
    const { access_token, expires_in } = await tokensFor(crm, 'openid core.content.read text.messaging.read');
    const { payload, protectedHeader } = await verified(access_token);
    assert.equal(protectedHeader.alg, 'ES256');
    assert.equal(protectedHeader.typ, 'at+jwt');
    assert.equal(typeof protectedHeader.kid, 'string');
    const { iat = 0, exp = 0, jti, grant_id, ...rest } = payload;
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
    assert.ok(jti && grant_id);
    assert.notEqual(claimsOf((await tokensFor(crm)).access_token).jti, jti);
  });

  test('has an id_token that verifies by the published keys and says who the advisor is', async () => {
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

  test('has an id_token that is no access token', async () => {
    const { id_token } = await tokensFor(crm);
    assertProblem(await crm.call(id_token), 'unauthorized');
  });

  test('opens the API for that advisor, with that application’s key, and with no other', async () => {
    const { access_token } = await tokensFor(crm);
    assert.equal((await crm.call(access_token)).status, 200);
    assertProblem(await other.call(access_token), 'unauthorized', /another application/);
  });

  test('a token without a scope that a route needs is 403, and names it', async () => {
    const { access_token } = await tokensFor(crm, 'openid text.messaging.read');
    assertProblem(await crm.call(access_token), 'forbidden', /core\.contacts\.read/);
  });
});

suite('a code', () => {
  test('that nobody was given is 400', async () => {
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

  test('that is used again is 400, and ends the grant with all that came from it', async () => {
    const client = await makeClient(world);
    const code = await codeFor(client);
    const tokens = granted(await client.redeem(code));
    assert.equal((await client.call(tokens.access_token)).status, 200);
    await world.database.asOwner("update oauth_tokens set date_time_used = date_time_used - interval '4 seconds'");
    assertError(await client.redeem(code), 400, 'invalid_grant', /used before/);
    assertError(await client.refresh(tokens.refresh_token), 400, 'invalid_grant');
    await untilEnded(client, tokens.access_token);
  });

  test('that comes again within three seconds is 400, and what came from it lives', async () => {
    const client = await makeClient(world);
    const code = await codeFor(client);
    const tokens = granted(await client.redeem(code));
    assertError(await client.redeem(code), 400, 'invalid_grant', /used before/);
    await goesOn(client, tokens);
  });

  test('of another client is 400, and stays good for its own', async () => {
    const code = await codeFor(crm);
    assertError(await other.redeem(code, { code_verifier: crm.verifier }), 400, 'invalid_grant', /another client/);
    granted(await crm.redeem(code));
  });

  test('that was used is 400 for another client too, and the grant of its own goes on', async () => {
    const client = await makeClient(world);
    const code = await codeFor(client);
    const tokens = granted(await client.redeem(code));
    assertError(await other.redeem(code, { code_verifier: client.verifier }), 400, 'invalid_grant');
    await goesOn(client, tokens);
  });

  const mistakes: [string, Record<string, string>, string, RegExp][] = [
    ['another redirect_uri', { redirect_uri: 'https://crm.example/callback' }, 'invalid_grant', /redirect_uri/],
    ['a redirect_uri in other letters', { redirect_uri: redirectUri.toUpperCase() }, 'invalid_grant', /redirect_uri/],
    ['no redirect_uri', { redirect_uri: '' }, 'invalid_request', /redirect_uri/],
    [
      'another code_verifier',
      { code_verifier: randomBytes(32).toString('base64url') },
      'invalid_grant',
      /does not match/,
    ],
    ['no code_verifier', { code_verifier: '' }, 'invalid_grant', /code_verifier/],
    ['a code_verifier that is too short', { code_verifier: 'a'.repeat(42) }, 'invalid_request', /code_verifier/],
    ['a code_verifier that is too long', { code_verifier: 'a'.repeat(129) }, 'invalid_request', /code_verifier/],
    ['a code_verifier of other characters', { code_verifier: 'é'.repeat(43) }, 'invalid_request', /code_verifier/],
    ['another resource', { resource: 'https://evil.example/' }, 'invalid_target', /resource/],
  ];
  for (const [what, changes, error, description] of mistakes)
    test(`with ${what} is 400, and still works afterwards with what is right`, async () => {
      const code = await codeFor(crm);
      assertError(await crm.redeem(code, changes), 400, error, description);
      granted(await crm.redeem(code));
    });

  test('the code_challenge itself is no code_verifier', async () => {
    const challenge = createHash('sha256').update(crm.verifier).digest('base64url');
    assertError(await crm.redeem(await codeFor(crm), { code_verifier: challenge }), 400, 'invalid_grant');
  });

  test('of an advisor who was disabled meanwhile is 400', async () => {
    const code = await crm.code(bob);
    await setAdvisor(world.deps, bob.advisor.advisorId, { disabled: true });
    try {
      assertError(await crm.redeem(code), 400, 'invalid_grant');
    } finally {
      await setAdvisor(world.deps, bob.advisor.advisorId, { disabled: false });
    }
  });

  test('of an application that was disconnected meanwhile is 400', async () => {
    const client = await makeClient(world);
    const code = await codeFor(client);
    await disconnect(world.deps, client.clientId, ann.advisor.advisorId);
    assertError(await client.redeem(code), 400, 'invalid_grant');
  });

  test('of an application that was disabled meanwhile is 401', async () => {
    const client = await makeClient(world);
    const code = await codeFor(client);
    await disableApplication(world.deps, client.clientId);
    assertError(await client.redeem(code), 401, 'invalid_client', /unknown or disabled/);
  });

  test('is no refresh token, and a refresh token is no code', async () => {
    const client = await makeClient(world);
    const code = await codeFor(client);
    assertError(await client.refresh(code), 400, 'invalid_grant');
    const tokens = granted(await client.redeem(code));
    assertError(await client.redeem(tokens.refresh_token), 400, 'invalid_grant');
    await goesOn(client, tokens);
  });
});

suite('a refresh token', () => {
  test('is exchanged for another one and a fresh access token', async () => {
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

  test('narrows the scope when asked, for that access token alone', async () => {
    const first = await tokensFor(crm);
    const narrow = granted(await crm.refresh(first.refresh_token, { scope: 'openid text.messaging.read' }));
    assert.equal(narrow.scope, 'openid text.messaging.read');
    assert.equal(claimsOf(narrow.access_token).scope, 'openid text.messaging.read');
    assertProblem(await crm.call(narrow.access_token), 'forbidden');
    assert.equal(granted(await crm.refresh(narrow.refresh_token)).scope, allOf);
  });

  test('without openid in the narrower scope there is no id_token', async () => {
    const first = await tokensFor(crm);
    const narrow = granted(await crm.refresh(first.refresh_token, { scope: 'text.messaging.read' }));
    assert.equal('id_token' in narrow, false);
  });

  for (const scope of ['openid core.contacts.write', 'openid nonsense', 'openid  openid', allOf])
    test(`can’t widen the scope to ${JSON.stringify(scope)}: 400, and it still works afterwards`, async () => {
      const client = await makeClient(world);
      await tokensFor(client);
      const { refresh_token } = await tokensFor(client, 'openid offline_access core.contacts.read');
      assertError(await client.refresh(refresh_token, { scope }), 400, 'invalid_scope');
      granted(await client.refresh(refresh_token));
    });

  test('with another resource is 400, and still works afterwards', async () => {
    const { refresh_token } = await tokensFor(crm);
    assertError(await crm.refresh(refresh_token, { resource: 'https://evil.example/' }), 400, 'invalid_target');
    granted(await crm.refresh(refresh_token));
  });

  test('that has expired is 400', async () => {
    const { refresh_token } = await tokensFor(crm);
    await expire(refresh_token);
    assertError(await crm.refresh(refresh_token), 400, 'invalid_grant', /expired/);
  });

  test('that nobody was given, that is missing, or that is an access token is 400', async () => {
    const { access_token } = await tokensFor(crm);
    for (const token of ['nonsense', randomBytes(32).toString('base64url'), '\0', access_token])
      assertError(await crm.refresh(token), 400, 'invalid_grant', /unknown/);
    assertError(await crm.refresh(''), 400, 'invalid_request', /refresh_token/);
  });

  test('of another client is 400, and the grant of its own goes on', async () => {
    const client = await makeClient(world);
    const tokens = await tokensFor(client);
    assertError(await other.refresh(tokens.refresh_token), 400, 'invalid_grant', /another client/);
    await goesOn(client, tokens);
    assertError(await other.refresh(tokens.refresh_token), 400, 'invalid_grant', /another client/);
  });

  test('is 400 once the application was disconnected, and the access tokens end within a second', async () => {
    const client = await makeClient(world);
    const tokens = await tokensFor(client);
    assert.equal((await client.call(tokens.access_token)).status, 200);
    await disconnect(world.deps, client.clientId, ann.advisor.advisorId);
    assertError(await client.refresh(tokens.refresh_token), 400, 'invalid_grant');
    await untilEnded(client, tokens.access_token);
  });

  test('of an advisor who was disabled is 400, and works again when the advisor is back', async () => {
    const tokens = await crm.tokens(bob);
    await setAdvisor(world.deps, bob.advisor.advisorId, { disabled: true });
    assertError(await crm.refresh(tokens.refresh_token), 400, 'invalid_grant');
    await setAdvisor(world.deps, bob.advisor.advisorId, { disabled: false });
    granted(await crm.refresh(tokens.refresh_token));
  });

  test('outlives the session in which it was allowed', async () => {
    const tokens = await crm.tokens(bob);
    await world.database.asOwner('delete from sessions where advisor_id = $1', [bob.advisor.advisorId]);
    granted(await crm.refresh(tokens.refresh_token));
  });
});

suite('client credentials', () => {
  const textScopes = 'text.messaging.read text.messaging.write';
  let texting: Client;
  before(async () => {
    texting = await makeClient(world, { name: 'Texting' });
    for (const { advisor } of [ann, bob]) await provision(world.deps, advisor.advisorId, texting.clientId);
  });

  function ask(
    client: Client,
    changes: { advisor_id?: string; scope?: string; resource?: string } = {},
  ): Promise<Answer> {
    return client.token({ grant_type: 'client_credentials', ...changes });
  }

  const idOf = ({ advisor }: Person) => String(advisor.advisorId);

  test('give all text scopes by default, and no refresh token', async () => {
    const answer = await ask(texting, { advisor_id: idOf(ann) });
    const body = granted(answer);
    assert.deepEqual(Object.keys(body).toSorted(), ['access_token', 'expires_in', 'scope', 'token_type']);
    assert.equal(body.scope, textScopes);
    assert.equal(body.token_type, 'Bearer');
    assert.ok(body.expires_in <= 900);
    assertServerSideOnly(answer);
  });

  test('give an access token like any other, for that advisor', async () => {
    const { access_token } = granted(await ask(texting, { advisor_id: idOf(bob) }));
    assert.equal(decodeProtectedHeader(access_token).typ, 'at+jwt');
    const { payload } = await verified(access_token);
    assert.equal(payload.advisor_id, bob.advisor.advisorId);
    assert.equal(payload.client_id, texting.clientId);
    assert.equal(payload.iss, publicUrl);
    assert.equal(payload.aud, `${publicUrl}/v1`);
    assert.equal(payload.scope, textScopes);
    assert.ok((payload.exp ?? 0) - (payload.iat ?? 0) <= 900);
  });

  test('give a part of the text scopes when asked', async () => {
    const { access_token, scope } = granted(
      await ask(texting, { advisor_id: idOf(ann), scope: 'text.messaging.read' }),
    );
    assert.equal(scope, 'text.messaging.read');
    assert.equal(claimsOf(access_token).scope, 'text.messaging.read');
  });

  for (const scope of ['core.contacts.read', 'openid', 'offline_access', 'nonsense', `${textScopes} openid`])
    test(`with the scope ${scope} are refused as invalid_scope`, async () => {
      assertError(await ask(texting, { advisor_id: idOf(ann), scope }), 400, 'invalid_scope', /text scopes only/);
    });

  test('with a text scope that the application lacks are refused; its own is the default', async () => {
    const client = await makeClient(world, { scopes: ['text.messaging.read'], redirectUris: [] });
    await provision(world.deps, ann.advisor.advisorId, client.clientId);
    assertError(await ask(client, { scope: 'text.messaging.write' }), 400, 'invalid_scope');
    assert.equal(granted(await ask(client)).scope, 'text.messaging.read');
  });

  test('need advisor_id where several are provisioned', async () => {
    for (const changes of [{}, { advisor_id: '' }])
      assertError(await ask(texting, changes), 400, 'invalid_request', /advisor_id is missing.*several/);
  });

  test('need none where exactly one is, and then it may be named or not', async () => {
    const client = await makeClient(world);
    await provision(world.deps, bob.advisor.advisorId, client.clientId);
    for (const changes of [{}, { advisor_id: idOf(bob) }])
      assert.equal(claimsOf(granted(await ask(client, changes)).access_token).advisor_id, bob.advisor.advisorId);
  });

  test('are refused where nobody is provisioned, also when the advisor has authorized the application', async () => {
    const client = await makeClient(world);
    await tokensFor(client);
    assertError(await ask(client), 400, 'invalid_grant', /not provisioned for any advisor/);
    assertError(await ask(client, { advisor_id: idOf(ann) }), 400, 'invalid_grant', /not provisioned/);
  });

  test('for an advisor who doesn’t exist are refused as for one who is not provisioned', async () => {
    const client = await makeClient(world);
    await provision(world.deps, ann.advisor.advisorId, client.clientId);
    const unprovisioned = await ask(client, { advisor_id: idOf(bob) });
    const unknown = await ask(client, { advisor_id: '999999' });
    for (const answer of [unprovisioned, unknown]) assertError(answer, 400, 'invalid_grant', /not provisioned/);
    assert.equal(
      unprovisioned.body.error_description.replace(idOf(bob), 'N'),
      unknown.body.error_description.replace('999999', 'N'),
    );
  });

  for (const id of ['abc', '-1', '1.5', '1e3', '0x1', ' 1', '9'.repeat(16), '9'.repeat(400), '1,2', '١', '\0'])
    test(`with advisor_id ${JSON.stringify(id.slice(0, 20))} are refused as malformed`, async () => {
      assertError(
        await ask(texting, { advisor_id: id }),
        400,
        'invalid_request',
        /advisor_id must be one whole number/,
      );
    });

  test('with advisor_id given twice are refused, even where both are the same', async () => {
    const form = { client_id: texting.clientId, client_secret: texting.clientSecret, grant_type: 'client_credentials' };
    const payload = `${new URLSearchParams(form)}&advisor_id=${idOf(ann)}&advisor_id=${idOf(ann)}`;
    assertError(await post(payload), 400, 'invalid_request', /advisor_id/);
  });

  test('for a disabled advisor are refused', async () => {
    await setAdvisor(world.deps, bob.advisor.advisorId, { disabled: true });
    try {
      assertError(await ask(texting, { advisor_id: idOf(bob) }), 400, 'invalid_grant');
    } finally {
      await setAdvisor(world.deps, bob.advisor.advisorId, { disabled: false });
    }
  });

  test('work on the API for what they carry', async () => {
    const { access_token } = granted(await ask(texting, { advisor_id: idOf(ann) }));
    assertProblem(await texting.call(access_token), 'forbidden', /core\.contacts\.read/);
    assert.equal((await texting.call(access_token, '/core/enumerations')).status, 200);
    assertProblem(await other.call(access_token, '/core/enumerations'), 'unauthorized');
  });

  test('end within a second when the advisor is unprovisioned, and the other advisor’s go on', async () => {
    const client = await makeClient(world);
    for (const { advisor } of [ann, bob]) await provision(world.deps, advisor.advisorId, client.clientId);
    const [anns, bobs] = [
      granted(await ask(client, { advisor_id: idOf(ann) })).access_token,
      granted(await ask(client, { advisor_id: idOf(bob) })).access_token,
    ];
    const status = async (token: string) => (await client.call(token, '/core/enumerations')).status;
    assert.deepEqual([await status(anns), await status(bobs)], [200, 200]);
    await unprovision(world.deps, ann.advisor.advisorId, client.clientId);
    await until('the token is refused', async () => (await status(anns)) === 401, 2_000);
    assert.equal(await status(bobs), 200);
    assertError(await ask(client, { advisor_id: idOf(ann) }), 400, 'invalid_grant');
  });

  test('end no grant that the advisor gave when they are unprovisioned', async () => {
    const client = await makeClient(world);
    await provision(world.deps, ann.advisor.advisorId, client.clientId);
    const tokens = await tokensFor(client);
    await unprovision(world.deps, ann.advisor.advisorId, client.clientId);
    await goesOn(client, tokens);
  });

  test('for another resource are refused', async () => {
    const answer = await ask(texting, { advisor_id: idOf(ann), resource: 'https://evil.example/' });
    assertError(answer, 400, 'invalid_target');
  });
});

function post(payload: string | Buffer, headers: Record<string, string> = {}, url = '/oauth/token'): Promise<Answer> {
  return inject(world.app, { method: 'POST', url, headers: { 'content-type': formType, ...headers }, payload });
}

function refreshForm(client: Client, token = 'nonsense'): Record<string, string> {
  const { clientId: client_id, clientSecret: client_secret } = client;
  return { grant_type: 'refresh_token', refresh_token: token, client_id, client_secret };
}

suite('who the client is', () => {
  test('a wrong secret is 401', async () => {
    for (const client_secret of [makeSecret('clientSecret', 'sandbox'), other.clientSecret, 'x', '\0', crm.clientId])
      assertError(await crm.token({ ...refreshForm(crm), client_secret }), 401, 'invalid_client', /secret is wrong/);
    const almost = crm.clientSecret.toUpperCase();
    assertError(await crm.token({ ...refreshForm(crm), client_secret: almost }), 401, 'invalid_client');
  });

  test('an unknown client is 401, whatever it is called', async () => {
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

  test('Basic is 401 even with the right credentials, alone or beside the form', async () => {
    const authorization = `Basic ${btoa(`${crm.clientId}:${crm.clientSecret}`)}`;
    const { refresh_token } = await tokensFor(crm);
    for (const form of [refreshForm(crm, refresh_token), { grant_type: 'refresh_token', refresh_token }]) {
      const answer = await crm.post('/oauth/token', form, { authorization });
      assertError(answer, 401, 'invalid_client', /in the form, not in the Authorization header/);
      assert.match(answer.headers['www-authenticate'] ?? '', /^Basic /);
    }
    granted(await crm.refresh(refresh_token));
  });

  test('a bearer token in the Authorization header is no credential here', async () => {
    const { access_token } = await tokensFor(crm);
    const authorization = `Bearer ${access_token}`;
    assertError(await crm.post('/oauth/token', refreshForm(crm), { authorization }), 401, 'invalid_client');
  });

  test('a secret in the query is not looked at', async () => {
    const { client_secret, ...form } = refreshForm(crm, (await tokensFor(crm)).refresh_token);
    const answer = await post(String(new URLSearchParams(form)), {}, `/oauth/token?client_secret=${client_secret}`);
    assertError(answer, 401, 'invalid_client', /in the form/);
    const all = await post('', {}, `/oauth/token?${new URLSearchParams(refreshForm(crm))}`);
    assert.ok(all.status === 400 || all.status === 401, String(all.status));
  });

  test('a secret of production is 401 and says so, and so is a client id', async () => {
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
        new RegExp(`The ${name} is of another environment: this is the sandbox`),
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

  test('many wrong secrets are 429 with Retry-After, while the right one still works', async () => {
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

suite('the form', () => {
  const form = () => String(new URLSearchParams(refreshForm(crm)));

  test('in JSON, multipart or text is 400', async () => {
    for (const type of ['application/json', 'multipart/form-data; boundary=x', 'text/plain', 'x', ';', 'a/b/c'])
      assertError(await post(form(), { 'content-type': type }), 400, 'invalid_request', /x-www-form-urlencoded/);
    const json = JSON.stringify(refreshForm(crm));
    assertError(await post(json, { 'content-type': 'application/json' }), 400, 'invalid_request');
  });

  test('without a content type is refused', async () => {
    const answer = await inject(world.app, { method: 'POST', url: '/oauth/token', payload: form() });
    assertError(answer, 400, 'invalid_request', /application\/x-www-form-urlencoded/);
  });

  test('is read as UTF-8 whatever charset it claims, and what is not UTF-8 is refused', async () => {
    for (const charset of ['utf-8', 'UTF-8', 'utf-16', 'nonsense'])
      assertError(await post(form(), { 'content-type': `${formType}; charset=${charset}` }), 400, 'invalid_grant');
    const utf16 = await post(Buffer.from(form(), 'utf16le'), { 'content-type': `${formType}; charset=utf-16le` });
    assertError(utf16, 401, 'invalid_client');
    const compressed = await post(Buffer.from([0x1f, 0x8b, 8, 0, 0, 0]), { 'content-encoding': 'gzip' });
    assertError(compressed, 400, 'invalid_request', /not compressed/);
  });

  for (const name of ['client_id', 'client_secret', 'grant_type', 'refresh_token', 'scope'])
    test(`with ${name} twice is 400, even where both are the same`, async () => {
      const { refresh_token } = await tokensFor(crm);
      const given = new URLSearchParams({ ...refreshForm(crm, refresh_token), scope: allOf });
      given.append(name, given.get(name) ?? '');
      assertError(await post(String(given)), 400, 'invalid_request', new RegExp(name));
      granted(await crm.refresh(refresh_token));
    });

  for (const name of ['code', 'code_verifier', 'redirect_uri'])
    test(`with ${name} twice is 400, and the code still works`, async () => {
      const code = await codeFor(crm);
      const given = new URLSearchParams({
        ...refreshForm(crm),
        grant_type: 'authorization_code',
        code,
        code_verifier: crm.verifier,
        redirect_uri: redirectUri,
      });
      given.append(name, given.get(name) ?? '');
      assertError(await post(String(given)), 400, 'invalid_request', new RegExp(name));
      granted(await crm.redeem(code));
    });

  test('of more than 56 KiB is 400, told by its length or found on the way', async () => {
    const long = `${form()}&x=${'a'.repeat(56 * 1024)}`;
    assertError(await post(long), 400, 'invalid_request');
    const port = await listen(world.app);
    const head = `POST /oauth/token HTTP/1.1\r\nHost: localhost\r\nContent-Type: ${formType}\r\n`;
    const chunk = `${long.length.toString(16)}\r\n${long}\r\n0\r\n\r\n`;
    assertError(await exchange(port, `${head}Transfer-Encoding: chunked\r\n\r\n${chunk}`), 400, 'invalid_request');
    const megabytes = `${form()}&x=${'a'.repeat(5 * 1024 * 1024)}`;
    const answer = await fetch(`http://127.0.0.1:${port}/oauth/token`, {
      method: 'POST',
      headers: { 'content-type': formType },
      body: megabytes,
    });
    assert.equal(answer.status, 400);
    await answer.text();
  });

  test('that is empty, or holds nothing that is understood, is refused', async () => {
    for (const payload of ['', '&&&', '=', '%', '%ff=%ff', '__proto__=1&constructor=2', '[]=1']) {
      const answer = await post(payload);
      assert.ok(answer.status === 400 || answer.status === 401, `${payload}: ${answer.status}`);
      assert.ok(answer.body.error && answer.body.error_description);
    }
  });

  test('with a thousand parameters of its own is understood all the same', async () => {
    const extra = Array.from({ length: 900 }, (_, index) => `x${index}=1`).join('&');
    const { refresh_token } = await tokensFor(crm);
    granted(await post(`${extra}&${new URLSearchParams(refreshForm(crm, refresh_token))}`));
  });

  for (const type of [
    'password',
    'implicit',
    'urn:ietf:params:oauth:grant-type:device_code',
    'urn:ietf:params:oauth:grant-type:token-exchange',
    'urn:ietf:params:oauth:grant-type:jwt-bearer',
    'AUTHORIZATION_CODE',
    '__proto__',
    'toString',
  ])
    test(`with the grant type ${type} is 400`, async () => {
      const answer = await crm.token({ grant_type: type, username: 'ann@test.example', password: 'x' });
      assertError(answer, 400, 'unsupported_grant_type');
    });

  test('without a grant type is 400', async () => {
    assertError(await crm.token({ grant_type: '' }), 400, 'invalid_request', /grant_type/);
  });

  test('of an application without redirect URIs asks for no code', async () => {
    const client = await makeClient(world, { redirectUris: [] });
    assertError(await client.redeem('x'), 400, 'invalid_request', /not allowed/);
    assertError(await client.refresh('x'), 400, 'invalid_request', /not allowed/);
  });
});

suite('the token endpoint', () => {
  for (const method of ['GET', 'HEAD', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'] as const)
    test(`${method} is a 404 problem`, async () => {
      for (const url of ['/oauth/token', '/oauth/revoke'])
        assertProblem(await inject(world.app, { method, url }), 'not_found');
    });

  for (const path of ['/OAuth/Token', '/oauth/token/', '/oauth//token', '/oauth/%74oken', '/token'])
    test(`${path} is a 404 problem, and spends nothing`, async () => {
      const { refresh_token } = await tokensFor(crm);
      assertProblem(await crm.post(path, refreshForm(crm, refresh_token)), 'not_found');
      granted(await crm.refresh(refresh_token));
    });

  test('is not for browsers: no CORS header on any answer, and a page of another origin gets nothing', async () => {
    const { refresh_token } = await tokensFor(crm);
    const headers = { origin: 'https://evil.example' };
    assertError(await crm.post('/oauth/token', refreshForm(crm, refresh_token), headers), 400, 'invalid_request');
    assertError(
      await crm.post('/oauth/revoke', { ...refreshForm(crm), token: refresh_token }, headers),
      400,
      'invalid_request',
    );
    const preflight = await inject(world.app, {
      method: 'OPTIONS',
      url: '/oauth/token',
      headers: { ...headers, 'access-control-request-method': 'POST' },
    });
    assertProblem(preflight, 'not_found');
    assertServerSideOnly(preflight);
    const answer = await crm.refresh(refresh_token);
    granted(answer);
    assertServerSideOnly(answer);
  });

  test('answers in JSON whatever the client says it accepts', async () => {
    for (const accept of ['text/html', 'application/xml', '*/*', 'nonsense'])
      assertError(await crm.post('/oauth/token', refreshForm(crm), { accept }), 400, 'invalid_grant');
  });

  test('reveals nothing of what fails on our side, and then nothing was done', async () => {
    const { refresh_token } = await tokensFor(crm);
    await world.database.asOwner('alter table oauth_tokens rename to oauth_tokens_away');
    try {
      assertError(await crm.refresh(refresh_token), 500, 'server_error', /^[^_"]+$/);
    } finally {
      await world.database.asOwner('alter table oauth_tokens_away rename to oauth_tokens');
    }
    granted(await crm.refresh(refresh_token));
  });

  test('a fault after the token was spent leaves it unspent', async () => {
    const code = await codeFor(crm);
    const { refresh_token } = await tokensFor(crm);
    await world.database.asOwner(
      `create function no_more() returns trigger language plpgsql as $$ begin raise 'no more'; end $$;
       create trigger no_more before insert on oauth_tokens execute function no_more()`,
    );
    try {
      for (const spend of [crm.redeem(code), crm.refresh(refresh_token)]) assertError(await spend, 500, 'server_error');
    } finally {
      await world.database.asOwner('drop trigger no_more on oauth_tokens; drop function no_more()');
    }
    granted(await crm.redeem(code));
    granted(await crm.refresh(refresh_token));
  });
});

test('who is slow to send the form holds no connection to the database', async (t) => {
  const small = await makeWorld({ database: { size: 2 } });
  const client = await makeClient(small);
  const port = await listen(small.app);
  const slow = await Promise.all(Array.from({ length: 6 }, () => openWire(port)));
  t.after(async () => {
    for (const wire of slow) wire.destroy();
    await small.close();
  });
  for (const [index, wire] of slow.entries())
    wire.write(
      `POST /oauth/${index % 2 ? 'token' : 'revoke'} HTTP/1.1\r\nHost: localhost\r\nContent-Type: ${formType}\r\nContent-Length: 1000\r\n\r\ngrant_type=`,
    );
  await provision(small.deps, small.ann.advisor.advisorId, client.clientId);
  granted(await client.token({ grant_type: 'client_credentials' }));
  assert.equal((await inject(small.app, { method: 'GET', url: '/readyz' })).status, 200);
});

test('a grant that is refreshed without end is told to wait, and goes on afterwards', async () => {
  const client = await makeClient(world);
  let tokens = await tokensFor(client);
  for (let count = 0; count < 200; count++) tokens = granted(await client.refresh(tokens.refresh_token));
  const refused = await client.refresh(tokens.refresh_token);
  assertError(refused, 429, 'temporarily_unavailable', /too often/);
  assert.match(refused.headers['retry-after'] ?? '', /^[1-5]$/);
  await world.database.asOwner("update throttles set date_time_filled = date_time_filled - interval '10 seconds'");
  granted(await client.refresh(tokens.refresh_token));
});

test('who tries many clients from one address is told to wait, and leaves no trail of buckets', async () => {
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
  // More than the bucket holds: it fills again while a slow machine tries.
  for (let count = 0; count < 600 && !statuses.has(429); count++)
    statuses.add((await from(makeSecret('clientId', 'sandbox'))).status);
  assert.deepEqual([...statuses], [401, 429]);
  assert.equal((await buckets()) - before, 1);
});

suite('revocation', () => {
  function revoke(client: Client, token: string, changes: Record<string, string> = {}): Promise<Answer> {
    const { clientId: client_id, clientSecret: client_secret } = client;
    return client.post('/oauth/revoke', { client_id, client_secret, token, ...changes });
  }

  /** RFC 7009: 200, and the body is of no meaning; a client that would parse it has nothing to parse. */
  function assertRevoked(answer: Answer): void {
    assert.equal(answer.status, 200, JSON.stringify(answer.body));
    assert.equal(answer.body, '');
    assert.doesNotMatch(answer.headers['content-type'] ?? '', /json/);
    assertServerSideOnly(answer);
  }

  test('of a refresh token ends the grant: it, its access tokens and the other refresh tokens', async () => {
    const client = await makeClient(world);
    const [one, two] = [await tokensFor(client), await tokensFor(client)];
    assert.equal((await client.call(one.access_token)).status, 200);
    assertRevoked(await revoke(client, one.refresh_token));
    for (const { refresh_token } of [one, two]) assertError(await client.refresh(refresh_token), 400, 'invalid_grant');
    for (const { access_token } of [one, two]) await untilEnded(client, access_token);
    await tokensFor(client);
  });

  test('of a refresh token that was used already ends the grant too', async () => {
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
    await goesOn(client, second);
    assertRevoked(await revoke(client, first.access_token));
  });

  test('of an access token by client credentials ends it within a second', async () => {
    const client = await makeClient(world);
    await provision(world.deps, ann.advisor.advisorId, client.clientId);
    const { access_token } = granted(await client.token({ grant_type: 'client_credentials' }));
    const status = async () => (await client.call(access_token, '/core/enumerations')).status;
    assert.equal(await status(), 200);
    assertRevoked(await revoke(client, access_token));
    await until('the access token is refused', async () => (await status()) === 401, 2_000);
    granted(await client.token({ grant_type: 'client_credentials' }));
  });

  test('of what is unknown, garbled, expired or a code is 200, and ends nothing', async () => {
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
    await goesOn(client, tokens);
  });

  /** What an access token is an hour later. */
  async function expiredCopy(accessToken: string): Promise<string> {
    const [key] = await keyRing(world.deps)();
    assert.ok(key);
    const hourAgo = Math.floor(Date.now() / 1000) - 3_600;
    return new SignJWT({ ...claimsOf(accessToken), iat: hourAgo - 900, exp: hourAgo })
      .setProtectedHeader({ alg: 'ES256', typ: 'at+jwt', kid: key.kid })
      .sign(await importJWK(key.privateJwk, 'ES256'));
  }

  test('of another client’s token is 400, and ends nothing', async () => {
    const client = await makeClient(world);
    const tokens = await tokensFor(client);
    for (const token of [tokens.refresh_token, tokens.access_token])
      assertError(await revoke(other, token), 400, 'invalid_request', /another client/);
    await goesOn(client, tokens);
  });

  test('works with a hint that is wrong, unknown or missing', async () => {
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
      const authorization = `Basic ${btoa(`${client.clientId}:${client.clientSecret}`)}`;
      assertError(await client.post('/oauth/revoke', { token }, { authorization }), 401, 'invalid_client');
    }
    await goesOn(client, tokens);
  });

  test('of many access tokens at once needs no more connections than there are', async () => {
    const small = await makeWorld({ database: { size: 2, timeoutMs: 2_000 } });
    try {
      const client = await makeClient(small);
      const issue = () => small.token(small.ann.advisor.advisorId);
      const tokens = await Promise.all(Array.from({ length: 8 }, issue));
      await inject(small.app, { method: 'GET', url: '/oauth/jwks' });
      const { clientId: client_id, clientSecret: client_secret } = client;
      const answers = await Promise.all(
        tokens.map((token) => client.post('/oauth/revoke', { client_id, client_secret, token })),
      );
      // They were issued to another application: what matters is that each is looked at, and soon.
      assert.deepEqual([...new Set(answers.map(({ status }) => status))], [400]);
    } finally {
      await small.close();
    }
  });
});

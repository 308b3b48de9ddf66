import assert from 'node:assert/strict';
import { after, suite, test } from 'node:test';
import { allOf, makeClient, redirectUri } from '../support/oauth-client.ts';
import { assertProblem } from '../support/problem.ts';
import { exchange, listen } from '../support/sockets.ts';
import { inject } from '../support/world.ts';
import { assertAsked, assertPage, claimsOf, makeOAuthWorld } from './setup.ts';

const { world, assertRefused, crm, annsBrowser, ask } = await makeOAuthWorld();
after(() => world.close());
const { ann } = world;
const { publicUrl } = world.config;

suite('the seven parameters', () => {
  for (const name of ['client_id', 'redirect_uri'])
    test(`${name} that is missing is a page, never a redirect`, async () => {
      assertPage(await ask(crm.authorizeUrl({ [name]: undefined })), /This link doesn’t work/);
    });

  for (const name of ['response_type', 'code_challenge', 'code_challenge_method', 'scope'])
    test(`${name} that is missing returns to the application as an error that names it`, async () => {
      const answer = await ask(crm.authorizeUrl({ [name]: undefined, state: 's1' }));
      assertRefused(answer, 'invalid_request', 's1', new RegExp(name));
    });

  test('a scope that is empty is as good as none', async () => {
    assertRefused(await ask(crm.authorizeUrl({ scope: '', state: 's1' })), 'invalid_request', 's1', /scope/);
  });

  for (const value of [undefined, ''])
    test(`a state that is ${value === undefined ? 'missing' : 'empty'} returns to the application as an error without one`, async () => {
      assertRefused(await ask(crm.authorizeUrl({ state: value })), 'invalid_request', null, /state/);
    });

  test('all seven lead to the page where the advisor decides, at an unguessable path', async () => {
    const first = assertAsked(await ask(crm.authorizeUrl()));
    assert.notEqual(first, assertAsked(await ask(crm.authorizeUrl())));
  });

  test('any extra fixed parameter in the URL is tolerated', async () => {
    for (const extra of ['goto=/portal/home', 'goto=1&goto=2', 'x[y]=1', '__proto__=1', '%00=%00', 'RelayState=%ff'])
      assertAsked(await ask(`/oauth/authorize?${extra}&${crm.authorizeUrl().split('?')[1]}`));
  });

  test('a redirect URI with a query works with its question mark escaped or not', async () => {
    const url = crm.authorizeUrl({ redirect_uri: undefined });
    assertAsked(await ask(`${url}&redirect_uri=${encodeURIComponent(redirectUri)}`));
    assertAsked(await ask(`/oauth/authorize?redirect_uri=${redirectUri}&${url.split('?')[1]}`));
  });

  test('a repeated parameter is refused, without a redirect if it leaves the address in doubt', async () => {
    const twice = (name: string, value: string) => ask(`${crm.authorizeUrl({ state: 's1' })}&${name}=${value}`);
    assertPage(await twice('client_id', crm.clientId), /client_id/);
    assertPage(await twice('redirect_uri', encodeURIComponent(redirectUri)), /redirect_uri/);
    assertPage(await twice('redirect_uri', 'https%3A%2F%2Fevil.example'), /redirect_uri/);
    assertRefused(await twice('state', 's1'), 'invalid_request', null, /state.*twice/);
    for (const name of ['response_type', 'code_challenge', 'code_challenge_method', 'scope', 'nonce', 'prompt'])
      assertRefused(await ask(`${crm.authorizeUrl({ state: 's1', [name]: 'a' })}&${name}=b`), 'invalid_request', 's1');
  });
});

suite('response types and modes', () => {
  for (const type of ['token', 'code id_token'])
    test(`response_type ${JSON.stringify(type)} is refused, in the query like every error`, async () => {
      const answer = await ask(crm.authorizeUrl({ response_type: type, state: 's1' }));
      assertRefused(answer, 'unsupported_response_type', 's1');
    });

  for (const mode of ['form_post', 'fragment'])
    test(`response_mode ${mode} is refused, and the refusal doesn’t use it`, async () => {
      for (const changes of [{}, { scope: 'openid nonsense' }, { request: 'x' }, { response_type: 'token' }]) {
        const answer = await ask(crm.authorizeUrl({ response_mode: mode, state: 's1', ...changes }));
        const error = new URL(answer.headers.location ?? '').searchParams.get('error') ?? '';
        assert.match(
          error,
          /^(unsupported_response_mode|unsupported_response_type|invalid_request|request_not_supported)$/,
        );
        assertRefused(answer, error, 's1');
        assert.doesNotMatch(answer.body, /<script/);
      }
    });

  test('response_mode query, the default, is accepted', async () => {
    assertAsked(await ask(crm.authorizeUrl({ response_mode: 'query' })));
  });
});

suite('PKCE', () => {
  test('the method plain is refused', async () => {
    const answer = await ask(crm.authorizeUrl({ code_challenge_method: 'plain', state: 's1' }));
    assertRefused(answer, 'invalid_request', 's1', /code_challenge_method/);
  });

  test('a challenge that is no hash is refused: too short, too long or not base64url', async () => {
    // The library takes up to 128 characters.
    for (const challenge of ['a'.repeat(42), 'a'.repeat(44), `${'a'.repeat(42)}=`, `${'a'.repeat(42)}é`])
      assertRefused(
        await ask(crm.authorizeUrl({ code_challenge: challenge, state: 's1' })),
        'invalid_request',
        's1',
        /code_challenge/,
      );
  });
});

suite('scopes', () => {
  const refusals: [string, string, RegExp][] = [
    ['one that does not exist', 'openid core.contacts.delete', /core\.contacts\.delete/],
    ['one in other letters', 'openid Core.Contacts.Read', /Core\.Contacts\.Read/],
    ['no openid', 'core.contacts.read offline_access', /openid/],
    ['openid inside another word', 'openids core.contacts.read', /openid/],
    ['two spaces between', 'openid  core.contacts.read', /scope/],
    ['a space before', ' openid', /scope/],
    ['a space after', 'openid ', /scope/],
    ['a comma between', 'openid,core.contacts.read', /./],
    ['a tab between', 'openid\tcore.contacts.read', /scope/],
    ['a NUL', 'openid\0', /scope/],
    ['a name that every object has', 'openid toString', /toString/],
  ];
  for (const [what, scope, description] of refusals)
    test(`${what} is invalid_scope, with the state`, async () => {
      assertRefused(await ask(crm.authorizeUrl({ scope, state: 's1' })), 'invalid_scope', 's1', description);
    });

  test('one that the application may not ask for is invalid_scope, with the state', async () => {
    const client = await makeClient(world, { scopes: ['openid', 'core.contacts.read'] });
    for (const scope of ['openid core.contacts.write', 'openid offline_access', allOf])
      assertRefused(await ask(client.authorizeUrl({ scope, state: 's1' })), 'invalid_scope', 's1');
    assertAsked(await ask(client.authorizeUrl({ scope: 'openid core.contacts.read' })));
  });

  test('a repeated one is granted once', async () => {
    const back = await crm.authorizeIn(annsBrowser, { scope: 'openid core.contacts.read openid core.contacts.read' });
    const { body } = await crm.redeem(back.searchParams.get('code') ?? '');
    assert.equal(body.scope, 'openid core.contacts.read');
  });

  test('all of the application’s, and openid alone, are fine', async () => {
    assertAsked(await ask(crm.authorizeUrl({ scope: allOf })));
    assertAsked(await ask(crm.authorizeUrl({ scope: 'openid' })));
  });
});

suite('what we don’t offer', () => {
  for (const [name, value, error] of [
    ['request', 'eyJhbGciOiJub25lIn0.e30.', 'request_not_supported'],
    ['request_uri', 'urn:ietf:params:oauth:request_uri:x', 'request_uri_not_supported'],
    ['registration', '{}', 'registration_not_supported'],
    ['resource', 'https://evil.example/v1', 'invalid_target'],
    ['id_token_hint', 'nonsense', 'invalid_request'],
    ['max_age', '-1', 'invalid_request'],
    ['prompt', 'select_account', 'invalid_request'],
    ['nonce', '\0', 'invalid_request'],
    ['login_hint', '\0', 'invalid_request'],
  ] as const)
    test(`${name} ${JSON.stringify(value)} returns to the application as ${error}`, async () => {
      assertRefused(await ask(crm.authorizeUrl({ [name]: value, state: 's1' })), error, 's1');
    });

  test('claims are ignored: they add nothing to a token', async () => {
    const claims = JSON.stringify({ id_token: { phone_number: { essential: true }, sub: { value: '1' } } });
    const back = await crm.authorizeIn(annsBrowser, { claims });
    const { body } = await crm.redeem(back.searchParams.get('code') ?? '');
    const payload = claimsOf(body.id_token);
    assert.equal(payload.sub, String(ann.advisor.advisorId));
    assert.equal(payload.phone_number, undefined);
  });

  test('the API as the resource is the default, and accepted', async () => {
    const back = await crm.authorizeIn(annsBrowser, { resource: `${publicUrl}/v1` });
    assert.equal((await crm.redeem(back.searchParams.get('code') ?? '')).status, 200);
  });

  test('prompt none returns an error, because the advisor always decides', async () => {
    const answer = await annsBrowser.get(crm.authorizeUrl({ prompt: 'none', state: 's1' }));
    const { searchParams } = new URL(answer.location ?? '');
    assert.match(searchParams.get('error') ?? '', /^(consent|interaction|login)_required$/);
    assert.equal(searchParams.get('state'), 's1');
    assert.equal(searchParams.get('code'), null);
  });
});

suite('other methods and other spellings of the path', () => {
  for (const method of ['HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'] as const)
    test(`${method} is a 404 problem`, async () => {
      assertProblem(await inject(world.app, { method, url: crm.authorizeUrl() }), 'not_found');
    });

  for (const path of [
    '/OAuth/Authorize',
    '/oauth/AUTHORIZE',
    '/oauth/authorize/',
    '/oauth//authorize',
    '/oauth/authorize/x/',
    '/oauth/authorize/x/y',
    '/oauth/%61uthorize',
    '/oauth%2Fauthorize',
    '/oauth/authorize%2F',
    '/oauth/./authorize.',
    '/oauth/authorize;x',
    '/v1/oauth/authorize',
    '/authorize',
    '/oauth',
    '/oauth/',
  ])
    test(`${path} is a 404 problem`, async () => {
      assertProblem(await ask(crm.authorizeUrl().replace('/oauth/authorize', path)), 'not_found');
    });

  test('the absolute form of the URL is accepted, with any host', async () => {
    const port = await listen(world.app);
    const target = `http://evil.example${crm.authorizeUrl()}`;
    const answer = await exchange(port, `GET ${target} HTTP/1.1\r\nHost: evil.example\r\n\r\n`);
    assertAsked(answer);
    assert.doesNotMatch(JSON.stringify(answer), /evil/);
  });
});

test('a failure on our side is a page without a redirect', async () => {
  await world.database.asOwner('alter table interactions rename to interactions_away');
  try {
    const answer = await ask(crm.authorizeUrl());
    assert.equal(answer.status, 500);
    assert.equal(answer.headers.location, undefined);
    assert.equal(answer.headers['set-cookie'], undefined);
    assert.match(answer.headers['content-type'] ?? '', /^text\/html/);
    assert.doesNotMatch(answer.body, /interactions|relation/);
  } finally {
    await world.database.asOwner('alter table interactions_away rename to interactions');
  }
});

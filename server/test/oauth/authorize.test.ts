import assert from 'node:assert/strict';
import { after, before, suite, test } from 'node:test';
import { addApplication, disableApplication } from '../../src/domain/access/applications.ts';
import { disconnect, listConnections } from '../../src/domain/access/grants.ts';
import { makeSecret } from '../../src/domain/shared/secrets.ts';
import { assertProblem } from '../support/problem.ts';
import { exchange, listen } from '../support/sockets.ts';
import { until } from '../support/waiting.ts';
import { type Answer, inject, makeWorld } from '../support/world.ts';
import { allOf, type Client, makeClient, redirectUri, signedIn, type Tokens } from './client.ts';
import { type Visit, Visitor } from './visitor.ts';

const world = await makeWorld();
after(() => world.close());
const { publicUrl } = world.config;
const { ann, bob } = world;

let crm: Client;
let annsBrowser: Visitor;
before(async () => {
  crm = await makeClient(world);
  annsBrowser = await signedIn(world, ann);
});

async function ask(url: string, headers: Record<string, string> = {}): Promise<Answer> {
  return inject(world.app, { method: 'GET', url, headers });
}

/** A page for the person, and nothing that leads anywhere. */
function assertPage(answer: Answer | Visit, text: RegExp): void {
  const body = 'body' in answer ? answer.body : answer.html;
  assert.equal(answer.status, 400, body);
  assert.equal(answer.headers.location, undefined);
  assert.equal(answer.headers['set-cookie'], undefined);
  assert.match(String(answer.headers['content-type']), /^text\/html/);
  assert.match(String(answer.headers['content-security-policy']), /default-src 'none'/);
  assert.equal(answer.headers['cache-control'], 'no-store');
  assert.match(body, text);
}

/** Back to the application, with the error in the query beside what the address had of its own. */
function assertRefused(answer: Answer, error: string, state: string | null, description = /./): void {
  assert.equal(answer.status, 303, answer.body);
  const location = new URL(answer.headers.location ?? '');
  assert.equal(location.origin + location.pathname, 'https://crm.example/callback');
  assert.equal(location.hash, '');
  const { searchParams } = location;
  assert.equal(searchParams.get('tenant'), '7');
  assert.equal(searchParams.get('error'), error, location.href);
  assert.equal(searchParams.get('state'), state);
  assert.equal(searchParams.get('iss'), publicUrl);
  assert.equal(searchParams.get('code'), null);
  assert.match(searchParams.get('error_description') ?? 'none', description);
  assert.equal(answer.headers['set-cookie'], undefined);
  assert.equal(answer.headers['cache-control'], 'no-store');
}

function assertAsked(answer: Answer): string {
  const { location = '' } = answer.headers;
  assert.equal(answer.status, 303, answer.body);
  assert.match(location, /^\/oauth\/interaction\/[\w-]{43}$/);
  return location;
}

suite('the seven parameters', () => {
  for (const name of ['client_id', 'redirect_uri'])
    for (const [what, value] of [
      ['missing', undefined],
      ['empty', ''],
    ] as const)
      test(`${name} that is ${what} is a page, never a redirect`, async () => {
        assertPage(await ask(crm.authorizeUrl({ [name]: value })), /This link doesn’t work/);
      });

  for (const name of ['response_type', 'code_challenge', 'code_challenge_method', 'scope'])
    for (const [what, value] of [
      ['missing', undefined],
      ['empty', ''],
    ] as const)
      test(`${name} that is ${what} goes back to the application as an error that names it`, async () => {
        const answer = await ask(crm.authorizeUrl({ [name]: value, state: 's1' }));
        assertRefused(answer, 'invalid_request', 's1', new RegExp(name));
      });

  for (const value of [undefined, ''])
    test(`a state that is ${value === undefined ? 'missing' : 'empty'} goes back as an error without one`, async () => {
      assertRefused(await ask(crm.authorizeUrl({ state: value })), 'invalid_request', null, /state/);
    });

  test('all seven lead to the page where the advisor decides, at a path that can’t be guessed', async () => {
    const first = assertAsked(await ask(crm.authorizeUrl()));
    assert.notEqual(first, assertAsked(await ask(crm.authorizeUrl())));
  });

  test('a fixed parameter of the address beside them is tolerated, whatever it is', async () => {
    for (const extra of ['goto=/portal/home', 'goto=1&goto=2', 'x[y]=1', '__proto__=1', '%00=%00', 'RelayState=%ff'])
      assertAsked(await ask(`/oauth/authorize?${extra}&${crm.authorizeUrl().split('?')[1]}`));
  });

  test('a redirect URI with a query works with its question mark escaped or bare', async () => {
    const url = crm.authorizeUrl({ redirect_uri: undefined });
    assertAsked(await ask(`${url}&redirect_uri=${encodeURIComponent(redirectUri)}`));
    assertAsked(await ask(`/oauth/authorize?redirect_uri=${redirectUri}&${url.split('?')[1]}`));
  });

  test('a parameter that is given twice is refused; without knowing which to believe, no redirect', async () => {
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
  for (const type of ['token', 'id_token', 'code token', 'code id_token', 'none', 'CODE', 'code\0', '__proto__'])
    test(`response_type ${JSON.stringify(type)} is refused, in the query like every error`, async () => {
      const answer = await ask(crm.authorizeUrl({ response_type: type, state: 's1' }));
      assertRefused(answer, 'unsupported_response_type', 's1');
    });

  for (const mode of ['form_post', 'fragment', 'web_message', 'jwt', 'query.jwt', 'nonsense'])
    test(`response_mode ${mode} is refused, and the refusal does not follow it`, async () => {
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

  test('response_mode query, which is what happens anyway, is taken', async () => {
    assertAsked(await ask(crm.authorizeUrl({ response_mode: 'query' })));
  });
});

suite('PKCE', () => {
  test('the method plain is refused, also in other spellings of S256', async () => {
    for (const method of ['plain', 's256', 'S512', 'S256 '])
      assertRefused(
        await ask(crm.authorizeUrl({ code_challenge_method: method, state: 's1' })),
        'invalid_request',
        's1',
        /code_challenge_method/,
      );
  });

  test('a challenge that is too short, too long or not base64url is refused', async () => {
    for (const challenge of ['a'.repeat(42), 'a'.repeat(129), `${'a'.repeat(42)}=`, `${'a'.repeat(42)}é`])
      assertRefused(
        await ask(crm.authorizeUrl({ code_challenge: challenge, state: 's1' })),
        'invalid_request',
        's1',
        /code_challenge/,
      );
  });
});

suite('a redirect URI that is not the registered one to the letter', () => {
  const others = {
    'another host': 'https://evil.example/callback?tenant=7',
    'a host below': 'https://crm.example.evil.example/callback?tenant=7',
    'a subdomain': 'https://www.crm.example/callback?tenant=7',
    'another scheme': 'http://crm.example/callback?tenant=7',
    'a host in other letters': 'https://CRM.example/callback?tenant=7',
    'a scheme in other letters': 'HTTPS://crm.example/callback?tenant=7',
    'a path in other letters': 'https://crm.example/Callback?tenant=7',
    'a trailing slash': 'https://crm.example/callback/?tenant=7',
    'the default port': 'https://crm.example:443/callback?tenant=7',
    'another port': 'https://crm.example:8443/callback?tenant=7',
    'a longer query': 'https://crm.example/callback?tenant=7&next=1',
    'another query': 'https://crm.example/callback?tenant=8',
    'no query': 'https://crm.example/callback',
    'an empty fragment': 'https://crm.example/callback?tenant=7#',
    'a fragment': 'https://crm.example/callback?tenant=7#x',
    'a percent-encoded letter': 'https://crm.example/c%61llback?tenant=7',
    'a dot segment': 'https://crm.example/x/../callback?tenant=7',
    userinfo: 'https://user@crm.example/callback?tenant=7',
    'userinfo that looks like the host': 'https://crm.example@evil.example/callback?tenant=7',
    'a backslash': 'https://crm.example\\@evil.example/callback?tenant=7',
    'a space before': ' https://crm.example/callback?tenant=7',
    'a line break after': 'https://crm.example/callback?tenant=7\r\n',
    'a NUL after': 'https://crm.example/callback?tenant=7\0',
    'a script': 'javascript:alert(1)',
    'no URI at all': 'callback',
  };
  for (const [what, uri] of Object.entries(others))
    test(`${what} is a page, never a redirect`, async () => {
      const answer = await ask(crm.authorizeUrl({ redirect_uri: uri }));
      assertPage(answer, /an address \(redirect_uri\) that is not registered for it/);
      assert.doesNotMatch(answer.body, /evil/);
    });

  test('is a page also when something else is wrong with the request', async () => {
    const evil = { redirect_uri: 'https://evil.example/' };
    for (const wrong of [
      { scope: 'nonsense' },
      { state: '' },
      { request: 'x' },
      { prompt: 'none' },
      { response_type: '' },
    ])
      assertPage(await ask(crm.authorizeUrl({ ...evil, ...wrong })), /redirect_uri/);
    assertPage(await ask(`${crm.authorizeUrl(evil)}&state=2`), /redirect_uri/);
  });

  test('of several that are registered each is good, and no mixture', async () => {
    const redirectUris = ['https://crm.example/a', 'https://crm.example/b', 'http://127.0.0.1:3000/c'];
    const client = await makeClient(world, { redirectUris });
    for (const uri of redirectUris) assertAsked(await ask(client.authorizeUrl({ redirect_uri: uri })));
    for (const uri of [
      'https://crm.example/c',
      'http://127.0.0.1/c',
      'http://127.0.0.1:3001/c',
      redirectUris.join(' '),
    ])
      assertPage(await ask(client.authorizeUrl({ redirect_uri: uri })), /redirect_uri/);
  });

  test('is anything at all for an application that registered none', async () => {
    const client = await makeClient(world, { redirectUris: [] });
    assertPage(await ask(client.authorizeUrl()), /./);
  });
});

suite('clients that can’t ask', () => {
  test('an unknown client is a page', async () => {
    for (const clientId of [makeSecret('clientId', 'sandbox'), 'nobody', '\0', 'é', 'a'.repeat(5_000), '__proto__'])
      assertPage(await ask(crm.authorizeUrl({ client_id: clientId })), /\(client_id\) is not known here/);
  });

  test('a client id of production gets a page that says so', async () => {
    const answer = await ask(crm.authorizeUrl({ client_id: makeSecret('clientId', 'production') }));
    assertPage(answer, /The client_id is of another environment: this is the sandbox/);
  });

  test('a disabled application is as unknown as any', async () => {
    const client = await makeClient(world);
    await disableApplication(world.deps, client.clientId);
    assertPage(await ask(client.authorizeUrl()), /\(client_id\) is not known here/);
  });

  test('an application that is disabled while the advisor decides gets no code', async () => {
    const client = await makeClient(world);
    const { location: path = '' } = await annsBrowser.open(client.authorizeUrl());
    const page = await annsBrowser.open(path);
    await disableApplication(world.deps, client.clientId);
    const decided = await annsBrowser.submit(page, path, { decision: 'allow' });
    assert.equal(decided.status, 400);
    assert.equal(decided.location, undefined);
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

  test('one that is not provisioned for the application is invalid_scope, with the state', async () => {
    const client = await makeClient(world, { scopes: ['openid', 'core.contacts.read'] });
    for (const scope of ['openid core.contacts.write', 'openid offline_access', allOf])
      assertRefused(await ask(client.authorizeUrl({ scope, state: 's1' })), 'invalid_scope', 's1');
    assertAsked(await ask(client.authorizeUrl({ scope: 'openid core.contacts.read' })));
  });

  test('one that is asked for twice is granted once', async () => {
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
    ['request_uri', 'https://evil.example/request.jwt', 'request_uri_not_supported'],
    ['registration', '{}', 'registration_not_supported'],
    ['resource', 'https://evil.example/v1', 'invalid_target'],
    ['resource', 'nonsense', 'invalid_target'],
    ['id_token_hint', 'nonsense', 'invalid_request'],
    ['max_age', '-1', 'invalid_request'],
    ['max_age', 'soon', 'invalid_request'],
    ['prompt', 'select_account', 'invalid_request'],
    ['prompt', 'none login', 'invalid_request'],
    ['nonce', '\0', 'invalid_request'],
    ['login_hint', '\0', 'invalid_request'],
  ] as const)
    test(`${name} ${JSON.stringify(value)} goes back as ${error}`, async () => {
      assertRefused(await ask(crm.authorizeUrl({ [name]: value, state: 's1' })), error, 's1');
    });

  test('claims are ignored: they add nothing to a token', async () => {
    const claims = JSON.stringify({ id_token: { phone_number: { essential: true }, sub: { value: '1' } } });
    const back = await crm.authorizeIn(annsBrowser, { claims });
    const { body } = await crm.redeem(back.searchParams.get('code') ?? '');
    const payload = JSON.parse(Buffer.from(body.id_token.split('.')[1], 'base64url').toString());
    assert.equal(payload.sub, String(ann.advisor.advisorId));
    assert.equal(payload.phone_number, undefined);
  });

  test('the API named as the resource is what is meant anyway', async () => {
    const back = await crm.authorizeIn(annsBrowser, { resource: `${publicUrl}/v1` });
    assert.equal((await crm.redeem(back.searchParams.get('code') ?? '')).status, 200);
  });

  test('prompt none goes back with an error, since the advisor always decides', async () => {
    const answer = await annsBrowser.open(crm.authorizeUrl({ prompt: 'none', state: 's1' }));
    const { searchParams } = new URL(answer.location ?? '');
    assert.match(searchParams.get('error') ?? '', /^(consent|interaction|login)_required$/);
    assert.equal(searchParams.get('state'), 's1');
    assert.equal(searchParams.get('code'), null);
  });
});

suite('a fresh sign-in', () => {
  /** As if the advisor had signed in that long ago. */
  async function age(seconds: number): Promise<void> {
    await world.database.asOwner(
      'update sessions set date_time_created = now() - make_interval(secs => $1) where advisor_id = $2',
      [seconds, ann.advisor.advisorId],
    );
  }

  async function pageFor(
    browser: Visitor,
    changes: Record<string, string | undefined>,
  ): Promise<{ page: Visit; path: string }> {
    const { location: path = '' } = await browser.open(crm.authorizeUrl(changes));
    return { page: await browser.open(path), path };
  }

  const asksToSignIn = /<h1>Sign in to connect Partner CRM<\/h1>/;
  const asksToAllow = /<h1>Partner CRM wants to act for you<\/h1>/;

  for (const changes of [{ prompt: 'login' }, { prompt: 'consent login' }, { max_age: '0' }, { max_age: '60' }])
    test(`is forced by ${JSON.stringify(changes)}, and an older session can’t allow`, async () => {
      const browser = await signedIn(world, ann);
      await age(120);
      const { page, path } = await pageFor(browser, changes);
      assert.match(page.html, asksToSignIn);
      const { page: usual } = await pageFor(browser, {});
      assert.match(usual.html, asksToAllow);
      const forged = await browser.submit(usual, path, {
        decision: 'allow',
        formToken: /name="formToken" value="([^"]+)"/.exec(usual.html)?.[1] ?? '',
      });
      assert.equal(forged.location, path, 'back to where the advisor signs in');
      assert.match((await browser.open(path)).html, asksToSignIn);
    });

  test('is not asked of an advisor who signed in within max_age, however long the decision takes', async () => {
    const browser = await signedIn(world, ann);
    await age(50);
    const { page, path } = await pageFor(browser, { max_age: '60' });
    assert.match(page.html, asksToAllow);
    // The request and the sign-in were both a good while ago by now.
    await age(50 + 300);
    await world.database.asOwner(
      `update interactions set payload = jsonb_set(payload, '{iat}', to_jsonb((payload->>'iat')::bigint - 300))`,
    );
    const decided = await browser.submit(page, path, { decision: 'allow' });
    assert.match(decided.location ?? '', /^\/oauth\/authorize\//);
  });

  test('a max_age of centuries asks nothing', async () => {
    for (const max_age of ['9007199254740991', '31536000000'])
      assert.match((await pageFor(await signedIn(world, ann), { max_age })).page.html, asksToAllow);
  });

  after(async () => {
    annsBrowser = await signedIn(world, ann);
  });
});

suite('the answer', () => {
  test('allowed, it has a code, the state and the issuer, and no more', async () => {
    const back = await crm.authorizeIn(annsBrowser, { state: 's1' });
    assert.deepEqual([...back.searchParams.keys()], ['tenant', 'code', 'state', 'iss']);
    assert.equal(back.searchParams.get('state'), 's1');
    assert.equal(back.searchParams.get('iss'), publicUrl);
    assert.match(back.searchParams.get('code') ?? '', /^[\w-]{43}$/);
    assert.equal(back.href.startsWith(`${redirectUri}&code=`), true);
  });

  test('denied, it has access_denied and the state, and no code', async () => {
    const back = await crm.authorizeIn(annsBrowser, { state: 's1' }, 'deny');
    assert.equal(back.searchParams.get('error'), 'access_denied');
    assert.equal(back.searchParams.get('state'), 's1');
    assert.equal(back.searchParams.get('iss'), publicUrl);
    assert.equal(back.searchParams.get('code'), null);
  });

  test('a denial takes nothing away from what was allowed before', async () => {
    const client = await makeClient(world);
    const held: Tokens = await redeemed(client, await client.authorizeIn(annsBrowser));
    await client.authorizeIn(annsBrowser, {}, 'deny');
    assert.equal((await client.refresh(held.refresh_token)).status, 200);
  });

  test('an advisor who is not signed in may deny too, and nothing is stored of it', async () => {
    const client = await makeClient(world);
    const browser = new Visitor(world.app);
    const { location: path = '' } = await browser.open(client.authorizeUrl({ state: 's1' }));
    const page = await browser.open(path);
    const formToken = /name="formToken" value="([^"]+)"/.exec(page.html)?.[1] ?? '';
    const decided = await browser.submit(page, path, { decision: 'deny', formToken });
    const back = new URL((await browser.open(decided.location ?? '')).location ?? '');
    assert.equal(back.searchParams.get('error'), 'access_denied');
    assert.equal(
      (await listConnections(world.deps, ann.advisor.advisorId)).some(({ clientId }) => clientId === client.clientId),
      false,
    );
  });

  const states = {
    'two kilobytes': 'x'.repeat(2_048),
    unicode: 'žluťoučký kůň 李 😀 \u202e',
    'a script': '<script>alert(1)</script>"\'>',
    'line breaks': 'a\r\nSet-Cookie: evil=1\r\n\r\n<html>',
    'parameters of its own': 'a&code=evil&error=evil#evil?iss=evil',
    'escapes and pluses': '%41+%2B%00 %',
    JSON: '{"returnTo":"/a b","n":1}',
    'spaces at its ends': '  s  ',
  };
  for (const [what, state] of Object.entries(states))
    test(`a state of ${what} comes back unchanged, allowed, denied or refused`, async () => {
      for (const decision of ['allow', 'deny'] as const) {
        const back = await crm.authorizeIn(annsBrowser, { state }, decision);
        assert.equal(back.searchParams.get('state'), state);
        assert.equal(back.searchParams.getAll('code').length, decision === 'allow' ? 1 : 0);
        assert.equal(back.searchParams.get('iss'), publicUrl);
      }
      const refused = await ask(crm.authorizeUrl({ state, scope: 'nonsense' }), { accept: 'text/html' });
      assertRefused(refused, 'invalid_scope', state);
      assert.doesNotMatch(refused.body, /<script|<html/);
      assert.equal(refused.headers['set-cookie'], undefined);
    });

  test('a state with a NUL is refused, and comes back', async () => {
    assertRefused(await ask(crm.authorizeUrl({ state: 'a\0b' })), 'invalid_request', 'a\0b', /NUL/);
  });
});

suite('the request that waits for the advisor', () => {
  async function waiting(browser: Visitor, client = crm, changes: Record<string, string> = {}) {
    const { location: path = '' } = await browser.open(client.authorizeUrl(changes));
    return { path, page: await browser.open(path) };
  }

  const expired = /<h1>This request has expired<\/h1>/;

  test('is of no use to another browser, signed in or not', async () => {
    const { path } = await waiting(annsBrowser);
    const others = [new Visitor(world.app), await signedIn(world, bob)];
    for (const other of others) {
      assertPageOfNoUse(await other.open(path));
      const { page: own } = await waiting(other);
      const formToken = /name="formToken" value="([^"]+)"/.exec(own.html)?.[1] ?? '';
      for (const decision of ['allow', 'deny'])
        assertPageOfNoUse(await other.submit(own, path, { decision, formToken }));
      const resumed = await other.open(path.replace('interaction', 'authorize'));
      assertPage(resumed, /expired/);
    }
    const page = await annsBrowser.open(path);
    assert.match(page.html, /wants to act for you/, 'and it still waits where it began');
  });

  test('is of no use to who knows its address: a cookie made up from that opens nothing', async () => {
    const { path } = await waiting(annsBrowser);
    const uid = path.split('/').at(-1);
    const thief = new Visitor(world.app, { cookie: `assent-interaction=${uid}; assent-resume=${uid}` });
    assertPageOfNoUse(await thief.open(path));
    assertPage(await thief.open(path.replace('interaction', 'authorize')), /not found|expired/);
    const { path: mine } = await waiting(annsBrowser);
    const mixed = annsBrowser.cookies(mine);
    assertPageOfNoUse(await new Visitor(world.app, { cookie: mixed }).open(path));
  });

  function assertPageOfNoUse(visit: Visit): void {
    assert.equal(visit.status, 400);
    assert.match(visit.html, expired);
    assert.equal(visit.location, undefined);
  }

  test('gives no code before the advisor has decided', async () => {
    const { path, page } = await waiting(annsBrowser);
    const early = await annsBrowser.open(path.replace('interaction', 'authorize'));
    assert.doesNotMatch(early.location ?? '', /code=/);
    assert.match(page.html, /wants to act for you/);
  });

  test('is used once: going back shows that it is done', async () => {
    const { path, page } = await waiting(annsBrowser);
    const decided = await annsBrowser.submit(page, path, { decision: 'allow' });
    const back = await annsBrowser.open(decided.location ?? '');
    assert.match(back.location ?? '', /code=/);
    assertPageOfNoUse(await annsBrowser.open(path));
    assertPageOfNoUse(await annsBrowser.submit(page, path, { decision: 'allow' }));
    assertPageOfNoUse(await annsBrowser.submit(page, path, { decision: 'deny' }));
    assertPage(await annsBrowser.open(decided.location ?? ''), /expired/);
  });

  test('allowed twice before the browser follows, it gives one code', async () => {
    const { path, page } = await waiting(annsBrowser);
    const first = await annsBrowser.submit(page, path, { decision: 'allow' });
    const second = await annsBrowser.submit(page, path, { decision: 'allow' });
    assert.equal(first.location, second.location);
    const back = await annsBrowser.open(first.location ?? '');
    assert.match(back.location ?? '', /code=/);
    assertPage(await annsBrowser.open(second.location ?? ''), /expired/);
  });

  test('allowed, then denied before the browser follows, it is denied', async () => {
    const { path, page } = await waiting(annsBrowser);
    await annsBrowser.submit(page, path, { decision: 'allow' });
    const denied = await annsBrowser.submit(page, path, { decision: 'deny' });
    const back = new URL((await annsBrowser.open(denied.location ?? '')).location ?? '');
    assert.equal(back.searchParams.get('error'), 'access_denied');
  });

  test('followed twice at the same moment, it gives one code', async () => {
    const { path, page } = await waiting(annsBrowser);
    const { location = '' } = await annsBrowser.submit(page, path, { decision: 'allow' });
    const held = await world.database.pool.transaction(async (db) => {
      await db.query('select from interactions for update');
      const follows = [annsBrowser.open(location), annsBrowser.open(location), annsBrowser.open(location)];
      await until('all three wait for the same row', async () => {
        const rows = await world.database.asOwner(
          `select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`,
        );
        return rows.length === follows.length;
      });
      return follows;
    });
    const codes = (await Promise.all(held)).filter((visit) => visit.location?.includes('code='));
    assert.equal(codes.length, 1);
  });

  test('two tabs with different requests don’t mix', async () => {
    const other = await makeClient(world, { name: 'Another CRM', redirectUris: ['https://other.example/back'] });
    const first = await waiting(annsBrowser, crm, { state: 'first', scope: 'openid core.contacts.read' });
    const second = await waiting(annsBrowser, other, { state: 'second', scope: 'openid text.messaging.read' });
    assert.match((await annsBrowser.open(first.path)).html, /Partner CRM wants to act/);
    assert.match((await annsBrowser.open(second.path)).html, /Another CRM wants to act/);
    const decidedFirst = await annsBrowser.submit(first.page, first.path, { decision: 'allow' });
    const decidedSecond = await annsBrowser.submit(second.page, second.path, { decision: 'allow' });
    const backSecond = new URL((await annsBrowser.open(decidedSecond.location ?? '')).location ?? '');
    const backFirst = new URL((await annsBrowser.open(decidedFirst.location ?? '')).location ?? '');
    assert.equal(backFirst.searchParams.get('state'), 'first');
    assert.equal(backSecond.searchParams.get('state'), 'second');
    assert.equal(backSecond.origin, 'https://other.example');
    assert.equal((await redeemed(crm, backFirst)).scope, 'openid core.contacts.read');
    assert.equal((await redeemed(other, backSecond)).scope, 'openid text.messaging.read');
  });

  test('expires', async () => {
    const { path, page } = await waiting(annsBrowser);
    await world.database.asOwner(
      `update interactions
       set date_time_expires = now() - interval '1 second', payload = jsonb_set(payload, '{exp}', to_jsonb(1))`,
    );
    assertPageOfNoUse(await annsBrowser.open(path));
    assertPageOfNoUse(await annsBrowser.submit(page, path, { decision: 'allow' }));
    assertPage(await annsBrowser.open(path.replace('interaction', 'authorize')), /expired|not found/);
  });

  test('belongs to whoever is signed in when it is allowed', async () => {
    const client = await makeClient(world);
    const { path, page } = await waiting(annsBrowser, client);
    const bobs = await signedIn(world, bob);
    await bobs.open(client.authorizeUrl());
    const decided = await annsBrowser.submit(page, path, { decision: 'allow' });
    const back = new URL((await annsBrowser.open(decided.location ?? '')).location ?? '');
    const { access_token } = await redeemed(client, back);
    const { advisor_id } = JSON.parse(Buffer.from(access_token.split('.')[1] ?? '', 'base64url').toString());
    assert.equal(advisor_id, ann.advisor.advisorId);
  });
});

async function redeemed(client: Client, back: URL): Promise<Tokens> {
  const answer = await client.redeem(back.searchParams.get('code') ?? '', {
    redirect_uri: `${back.origin}${back.pathname}${back.searchParams.has('tenant') ? '?tenant=7' : ''}`,
  });
  assert.equal(answer.status, 200, JSON.stringify(answer.body));
  return answer.body;
}

suite('one authorization per advisor and application', () => {
  function grantOf({ access_token }: Tokens): string {
    return JSON.parse(Buffer.from(access_token.split('.')[1] ?? '', 'base64url').toString()).grant_id;
  }

  test('allowing again adds scopes to the same grant, and what was held goes on working', async () => {
    const client = await makeClient(world);
    const first = await redeemed(
      client,
      await client.authorizeIn(annsBrowser, { scope: 'openid offline_access core.contacts.read' }),
    );
    const second = await redeemed(
      client,
      await client.authorizeIn(annsBrowser, { scope: 'openid offline_access text.messaging.read' }),
    );
    assert.equal(grantOf(first), grantOf(second));
    const [connection] = (await listConnections(world.deps, ann.advisor.advisorId)).filter(
      ({ clientId }) => clientId === client.clientId,
    );
    assert.deepEqual(connection?.authorized?.scopes.toSorted(), [
      'core.contacts.read',
      'offline_access',
      'openid',
      'text.messaging.read',
    ]);
    assert.equal((await client.call(first.access_token)).status, 200);
    const again = await client.refresh(first.refresh_token);
    assert.equal(again.status, 200);
    assert.equal((await client.refresh(second.refresh_token)).status, 200);
  });

  test('each token carries only what its own request asked for', async () => {
    const client = await makeClient(world);
    const wide = await redeemed(client, await client.authorizeIn(annsBrowser));
    const scope = 'openid offline_access text.messaging.read';
    const narrow = await redeemed(client, await client.authorizeIn(annsBrowser, { scope }));
    assert.equal(wide.scope, allOf);
    assert.equal(narrow.scope, scope);
    assertProblem(await client.call(narrow.access_token), 'forbidden', /core\.contacts\.read/);
    assert.equal((await client.refresh(narrow.refresh_token)).body.scope, scope);
    assert.equal((await client.refresh(wide.refresh_token)).body.scope, allOf);
  });

  test('two advisors have one each, and so have two applications', async () => {
    const [one, another] = [await makeClient(world), await makeClient(world)];
    const bobsBrowser = await signedIn(world, bob);
    const grants = [
      await redeemed(one, await one.authorizeIn(annsBrowser)),
      await redeemed(one, await one.authorizeIn(bobsBrowser)),
      await redeemed(another, await another.authorizeIn(annsBrowser)),
    ].map(grantOf);
    assert.equal(new Set(grants).size, 3);
    await disconnect(world.deps, one.clientId, bob.advisor.advisorId);
    const rows = await world.database.asOwner('select from grants where grant_id = any($1)', [grants]);
    assert.equal(rows.length, 2);
  });
});

suite('names and hosts', () => {
  test('HTML in the name of an application is text on every page', async () => {
    const name = '<img src=x onerror=alert(1)>"\'&';
    const client = await makeClient(world, { name });
    for (const browser of [new Visitor(world.app), annsBrowser]) {
      const { location = '' } = await browser.open(client.authorizeUrl());
      const { html } = await browser.open(location);
      assert.doesNotMatch(html, /<img src=x/);
      assert.match(html, /&lt;img src=x onerror=alert\(1\)&gt;&quot;&#39;&amp;/);
    }
  });

  test('the page of an error shows nothing of the request as markup', async () => {
    const answer = await ask(crm.authorizeUrl({ client_id: '<script>alert(1)</script>' }));
    assertPage(answer, /client_id/);
    assert.doesNotMatch(answer.body, /<script/);
  });

  for (const host of ['localhost:8080', '127.0.0.1:8080', 'evil.example'])
    test(`a browser that came by ${host} gets through, and stays with that name`, async () => {
      const evil = { 'x-forwarded-host': 'evil.example', 'x-forwarded-proto': 'ftp', forwarded: 'host=evil.example' };
      const browser = await signedIn(world, bob, { host, ...evil, accept: 'text/html' });
      const asked = await browser.open(crm.authorizeUrl());
      assert.match(asked.location ?? '', /^\/oauth\/interaction\//);
      const page = await browser.open(asked.location ?? '');
      const decided = await browser.submit(page, asked.location ?? '', { decision: 'allow' });
      assert.match(decided.location ?? '', /^\/oauth\/authorize\//);
      const back = await browser.open(decided.location ?? '');
      assert.equal(new URL(back.location ?? '').searchParams.get('iss'), publicUrl);
      for (const visit of [asked, page, decided, back])
        assert.doesNotMatch(JSON.stringify(visit), /evil|ftp:/, 'no other host gets into an answer');
    });

  test('no answer repeats a host that the client made up', async () => {
    const headers = {
      host: 'evil.example',
      'x-forwarded-host': 'evil.example',
      'x-forwarded-proto': 'ftp',
      'x-forwarded-for': '203.0.113.1',
      forwarded: 'host=evil.example;proto=ftp',
    };
    const urls = [
      crm.authorizeUrl({ scope: 'nonsense' }),
      crm.authorizeUrl({ redirect_uri: 'https://crm.example/' }),
      crm.authorizeUrl({ client_id: 'nobody' }),
      '/oauth/authorize/nonsense',
      '/oauth/interaction/nonsense',
      '/.well-known/openid-configuration',
      '/.well-known/oauth-authorization-server',
    ];
    for (const url of urls) {
      const { headers: given, body } = await ask(url, headers);
      assert.doesNotMatch(JSON.stringify([given, body]), /evil|ftp:/, url);
    }
    const basic = await inject(world.app, {
      method: 'POST',
      url: '/oauth/token',
      headers: { ...headers, authorization: 'Basic eDp4' },
    });
    assert.doesNotMatch(JSON.stringify([basic.headers, basic.body]), /evil|ftp:/);
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

  test('the absolute form of the address is taken, whatever host it names', async () => {
    const port = await listen(world.app);
    const target = `http://evil.example${crm.authorizeUrl()}`;
    const answer = await exchange(port, `GET ${target} HTTP/1.1\r\nHost: evil.example\r\n\r\n`);
    assertAsked(answer);
    assert.doesNotMatch(JSON.stringify(answer), /evil/);
  });
});

test('what fails on our side is a page that leads nowhere', async () => {
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

test('an application whose redirect URI breaks a rule can’t be made', async () => {
  for (const uri of [
    'http://crm.example/',
    'https://*.example/',
    'https://crm.example/#x',
    'https://crm.example/#',
    'https://bank.example@crm.example/',
    'https:\\\\crm.example/',
    'https://crm.example/a b',
    'x',
  ])
    await assert.rejects(addApplication(world.deps, { name: 'x', redirectUris: [uri] }), { code: 'invalid_request' });
});

test('an application whose name hides or turns around what is read can’t be made', async () => {
  for (const name of ['', ' ', 'CRM\n', 'CRM\u001b[2J', 'CRM \u202egnp.exe', 'C\u200bRM', 'x'.repeat(101)])
    await assert.rejects(addApplication(world.deps, { name, redirectUris: [redirectUri] }), {
      code: 'invalid_request',
    });
});

import assert from 'node:assert/strict';
import { after, suite, test } from 'node:test';
import { addApplication, disableApplication } from '../../src/domain/access/applications.ts';
import { makeSecret } from '../../src/domain/shared/secrets.ts';
import { makeClient } from '../support/oauth-client.ts';
import { assertAsked, assertPage, makeOAuthWorld } from './setup.ts';

const { world, crm, annsBrowser, ask } = await makeOAuthWorld();
after(() => world.close());

suite('a redirect URI that doesn’t exactly match the registered one', () => {
  const others = {
    'another host': 'https://evil.example/callback?tenant=7',
    'a subdomain': 'https://www.crm.example/callback?tenant=7',
    'another scheme': 'http://crm.example/callback?tenant=7',
    'a host in other letters': 'https://CRM.example/callback?tenant=7',
    'a trailing slash': 'https://crm.example/callback/?tenant=7',
    'the default port': 'https://crm.example:443/callback?tenant=7',
    'a longer query': 'https://crm.example/callback?tenant=7&next=1',
    'no query': 'https://crm.example/callback',
    'a fragment': 'https://crm.example/callback?tenant=7#x',
    'a percent-encoded letter': 'https://crm.example/c%61llback?tenant=7',
    userinfo: 'https://user@crm.example/callback?tenant=7',
    'a line break after': 'https://crm.example/callback?tenant=7\r\n',
    'no URI at all': 'callback',
  };
  for (const [what, uri] of Object.entries(others))
    test(`${what} is a page, never a redirect`, async () => {
      const answer = await ask(crm.authorizeUrl({ redirect_uri: uri }));
      assertPage(answer, /an address \(redirect_uri\) that is not registered for it/);
      assert.doesNotMatch(answer.body, /evil/);
    });

  test('is a page even if something else is wrong with the request', async () => {
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

  test('each of several registered ones works, and no mixture does', async () => {
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

  test('is any URI for an application without registered ones', async () => {
    const client = await makeClient(world, { redirectUris: [] });
    assertPage(await ask(client.authorizeUrl()), /./);
  });
});

suite('clients that can’t make requests', () => {
  test('an unknown client is a page', async () => {
    for (const clientId of [makeSecret('clientId', 'sandbox'), 'nobody', '\0', 'é', 'a'.repeat(5_000), '__proto__'])
      assertPage(await ask(crm.authorizeUrl({ client_id: clientId })), /\(client_id\) is unknown here/);
  });

  test('a production client id gets a page that says so', async () => {
    const answer = await ask(crm.authorizeUrl({ client_id: makeSecret('clientId', 'production') }));
    assertPage(answer, /The client_id is for a different environment: this is the sandbox/);
  });

  test('a disabled application is treated as unknown', async () => {
    const client = await makeClient(world);
    await disableApplication(world.deps, client.clientId);
    assertPage(await ask(client.authorizeUrl()), /\(client_id\) is unknown here/);
  });

  test('an application that is disabled while the advisor decides gets no code', async () => {
    const client = await makeClient(world);
    const { location: path = '' } = await annsBrowser.get(client.authorizeUrl());
    const page = await annsBrowser.get(path);
    await disableApplication(world.deps, client.clientId);
    const decided = await annsBrowser.submit(page, path, { decision: 'allow' });
    assert.equal(decided.status, 400);
    assert.equal(decided.location, undefined);
  });
});

test('an application whose redirect URI breaks a rule can’t be added', async () => {
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

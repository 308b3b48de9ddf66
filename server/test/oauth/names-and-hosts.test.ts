import assert from 'node:assert/strict';
import { after, suite, test } from 'node:test';
import { addApplication } from '../../src/domain/access/applications.ts';
import { makeClient, redirectUri, signedIn } from '../support/oauth-client.ts';
import { Visitor } from '../support/visitor.ts';
import { inject } from '../support/world.ts';
import { assertPage, makeOAuthWorld } from './setup.ts';

const { world, crm, annsBrowser, ask } = await makeOAuthWorld();
after(() => world.close());
const { bob } = world;
const { publicUrl } = world.config;

suite('names and hosts', () => {
  test('HTML in an application’s name is text on every page', async () => {
    const name = '<img src=x onerror=alert(1)>"\'&';
    const client = await makeClient(world, { name });
    for (const browser of [new Visitor(world.app), annsBrowser]) {
      const { location = '' } = await browser.get(client.authorizeUrl());
      const { body } = await browser.get(location);
      assert.doesNotMatch(body, /<img src=x/);
      assert.match(body, /&lt;img src=x onerror=alert\(1\)&gt;&quot;&#39;&amp;/);
    }
  });

  test('an error page never shows the request as markup', async () => {
    const answer = await ask(crm.authorizeUrl({ client_id: '<script>alert(1)</script>' }));
    assertPage(answer, /client_id/);
    assert.doesNotMatch(answer.body, /<script/);
  });

  for (const host of ['localhost:8080', '127.0.0.1:8080', 'evil.example'])
    test(`a browser that came by ${host} gets through, and stays on that host`, async () => {
      const evil = { 'x-forwarded-host': 'evil.example', 'x-forwarded-proto': 'ftp', forwarded: 'host=evil.example' };
      const browser = await signedIn(world, bob, { host, ...evil, accept: 'text/html' });
      const asked = await browser.get(crm.authorizeUrl());
      assert.match(asked.location ?? '', /^\/oauth\/interaction\//);
      const page = await browser.get(asked.location ?? '');
      const decided = await browser.submit(page, asked.location ?? '', { decision: 'allow' });
      assert.match(decided.location ?? '', /^\/oauth\/authorize\//);
      const back = await browser.get(decided.location ?? '');
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

test('an application whose name has invisible or reversing characters can’t be added', async () => {
  for (const name of ['', ' ', 'CRM\n', 'CRM\u001b[2J', 'CRM \u202egnp.exe', 'C\u200bRM', 'x'.repeat(101)])
    await assert.rejects(addApplication(world.deps, { name, redirectUris: [redirectUri] }), {
      code: 'invalid_request',
    });
});

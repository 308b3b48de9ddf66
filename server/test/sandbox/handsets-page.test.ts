import assert from 'node:assert/strict';
import { after, before, suite, test } from 'node:test';
import { type AdvisorApp, makeAdvisorApp } from '../support/advisor-app.ts';
import { lookUp, newPhone, setConsent } from '../support/texting.ts';
import type { Visitor } from '../support/visitor.ts';
import { inject, makeWorld } from '../support/world.ts';

suite('the phones’ page', () => {
  let pages: AdvisorApp;
  let visitor: Visitor;
  before(async () => {
    pages = await makeAdvisorApp({ PORT: '8098' });
    visitor = pages.visitor('127.0.0.1');
  });
  after(() => pages.close());

  const to = '+15005552001';

  test('needs no key, and answers only at this machine’s own host names', async () => {
    for (const host of ['localhost:8098', '127.0.0.1:8098', '[::1]:8098', 'LOCALHOST']) {
      const answer = await inject(pages.app, { method: 'GET', url: '/handset', headers: { host } });
      assert.equal(answer.status, 200, host);
    }
    for (const host of ['evil.example', 'localhost.evil.example:8098', 'evil.example:8098@localhost', '10.0.0.1']) {
      for (const url of ['/handset', '/handset/+15005550006'])
        assert.equal((await inject(pages.app, { method: 'GET', url, headers: { host } })).status, 403, host);
    }
  });

  test('runs our own script and nothing else', async () => {
    const { headers, body } = await visitor.get('/handset/+15005550006');
    assert.match(
      headers['content-security-policy'] ?? '',
      /^default-src 'none'; .*script-src 'self'; connect-src 'self'/,
    );
    assert.doesNotMatch(headers['content-security-policy'] ?? '', /unsafe/);
    const [ours = ''] = body.match(/\/[\w./-]*handsets[\w.-]*\.js/) ?? [];
    assert.equal((await visitor.get(ours)).status, 200, ours);
  });

  test('a reply that another site makes the browser send has no effect', async () => {
    const phone = newPhone();
    await setConsent(pages.world, pages.world.ann, phone, 'accepted');
    await pages.world.ann.call('POST', '/core/contact/contacts', { firstName: 'A', lastName: 'B', phone });
    await visitor.get(`/handset/${phone}`);
    const foreign = [
      await visitor.post(`/handset/${phone}`, { to, quick: 'STOP', formToken: '' }),
      await visitor.post(`/handset/${phone}`, { to, quick: 'STOP' }, { origin: 'https://evil.example' }),
      await visitor.post(`/handset/${phone}`, { to, quick: 'STOP' }, { 'sec-fetch-site': 'cross-site' }),
    ];
    assert.deepEqual(
      foreign.map(({ status }) => status),
      [403, 403, 403],
    );
    assert.equal((await lookUp(pages.world.ann, phone)).body.state, 'accepted');
    assert.equal((await visitor.post(`/handset/${phone}`, { to, quick: 'STOP' })).status, 303);
    assert.equal((await lookUp(pages.world.ann, phone)).body.state, 'opted_out');
  });

  test('refuses a reply that is blank, too long or to an unknown number', async () => {
    await visitor.get('/handset/+15005550006');
    const wrong: [Record<string, string>, RegExp][] = [
      [{ to, text: ' \u200b ' }, /Write something first/],
      [{ to, text: 'x'.repeat(1_601) }, /at most 1600 characters/],
      [{ to: '+15005559999', text: 'Hi' }, /Choose who to reply to/],
    ];
    for (const [fields, expected] of wrong) {
      const { status, body } = await visitor.post('/handset/+15005550006', fields);
      assert.equal(status, 400);
      assert.match(body, expected);
    }
  });

  test('sends a picture, alone or with what was typed', async () => {
    const phone = newPhone();
    await visitor.get(`/handset/${phone}`);
    assert.equal((await visitor.post(`/handset/${phone}`, { to, text: '', picture: 'sample' })).status, 303);
    assert.match((await visitor.get('/handset')).body, /<span class="last" dir="auto">Picture</);
    assert.equal((await visitor.post(`/handset/${phone}`, { to, text: 'The form', picture: 'sample' })).status, 303);
    const { body } = await visitor.get(`/handset/${phone}`);
    assert.equal(body.match(/<p class="attached">Picture</g)?.length, 2);
    assert.deepEqual(body.match(/<p class="bubble" dir="auto">[^<]*/g), ['<p class="bubble" dir="auto">The form']);
  });

  test('counts code points: 1,600 emoji are a reply, 1,601 are too many', async () => {
    const phone = newPhone();
    await visitor.get(`/handset/${phone}`);
    const tooMany = await visitor.post(`/handset/${phone}`, { to, text: '😀'.repeat(1_601) });
    assert.equal(tooMany.status, 400);
    assert.match(tooMany.body, /at most 1600 characters/);
    assert.equal((await visitor.post(`/handset/${phone}`, { to, text: '😀'.repeat(1_600) })).status, 303);
    assert.ok((await visitor.get(`/handset/${phone}`)).body.includes(`>${'😀'.repeat(1_600)}<`));
  });

  test('shows texts exactly as people wrote them, and never as markup', async () => {
    const phone = newPhone();
    const hostile = '<img src=x onerror=alert(1)>"\'&';
    await visitor.get(`/handset/${phone}`);
    await visitor.post(`/handset/${phone}`, { to, text: hostile });
    for (const url of [`/handset/${phone}`, '/handset', `/handset?phone=${encodeURIComponent(hostile)}`]) {
      const { body } = await visitor.get(url);
      assert.ok(body.includes('&lt;img src=x onerror=alert(1)&gt;&quot;&#39;&amp;'), url);
      assert.ok(!body.includes('<img src=x'), url);
    }
  });
});

test('in production there are no phones, and there is no demonstration', async () => {
  const env = {
    ASSENT_ENV: 'production',
    PUBLIC_URL: 'https://assent.example',
    DATABASE_URL: 'postgres://localhost/x',
  };
  const world = await makeWorld({ env });
  const paths = ['/handset', '/handset/+15005550006', '/handset/+15005550006/screen', '/handsets.js', '/demonstration'];
  for (const url of paths) assert.equal((await inject(world.app, { method: 'GET', url })).status, 404, url);
  await world.close();
});

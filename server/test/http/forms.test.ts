import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { type AdvisorApp, makeAdvisorApp, password } from '../support/advisor-app.ts';
import type { Visitor } from '../support/visitor.ts';

let pages: AdvisorApp;
let visitor: Visitor;
before(async () => {
  pages = await makeAdvisorApp({ PORT: '8099' });
  visitor = pages.visitor();
  await visitor.get('/sign-in');
});
after(() => pages.close());

const fields = { email: 'nobody@test.example', password: 'x' };

test('a form without the browser’s own token is refused, and the page says what to do', async () => {
  const answers = [
    await visitor.post('/sign-in', { ...fields, formToken: '' }),
    await visitor.post('/sign-in', { ...fields, formToken: 'A'.repeat(43) }),
    await pages.visitor().post('/sign-in', { ...fields, formToken: visitor.cookies.get('assent-8080-form') ?? '' }),
    await pages.visitor().post('/sign-in', { ...fields, formToken: '' }, { cookie: 'assent-8080-form=' }),
  ];
  for (const { status, body, headers } of answers) {
    assert.equal(status, 403);
    assert.match(headers['content-type'] ?? '', /^text\/html/);
    assert.match(body, /Go back, reload the page and try again/);
  }
});

test('a form from another site is refused, even with the token', async () => {
  const foreign: Record<string, string>[] = [
    { origin: 'https://evil.example' },
    { origin: 'null' },
    { origin: 'http://localhost:9' },
    { 'sec-fetch-site': 'cross-site' },
    { 'sec-fetch-site': 'same-site' },
    { origin: 'http://localhost:8099', 'sec-fetch-site': 'cross-site' },
  ];
  for (const headers of foreign) {
    assert.equal((await visitor.post('/sign-in', fields, headers)).status, 403, JSON.stringify(headers));
    assert.equal((await visitor.postJson('/sign-in/passkey/options', {}, headers)).status, 403);
  }
});

test('our own form is accepted, also at the other host names of the sandbox’s machine', async () => {
  const own: Record<string, string>[] = [
    {},
    { origin: 'http://localhost:8099', 'sec-fetch-site': 'same-origin' },
    { origin: 'http://127.0.0.1:8099' },
    { 'sec-fetch-site': 'none' },
  ];
  for (const headers of own)
    assert.equal(
      (await visitor.post('/sign-in', { ...fields, email: `${Math.random()}@x.example` }, headers)).status,
      400,
    );
});

test('every form needs the token', async () => {
  const paths = ['/sign-in', '/sign-out', '/connected-apps/disconnect', '/passkeys/remove', '/oauth/interaction/x'];
  for (const path of paths) assert.equal((await visitor.post(path, { formToken: 'no' })).status, 403, path);
  for (const path of ['/sign-in/passkey/options', '/sign-in/passkey', '/passkeys/options', '/passkeys'])
    assert.equal((await visitor.postJson(path, {}, { 'x-form-token': 'no' })).status, 403, path);
});

test('every form refuses an invalid content type on a readable page', async () => {
  const forms = [
    '/sign-in',
    '/sign-out',
    '/connected-apps/disconnect',
    '/oauth/interaction/x',
    '/passkeys',
    '/passkeys/remove',
  ];
  for (const form of [...forms, '/passkeys/options', '/sign-in/passkey', '/sign-in/passkey/options'])
    for (const type of ['a/b/c', 'bogus', 'application/x-www-form-urlencoded, application/json']) {
      const { status, body } = await visitor.post(form, {}, { 'content-type': type });
      assert.equal(status, 400, `${form} ${type}`);
      assert.match(body, /This form can’t be read/);
    }
});

test('a form that is too long, has a different type or contains NUL is refused on a readable page', async () => {
  const refused = [
    await visitor.post('/sign-in', { ...fields, email: 'a'.repeat(17_000) }),
    await visitor.post('/sign-in', { ...fields, email: 'a'.repeat(300_000) }),
    await visitor.post('/sign-in', { ...fields, email: 'a\0b@x.example' }),
    await visitor.post('/sign-in', fields, { 'content-type': 'multipart/form-data; boundary=x' }),
    await visitor.post('/sign-in', fields, { 'content-type': 'text/plain' }),
    await visitor.postJson('/sign-in/passkey', [], { 'content-type': 'text/plain' }),
  ];
  for (const { status, body } of refused) {
    assert.equal(status, 400);
    assert.match(body, /This form can’t be read/);
  }
  assert.equal((await visitor.postJson('/sign-in/passkey', { response: null })).status, 400);
});

test('every page has a strict policy, and only the home page and those with passkeys run scripts', async () => {
  await visitor.signIn('ann@test.example', password);
  const strict =
    "default-src 'none'; style-src 'self'; img-src 'self'; font-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'";
  const scripted = strict.replace('; form-action', "; script-src 'self'; connect-src 'self'; form-action");
  for (const path of ['/problems', '/connected-apps'])
    assert.equal((await visitor.get(path)).headers['content-security-policy'], strict, path);
  for (const [who, path] of [
    [visitor, '/'],
    [visitor, '/passkeys'],
    [pages.visitor(), '/sign-in'],
  ] as const)
    assert.equal((await who.get(path)).headers['content-security-policy'], scripted, path);
  const { headers, body } = await visitor.get('/connected-apps');
  assert.equal(headers['cache-control'], 'no-store');
  assert.equal(headers['referrer-policy'], 'same-origin');
  assert.equal(headers['x-content-type-options'], 'nosniff');
  assert.doesNotMatch(body, /<script|\son\w+=|style="/);
});

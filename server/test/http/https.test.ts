import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { type AdvisorApp, makeAdvisorApp, password } from '../support/advisor-app.ts';
import { assertProblem } from '../support/problem.ts';
import { inject } from '../support/world.ts';

let pages: AdvisorApp;
before(async () => {
  pages = await makeAdvisorApp({ PUBLIC_URL: 'https://assent.example' });
});
after(() => pages.close());

test('with an https URL the cookies are for this host only and are never sent over http', async () => {
  const visitor = pages.visitor();
  const { headers } = await visitor.signIn('ann@test.example', password);
  const set = [headers['set-cookie'] ?? []].flat();
  assert.match(set[0] ?? '', /^__Host-assent-session=[\w-]{43}; Path=\/; HttpOnly; SameSite=Lax; Secure$/);
  assert.match(set[1] ?? '', /^__Host-assent-form=[\w-]{43}; Path=\/; HttpOnly; SameSite=Lax; Secure$/);
  assert.match(set[2] ?? '', /^__Host-assent-device=[\w-]{43}; Path=\/; HttpOnly; SameSite=Lax; Secure; Max-Age=\d+$/);
  assert.equal((await visitor.get('/connected-apps')).status, 200);
  const out = await visitor.post('/sign-out');
  const [cleared] = [out.headers['set-cookie'] ?? []].flat();
  assert.equal(cleared, '__Host-assent-session=; Path=/; HttpOnly; SameSite=Lax; Secure; Max-Age=0');
});

test('every response tells browsers to come by https only', async () => {
  for (const url of ['/sign-in', '/v1/core/enumerations', '/healthz', '/nowhere']) {
    const { headers } = await inject(pages.app, { method: 'GET', url });
    assert.equal(headers['strict-transport-security'], 'max-age=63072000', url);
  }
});

test('a request that came over http, as the proxy says, is 400', async () => {
  const ask = (proto: string) =>
    inject(pages.app, { method: 'GET', url: '/v1/core/enumerations', headers: { 'x-forwarded-proto': proto } });
  assertProblem(await ask('http'), 'invalid_request', /use https/);
  assertProblem(await ask('https, http'), 'invalid_request', /use https/);
  assertProblem(await ask('https'), 'unauthorized');
});

test('a cookie without the prefix, which a subdomain could plant, is ignored', async () => {
  const visitor = pages.visitor();
  await visitor.signIn('ann@test.example', password);
  const token = visitor.cookies.get('__Host-assent-session') ?? '';
  visitor.cookies.clear();
  visitor.cookies.set('assent-session', token);
  assert.equal((await visitor.get('/connected-apps')).status, 303);
});

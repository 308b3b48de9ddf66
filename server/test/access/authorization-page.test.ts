import assert from 'node:assert/strict';
import { after, before, beforeEach, test } from 'node:test';
import { disconnect, listConnections } from '../../src/domain/access/grants.ts';
import { setAdvisor } from '../../src/domain/accounts/advisors.ts';
import { type AdvisorApp, makeAdvisorApp, password } from '../support/advisor-app.ts';
import { moved } from '../support/database.ts';
import { makeClient } from '../support/oauth-client.ts';
import type { Visitor } from '../support/visitor.ts';

const scope = 'openid offline_access core.contacts.read text.messaging.write';
let pages: AdvisorApp;
let visitor: Visitor;
before(async () => {
  pages = await makeAdvisorApp();
  await setAdvisor(pages.world.deps, pages.world.bob.advisor.advisorId, { password });
});
after(() => pages.close());
beforeEach(async () => {
  await disconnect(pages.world.deps, pages.client.clientId, null);
  visitor = pages.visitor();
});

/** The application sends the advisor to an authorization page; returns its path. */
async function ask(changes: Record<string, string> = {}, client = pages.client): Promise<string> {
  const { headers } = await visitor.get(client.authorizeUrl({ scope, ...changes }));
  return headers.location ?? '';
}

async function allowedBy(): Promise<string[]> {
  const { deps, ann, bob } = pages.world;
  const connected = async (advisorId: number) => (await listConnections(deps, advisorId)).length > 0;
  const people = [];
  for (const { advisor } of [ann, bob]) if (await connected(advisor.advisorId)) people.push(advisor.name);
  return people;
}

test('a request that is gone is a page that says to start again', async () => {
  const { status, body } = await visitor.get('/oauth/interaction/gone');
  assert.equal(status, 400);
  assert.match(body, /This request has expired/);
  assert.match(body, /Go back to the application and start again\./);
});

test('an advisor who isn’t signed in first signs in, sees for which application, and comes back', async () => {
  const path = await ask({ login_hint: 'ann@test.example' });
  const page = await visitor.get(path);
  assert.equal(page.status, 200);
  assert.match(page.body, /<h1>Sign in to connect Sandbox CRM<\/h1>/);
  assert.match(page.body, /name="email"[^>]* value="ann@test.example"/);
  const wrong = await visitor.post('/sign-in', {
    email: 'ann@test.example',
    password: 'x',
    next: path,
    application: 'Sandbox CRM',
  });
  assert.match(wrong.body, /<h1>Sign in to connect Sandbox CRM<\/h1>/, 'and still after a wrong password');
  const right = await visitor.post('/sign-in', { email: 'ann@test.example', password, next: path });
  assert.equal(right.headers.location, path);
});

test('the page says who asks, for whom, for what, and where the browser goes next', async () => {
  await visitor.signIn('ann@test.example', password);
  const { status, body, headers } = await visitor.get(await ask());
  assert.equal(status, 200);
  assert.match(body, /<h1>Sandbox CRM wants to act for you<\/h1>/);
  assert.match(body, /Signed in as <strong>ann<\/strong> \(ann@test\.example\)/);
  const words = [...body.matchAll(/<li>([^<]+)<\/li>/g)].map(([, text]) => text);
  assert.deepEqual(words, [
    'Know who you are: your name and email address',
    'See your contacts and contact groups',
    'Send and schedule texts in your name, and ask contacts to agree to texts',
    'Keep this access until you disconnect it',
  ]);
  assert.match(body, /<strong>crm\.example<\/strong>/);
  assert.match(headers['content-security-policy'] ?? '', /form-action 'self' https:\/\/crm\.example;/);
});

test('a hostile application name and redirect are shown as text and don’t loosen the policy', async () => {
  const hostile = await makeClient(pages.world, {
    name: '</h1><script>alert("1")</script>',
    redirectUris: ['https://a;script-src-elem.example/'],
  });
  for (const email of ['', 'ann@test.example']) {
    if (email) await visitor.signIn(email, password);
    const { body, headers } = await visitor.get(await ask({}, hostile));
    assert.doesNotMatch(body, /<script>/);
    assert.match(body, /&lt;\/h1&gt;&lt;script&gt;alert\(&quot;1&quot;\)&lt;\/script&gt;/);
    assert.doesNotMatch(headers['content-security-policy'] ?? '', /script-src-elem|https:/);
  }
});

test('the signed-in advisor is the one who allows, and the browser goes back to the application', async () => {
  await visitor.signIn('ann@test.example', password);
  const path = await ask();
  await visitor.get(path);
  await visitor.post('/sign-out');
  await visitor.signIn('bob@test.example', password);
  await visitor.get(path);
  const allowed = await visitor.post(path, { decision: 'allow' });
  assert.equal(allowed.status, 303);
  const back = await visitor.get(allowed.headers.location ?? '');
  assert.match(back.headers.location ?? '', /^https:\/\/crm\.example\/callback\?x=1&code=/);
  assert.deepEqual(await allowedBy(), ['bob']);
});

test('a denial connects nothing, and the browser goes back to the application', async () => {
  await visitor.signIn('ann@test.example', password);
  const path = await ask();
  await visitor.get(path);
  const denied = await visitor.post(path, { decision: 'deny' });
  const back = await visitor.get(denied.headers.location ?? '');
  assert.match(back.headers.location ?? '', /^https:\/\/crm\.example\/callback\?x=1&error=access_denied/);
  assert.deepEqual(await allowedBy(), []);
});

test('nothing is allowed without a session, without a decision, or after the request is gone', async () => {
  const path = await ask();
  await visitor.get(path);
  assert.equal((await visitor.post(path, { decision: 'allow' })).headers.location, path);
  await visitor.signIn('ann@test.example', password);
  await visitor.get(path);
  assert.equal((await visitor.post(path, { decision: 'maybe' })).headers.location, path);
  assert.deepEqual(await allowedBy(), []);
  await pages.world.database.asOwner('delete from interactions');
  assert.equal((await visitor.post(path, { decision: 'allow' })).status, 400);
  assert.deepEqual(await allowedBy(), []);
});

test('an application that requires a fresh sign-in gets one before anything is allowed', async () => {
  await visitor.signIn('ann@test.example', password);
  await pages.world.database.asOwner(
    `update sessions set date_time_created = ${moved('date_time_created', "interval '-1 minute'")}`,
  );
  const path = await ask({ prompt: 'login' });
  assert.match((await visitor.get(path)).body, /<h1>Sign in to connect/);
  assert.equal((await visitor.post(path, { decision: 'allow' })).headers.location, path);
  assert.deepEqual(await allowedBy(), []);
  await visitor.get(path);
  await visitor.post('/sign-in', { email: 'ann@test.example', password, next: path });
  assert.match((await visitor.get(path)).body, /wants to act for you/);
});

test('“Not you?” signs out and returns to the request', async () => {
  await visitor.signIn('ann@test.example', password);
  const path = await ask();
  await visitor.get(path);
  const answer = await visitor.post('/sign-out', { next: path });
  assert.equal(answer.headers.location, path);
  assert.match((await visitor.get(path)).body, /<h1>Sign in to connect/);
});

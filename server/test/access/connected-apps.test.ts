import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { addApplication } from '../../src/domain/access/applications.ts';
import { authorize, listConnections, provision } from '../../src/domain/access/grants.ts';
import { type AdvisorApp, makeAdvisorApp, password } from '../support/advisor-app.ts';
import type { Visitor } from '../support/visitor.ts';

let pages: AdvisorApp;
let visitor: Visitor;
before(async () => {
  pages = await makeAdvisorApp();
  visitor = pages.visitor();
  await visitor.signIn('ann@test.example', password);
});
after(() => pages.close());

test('without a session it redirects to the sign-in page and back', async () => {
  const answer = await pages.visitor().get('/connected-apps');
  assert.equal(answer.status, 303);
  assert.equal(answer.headers.location, '/sign-in?next=/connected-apps');
});

test('without connected applications it says so', async () => {
  assert.match((await visitor.get('/connected-apps')).body, /No application acts for you, ann\./);
});

test('it shows what each application may do, and ends that after asking', async () => {
  const { deps, clientId, ann, bob } = pages.world;
  const { advisorId } = ann.advisor;
  await authorize(deps, advisorId, { clientId, scopes: ['core.contacts.read', 'offline_access'] });
  await authorize(deps, bob.advisor.advisorId, { clientId, scopes: ['core.contacts.read'] });
  await provision(deps, advisorId, clientId);
  const { body } = await visitor.get('/connected-apps');
  assert.match(body, /<h2>Test CRM<\/h2>/);
  assert.match(body, /Connected on \w+ \d+, \d{4}, not used yet\./);
  assert.match(body, /<li>See your contacts and contact groups<\/li>/);
  assert.match(body, /Your firm’s operator also lets this application text for you\./);
  assert.match(body, /<button class="button ends">Disconnect Test CRM<\/button>/);

  const asked = await visitor.get(`/connected-apps/disconnect?clientId=${clientId}`);
  assert.match(asked.body, /<h1>Disconnect Test CRM\?<\/h1>/);
  assert.match(asked.body, /<a class="button" href="\/connected-apps">Keep it<\/a>/);
  assert.equal((await listConnections(deps, advisorId)).length, 1, 'asking ends nothing');
  const ended = await visitor.post('/connected-apps/disconnect', { clientId });
  assert.equal(ended.status, 303);
  const after = await visitor.get(ended.headers.location ?? '');
  assert.match(after.body, /role="status">Disconnected\./);
  assert.match(after.body, /No application acts for you, ann\./);
  assert.equal((await listConnections(deps, bob.advisor.advisorId)).length, 1, 'another advisor’s stays');
});

test('a hostile application name is shown as text', async () => {
  const { deps, ann } = pages.world;
  const name = '<img src=x onerror="alert(1)">';
  const { application } = await addApplication(deps, { name, redirectUris: ['https://x.example/cb'] });
  await authorize(deps, ann.advisor.advisorId, { clientId: application.clientId, scopes: ['openid'] });
  const { body } = await visitor.get('/connected-apps');
  assert.doesNotMatch(body, /<img src=x/);
  assert.match(body, /Disconnect &lt;img src=x onerror=&quot;alert\(1\)&quot;&gt;/);
});

test('an application that only the operator allowed can be disconnected, too, and allowed again', async () => {
  const { deps, clientId, ann } = pages.world;
  await provision(deps, ann.advisor.advisorId, clientId);
  const { body } = await visitor.get('/connected-apps');
  assert.match(body, /Your firm’s operator lets this application text for you\./);
  const asked = await visitor.get(`/connected-apps/disconnect?clientId=${clientId}`);
  assert.match(asked.body, /You can let it text for you again on the page of connected apps\./);
  const isShown = async () => {
    const { body } = await visitor.get('/connected-apps');
    return { disconnect: /Disconnect Test CRM</.test(body), allow: /Allow Test CRM again</.test(body) };
  };
  await visitor.post('/connected-apps/disconnect', { clientId });
  assert.deepEqual(await isShown(), { disconnect: false, allow: true });
  await visitor.post('/connected-apps/allow', { clientId });
  assert.deepEqual(await isShown(), { disconnect: true, allow: false });
  await visitor.post('/connected-apps/disconnect', { clientId });
});

test('asking about an application that isn’t connected leads back to the list', async () => {
  for (const query of ['', '?clientId=app_nothing', `?clientId=${pages.world.clientId}`]) {
    const { status, headers } = await visitor.get(`/connected-apps/disconnect${query}`);
    assert.deepEqual([status, headers.location], [303, '/connected-apps']);
  }
});

test('asking without a session redirects to the sign-in page', async () => {
  const { headers } = await pages.visitor().get('/connected-apps/disconnect?clientId=x');
  assert.equal(headers.location, '/sign-in?next=/connected-apps');
});

test('an application that doesn’t exist gets a readable page', async () => {
  await visitor.get('/connected-apps');
  const { status, body } = await visitor.post('/connected-apps/disconnect', { clientId: 'app_nothing' });
  assert.equal(status, 404);
  assert.match(body, /<h1>Not found<\/h1>/);
});

test('only our own confirmations are shown', async () => {
  for (const done of ['constructor', 'hello', '__proto__'])
    assert.doesNotMatch((await visitor.get(`/connected-apps?done=${done}`)).body, /role="status"/);
});

import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { disconnect, provision } from '../../src/domain/access/grants.ts';
import { byAdvisor } from '../../src/domain/archive/archive.ts';
import { type AdvisorApp, makeAdvisorApp, password } from '../support/advisor-app.ts';
import { Visitor } from '../support/visitor.ts';

const iphone =
  'Mozilla/5.0 (iPhone; CPU iPhone OS 19_0 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/19.0 Safari/604.1';

let pages: AdvisorApp;
before(async () => {
  pages = await makeAdvisorApp();
});
after(() => pages.close());

async function signedIn(headers: Record<string, string> = {}): Promise<Visitor> {
  const visitor = new Visitor(pages.app, { headers });
  await visitor.signIn(pages.world.ann.advisor.email, password);
  return visitor;
}

const statusOf = async (visitor: Visitor) => (await visitor.get('/app/api/session')).status;

test('an advisor sees where they are signed in, and signs out there or everywhere else', async () => {
  const { world } = pages;
  const [here, there, elsewhere] = [await signedIn(), await signedIn(), await signedIn({ 'user-agent': iphone })];
  const { body: page } = await here.get('/sessions');
  assert.equal(page.match(/This browser\./g)?.length, 1);
  assert.equal(page.match(/Last seen on/g)?.length, 2);
  const sessionId = /name="sessionId" value="([0-9a-f]{64})">\s*<button[^>]*Safari on iPhone/.exec(page)?.[1];
  assert.ok(sessionId, page);
  assert.equal((await here.post('/sessions/end', { sessionId })).location, '/sessions?done=one');
  assert.deepEqual([await statusOf(elsewhere), await statusOf(there)], [401, 200]);
  assert.equal((await here.post('/sessions/end')).location, '/sessions?done=others');
  assert.deepEqual([await statusOf(there), await statusOf(here)], [401, 200]);
  const entries = await world.database.asOwner(
    `select meta::json ->> 'sessions' as sessions from archive_entries
     where kind = 'sign_in' and meta::json ->> 'action' = 'signed out elsewhere' order by number`,
  );
  assert.deepEqual(entries, [{ sessions: '1' }, { sessions: '1' }]);
});

test('a session is seen again after some minutes', async () => {
  const { world } = pages;
  const visitor = await signedIn();
  await world.database.asOwner(`update sessions set date_time_seen = now() - interval '10 minutes'`);
  await visitor.get('/sessions');
  await visitor.get('/sessions');
  const seen = await world.database.asOwner(`select from sessions where date_time_seen > now() - interval '1 minute'`);
  assert.equal(seen.length, 1);
});

test('nobody signs somebody else out', async () => {
  const { world } = pages;
  const bob = 'b0b'.padStart(64, '0');
  await world.database.asOwner(
    `insert into sessions
     values ('\\x${bob}', ${world.bob.advisor.advisorId}, 'password', '', now(), now(), now() + interval '1 hour')`,
  );
  const ann = await signedIn();
  await ann.get('/sessions');
  await ann.post('/sessions/end', { sessionId: bob });
  await ann.post('/sessions/end');
  const left = await world.database.asOwner(`select from sessions where session_hash = '\\x${bob}'`);
  assert.equal(left.length, 1);
});

test('an application that the operator provisioned and the advisor disconnected is allowed again with a click', async () => {
  const { world, client } = pages;
  const { advisorId } = world.ann.advisor;
  await provision(world.deps, advisorId, client.clientId);
  await disconnect(world.deps, client.clientId, advisorId, byAdvisor(advisorId, null));
  const ann = await signedIn();
  assert.match((await ann.get('/connected-apps')).body, /Allow Sandbox CRM again/);
  const { location = '' } = await ann.post('/connected-apps/allow', { clientId: client.clientId });
  const { body: page } = await ann.get(location);
  assert.match(page, /Allowed again/);
  assert.match(page, /Disconnect Sandbox CRM/);
  assert.doesNotMatch(page, /Allow Sandbox CRM again/);
});

import assert from 'node:assert/strict';
import { type OutgoingHttpHeaders, request } from 'node:http';
import { after, before, suite, test } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import pg from 'pg';
import { setAdvisor } from '../../src/domain/accounts/advisors.ts';
import { setStaff } from '../../src/domain/accounts/staff.ts';
import { type AdvisorApp, makeAdvisorApp } from '../support/advisor-app.ts';
import { makeStaff, type StaffPerson } from '../support/console.ts';
import { outbox } from '../support/people.ts';
import { listen } from '../support/sockets.ts';
import { acceptedPhone, messagesPath, send } from '../support/texting.ts';
import { until } from '../support/waiting.ts';
import type { Person, World } from '../support/world.ts';

/** Longer than a caller who was found is remembered. */
const heldMs = 1_000;

let pages: AdvisorApp;
let world: World;
let bob: Person;
let port: number;
before(async () => {
  pages = await makeAdvisorApp();
  world = pages.world;
  bob = world.bob;
  port = await listen(pages.app);
});
after(() => pages.close());

type Slow = { method?: string; path: string; headers: OutgoingHttpHeaders; body: object };

/** Sends the headers and a first byte, and the rest of the body after something has happened meanwhile. */
async function slowly({ method = 'POST', path, headers, body }: Slow, meanwhile: () => Promise<unknown>) {
  const payload = Buffer.from(JSON.stringify(body));
  const json = { 'content-type': 'application/json', 'content-length': payload.length };
  const sent = request({ host: '127.0.0.1', port, method, path, headers: { ...json, ...headers } });
  const response = new Promise<{ status: number; body: string }>((resolve, reject) =>
    sent.once('error', reject).once('response', async (answer) => {
      const chunks = await answer.toArray();
      resolve({ status: answer.statusCode ?? 0, body: Buffer.concat(chunks).toString() });
    }),
  );
  sent.write(payload.subarray(0, 1));
  await pause(heldMs / 2);
  await meanwhile();
  await pause(heldMs);
  sent.end(payload.subarray(1));
  const { status, body: text } = await response;
  return { status, body: text ? JSON.parse(text) : null };
}

const disable = (disabled: boolean) => setAdvisor(world.deps, bob.advisor.advisorId, { disabled });
const partner = (key: string) => ({
  authorization: `Bearer ${bob.token}`,
  'x-api-key': world.apiKey,
  'idempotency-key': key,
});

suite('a partner’s request that is held up', () => {
  test('by a slow body is refused if access ended meanwhile, and leaves its key unspent', async () => {
    const phone = await acceptedPhone(world, bob);
    const body = { phone, text: 'Slow' };
    const refused = await slowly({ path: `/v1${messagesPath}`, headers: partner('slow'), body }, () => disable(true));
    assert.deepEqual([refused.status, refused.body.code], [401, 'unauthorized']);
    assert.ok(!(await outbox(world, bob, phone)).some(({ text }) => text === 'Slow'));
    await disable(false);
    await pause(heldMs);
    const { status, headers } = await send(bob, body, { 'idempotency-key': 'slow' });
    assert.deepEqual([status, headers['idempotent-replayed']], [200, undefined]);
  });

  test('by a slow body is done if access didn’t end', async () => {
    const phone = await acceptedPhone(world, bob);
    const body = { phone, text: 'Slow' };
    const done = await slowly({ path: `/v1${messagesPath}`, headers: partner('fine'), body }, async () => {});
    assert.equal(done.status, 200);
  });

  test('by a twin in flight gets no replay if access ended meanwhile', async () => {
    const body = { phone: await acceptedPhone(world, bob), text: 'Twin' };
    const blocker = new pg.Client({ connectionString: world.database.url });
    await blocker.connect();
    try {
      await blocker.query('begin; lock table messages in exclusive mode');
      const twins = ['one', 'two'].map(() => send(bob, body, { 'idempotency-key': 'twin' }));
      // What a carrier tells of earlier texts may wait, too. The beginning of what inserts texts is shown.
      const isInserted = `wait_event_type = 'Lock' and query like '%last_numbers%'`;
      const isFirst = () => world.database.asOwner(`select from pg_stat_activity where ${isInserted}`);
      await until('the first waits', async () => (await isFirst()).length > 0);
      await disable(true);
      await pause(heldMs);
      await blocker.query('rollback');
      assert.deepEqual((await Promise.all(twins)).map(({ status }) => status).sort(), [200, 401]);
    } finally {
      await blocker.end();
      await disable(false);
    }
  });
});

test('a call of the app that is held up is refused if its session ended meanwhile', async () => {
  const { visitor, formToken } = await pages.signedIn();
  const path = '/app/api/signature';
  const headers = { cookie: visitor.cookies.sentTo(path), 'x-form-token': formToken };
  const end = () => world.database.asOwner('delete from sessions where advisor_id is not null');
  assert.equal((await slowly({ method: 'PUT', path, headers, body: { text: 'An' } }, end)).status, 401);
});

suite('a call of the console that is held up', () => {
  const years = { years: 9 };
  async function call(
    officer: StaffPerson,
    path: string,
    method: string,
    body: object,
    meanwhile: () => Promise<unknown>,
  ) {
    const { formToken } = (await officer.visitor.get('/console/api/session')).body;
    const headers = { cookie: officer.visitor.cookies.sentTo(path), 'x-form-token': formToken };
    return slowly({ method, path: `/console/api${path}`, headers, body }, meanwhile);
  }
  const officerNamed = (name: string) =>
    makeStaff(world, { role: 'compliance_officer', firmId: world.ann.advisor.firmId, name });

  test('is refused if whoever asked for it was disabled meanwhile, or has another role', async () => {
    const [gone, moved] = [await officerNamed('Gone'), await officerNamed('Moved')];
    const [disabled, demoted] = await Promise.all([
      call(gone, '/retention', 'PUT', years, () => setStaff(world.deps, gone.staffId, { disabled: true })),
      call(moved, '/retention', 'PUT', years, () => setStaff(world.deps, moved.staffId, { role: 'reviewer' })),
    ]);
    assert.deepEqual([disabled.status, demoted.status], [401, 403]);
    const officer = await officerNamed('Stays');
    assert.notEqual((await officer.call('GET', '/retention')).body.years, 9);
  });

  test('is refused if it needs somebody who signed in just now, and the minutes passed meanwhile', async () => {
    const officer = await officerNamed('Late');
    const age = () =>
      world.database.asOwner(
        `update sessions set date_time_created = date_time_created - interval '1 hour' where staff_id = $1`,
        [officer.staffId],
      );
    const late = await call(officer, '/exports', 'POST', {}, age);
    assert.deepEqual([late.status, late.body.details], [403, { freshSignIn: true }]);
  });
});

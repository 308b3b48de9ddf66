import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { anotherNode } from '../support/nodes.ts';
import { assertProblem } from '../support/problem.ts';
import { inject, makeWorld, type World } from '../support/world.ts';

const centuryMs = 100 * 365 * 24 * 60 * 60 * 1000;
let world: World;
before(async () => {
  world = await makeWorld();
});
after(() => world.close());

function clock(advanceMs?: unknown, app = world.app) {
  const headers = { 'x-api-key': world.apiKey };
  return advanceMs === undefined
    ? inject(app, { method: 'GET', url: '/sandbox/clock', headers })
    : inject(app, { method: 'POST', url: '/sandbox/clock', headers, payload: { advanceMs } as object });
}

test('the clock shows domain time, which moves forward by the requested amount', async () => {
  const startedMs = Date.now();
  const before = (await clock()).body;
  assert.ok(before.now >= startedMs && before.now <= Date.now());
  assert.equal(before.offsetMs, 0);
  const moved = await clock(3_600_000);
  assert.equal(moved.status, 200);
  assert.equal(moved.body.offsetMs, 3_600_000);
  assert.ok(moved.body.now >= before.now + 3_600_000);
});

test('a contact created after a move has the moved time', async () => {
  const { now } = (await clock(60_000)).body;
  const { id } = (await world.ann.call('POST', '/core/contact/contacts', { firstName: 'A', lastName: 'B' })).body;
  const { dateTimeCreated } = (await world.ann.call('GET', `/core/contact/contacts/${id}`)).body;
  assert.ok(Date.parse(dateTimeCreated) >= now);
});

test('the offset is in the database, so other nodes have it too', async () => {
  const { offsetMs } = (await clock(1_000)).body;
  const node = await anotherNode(world);
  assert.equal((await clock(undefined, node)).body.offsetMs, offsetMs);
});

test('it can’t be moved back, by anything but a whole number, or past the year 9999', async () => {
  for (const wrong of [-1, 0.5, '1', null, 90 * centuryMs])
    assertProblem(await clock(wrong), 'invalid_request', /advanceMs/);
});

test('it needs the API key and no token', async () => {
  assertProblem(await inject(world.app, { method: 'GET', url: '/sandbox/clock' }), 'unauthorized', /x-api-key/);
});

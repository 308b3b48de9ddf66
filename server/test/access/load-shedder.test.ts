import assert from 'node:assert/strict';
import { after, before, suite, test } from 'node:test';
import pg from 'pg';
import { unlimited } from '../../src/domain/access/api-keys.ts';
import { makeLoadShedder } from '../../src/domain/access/load-shedder.ts';
import { wakeReaders } from '../../src/domain/events/events.ts';
import { assertProblem } from '../support/problem.ts';
import { acceptedPhone } from '../support/texting.ts';
import { until } from '../support/waiting.ts';
import { type Answer, makeWorld, type World } from '../support/world.ts';

const time = { now: () => 0, wait: async () => {} };
const by = (keyId: number, advisorId: number) => ({ key: { keyId }, advisorId });

suite('the places of a process', () => {
  test('an advisor has half, a key three quarters, and all of them everything', () => {
    const crowd = makeLoadShedder(8, time);
    const enter = (keyId: number, advisorId: number, times: number) =>
      Array.from({ length: times }, () => crowd.enter(by(keyId, advisorId))).filter((each) => each !== null);
    assert.equal(enter(1, 1, 5).length, 4);
    assert.equal(enter(1, 2, 3).length, 2);
    assert.equal(enter(2, 3, 3).length, 2);
    assert.equal(enter(3, 4, 1).length, 0);
    assert.equal(crowd.counts().inside, 8);
  });

  test('are free again once a request is answered, and only once', () => {
    const crowd = makeLoadShedder(1, time);
    const leave = crowd.enter(by(1, 1));
    assert.equal(crowd.enter(by(2, 2)), null);
    leave?.();
    leave?.();
    assert.equal(crowd.counts().inside, 0);
    assert.ok(crowd.enter(by(2, 2)));
  });

  test('are fewer while requests take over a second, and as many as before once they take half', () => {
    let now = 0;
    const crowd = makeLoadShedder(1_000, { now: () => now, wait: async () => {} });
    const answer = (tookMs: number) => {
      const leave = crowd.enter(by(1, 1));
      now += tookMs;
      leave?.();
    };
    for (let nth = 0; nth < 200; nth++) answer(1_500);
    assert.equal(crowd.counts().places, 100);
    const others = Array.from({ length: 200 }, (_, nth) => crowd.enter(by(nth, nth)));
    assert.equal(others.filter(Boolean).length, 100);
    for (const leave of others) leave?.();
    for (let nth = 0; nth < 500; nth++) answer(100);
    assert.equal(crowd.counts().places, 1_000);
  });

  test('whoever finds none is told so: a hundred at once, then 250 a second, and nobody later than after ten', async () => {
    const waited: number[] = [];
    let now = 0;
    const crowd = makeLoadShedder(1, { now: () => now, wait: async (ms) => waited.push(ms) });
    const turnAway = async (times: number) => {
      waited.length = 0;
      for (let nth = 0; nth < times; nth++) await crowd.turnAway();
    };
    await turnAway(103);
    assert.deepEqual(waited, [4, 8, 12]);
    now = 1_000;
    await turnAway(100);
    assert.deepEqual(waited, []);
    await turnAway(3_000);
    assert.deepEqual([waited.length, waited.at(-1)], [3_000, 10_000]);
    assert.equal(crowd.counts().turnedAway, 3_203);
  });
});

/** Room for four: two requests of an advisor hang in the database. */
suite('while an advisor’s requests fill its places', () => {
  let world: World;
  let blocker: pg.Client;
  let hanging: Promise<Answer[]>;
  before(async () => {
    world = await makeWorld({ database: { size: 8, timeoutMs: 60_000 }, env: { REQUESTS_MAX: '4' } });
    blocker = new pg.Client({ connectionString: world.database.url });
    await blocker.connect();
    await blocker.query('begin; lock table groups in access exclusive mode');
    hanging = Promise.all([0, 1].map(() => world.ann.call('GET', '/core/contact/groups')));
    await until('they hang', async () => (await inside()) === 2);
  });
  after(async () => {
    await blocker.end();
    await world.close();
  });

  async function metric(name: string): Promise<number> {
    const { body } = await world.app.inject({ url: '/metrics' });
    const line = body.split('\n').find((each) => each.startsWith(`${name} `));
    return Number(line?.split(' ')[1]);
  }
  const inside = () => metric('assent_requests_inside');

  test('the next one is turned away with Retry-After, and counts for no usage plan', async () => {
    const { apiKey } = await world.newKey({ ratePerSecond: 1, burst: 1, dailyQuota: null });
    const refused = await world.ann.call('GET', '/core/enumerations', undefined, { 'x-api-key': apiKey });
    assertProblem(refused, 'rate_limited', /^More requests have arrived than can be answered; nothing was done\./);
    assert.ok([1, 2, 3].includes(Number(refused.headers['retry-after'])));
    assert.match(String(refused.headers.ratelimit), /r=1/);
    assert.equal(await metric('assent_requests_turned_away_total'), 1);
    const answered = await world.bob.call('GET', '/core/enumerations', undefined, { 'x-api-key': apiKey });
    assert.equal(answered.status, 200);
  });

  test('another advisor is answered, and those who only wait take no place', async () => {
    const { apiKey } = await world.newKey(unlimited);
    const call = (path: string) => world.bob.call('GET', path, undefined, { 'x-api-key': apiKey });
    const { cursor } = (await call('/text/messaging/events?pageSize=200')).body;
    const waits = [0, 1].map(() => call(`/text/messaging/events?wait=30&cursor=${cursor}`));
    const twoAtOnce = async () => {
      const answers = await Promise.all([0, 1].map(() => call('/core/enumerations')));
      return answers.every(({ status }) => status === 200);
    };
    await until('there is room for two more', twoAtOnce);
    await acceptedPhone(world, world.bob);
    await wakeReaders(world.deps);
    for (const answer of await Promise.all(waits)) assert.equal(answer.status, 200);
  });

  test('it is answered once they are', async () => {
    await blocker.query('rollback');
    assert.deepEqual(
      (await hanging).map(({ status }) => status),
      [200, 200],
    );
    assert.equal((await world.ann.call('GET', '/core/enumerations')).status, 200);
    assert.equal(await inside(), 0);
  });
});

import assert from 'node:assert/strict';
import { after, before, suite, type TestContext, test } from 'node:test';
import { revokeApiKey, setApiKeyPlan, type UsagePlan, unlimited } from '../../src/domain/access/api-keys.ts';
import { usagePlans } from '../../src/domain/access/usage-plans.ts';
import { monotonicTime } from '../support/monotonic-time.ts';
import { anotherNode, credentials } from '../support/nodes.ts';
import { assertProblem } from '../support/problem.ts';
import { type Answer, inject, makeWorld, type World } from '../support/world.ts';

const path = '/core/enumerations';
const recordsMs = 1_000;
const daySeconds = 86_400;

suite('usage plans', () => {
  let world: World;
  before(async () => {
    world = await makeWorld();
  });
  after(() => world.close());

  const withKey = (apiKey: string): Promise<Answer> => world.ann.call('GET', path, undefined, { 'x-api-key': apiKey });

  async function statuses(apiKey: string, count: number): Promise<Record<number, number>> {
    const answers = await Promise.all(Array.from({ length: count }, () => withKey(apiKey)));
    for (const answer of answers) if (answer.status !== 200) assertProblem(answer, 'rate_limited', /usage plan/);
    return Object.fromEntries([...Map.groupBy(answers, ({ status }) => status)].map(([of, each]) => [of, each.length]));
  }

  test('a burst passes, and anything over it is 429 with Retry-After', async () => {
    const { apiKey } = await world.newKey({ ratePerSecond: 1, burst: 20, dailyQuota: null });
    const startedAt = performance.now();
    const counted = await statuses(apiKey, 60);
    // The bucket refills during the burst, by one a second.
    const filled = Math.ceil((performance.now() - startedAt) / 1000);
    assert.ok((counted[200] ?? 0) >= 20 && (counted[200] ?? 0) <= 20 + filled, JSON.stringify(counted));
  });

  test('Retry-After says how long the next request has to wait, in whole seconds', async (t) => {
    const plan = bucketOf(t, { ratePerSecond: 1, burst: 1, dailyQuota: null });
    assert.equal((await plan.take()).retryAfterSeconds, null);
    const refused = await plan.take();
    assert.equal(refused.retryAfterSeconds, 1);
    plan.pass(999);
    assert.notEqual((await plan.take()).retryAfterSeconds, null);
    plan.pass(1);
    assert.equal((await plan.take()).retryAfterSeconds, null);
  });

  test('the bucket refills at the rate, up to the burst', async (t) => {
    const plan = bucketOf(t, { ratePerSecond: 10, burst: 5, dailyQuota: null });
    const passing = async () => {
      let passed = 0;
      while ((await plan.take()).retryAfterSeconds === null) passed += 1;
      return passed;
    };
    assert.equal(await passing(), 5);
    plan.pass(100);
    assert.equal(await passing(), 1);
    plan.pass(350);
    assert.equal(await passing(), 3);
    plan.pass(3_600_000);
    assert.equal(await passing(), 5);
  });

  test('a refused request uses nothing up: a client that keeps trying is not locked out', async (t) => {
    const plan = bucketOf(t, { ratePerSecond: 1, burst: 1, dailyQuota: null });
    await plan.take();
    for (let i = 0; i < 9; i++) {
      plan.pass(100);
      assert.notEqual((await plan.take()).retryAfterSeconds, null);
    }
    plan.pass(101);
    assert.equal((await plan.take()).retryAfterSeconds, null);
  });

  test('every answer says what the plan allows and what is left, errors too', async () => {
    const { apiKey } = await world.newKey({ ratePerSecond: 10, burst: 25, dailyQuota: 1_000 });
    const { headers } = await withKey(apiKey);
    assert.equal(headers['ratelimit-policy'], '"burst";q=25;w=3, "day";q=1000;w=86400');
    assert.match(headers.ratelimit ?? '', /^"burst";r=24;t=1, "day";r=999;t=\d+$/);
    const refused = await world.ann.call('GET', '/core/contact/contacts?page=0', undefined, { 'x-api-key': apiKey });
    assertProblem(refused, 'invalid_request');
    assert.match(refused.headers.ratelimit ?? '', /"day";r=998/);
  });

  test('a 429 says that nothing is left', async () => {
    const { apiKey } = await world.newKey({ ratePerSecond: 1, burst: 1, dailyQuota: null });
    await withKey(apiKey);
    const refused = await withKey(apiKey);
    assertProblem(refused, 'rate_limited', /faster than its usage plan allows.*Retry after 1 s\.$/);
    assert.equal(refused.headers['ratelimit-policy'], '"burst";q=1;w=1');
    assert.match(refused.headers.ratelimit ?? '', /^"burst";r=0;t=1$/);
  });

  test('a key without a plan is not limited, and its answers mention no limits', async () => {
    const { apiKey } = await world.newKey(unlimited);
    assert.deepEqual(await statuses(apiKey, 200), { 200: 200 });
    const { headers } = await withKey(apiKey);
    assert.equal(headers.ratelimit, undefined);
    assert.equal(headers['ratelimit-policy'], undefined);
  });

  test('a daily quota is exact, even for concurrent requests', async () => {
    const { apiKey } = await world.newKey({ ratePerSecond: null, burst: null, dailyQuota: 25 });
    assert.deepEqual(await statuses(apiKey, 60), { 200: 25, 429: 35 });
    const untilMidnight = () => daySeconds - ((Date.now() / 1000) % daySeconds);
    const atMost = untilMidnight();
    const refused = await withKey(apiKey);
    const seconds = Number(refused.headers['retry-after']);
    assert.ok(seconds >= 1 && seconds <= daySeconds);
    assert.ok(seconds <= atMost + 1 && seconds >= untilMidnight() - 1, 'it lasts until midnight UTC');
    assertProblem(refused, 'rate_limited', /daily quota of 25;.* at midnight UTC\.$/);
    assert.match(refused.headers.ratelimit ?? '', /^"day";r=0;t=\d+$/);
  });

  test('a daily quota holds across nodes and restarts', async () => {
    const { apiKey } = await world.newKey({ ratePerSecond: null, burst: null, dailyQuota: 10 });
    const headers = credentials(world.ann.token, apiKey);
    let passed = 0;
    for (let round = 0; round < 3; round++) {
      const nodes = [await anotherNode(world), await anotherNode(world)];
      const asked = nodes.flatMap((node) =>
        Array.from({ length: 3 }, () => inject(node, { method: 'GET', url: `/v1${path}`, headers })),
      );
      passed += (await Promise.all(asked)).filter(({ status }) => status === 200).length;
      for (const node of nodes) await node.close();
    }
    assert.equal(passed, 10);
  });

  test('a new day is a new quota', async () => {
    const { keyId, apiKey } = await world.newKey({ ratePerSecond: null, burst: null, dailyQuota: 1 });
    assert.deepEqual(await statuses(apiKey, 2), { 200: 1, 429: 1 });
    await world.database.asOwner('update api_key_days set day = day - 1 where key_id = $1', [keyId]);
    assert.deepEqual(await statuses(apiKey, 2), { 200: 1, 429: 1 });
  });

  test('the sandbox’s clock doesn’t make a new day: a quota counts in real time', async () => {
    const { apiKey } = await world.newKey({ ratePerSecond: null, burst: null, dailyQuota: 1 });
    await withKey(apiKey);
    await world.clock.advance(2 * daySeconds * 1000);
    assertProblem(await withKey(apiKey), 'rate_limited');
  });

  test('each key has a plan of its own, even for the same application', async () => {
    const spent = await world.newKey({ ratePerSecond: null, burst: null, dailyQuota: 1 });
    const fresh = await world.newKey({ ratePerSecond: null, burst: null, dailyQuota: 1 });
    assert.deepEqual(await statuses(spent.apiKey, 3), { 200: 1, 429: 2 });
    assert.equal((await withKey(fresh.apiKey)).status, 200);
  });

  test('a new plan takes effect within a second', async (t) => {
    const { keyId, apiKey } = await world.newKey({ ratePerSecond: 1, burst: 1, dailyQuota: null });
    await withKey(apiKey);
    const time = monotonicTime(t);
    await setApiKeyPlan(world.deps, keyId, unlimited);
    time.pass(recordsMs);
    assert.deepEqual(await statuses(apiKey, 5), { 200: 5 });
    await setApiKeyPlan(world.deps, keyId, { ratePerSecond: null, burst: null, dailyQuota: 2 });
    time.pass(recordsMs);
    assert.deepEqual(await statuses(apiKey, 5), { 200: 2, 429: 3 });
    await revokeApiKey(world.deps, keyId);
    time.pass(recordsMs);
    assertProblem(await withKey(apiKey), 'unauthorized');
  });

  test('a plan that makes no sense is refused', async () => {
    const { keyId } = await world.newKey(unlimited);
    for (const plan of [
      { ratePerSecond: 0, burst: 1, dailyQuota: null },
      { ratePerSecond: 1, burst: null, dailyQuota: null },
      { ratePerSecond: null, burst: 1, dailyQuota: null },
      { ratePerSecond: 1.5, burst: 1, dailyQuota: null },
      { ratePerSecond: 1, burst: 2 ** 31, dailyQuota: null },
      { ratePerSecond: null, burst: null, dailyQuota: 0 },
      { ratePerSecond: null, burst: null, dailyQuota: -1 },
    ])
      await assert.rejects(setApiKeyPlan(world.deps, keyId, plan), { code: 'invalid_request' });
    await assert.rejects(setApiKeyPlan(world.deps, 999_999, unlimited), { code: 'not_found' });
  });

  /** A plan with a clock that the test moves. */
  function bucketOf(t: TestContext, plan: UsagePlan) {
    let nowMs = 1_000_000;
    t.mock.method(performance, 'now', () => nowMs);
    const { take } = usagePlans(world.deps);
    return {
      take: () => take({ keyId: 1, ...plan }),
      pass: (ms: number) => {
        nowMs += ms;
      },
    };
  }
});

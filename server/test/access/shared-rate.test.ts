import assert from 'node:assert/strict';
import { after, before, suite, test } from 'node:test';
import { redisBuckets } from '../../src/adapters/redis/shared-buckets.ts';
import type { App } from '../../src/app.ts';
import type { BucketUse } from '../../src/domain/ports.ts';
import { anotherNode, credentials } from '../support/nodes.ts';
import { type Redis, skip, startRedis } from '../support/redis.ts';
import { until } from '../support/waiting.ts';
import { makeWorld, type World } from '../support/world.ts';

type Buckets = ReturnType<typeof redisBuckets>;
/** So slow that no test sees it fill. */
const slow = { ratePerSecond: 0.001, burst: 10 };

suite('usage plans that processes share through Redis', { skip }, () => {
  let redis: Redis;
  let buckets: Buckets[];
  const said: string[] = [];
  before(async () => {
    redis = await startRedis();
    buckets = ['one', 'other'].map((name) =>
      redisBuckets({
        url: redis.url,
        prefix: 'test:',
        onAway: () => void said.push(`${name} away`),
        onBack: () => void said.push(`${name} back`),
      }),
    );
    await until('both are connected', async () => (await look(1000))?.tokens === slow.burst);
    said.length = 0;
  });
  after(async () => {
    await Promise.all(buckets.map((each) => each.stop()));
    await redis.goDown();
  });

  const use = (keyId: number, more: Partial<BucketUse> = {}): BucketUse => ({ keyId, ...slow, wanted: 1, ...more });
  const look = async (keyId: number) => {
    const seen = await Promise.all(buckets.map((each) => each.take(use(keyId, { wanted: 0 }))));
    return seen.every(Boolean) ? seen[0] : null;
  };
  const takeAll = (keyId: number, count: number) =>
    Promise.all(Array.from({ length: count }, (_, index) => buckets[index % 2]?.take(use(keyId))));

  let keyIds = 100;
  /** On a busy machine Redis may be later than a process waits for it, which says so. Then this is done again, with another bucket. */
  async function shared<Result>(work: (keyId: number) => Promise<Result>): Promise<Result> {
    for (let time = 0; time < 10; time++) {
      keyIds += 1;
      const result = await work(keyIds);
      if (said.length === 0) return result;
      await until('it is shared again', () =>
        ['one', 'other'].every((name) => said.findLast((each) => each.startsWith(name)) !== `${name} away`),
      );
      said.length = 0;
    }
    throw new Error('It was never shared long enough.');
  }

  test('a burst passes once, however many processes and requests take from it', async () => {
    const [taken, left] = await shared(async (keyId) => [await takeAll(keyId, 60), await look(keyId)] as const);
    assert.equal(taken.filter((each) => each?.taken).length, slow.burst);
    assert.equal(Math.floor(left?.tokens ?? -1), 0);
  });

  test('requests of one turn are told what is left after each', async () => {
    const turn = await shared((keyId) => Promise.all(Array.from({ length: 12 }, () => buckets[0]?.take(use(keyId)))));
    assert.deepEqual(
      turn.map((each) => [each?.taken, Math.floor(each?.tokens ?? -1)]),
      [9, 8, 7, 6, 5, 4, 3, 2, 1, 0]
        .map((left): [boolean, number] => [true, left])
        .concat([
          [false, 0],
          [false, 0],
        ]),
    );
  });

  test('a bucket fills at its rate, up to its burst', async () => {
    const fast = { ratePerSecond: 20, burst: 2 };
    const passed = await shared(async (keyId) => {
      const take = (index: number, more = {}) => buckets[index]?.take(use(keyId, { ...fast, ...more }));
      const before = [await take(0), await take(1)];
      await until('it is full again', async () => {
        const seen = await take(0, { wanted: 0 });
        return !seen || seen.tokens === 2;
      });
      return [...before, await take(0), await take(1)];
    });
    assert.ok(passed.every((each) => each?.taken));
  });

  test('keys have buckets of their own', async () => {
    for (let key = 0; key < 2; key++) {
      const taken = await shared((keyId) => takeAll(keyId, 10));
      assert.equal(taken.filter((each) => each?.taken).length, 10);
    }
  });

  test('a process that was busy for a moment doesn’t take Redis for gone', async () => {
    const taken = await shared((keyId) => {
      const taking = takeAll(keyId, 4);
      for (const end = Date.now() + 300; Date.now() < end; );
      return taking;
    });
    assert.ok(taken.every((each) => each?.taken));
  });

  for (const [how, leave, comeBack] of [
    ['is killed', () => redis.goDown(), () => redis.comeBack()],
    ['hangs', () => redis.hang(), () => redis.goOn()],
  ] as const)
    test(`while Redis ${how}, each goes by its own and says so once; then it is shared again`, async () => {
      await leave();
      // The first may wait for a moment; those after it don't.
      await takeAll(6, 20);
      assert.deepEqual(
        await takeAll(6, 20),
        Array.from({ length: 20 }, () => null),
      );
      assert.deepEqual(said.sort(), ['one away', 'other away']);
      await comeBack();
      await until('it is shared again', () => said.length === 4);
      assert.deepEqual(said.splice(0).sort(), ['one away', 'one back', 'other away', 'other back']);
      const taken = await shared((keyId) => takeAll(keyId, 30));
      assert.equal(taken.filter((each) => each?.taken).length, slow.burst);
    });

  suite('at the door', () => {
    let world: World;
    let nodes: App[];
    before(async () => {
      world = await makeWorld();
      nodes = await Promise.all(buckets.map((each) => anotherNode(world, { buckets: each })));
    });
    after(async () => {
      for (const node of nodes) await node.close();
      await world.close();
    });

    test('two nodes let one burst through, and without Redis one each', async () => {
      const counts = async () => {
        const { apiKey } = await world.newKey({ ratePerSecond: 1, burst: 20, dailyQuota: null });
        const headers = credentials(world.ann.token, apiKey);
        const startedAt = Date.now();
        const answers = await Promise.all(
          Array.from({ length: 60 }, (_, index) => nodes[index % 2]?.inject({ url: '/v1/core/enumerations', headers })),
        );
        const statuses = answers.map((answer) => answer?.statusCode);
        assert.ok(statuses.every((status) => status === 200 || status === 429));
        return {
          passed: statuses.filter((status) => status === 200).length,
          filled: Math.ceil((Date.now() - startedAt) / 1000),
        };
      };
      const both = await shared(counts);
      assert.ok(both.passed >= 20 && both.passed <= 20 + both.filled, JSON.stringify(both));
      await redis.goDown();
      await until('both have noticed', () => said.length === 2);
      const own = await counts();
      assert.ok(own.passed >= 40 && own.passed <= 40 + 2 * own.filled, JSON.stringify(own));
      await redis.comeBack();
    });
  });
});

import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import type { Db } from '../../src/store/database/db.ts';
import { byShard, collectByShard, lockByShard, sharesOf } from '../../src/store/database/distribution/by-shard.ts';
import { routed } from '../../src/store/database/distribution/routing.ts';
import { forShards, type Job, type Place, type ShardStatement } from '../../src/store/database/distribution/shards.ts';

type Sent = { text: string; values: unknown[] };
/** A statement as a node gets it: the parameters of each shard. */
type Called = { text: string; on: Record<string, unknown[]> };

/** Advisors 1 and 2 are on one node, in one shard; 3 is in another of its shards, and 4 on another node. */
const places = [1, 2, 3, 4].map((advisorId) => ({
  advisorId,
  shard: String(Math.max(2, advisorId)),
  node: advisorId === 4 ? 1 : 2,
}));

type Answer = (text: string, place: Place) => object[];

/** A database that tells which shard answers, and what it and its nodes were sent. */
function fakeDb(
  isDistributed: boolean,
  answer: Answer = (_, { shard }) => [{ shard }],
): { db: Db; sent: Sent[]; called: Called[] } {
  const [sent, called]: [Sent[], Called[]] = [[], []];
  const query = async (text: string, values: unknown[] = []) => {
    sent.push({ text, values });
    return [];
  };
  const run = async ({ text }: ShardStatement, jobs: Job[]) => {
    called.push({ text, on: Object.fromEntries(jobs.map(({ place, values }) => [place.shard, values])) });
    return jobs.map(({ place }) => answer(text, place));
  };
  const shards = {
    placesOf: (advisorIds: number[]) => advisorIds.map((advisorId) => places[advisorId - 1]),
    all: async () => [places[3], places[1], places[2]],
    query: run,
    lookUp: run,
  };
  return { db: { query, write: query, isDistributed: () => isDistributed, shards } as unknown as Db, sent, called };
}

suite('in a distributed database', () => {
  test('a statement about one advisor compares every table with that advisor', () => {
    assert.equal(
      routed('select from messages t join members m on m.advisor_id = t.advisor_id where t.advisor_id = $2'),
      'select from messages t join members m on m.advisor_id = $2 where t.advisor_id = $2',
    );
  });

  test('a statement about all advisors, or about one if it is given, stays as it is', () => {
    for (const text of [
      'select from messages t join members m on m.advisor_id = t.advisor_id',
      'select from messages t join members m on m.advisor_id = t.advisor_id where $1 is null or t.advisor_id = $1',
    ])
      assert.equal(routed(text), text);
  });

  test('a shard gets a statement with the tables in braces, and not words that are like them', () => {
    assert.equal(
      forShards(`update messages set kind = 'events' from events e where messages.text_events = "groups"`),
      `update {messages} set kind = 'events' from {events} e where {messages}.text_events = "groups"`,
    );
  });

  test('a batch is one call for each node, with the items of each shard, and the results are in the order of items', async () => {
    const { db, called } = fakeDb(true);
    const items = [3, 1, 4, 2].map((advisorId) => ({ advisorId }));
    const results = await byShard(db, items, async (own, group, isPart) => {
      assert.ok(isPart);
      const [row] = await own.query<{ shard: string }>('select', [group.map(({ advisorId }) => advisorId)]);
      return group.map(({ advisorId }) => `${advisorId} in ${row?.shard}`);
    });
    assert.deepEqual(results, ['3 in 3', '1 in 2', '4 in 4', '2 in 2']);
    assert.deepEqual(called, [
      { text: 'select', on: { 4: [[4]] } },
      { text: 'select', on: { 2: [[1, 2]], 3: [[3]] } },
    ]);
  });

  test('a second statement of the work is one call for each node, too', async () => {
    const { db, called } = fakeDb(true);
    await collectByShard(db, [{ advisorId: 1 }, { advisorId: 3 }], async (own, group) => {
      await own.query('first', [group.length]);
      return own.query('second', [group.length]);
    });
    assert.deepEqual(
      called,
      ['first', 'second'].map((text) => ({ text, on: { 2: [1], 3: [1] } })),
    );
  });

  test('a call that fails on one node fails the batch, and in a transaction the other nodes are not called', async () => {
    for (const isTransaction of [false, true]) {
      const { db } = fakeDb(true);
      const lost = new Error('lost');
      let calls = 0;
      db.shards.isTransaction = isTransaction;
      db.shards.query = () => {
        calls += 1;
        return Promise.reject(lost);
      };
      await assert.rejects(
        collectByShard(db, [{ advisorId: 1 }, { advisorId: 4 }], (own) => own.query('select')),
        lost,
      );
      assert.equal(calls, isTransaction ? 1 : 2);
    }
  });

  test('rows that are due are counted in every shard, and locked where there are some', async () => {
    const { db, called } = fakeDb(true, (text, { shard }) =>
      /count/.test(text) ? [{ count: shard === '3' ? 0 : 5 }] : [],
    );
    await lockByShard(db, { ready: 'select from dispatches', values: ['now'], name: 'due', limit: 9 }, (own, limit) =>
      own.query('lock', [limit]),
    );
    const text = 'select count(*)::integer as count from (select from dispatches limit $2::integer) as ready';
    assert.deepEqual(called, [
      { text, on: { 4: ['now', 9] } },
      { text, on: { 2: ['now', 9], 3: ['now', 9] } },
      { text: 'lock', on: { 4: [5] } },
      { text: 'lock', on: { 2: [4] } },
    ]);
  });

  test('of a limit each shard gets a share, and what one doesn’t need is for the others', () => {
    const shares = (counts: number[], limit: number) =>
      sharesOf(
        counts.map((count, shard) => ({ shard, count })),
        limit,
      ).map(({ shard, count }) => [shard, count]);
    assert.deepEqual(shares([5, 0, 2], 9), [
      [0, 5],
      [2, 2],
    ]);
    assert.deepEqual(shares([50, 1, 60, 0], 9), [
      [0, 4],
      [1, 1],
      [2, 4],
    ]);
    assert.deepEqual(shares([7, 7, 7], 2), [
      [0, 1],
      [1, 1],
    ]);
  });
});

test('on one PostgreSQL a batch is one statement, as it is written', async () => {
  const { db, sent } = fakeDb(false);
  const text = 'select from members m, given where m.advisor_id = given.advisor_id';
  await collectByShard(db, [{ advisorId: 1 }, { advisorId: 4 }], (own, _, isPart) => {
    assert.ok(!isPart);
    return own.query(text);
  });
  await lockByShard(db, { ready: '', values: [], name: 'due', limit: 9 }, (own, limit) =>
    own.query(`select limit ${limit}`),
  );
  assert.deepEqual(
    sent.map((each) => each.text),
    [text, 'select limit 9'],
  );
});

import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import type { Db } from '../../src/store/database/db.ts';
import { byAdvisor, collectByAdvisor, lockByAdvisor } from '../../src/store/database/distribution/by-advisor.ts';
import { routed } from '../../src/store/database/distribution/routing.ts';

type Sent = { text: string; values: unknown[] };

/** A database that answers every statement with these rows, and what it was sent. */
function fakeDb(isDistributed: boolean, rows: object[] = []): { db: Db; sent: Sent[] } {
  const sent: Sent[] = [];
  const query = async (text: string, values: unknown[] = []) => {
    sent.push({ text, values });
    return rows;
  };
  return { db: { query, write: query, isDistributed: () => isDistributed } as unknown as Db, sent };
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

  test('a batch is a statement for each advisor, in the order of advisors, and the results are in the order of items', async () => {
    const { db, sent } = fakeDb(true);
    const items = [
      { advisorId: 7, id: 'a' },
      { advisorId: 3, id: 'b' },
      { advisorId: 7, id: 'c' },
    ];
    const results = await byAdvisor(db, items, async (own, group) => {
      await own.query('select from members m, given where m.advisor_id = given.advisor_id and $1', [group.length]);
      return group.map(({ id }) => id);
    });
    assert.deepEqual(results, ['a', 'b', 'c']);
    const text = 'select from members m, given where m.advisor_id = $2::bigint and $1';
    assert.deepEqual(sent, [
      { text, values: [1, 3] },
      { text, values: [2, 7] },
    ]);
  });

  test('rows that are due are locked for one advisor at a time', async () => {
    const { db, sent } = fakeDb(true, [{ advisorId: 3, limit: 2 }]);
    await lockByAdvisor(
      db,
      { ready: 'select advisor_id from dispatches', values: [], limit: 9 },
      (own, { of, limit }) =>
        own.query(`select from dispatches where true ${of('dispatches')} limit ${limit} for update`),
    );
    assert.match(sent[0]?.text ?? '', /from \(select advisor_id from dispatches limit 9\)/);
    assert.deepEqual(sent[1], {
      text: 'select from dispatches where true and dispatches.advisor_id = $1::bigint limit 2 for update',
      values: [3],
    });
  });
});

test('on one PostgreSQL a batch is one statement, as it is written', async () => {
  const { db, sent } = fakeDb(false);
  const text = 'select from members m, given where m.advisor_id = given.advisor_id';
  await collectByAdvisor(db, [{ advisorId: 7 }, { advisorId: 3 }], (own) => own.query(text));
  await lockByAdvisor(db, { ready: '', values: [], limit: 9 }, (own, { of, limit }) =>
    own.query(`select from dispatches where true${of('dispatches')} limit ${limit}`),
  );
  assert.deepEqual(
    sent.map((each) => each.text),
    [text, 'select from dispatches where true limit 9'],
  );
});

import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import type { Db } from '../../src/store/database/db.ts';
import { nodesOn } from '../../src/store/database/distribution/nodes.ts';
import { routed } from '../../src/store/database/distribution/queries.ts';
import { forShards, type KnownNodes } from '../../src/store/database/distribution/shards.ts';
import {
  commitTogether,
  drawIds,
  forAdvisors,
  forAllAdvisors,
  takeDue,
} from '../../src/store/database/for-advisors.ts';

type SentStatement = { text: string; values: unknown[] };
/** A statement as a node gets it: the parameters of each shard. */
type NodeCall = { text: string; on: Record<string, unknown[]> };

/** Advisors 1 and 2 are on one node, in one shard; 3 is in another of its shards, and 4 on another node. */
const places = [1, 2, 3, 4].map((advisorId) => ({
  advisorId,
  shard: String(Math.max(2, advisorId)),
  node: advisorId === 4 ? 1 : 2,
}));

type Rows = (text: string, shard: string) => string[];

/** A distributed database whose statements have one column. It tells which shard it is on, and what its nodes were sent. */
function severalNodes({
  rowsOf = (_, shard) => [shard],
  isTransaction = false,
}: {
  rowsOf?: Rows;
  isTransaction?: boolean;
} = {}): { db: Db; called: NodeCall[] } {
  const called: NodeCall[] = [];
  const known: KnownNodes = {
    places: new Map(places.map((place) => [place.advisorId, place])),
    all: [4, 2, 3].map((advisorId) => places[advisorId - 1] as (typeof places)[0]),
    columns: new Map(),
    turn: 0,
  };
  const query = async (text: string, values: unknown[] = []) => {
    if (!text.includes('run_on_shards')) return [];
    const [, , statement, , shards, parameters] = values as [number, string, string, boolean, string[], string[]];
    const width = parameters.length / shards.length;
    const on = shards.map((shard, at) => [shard, parameters.slice(at * width, (at + 1) * width)]);
    called.push({ text: statement, on: Object.fromEntries(on) });
    return shards.flatMap((shard, at) => rowsOf(statement, shard).map((row) => ({ place: at + 1, row: `(${row})` })));
  };
  const describe = async () => [{ name: 'value', read: (text: string) => text }];
  const nodes = nodesOn({ isTransaction, describe }, known);
  const db = { query, lookUp: query, write: query, nodes: () => nodes } as unknown as Db;
  return { db, called };
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

  test('a batch is one call for each node, with the rows of each shard, and the results are in the order of rows', async () => {
    const { db, called } = severalNodes();
    const rows = [3, 1, 4, 2].map((advisorId) => ({ advisorId }));
    const results = await forAdvisors(db, rows, async (own, group) => {
      const [row] = await own.query<{ value: string }>('select', [group.map(({ advisorId }) => advisorId).join()]);
      return group.map(({ advisorId }) => `${advisorId} in ${row?.value}`);
    });
    assert.deepEqual(results, ['3 in 3', '1 in 2', '4 in 4', '2 in 2']);
    assert.deepEqual(called, [
      { text: 'select', on: { 4: ['4'] } },
      { text: 'select', on: { 2: ['1,2'], 3: ['3'] } },
    ]);
  });

  test('a second statement of the work is one call for each node, too', async () => {
    const { db, called } = severalNodes();
    await forAdvisors(db, [{ advisorId: 1 }, { advisorId: 3 }], async (own) => {
      await own.query('first');
      return own.query('second');
    });
    assert.deepEqual(
      called,
      ['first', 'second'].map((text) => ({ text, on: { 2: [], 3: [] } })),
    );
  });

  test('work that asks for advisors again stays where it is', async () => {
    const { db, called } = severalNodes();
    await forAdvisors(db, [{ advisorId: 4 }], (own) => forAllAdvisors(own, (inner) => inner.query('select')));
    assert.deepEqual(called, [{ text: 'select', on: { 4: [] } }]);
  });

  test('a call that fails on one node fails the batch, and in a transaction the other nodes are not called', async () => {
    for (const isTransaction of [false, true]) {
      const lost = new Error('lost');
      let calls = 0;
      const rowsOf = () => {
        calls += 1;
        throw lost;
      };
      const { db } = severalNodes({ isTransaction, rowsOf });
      await assert.rejects(
        forAdvisors(db, [{ advisorId: 1 }, { advisorId: 4 }], (own) => own.query('select')),
        lost,
      );
      assert.equal(calls, isTransaction ? 1 : 2);
    }
  });

  test('rows that are due are looked for in every shard, and taken from one of those that have some, in turn', async () => {
    const { db, called } = severalNodes({ rowsOf: (_, shard) => (shard === '3' ? [] : [shard]) });
    const take = () => takeDue(db, ['due', [], 'due'], (own) => own.query<{ value: string }>('take'));
    const [first, second] = [await take(), await take()];
    assert.deepEqual(
      [first, second].map(({ rows, hasOthers }) => [rows[0]?.value, hasOthers]),
      [
        ['2', true],
        ['4', true],
      ],
    );
    assert.deepEqual(called.slice(0, 3), [
      { text: 'due', on: { 4: [] } },
      { text: 'due', on: { 2: [], 3: [] } },
      { text: 'take', on: { 2: [] } },
    ]);
  });

  test('if others have taken what was due in a shard, the next one has its turn', async () => {
    const { db } = severalNodes({ rowsOf: (text, shard) => (text === 'take' && shard !== '3' ? [] : [shard]) });
    const { rows } = await takeDue(db, ['due', [], 'due'], (own) => own.query<{ value: string }>('take'));
    assert.deepEqual(rows, [{ value: '3' }]);
  });

  test('a transaction that changes what is the deployment’s is prepared on every node', async () => {
    const { db, called } = severalNodes({ isTransaction: true });
    await commitTogether(db);
    assert.deepEqual(
      called.map(({ on }) => Object.keys(on)),
      [['4'], ['2']],
    );
  });
});

test('on one PostgreSQL a batch is one statement, as it is written', async () => {
  const sent: SentStatement[] = [];
  const query = async (text: string, values: unknown[] = []) => {
    sent.push({ text, values });
    return [];
  };
  const db = { query, write: query, nodes: () => null } as unknown as Db;
  const text = 'select from members m, given where m.advisor_id = given.advisor_id';
  await forAdvisors(db, [{ advisorId: 1 }, { advisorId: 4 }], (own) => own.query(text));
  await forAllAdvisors(db, (own) => own.query('all'));
  await takeDue(db, ['due', [], 'due'], (own) => own.query('take'));
  await commitTogether(db);
  assert.deepEqual(await drawIds(db, 'ids', 2), [null, null]);
  assert.deepEqual(
    sent.map((each) => each.text),
    [text, 'all', 'take'],
  );
});

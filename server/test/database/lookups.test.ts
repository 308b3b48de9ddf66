import assert from 'node:assert/strict';
import { after, before, suite, test } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { makeDatabase, type TestDatabase } from '../support/database.ts';

suite('lookups', () => {
  let database: TestDatabase;
  before(async () => {
    database = await makeDatabase();
  });
  after(() => database.drop());

  const backend = async (): Promise<number> => {
    const [row] = await database.pool.lookUp<{ pid: number }>('select pg_backend_pid() as pid', [], 'backend');
    return row?.pid ?? 0;
  };
  const sleep = () => database.pool.lookUp('select pg_sleep(0.5)', [], 'sleep');

  test('that come at once share a connection', async () => {
    const found = await Promise.all(Array.from({ length: 100 }, backend));
    assert.equal(new Set(found).size, 1);
  });

  test('go another way while one is slow', async () => {
    const own = await backend();
    let isOver = false;
    const slow = sleep().then(() => {
      isOver = true;
    });
    await pause(50);
    assert.notEqual(await backend(), own);
    assert.equal(isOver, false);
    await slow;
    assert.equal(await backend(), own);
  });

  test('get a new connection if theirs breaks, and those under way go another way', async () => {
    const own = await backend();
    const slow = sleep();
    await database.asOwner('select pg_terminate_backend($1)', [own]);
    assert.equal((await slow).length, 1);
    const found = await Promise.all([backend(), backend()]);
    assert.equal(new Set([...found, own]).size, 2);
  });

  test('are part of the transaction that they are in', async () => {
    const id = 'select pg_current_xact_id()::text as id';
    await database.pool.transaction(async (db) => {
      const [begun] = await db.query<{ id: string }>(id);
      const [found] = await db.lookUp<{ id: string }>(id, [], 'transaction');
      assert.deepEqual(found, begun);
    });
  });
});

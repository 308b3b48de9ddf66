import assert from 'node:assert/strict';
import { after, before, suite, test } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import pg from 'pg';
import type { Db } from '../../src/store/database/db.ts';
import { makeDatabase, type TestDatabase } from '../support/database.ts';
import { until } from '../support/waiting.ts';

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
    // On a busy machine it can take so long that the others go another way.
    const shared = async () => new Set(await Promise.all(Array.from({ length: 100 }, backend))).size === 1;
    await until('they share one', shared);
  });

  test('go another way while one is slow', async () => {
    const own = await backend();
    // It is slow for as long as we want, however busy the machine is.
    const holder = new pg.Client({ connectionString: database.url });
    await holder.connect();
    await holder.query('select pg_advisory_lock(7)');
    let isOver = false;
    const slow = database.pool.lookUp('select pg_advisory_xact_lock(7)', [], 'wait').then(() => {
      isOver = true;
    });
    await pause(50);
    assert.notEqual(await backend(), own);
    assert.equal(isOver, false);
    await holder.end();
    await slow;
    assert.equal(await backend(), own);
  });

  test('get a new connection if theirs breaks, and those under way go another way', async () => {
    const own = await backend();
    const slow = sleep();
    await database.asOwner('select pg_terminate_backend($1)', [own]);
    assert.equal((await slow).length, 1);
    const shareNew = async () => {
      const found = new Set(await Promise.all([backend(), backend()]));
      return found.size === 1 && !found.has(own);
    };
    await until('they share a new one', shareNew);
  });

  const numbered = `
    select position, asked.number, (select count(*) from unnest($1::bigint[])) as sent
    from unnest($1::bigint[]) with ordinality as asked (number, position)
    where asked.number % 2 = 0`;
  const even = (db: Pick<Db, 'lookUpOne'>, number: unknown) =>
    db.lookUpOne<{ number: number; sent: number }>(numbered, [number], 'even');

  test('by one statement that come at once are sent as one, and each gets its own row or none', async () => {
    const numbers = Array.from({ length: 150 }, (_, index) => index);
    const found = await Promise.all(numbers.map((number) => even(database.pool, number)));
    assert.deepEqual(
      found.map((row) => row?.number ?? null),
      numbers.map((number) => (number % 2 === 0 ? number : null)),
    );
    assert.equal(found[0]?.sent, 100);
    assert.equal(found.at(-2)?.sent, 50);
  });

  test('by a key that PostgreSQL doesn’t take fail alone', async () => {
    const found = await Promise.allSettled([2, 'two', 4].map((number) => even(database.pool, number)));
    assert.deepEqual(
      found.map(({ status }) => status),
      ['fulfilled', 'rejected', 'fulfilled'],
    );
  });

  test('by a key are part of the transaction that they are in', async () => {
    const id = 'select 1 as position, pg_current_xact_id()::text as id from unnest($1::bigint[])';
    await database.pool.transaction(async (db) => {
      const [begun] = await db.query<{ id: string }>('select pg_current_xact_id()::text as id');
      assert.equal((await db.lookUpOne<{ id: string }>(id, [1], 'transaction-by-key'))?.id, begun?.id);
    });
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

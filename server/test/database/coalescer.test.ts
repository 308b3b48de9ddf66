import assert from 'node:assert/strict';
import { after, suite, test } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import type { Batch, Db, Transaction } from '../../src/store/database/db.ts';
import { coalescer } from '../../src/store/database/running/coalescer.ts';
import { makeDatabase } from '../support/database.ts';

type Item = { value: number; fault?: 'data' | 'other' };

/** A batch that records what ran together, and a transaction that begins on command. */
function recorder() {
  const runs: number[][] = [];
  const batch: Batch<Item, string> = {
    weigh: ({ value }) => (value >= 1_000 ? value : 1),
    async run(_db, items) {
      runs.push(items.map(({ value }) => value));
      const bad = items.find(({ fault }) => fault);
      if (bad) throw new Error(bad.fault);
      return items.map(({ value }) => `answer ${value}`);
    },
  };
  const begin = Promise.withResolvers<void>();
  const join = coalescer(
    async (work) => {
      await begin.promise;
      return work({} as Transaction);
    },
    { isDataError: (error) => (error as Error).message === 'data', whenFull: () => new Error('full') },
  );
  return { runs, batch, join, begin: begin.resolve };
}

suite('a coalescer', () => {
  test('runs everything that arrived before the transaction began, in order, with an answer for each', async () => {
    const { runs, batch, join, begin } = recorder();
    const answers = [1, 2, 3].map((value) => join(batch, { value }));
    begin();
    assert.deepEqual(await Promise.all(answers), ['answer 1', 'answer 2', 'answer 3']);
    assert.deepEqual(runs, [[1, 2, 3]]);
    assert.equal(await join(batch, { value: 4 }), 'answer 4');
  });

  test('runs at most 256 items at a time, with a total weight of at most 2,000', async () => {
    const many = recorder();
    const answers = Array.from({ length: 300 }, (_, value) => many.join(many.batch, { value }));
    many.begin();
    await Promise.all(answers);
    assert.deepEqual(
      many.runs.map((run) => run.length),
      [256, 44],
    );
    const heavy = recorder();
    const weighed = [1_500, 1_000, 1, 5_000].map((value) => heavy.join(heavy.batch, { value }));
    heavy.begin();
    await Promise.all(weighed);
    assert.deepEqual(heavy.runs, [[1_500], [1_000, 1], [5_000]]);
  });

  test('asks again about those who had to wait, and leaves out who isn’t allowed to any more', async () => {
    const { runs, batch, join, begin } = recorder();
    let asked = 0;
    const allowed = async () => void asked++;
    const ended = () => Promise.reject(new Error('ended'));
    const answers = [join(batch, { value: 1 }, allowed), join(batch, { value: 2 }, ended), join(batch, { value: 3 })];
    const settled = Promise.allSettled(answers);
    await pause(150);
    begin();
    assert.deepEqual(
      (await settled).map((each) => (each.status === 'fulfilled' ? each.value : each.reason.message)),
      ['answer 1', 'ended', 'answer 3'],
    );
    assert.deepEqual([runs, asked], [[[1, 3]], 1]);
    await join(batch, { value: 4 }, ended);
    const alone = recorder();
    const late = assert.rejects(alone.join(alone.batch, { value: 1 }, ended), /ended/);
    await pause(150);
    alone.begin();
    await late;
    assert.deepEqual(alone.runs, []);
  });

  test('runs a batch that needs no transaction without one', async () => {
    const used: string[] = [];
    const run =
      (name: string) =>
      async <Result>(work: (db: Db) => Promise<Result>) => {
        used.push(name);
        return work({} as Db);
      };
    const join = coalescer(run('transaction'), { statements: run('statements') });
    const batch: Batch<number, number> = { run: async (_db, items) => items };
    await join(batch, 1);
    await join({ ...batch, isRepeatable: true }, 2);
    assert.deepEqual(used, ['transaction', 'statements']);
  });

  test('waits between batches that have a pause, unless the next one is full', async () => {
    const { runs, batch, join, begin } = recorder();
    begin();
    const paused = { ...batch, pauseMs: 3_000 };
    const began = performance.now();
    await join(paused, { value: 0 });
    assert.ok(performance.now() - began < 2_900, 'the first one goes at once');
    await Promise.all([1, 2].map((value) => join(paused, { value })));
    assert.deepEqual(runs, [[0], [1, 2]]);
    const waitedMs = performance.now() - began;
    assert.ok(waitedMs >= 2_995, `${waitedMs} ms`);
    const many = recorder();
    const full = { ...many.batch, pauseMs: 10_000 };
    const answers = Array.from({ length: 768 }, (_, value) => many.join(full, { value }));
    const filled = performance.now();
    many.begin();
    await Promise.all(answers);
    // With pauses between the three it would take twenty seconds, and without them it is no work at all.
    assert.ok(performance.now() - filled < 20_000, 'full ones follow each other at once');
  });

  test('refuses a caller if 5,000 are waiting', async () => {
    const { batch, join, begin } = recorder();
    const answers = Array.from({ length: 5_000 }, (_, value) => join(batch, { value: value % 1_000 }));
    await assert.rejects(join(batch, { value: 1 }), /full/);
    begin();
    await Promise.all(answers);
    assert.equal(await join(batch, { value: 1 }), 'answer 1');
  });

  test('a bad row fails alone', async () => {
    const { runs, batch, join, begin } = recorder();
    const answers = [join(batch, { value: 1 }), join(batch, { value: 2, fault: 'data' }), join(batch, { value: 3 })];
    begin();
    const settled = await Promise.allSettled(answers);
    assert.deepEqual(
      settled.map(({ status }) => status),
      ['fulfilled', 'rejected', 'fulfilled'],
    );
    assert.deepEqual(runs, [[1, 2, 3], [1], [2], [3]]);
  });

  test('any other error fails the whole batch, and the next batch runs', async () => {
    const { batch, join, begin } = recorder();
    const answers = [join(batch, { value: 1 }), join(batch, { value: 2, fault: 'other' })];
    begin();
    for (const { status } of await Promise.allSettled(answers)) assert.equal(status, 'rejected');
    assert.equal(await join(batch, { value: 3 }), 'answer 3');
  });
});

suite('a batch on a database', () => {
  test('is a single commit, and inside a transaction it is part of that', async () => {
    const database = await makeDatabase();
    after(() => database.drop());
    const xids: Batch<number, string> = {
      async run(db, items) {
        const [row] = await db.query<{ xid: string }>('select pg_current_xact_id()::text as xid');
        return items.map(() => row?.xid ?? '');
      },
    };
    const together = await Promise.all([1, 2, 3].map((item) => database.pool.batch(xids, item)));
    assert.equal(new Set(together).size, 1);
    const within = await database.pool.transaction(async (db) => {
      const [row] = await db.query<{ xid: string }>('select pg_current_xact_id()::text as xid');
      return [row?.xid, await db.batch(xids, 1)];
    });
    assert.equal(within[0], within[1]);
  });

  test('that needs no transaction takes what arrives in one turn, and runs again after a conflict', async () => {
    const database = await makeDatabase();
    after(() => database.drop());
    let runs = 0;
    const xids: Batch<number, string> = {
      async run(db, items) {
        runs += 1;
        if (runs === 1) await db.query(`do $$ begin raise exception using errcode = '40001'; end $$`);
        const sql = `select pg_current_xact_id()::text as xid`;
        const [one] = await db.query<{ xid: string }>(sql);
        const [other] = await db.query<{ xid: string }>(sql);
        assert.notEqual(one?.xid, other?.xid, 'each statement is committed by itself');
        return items.map(() => one?.xid ?? '');
      },
      isRepeatable: true,
    };
    const together = await Promise.all([1, 2, 3].map((item) => database.pool.batch(xids, item)));
    assert.deepEqual([new Set(together).size, runs], [1, 2]);
  });

  test('work for after a commit runs after it, and not after a rollback', async () => {
    const database = await makeDatabase();
    after(() => database.drop());
    const seen: string[] = [];
    await database.pool.transaction(async (db) => {
      db.afterCommit(() => seen.push('after'));
      seen.push('within');
    });
    await database.pool
      .transaction(async (db) => {
        db.afterCommit(() => seen.push('never'));
        throw new Error('no');
      })
      .catch(() => {});
    assert.deepEqual(seen, ['within', 'after']);
  });
});

import assert from 'node:assert/strict';
import { after, afterEach, before, suite, test } from 'node:test';
import { setImmediate as nextTurn } from 'node:timers/promises';
import pg from 'pg';
import type { App } from '../../src/app.ts';
import type { Pool } from '../../src/store/database/db.ts';
import {
  DatabaseBusy,
  DatabaseTimeout,
  DatabaseUnable,
  DatabaseUnavailable,
  OutcomeUnknown,
} from '../../src/store/database/errors.ts';
import { connect } from '../../src/store/database/pool.ts';
import { appRole } from '../../src/store/database/schema/migrate.ts';
import { countWaiting } from '../support/database.ts';
import { type DatabaseProxy, startProxy } from '../support/database-proxy.ts';
import { anotherNode, credentials } from '../support/nodes.ts';
import { assertProblem } from '../support/problem.ts';
import { until } from '../support/waiting.ts';
import { type Answer, inject, makeWorld, type World } from '../support/world.ts';

const contacts = '/core/contact/contacts';
const timeoutMs = 1_000;
const settleMs = 3_000;
/** For what the test ends itself, sooner than any timeout. */
const patientMs = 600_000;

suite('the database', () => {
  let world: World;
  before(async () => {
    world = await makeWorld({ database: { size: 2, timeoutMs } });
  });
  after(() => world.close());

  let people = 0;
  const someone = () => ({ firstName: 'Dee', lastName: `Bee${++people}x` });
  const count = async ({ lastName }: { lastName: string }): Promise<number> => {
    const rows = await world.database.asOwner('select from contacts where last_name = $1', [lastName]);
    return rows.length;
  };

  suite('that is slow', () => {
    test('is a 504 after the timeout, and nothing was done', async () => {
      const person = someone();
      const release = await hold('lock table contacts in access exclusive mode');
      const answers = await Promise.all([
        world.ann.call('POST', contacts, person),
        world.ann.call('POST', contacts, person, { 'idempotency-key': 'slow' }),
      ]);
      for (const answer of answers) assertProblem(answer, 'downstream_timeout', /nothing was done/);
      assertProblem(await world.ann.call('GET', contacts), 'downstream_timeout');
      await release();
      assert.equal(await count(person), 0);
      assert.equal((await world.ann.call('POST', contacts, person, { 'idempotency-key': 'slow' })).status, 200);
    });

    test('is a timeout for a single slow statement', async () => {
      await assert.rejects(world.database.pool.query('select pg_sleep(2)'), DatabaseTimeout);
      await assert.rejects(
        world.database.pool.transaction((db) => db.query('select pg_sleep(2)')),
        DatabaseTimeout,
      );
      assert.equal((await world.database.pool.query('select 1')).length, 1);
    });
  });

  suite('whose connections are terminated', () => {
    test('is a 502 for the running request, and nothing was done; then the pool recovers', async () => {
      const person = someone();
      const pool = connect({ connectionString: world.database.url, size: 2, timeoutMs: patientMs, role: appRole });
      const node = await anotherNode(world, { pool, db: pool });
      const release = await hold('lock table contacts in share row exclusive mode');
      const headers = credentials(world.ann.token, world.apiKey);
      const answer = inject(node, { method: 'POST', url: `/v1${contacts}`, headers, payload: person });
      await until('the request waits for the table', async () => (await countWaiting(world.database)) === 1);
      await terminateAll();
      assertProblem(await answer, 'downstream_unavailable', /nothing was done/);
      await release();
      await node.close();
      await pool.end();
      await until('the pool recovers', async () => (await world.ann.call('GET', contacts)).status === 200);
      assert.equal(await count(person), 0);
    });

    test('doesn’t crash the process if they are idle', async () => {
      const errors: Error[] = [];
      const pool = connect({
        connectionString: world.database.url,
        size: 3,
        timeoutMs,
        role: appRole,
        onError: (error) => void errors.push(error),
      });
      await Promise.all([1, 2, 3].map(() => pool.query('select pg_sleep(0.05)')));
      assert.equal(pool.counts().idle, 3);
      await terminateAll();
      await until('the pool has noticed', () => errors.length === 3 && pool.counts().total === 0);
      assert.equal((await pool.query('select 1')).length, 1);
      await pool.end();
    });

    test('is unavailable in the middle of a transaction, which is rolled back', async () => {
      const person = someone();
      const { pool } = world.database;
      await assert.rejects(
        pool.transaction(async (db) => {
          await db.query('select 1');
          await insert(db, person);
          await terminateAll();
          await db.query('select 1');
        }),
        DatabaseUnavailable,
      );
      assert.equal(await count(person), 0);
      await until('the pool recovers', async () => (await pool.query('select 1').catch(() => [])).length === 1);
    });
  });

  test('that vanished costs one timeout, not one for each connection that was open', async () => {
    const proxy = await startProxy(world.database.url);
    const pool = connect({ connectionString: proxy.url, size: 3, timeoutMs, role: appRole });
    await Promise.all([1, 2, 3].map(() => pool.query('select pg_sleep(0.05)')));
    assert.equal(pool.counts().idle, 3);
    proxy.silence();
    await assert.rejects(pool.query('select 1'), DatabaseTimeout);
    for (let index = 0; index < 3; index++) assert.equal((await pool.query('select 1')).length, 1);
    await pool.end();
    await proxy.close();
  });

  suite('whose connections are all taken', () => {
    test('is a 429 with Retry-After', async () => {
      const release = await takeAll(world.database.pool, 2);
      assertProblem(await world.ann.call('GET', '/core/contact/groups'), 'rate_limited', /busy/);
      await release();
      assert.equal((await world.ann.call('GET', '/core/contact/groups')).status, 200);
    });

    test('rejects at once a query that would wait too long', async () => {
      const { pool } = world.database;
      const release = await takeAll(pool, 2);
      const queued = Array.from({ length: 200 }, () => pool.query('select 1').catch((error) => error));
      await until('all of them wait', () => pool.counts().waiting === 200);
      const refused = pool.query('select 1').catch((error) => error);
      // Before anything else can happen, so also before one of those that wait has waited too long.
      assert.ok((await Promise.race([refused, nextTurn()])) instanceof DatabaseBusy);
      await release();
      for (const result of await Promise.all(queued))
        assert.ok(Array.isArray(result) || result instanceof DatabaseBusy);
    });
  });

  test('is unavailable if it has no disk, memory or connections left, or its disk fails; each with nothing kept', async () => {
    const { pool } = world.database;
    const raise = (code: string, message = 'x') => `do $$ begin raise '${message}' using errcode = '${code}'; end $$`;
    const faults = [
      ...['53000', '53100', '53200', '53400', '58000', '58030'].map((code) => raise(code)),
      raise('XX000', 'could not extend file "base/1/2": Disk quota exceeded'),
      raise('XX000', 'cannot assign TransactionIds during recovery'),
    ];
    for (const fault of faults) {
      const person = someone();
      const failing = pool.transaction(async (db) => {
        await insert(db, person);
        await db.query(fault);
      });
      await assert.rejects(failing, DatabaseUnable, fault);
      await assert.rejects(pool.query(fault), DatabaseUnable, fault);
      assert.equal(await count(person), 0);
    }
    await assert.rejects(pool.query(raise('53300')), DatabaseUnavailable);
    await assert.rejects(pool.query(raise('XX000', 'unexpected state')), pg.DatabaseError);
  });

  test('is unavailable at once if it can’t be reached', async () => {
    const pool = connect({ connectionString: 'postgres://127.0.0.1:1/nothing', size: 1, timeoutMs });
    await assert.rejects(pool.query('select 1'), DatabaseUnavailable);
    await assert.rejects(
      pool.transaction((db) => db.query('select 1')),
      DatabaseUnavailable,
    );
    await pool.end();
  });

  suite('a transaction', () => {
    test('is rolled back when its work throws', async () => {
      const person = someone();
      await assert.rejects(
        world.database.pool.transaction(async (db) => {
          await insert(db, person);
          throw new Error('changed my mind');
        }),
        /changed my mind/,
      );
      assert.equal(await count(person), 0);
    });

    test('that is rolled back keeps nothing of what its work goes on with', async () => {
      const [before, after] = [someone(), someone()];
      const rolledBack = Promise.withResolvers<void>();
      let rest: Promise<unknown> | undefined;
      const failed = world.database.pool.transaction(async (db) => {
        await insert(db, before);
        rest = rolledBack.promise.then(() => insert(db, after));
        throw new Error('changed my mind');
      });
      await assert.rejects(failed, /changed my mind/);
      rolledBack.resolve();
      await assert.rejects(rest ?? Promise.resolve(), /is over/);
      assert.equal((await count(before)) + (await count(after)), 0);
    });

    test('runs again after what has to come before it, which it then finds done', async () => {
      const person = someone();
      let [began, prepared] = [0, 0];
      await world.database.pool.transaction(async (db) => {
        began += 1;
        await insert(db, person);
        if (prepared === 0)
          await db.beforehand(async () => {
            prepared += 1;
            assert.equal(await count(person), 0);
          });
      });
      assert.deepEqual([began, prepared, await count(person)], [2, 1, 1]);
    });

    test('inside a transaction joins it', async () => {
      const [outer, inner] = [someone(), someone()];
      await assert.rejects(
        world.database.pool.transaction(async (db) => {
          await insert(db, outer);
          await db.transaction((joined) => insert(joined, inner));
          throw new Error('after all');
        }),
        /after all/,
      );
      assert.equal((await count(outer)) + (await count(inner)), 0);
    });

    test('can roll back a part of itself', async () => {
      const [kept, undone] = [someone(), someone()];
      await world.database.pool.transaction(async (db) => {
        await insert(db, kept);
        await assert.rejects(
          db.savepoint(async () => {
            await insert(db, undone);
            await db.query('select 1 / 0');
          }),
          /division by zero/,
        );
      });
      assert.equal(await count(kept), 1);
      assert.equal(await count(undone), 0);
    });

    test('is retried if it was the victim of a deadlock', async () => {
      const pool = connect({ connectionString: world.database.url, size: 2, timeoutMs: 5_000, role: appRole });
      const lock = 'select from advisors where advisor_id = $1 for update';
      const ids = [world.ann.advisor.advisorId, world.bob.advisor.advisorId];
      const locked = Promise.withResolvers<void>();
      let [attempts, holding] = [0, 0];
      await Promise.all(
        [ids, ids.toReversed()].map((order) =>
          pool.transaction(async (db) => {
            attempts += 1;
            await db.query(lock, [order[0]]);
            holding += 1;
            if (holding === 2) locked.resolve();
            await locked.promise;
            await db.query(lock, [order[1]]);
          }),
        ),
      );
      assert.ok(attempts > 2, `${attempts} attempts`);
      await pool.end();
    });

    test('is given up after four conflicts', async () => {
      let attempts = 0;
      await assert.rejects(
        world.database.pool.transaction(async (db) => {
          attempts += 1;
          await db.query(`do $$ begin raise exception using errcode = '40001'; end $$`);
        }),
        { code: '40001' },
      );
      assert.equal(attempts, 4);
    });
  });

  suite('a commit whose answer is lost', () => {
    let proxy: DatabaseProxy;
    let pool: Pool;
    let node: App;
    before(async () => {
      proxy = await startProxy(world.database.url);
      pool = connect({ connectionString: proxy.url, size: 4, timeoutMs, settleMs, role: appRole });
      node = await anotherNode(world, { pool, db: pool });
    });
    after(async () => {
      await node.close();
      await pool.end();
      await proxy.close();
    });
    afterEach(() => {
      proxy.fate = 'pass';
    });

    const post = (body: object, key?: string): Promise<Answer> =>
      inject(node, {
        method: 'POST',
        url: `/v1${contacts}`,
        headers: {
          ...credentials(world.ann.token, world.apiKey),
          ...(key ? { 'idempotency-key': key } : {}),
        },
        payload: body,
      });

    for (const key of [undefined, 'lost answer'])
      test(`is looked up and found to have taken effect${key ? ', with an Idempotency-Key' : ''}`, async () => {
        const person = someone();
        proxy.fate = 'lose the answer';
        const answer = await post(person, key);
        assert.equal(answer.status, 200, JSON.stringify(answer.body));
        assert.equal(await count(person), 1);
        const [row] = await world.database.asOwner<{ contact_id: string }>(
          'select contact_id from contacts where last_name = $1',
          [person.lastName],
        );
        assert.equal(answer.body.id, Number(row?.contact_id));
      });

    test('is found to have had no effect if it never arrived: 502, and a retry succeeds', async () => {
      const person = someone();
      proxy.fate = 'lose the commit';
      assertProblem(await post(person, 'lost commit'), 'downstream_unavailable', /nothing was done/);
      proxy.fate = 'pass';
      assert.equal(await count(person), 0);
      const retry = await post(person, 'lost commit');
      assert.equal(retry.status, 200);
      assert.equal(retry.headers['idempotent-replayed'], undefined);
      assert.equal(await count(person), 1);
    });

    test('is looked up, too, if the connection stays open but silent', async () => {
      const person = someone();
      proxy.fate = 'fall silent';
      assert.equal((await post(person)).status, 200);
      assert.equal(await count(person), 1);
    });

    test('is a 504 with an unknown outcome if it can’t be looked up, and a retry with its key settles it', async () => {
      const person = someone();
      proxy.fate = 'cut the cable';
      const startedAt = performance.now();
      const answer = await post(person, 'cut cable');
      assertProblem(answer, 'downstream_timeout', /not known.*Idempotency-Key/);
      assert.deepEqual(answer.body.details, { outcome: 'unknown' });
      assert.ok(performance.now() - startedAt >= settleMs);
      proxy.fate = 'pass';
      const retry = await post(person, 'cut cable');
      assert.equal(retry.status, 200);
      assert.equal(retry.headers['idempotent-replayed'], 'true');
      assert.equal(await count(person), 1);
    });

    test('is given up in time if PostgreSQL hangs', async () => {
      // Only the time to settle can end it before the test's own end.
      const patient = connect({ connectionString: proxy.url, size: 1, timeoutMs: patientMs, settleMs, role: appRole });
      await patient.query('select 1');
      proxy.fate = 'hang';
      await assert.rejects(
        patient.transaction((db) => insert(db, someone())),
        OutcomeUnknown,
      );
      proxy.fate = 'pass';
      // Queries that still wait for an answer end with the connection.
      proxy.drop();
      await patient.end();
    });
  });

  test('compiles no statement, whatever the server’s settings say', async () => {
    const rows = await world.deps.db.query(`select setting, source from pg_settings where name = 'jit'`);
    assert.deepEqual(rows, [{ setting: 'off', source: 'client' }]);
  });

  test('returns whole numbers as numbers and dates as strings', async () => {
    const [row] = await world.database.pool.query<object>(
      `select 9007199254740991::bigint as id, date '1961-07-14' as day`,
    );
    assert.deepEqual(row, { id: Number.MAX_SAFE_INTEGER, day: '1961-07-14' });
  });

  async function insert(db: Pick<Pool, 'query'>, { firstName, lastName }: { firstName: string; lastName: string }) {
    await db.query(
      `insert into contacts (
         advisor_id, first_name, last_name, source, search_text, search_keys, date_time_created, date_time_modified
       )
       values ($1, $2, $3, 2, '', '{}', now(), now())`,
      [world.ann.advisor.advisorId, firstName, lastName],
    );
  }

  /** Holds a lock as the owner until it is released. */
  async function hold(sql: string): Promise<() => Promise<void>> {
    const client = new pg.Client({ connectionString: world.database.url });
    await client.connect();
    await client.query(`begin; ${sql}`);
    return () => client.end();
  }

  async function takeAll(pool: Pool, size: number): Promise<() => Promise<void>> {
    const end = Promise.withResolvers<void>();
    let taken = 0;
    const all = Array.from({ length: size }, () =>
      pool.transaction(async () => {
        taken += 1;
        await end.promise;
      }),
    );
    await until('every connection is taken', () => taken === size);
    return async () => {
      end.resolve();
      await Promise.all(all);
    };
  }

  async function terminateAll(): Promise<void> {
    await world.database.asOwner(
      `select pg_terminate_backend(pid) from pg_stat_activity
       where datname = current_database() and application_name = 'assent'`,
    );
  }
});

import assert from 'node:assert/strict';
import { after, afterEach, before, suite, test } from 'node:test';
import pg from 'pg';
import type { App } from '../../src/app.ts';
import { byOperator } from '../../src/domain/archive/archive.ts';
import { sendMessage } from '../../src/domain/messages/messages.ts';
import type { Batch, Pool, Transaction } from '../../src/store/database/db.ts';
import {
  DatabaseTimeout,
  DatabaseUnable,
  DatabaseUnavailable,
  OutcomeUnknown,
} from '../../src/store/database/errors.ts';
import { connect } from '../../src/store/database/pool.ts';
import { appRole } from '../../src/store/database/schema/migrate.ts';
import { type DatabaseProxy, startProxy } from '../support/database-proxy.ts';
import { anotherNode, credentials } from '../support/nodes.ts';
import { assertProblem } from '../support/problem.ts';
import { acceptedPhone, messagesPath } from '../support/texting.ts';
import { until } from '../support/waiting.ts';
import { type Answer, inject, makeWorld, type World } from '../support/world.ts';

/** For what the test ends itself, sooner than any timeout. */
const patientMs = 600_000;
const divideByZero = 'select 1 / 0';
const raise = (code: string) => `do $$ begin raise exception using errcode = '${code}'; end $$`;

suite('a write that nobody waits for', () => {
  let world: World;
  let proxy: DatabaseProxy;
  let pool: Pool;
  let node: App;
  before(async () => {
    world = await makeWorld({ dispatch: false });
    proxy = await startProxy(world.database.url);
    pool = connect({ connectionString: proxy.url, size: 4, timeoutMs: 1_000, settleMs: 1_000, role: appRole });
    node = await anotherNode(world, { pool, db: pool });
  });
  after(async () => {
    await node.close();
    await pool.end();
    await proxy.close();
    await world.close();
  });
  afterEach(() => {
    proxy.fate = 'pass';
  });

  let numbers = 0;
  const newNumber = () => `12125559${String(++numbers).padStart(3, '0')}`;
  const insert = `insert into written (number) values ($1)`;
  before(async () => {
    await world.database.asOwner('create table written (number text primary key)');
    await world.database.asOwner(`grant select, insert on written to ${appRole}`);
  });
  const isStored = async (number: string) =>
    (await world.database.asOwner('select from written where number = $1', [number])).length === 1;

  /** A batch that writes each item's number, and then runs its other statements. */
  type Item = { number: string; writes?: string[]; query?: string };
  const writing: Batch<Item, string> = {
    async run(db, items) {
      await db.query('select 1');
      for (const { number, writes = [], query } of items) {
        await db.write(insert, [number]);
        for (const text of writes) await db.write(text);
        if (query) await db.query(query);
      }
      return items.map(({ number }) => number);
    },
  };

  test('goes with the commit, in the same write to the socket', async () => {
    const number = newNumber();
    await pool.batch(writing, { number: newNumber() });
    const before = proxy.writes;
    assert.equal(await pool.batch(writing, { number, writes: ['select 1', 'select 2'] }), number);
    assert.equal(proxy.writes - before, 2);
    assert.ok(await isStored(number));
  });

  test('fails the transaction with its own error, whatever follows it, and nothing is kept', async () => {
    for (const rest of [{}, { query: 'select 1' }, { writes: [divideByZero, 'select 2', raise('53100')] }]) {
      const item = { number: newNumber(), writes: [divideByZero], ...rest };
      await assert.rejects(pool.batch(writing, item), /division by zero/);
      assert.equal(await isStored(item.number), false);
    }
    assert.ok(await pool.batch(writing, { number: newNumber() }), 'the connection is good for the next one');
  });

  test('is never taken for done if the driver refuses to send it', async () => {
    const unsent: Batch<string, string> = {
      async run(db, items) {
        await db.write(insert, 'no list' as never);
        return items;
      },
    };
    await assert.rejects(pool.batch(unsent, newNumber()), /must be an array/);
  });

  test('is translated like any other statement: no disk, read-only, too slow', async () => {
    const faults = [
      [raise('53100'), DatabaseUnable],
      [raise('25006'), DatabaseUnable],
      ['select pg_sleep(5)', DatabaseTimeout],
    ] as const;
    for (const [fault, kind] of faults) {
      const item = { number: newNumber(), writes: [fault] };
      await assert.rejects(pool.batch(writing, item), kind);
      assert.equal(await isStored(item.number), false);
    }
  });

  test('fails alone if one row caused it', async () => {
    const items = [{ number: newNumber() }, { number: newNumber(), writes: [divideByZero] }, { number: newNumber() }];
    const settled = await Promise.allSettled(items.map((item) => pool.batch(writing, item)));
    assert.deepEqual(
      settled.map(({ status }) => status),
      ['fulfilled', 'rejected', 'fulfilled'],
    );
    assert.deepEqual(await Promise.all(items.map(({ number }) => isStored(number))), [true, false, true]);
  });

  test('runs again if it was the victim of a deadlock', async () => {
    let runs = 0;
    const number = newNumber();
    const unlucky: Batch<string, string> = {
      async run(db, items) {
        runs += 1;
        await db.write(insert, [number]);
        if (runs < 3) await db.write(raise('40P01'));
        return items;
      },
    };
    assert.equal(await pool.batch(unlucky, number), number);
    assert.equal(runs, 3);
    assert.ok(await isStored(number));
  });

  test('fails the savepoint that it is in, and not the rest of the transaction', async () => {
    const [kept, undone] = [newNumber(), newNumber()];
    const careful: Batch<string, string> = {
      async run(db, items) {
        await db.write(insert, [kept]);
        const part = (db as Transaction).savepoint(async () => {
          await db.write(insert, [undone]);
          await db.write(divideByZero);
        });
        await assert.rejects(part, /division by zero/);
        return items;
      },
    };
    await pool.batch(careful, kept);
    assert.deepEqual([await isStored(kept), await isStored(undone)], [true, false]);
  });

  test('a transaction that swallowed an error is not reported as committed', async () => {
    const number = newNumber();
    const swallowing = pool.transaction(async (db) => {
      await db.query(insert, [number]);
      await db.query(divideByZero).catch(() => {});
    });
    await assert.rejects(swallowing, /division by zero/);
    assert.equal(await isStored(number), false);
  });

  test('is undone if its connection dies before the commit', async () => {
    const number = newNumber();
    const patient = connect({ connectionString: proxy.url, size: 1, timeoutMs: patientMs, role: appRole });
    const batch = patient.batch(writing, { number, writes: ['select pg_sleep(600)'] });
    const failed = assert.rejects(batch, DatabaseUnavailable);
    await until('the write runs', async () => (await running('select pg_sleep(600)')) === 1);
    await world.database.asOwner(
      `select pg_terminate_backend(pid) from pg_stat_activity where query = 'select pg_sleep(600)'`,
    );
    await failed;
    await patient.end();
    assert.equal(await isStored(number), false);
  });

  async function running(query: string): Promise<number> {
    const rows = await world.database.asOwner(
      `select from pg_stat_activity where datname = current_database() and query = $1 and state = 'active'`,
      [query],
    );
    return rows.length;
  }

  suite('as the last step of a send', () => {
    const post = (phone: string, key?: string, by = node): Promise<Answer> =>
      inject(by, {
        method: 'POST',
        url: `/v1${messagesPath}`,
        headers: { ...credentials(world.ann.token, world.apiKey), ...(key ? { 'idempotency-key': key } : {}) },
        payload: { phone, text: 'Hello' },
      });

    /** The ids of the person's messages, as far as each has its entry, its body and its place in the outbox. */
    async function messagesTo(phone: string): Promise<number[]> {
      const rows = await world.database.asOwner<{ message_id: string }>(
        `select t.message_id
         from members m
         join messages t using (advisor_id, member_id)
         join dispatches d using (advisor_id, message_id)
         join archive_entries e on e.advisor_id = t.advisor_id and e.number = t.archive_number
           and e.message_id = t.message_id
         join archive_bodies b on b.advisor_id = e.advisor_id and b.number = e.number
         where m.phone = $1
         order by t.message_id`,
        [phone],
      );
      return rows.map(({ message_id }) => Number(message_id));
    }

    test('makes a send two round trips', async () => {
      const deps = { ...world.deps, db: pool };
      const { advisorId } = world.ann.advisor;
      const phones = [await acceptedPhone(world, world.ann), await acceptedPhone(world, world.ann)];
      await sendMessage(deps, advisorId, { phoneNumbers: phones, text: 'First, which reads the lexicon' }, byOperator);
      const before = proxy.writes;
      const { successes } = await sendMessage(deps, advisorId, { phoneNumbers: phones, text: 'Hello' }, byOperator);
      assert.equal(proxy.writes - before, 2);
      for (const { phone, messageId } of successes) assert.equal((await messagesTo(phone)).at(-1), messageId);
    });

    for (const key of [undefined, 'send, lost answer'])
      for (const fate of ['lose the answer', 'fall silent'] as const) {
        const how = `${fate === 'fall silent' ? 'and the connection stays open, ' : ''}${key ? 'with a key, ' : ''}`;
        test(`a lost answer to the commit is looked up, ${how}and the caller gets the ids`, async () => {
          const phone = await acceptedPhone(world, world.ann);
          proxy.fate = fate;
          const answer = await post(phone, key && `${key} ${fate}`);
          assert.equal(answer.status, 200, JSON.stringify(answer.body));
          const ids = answer.body.successes.map(({ messageId }: { messageId: number }) => messageId);
          assert.equal(ids.length, 1);
          assert.deepEqual(await messagesTo(phone), ids);
        });
      }

    test('a commit that never arrived is a 502, and nothing was accepted', async () => {
      const phone = await acceptedPhone(world, world.ann);
      proxy.fate = 'lose the commit';
      assertProblem(await post(phone), 'downstream_unavailable', /nothing was done/);
      assert.deepEqual(await messagesTo(phone), []);
    });

    test('an outcome that nobody can look up is reported as unknown', async () => {
      const fresh = connect({ connectionString: proxy.url, size: 1, timeoutMs: 1_000, settleMs: 500, role: appRole });
      const phone = await acceptedPhone(world, world.ann);
      const sendOne = () =>
        sendMessage({ ...world.deps, db: fresh }, world.ann.advisor.advisorId, { phone, text: 'Hello' }, byOperator);
      // Opens the connection for batches, and no other.
      await sendOne();
      proxy.fate = 'cut the cable';
      await assert.rejects(sendOne(), OutcomeUnknown);
      proxy.fate = 'pass';
      await fresh.end();
      assert.equal((await messagesTo(phone)).length, 2);
    });

    test('an insert that fails is an honest error, and nothing was accepted', async () => {
      const phone = await acceptedPhone(world, world.ann);
      const refuse = (code: string) =>
        world.database.asOwner(
          `create or replace function refuse_text() returns trigger language plpgsql as
           $$ begin raise exception using errcode = '${code}'; end $$`,
        );
      await refuse('53100');
      await world.database.asOwner(
        'create trigger refuse before insert on dispatches for each row execute function refuse_text()',
      );
      try {
        assertProblem(await post(phone), 'downstream_unavailable', /can’t store anything now; nothing was done/);
        await refuse('23514');
        const answers = await Promise.all([post(phone), post(phone, 'send, bad row')]);
        for (const answer of answers) assertProblem(answer, 'internal_error');
      } finally {
        await world.database.asOwner('drop trigger refuse on dispatches');
      }
      assert.deepEqual(await messagesTo(phone), []);
      assert.equal((await post(phone, 'send, bad row')).body.successes.length, 1);
    });

    test('a connection that dies during the insert is a 502, and nothing was accepted', async () => {
      const phone = await acceptedPhone(world, world.ann);
      const patient = connect({ connectionString: proxy.url, size: 4, timeoutMs: patientMs, role: appRole });
      const patientNode = await anotherNode(world, { pool: patient, db: patient });
      const holder = new pg.Client({ connectionString: world.database.url });
      await holder.connect();
      await holder.query('begin; lock table archive_heads in access exclusive mode');
      const answer = post(phone, undefined, patientNode);
      const waiting = `from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`;
      await until('the insert waits', async () => (await world.database.asOwner(`select ${waiting}`)).length === 1);
      await world.database.asOwner(`select pg_terminate_backend(pid) ${waiting}`);
      assertProblem(await answer, 'downstream_unavailable', /nothing was done/);
      await holder.end();
      await patientNode.close();
      await patient.end();
      assert.deepEqual(await messagesTo(phone), []);
    });
  });
});

import assert from 'node:assert/strict';
import { after, before, suite, test } from 'node:test';
import { DatabaseUnavailable, OutcomeUnknown } from '../../src/store/database/errors.ts';
import { connect } from '../../src/store/database/pool.ts';
import { startProxy } from '../support/database-proxy.ts';
import { type ReplicatedPostgres, skip, startReplicatedPostgres } from '../support/replicated-postgres.ts';

const triesMax = 5;
/** Nobody waits for a disk. What a transaction writes stays in memory until somebody commits. */
const settings = { fsync: 'off', full_page_writes: 'off', wal_writer_delay: '10s' };

suite('a commit whose answer is lost with the server', { skip }, () => {
  let postgres: ReplicatedPostgres;
  before(async () => {
    postgres = await startReplicatedPostgres({ settings });
    await postgres.primary().query('create table kept (place integer)');
  });
  after(() => postgres.stop());

  /** A transaction whose server dies before its commit. Returns the error once `meanwhile` is done; null if it was committed. */
  async function commitInto(meanwhile: (xid: bigint) => Promise<void>) {
    const primary = postgres.primary();
    const proxy = await startProxy(`postgres://assent@127.0.0.1:${primary.port}/postgres`);
    const pool = connect({ connectionString: proxy.url, size: 2, timeoutMs: 5_000, settleMs: 120_000 });
    const { promise: gone, resolve } = Promise.withResolvers<bigint>();
    const committed = pool
      .transaction(async (db) => {
        await db.query('insert into kept values (1)');
        const [row] = await db.query<{ xid: string }>('select pg_current_xact_id()::text as xid');
        proxy.fate = 'cut the cable';
        await primary.end('SIGQUIT');
        resolve(BigInt(row?.xid ?? 0));
      })
      .then(
        () => null,
        (error: unknown) => error,
      );
    const xid = await gone;
    await primary.start();
    await meanwhile(xid);
    proxy.fate = 'pass';
    const error = await committed;
    await pool.end();
    await proxy.close();
    return error;
  }

  const nextId = async () =>
    BigInt((await postgres.primary().query<{ id: string }>('select pg_current_xact_id()::text as id'))[0]?.id ?? 0);
  const kept = async () => (await postgres.primary().query('select from kept')).length;

  test('is not taken for another one that got its id', async () => {
    let wasReused = false;
    for (let tries = 0; !wasReused && tries < triesMax; tries++) {
      const error = await commitInto(async (xid) => {
        let id = await nextId();
        wasReused = id <= xid;
        while (id < xid) id = await nextId();
      });
      if (wasReused) assert.ok(error instanceof OutcomeUnknown, String(error));
    }
    assert.ok(wasReused, 'the id was written each time');
    assert.equal(await kept(), 0);
  });

  test('is known to have had no effect while nobody has its id', async () => {
    const error = await commitInto(async () => {});
    assert.ok(error instanceof DatabaseUnavailable, String(error));
    assert.equal(await kept(), 0);
  });
});

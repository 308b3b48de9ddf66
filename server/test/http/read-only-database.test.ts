import { test } from 'node:test';
import pg from 'pg';
import { DatabaseUnable } from '../../src/store/database/errors.ts';
import { connect } from '../../src/store/database/pool.ts';
import { appRole } from '../../src/store/database/schema/migrate.ts';
import { makeDatabase } from '../support/database.ts';
import { anotherNode } from '../support/nodes.ts';
import { until } from '../support/waiting.ts';
import { inject, makeWorld } from '../support/world.ts';

/** `/readyz` looks once a second. */
const waitMs = 60_000;

async function administer(administration: string, sql: string): Promise<void> {
  const client = new pg.Client({ connectionString: administration });
  await client.connect();
  await client.query(sql).finally(() => client.end());
}

test('a database that has become read-only is 502 and not ready, and its connections are replaced', async (t) => {
  const database = await makeDatabase();
  const name = new URL(database.url).pathname.slice(1);
  const world = await makeWorld();
  const pool = connect({ connectionString: database.url, size: 1, timeoutMs: 5_000, role: appRole });
  const node = await anotherNode(world, { pool, db: pool });
  t.after(async () => {
    await node.close();
    await pool.end();
    await world.close();
    await database.drop();
  });
  const ready = async () => (await inject(node, { method: 'GET', url: '/readyz' })).body.status;
  const insert = () => pool.query(`insert into firms (name, date_time_created) values ('New', now())`);
  const setReadOnly = (on: boolean) =>
    administer(
      process.env.ASSENT_TEST_DATABASE ?? '',
      `alter database ${name} set default_transaction_read_only = ${on}`,
    );
  const endConnections = `select pg_terminate_backend(pid) from pg_stat_activity where datname = '${name}'`;
  for (const asks of [true, false]) {
    await until('it is ready', async () => (await ready()) === 'ready', waitMs);
    await setReadOnly(true);
    await administer(process.env.ASSENT_TEST_DATABASE ?? '', endConnections);
    if (asks) await until('it is not ready', async () => (await ready()) === 'database not writable', waitMs);
    else await until('it says so', () => insert().then(Boolean, (error) => error instanceof DatabaseUnable), waitMs);
    // For new connections only, as after a failover.
    await setReadOnly(false);
    if (asks) await until('it is ready', async () => (await ready()) === 'ready', waitMs);
    await insert();
  }
});

import assert from 'node:assert/strict';
import { type AddressInfo, createServer } from 'node:net';
import { after, before, suite, test } from 'node:test';
import { exposureOf } from '../../src/store/database/connecting/tls.ts';
import { urlsOf } from '../../src/store/database/connecting/urls.ts';
import { DatabaseTimeout, DatabaseUnavailable } from '../../src/store/database/errors.ts';
import { connect } from '../../src/store/database/pool.ts';
import { appRole, checkDatabase } from '../../src/store/database/schema/migrate.ts';
import { makeDatabase, type TestDatabase } from '../support/database.ts';
import { type DatabaseProxy, startProxy } from '../support/database-proxy.ts';
import { freePort } from '../support/programs.ts';
import { until } from '../support/waiting.ts';

const timeoutMs = 2_000;

suite('a database with several servers', () => {
  let database: TestDatabase;
  let [one, other]: DatabaseProxy[] = [];
  before(async () => {
    database = await makeDatabase({ size: 1 });
    [one, other] = [await startProxy(database.url), await startProxy(database.url)];
  });
  after(async () => {
    for (const proxy of [one, other]) await proxy?.close();
    await database.drop();
  });

  /** Both servers in one URL. */
  const both = (first: string, second: string) => {
    const url = new URL(first);
    return `postgres://${url.username}@${url.host},${new URL(second).host}${url.pathname}?target_session_attrs=read-write`;
  };
  const nobody = async () => `postgres://assent@127.0.0.1:${await freePort()}${new URL(database.url).pathname}`;
  const open = (connectionString: string) => connect({ connectionString, size: 2, timeoutMs, role: appRole });

  test('is named as for psql', () => {
    assert.deepEqual(urlsOf('postgres://a:b@one/db?sslmode=disable'), ['postgres://a:b@one/db?sslmode=disable']);
    assert.deepEqual(urlsOf('postgres://a:b%2C@one:1,two/db?target_session_attrs=primary&sslmode=disable'), [
      'postgres://a:b%2C@one:1/db?sslmode=disable',
      'postgres://a:b%2C@two/db?sslmode=disable',
    ]);
    assert.deepEqual(urlsOf('postgres://[::1]:1,two:2/db'), ['postgres://[::1]:1/db', 'postgres://two:2/db']);
    assert.deepEqual(urlsOf('postgres:///db?host=/one,/two&port=1,2'), [
      'postgres:///db?host=%2Fone&port=1',
      'postgres:///db?host=%2Ftwo&port=2',
    ]);
    assert.equal(exposureOf('postgres://a@localhost,127.0.0.1/db'), null);
    assert.match(exposureOf('postgres://a@localhost,db.example.com/db') ?? '', /nothing is encrypted/);
  });

  test('is found where it answers, by pools and by commands', async () => {
    const url = both(await nobody(), other?.url ?? '');
    const pool = open(url);
    assert.equal((await pool.query('select 1')).length, 1);
    assert.equal((await pool.lookUp('select 1', [], 'one')).length, 1);
    await pool.end();
    await assert.rejects(checkDatabase(both(await nobody(), other?.url ?? '')), /not a restricted one/);
  });

  test('is found again when the first one breaks, and a request fails at most once', async () => {
    const pool = open(both(one?.url ?? '', other?.url ?? ''));
    await pool.query('select 1');
    if (one) one.fate = 'cut the cable';
    one?.drop();
    await until('it has moved', async () => (await pool.query('select 1').catch(() => [])).length === 1);
    if (one) one.fate = 'pass';
    await pool.end();
  });

  test('is tried again if it was slow and the others take no writes', async (t) => {
    if (!one) return;
    one.fate = 'hang';
    // When the next one is asked, the first one answers again.
    const refuses = createServer((socket) => {
      if (one) one.fate = 'pass';
      socket.destroy();
    });
    await new Promise<void>((resolve) => refuses.listen(0, '127.0.0.1', resolve));
    const { port } = refuses.address() as AddressInfo;
    const pool = open(both(one.url, `postgres://assent@127.0.0.1:${port}/`));
    t.after(async () => {
      one?.drop();
      await pool.end();
      refuses.close();
    });
    assert.equal((await pool.query('select 1')).length, 1);
  });

  test('is given up in the time that a single one has if nobody answers', async () => {
    if (!one || !other) return;
    const pool = open(both(one.url, other.url).replace('?', '?application_name=hangs&'));
    [one.fate, other.fate] = ['hang', 'hang'];
    await assert.rejects(pool.query('select 1'), (error) => error instanceof DatabaseTimeout);
    [one.fate, other.fate] = ['pass', 'pass'];
    for (const proxy of [one, other]) proxy.drop();
    await pool.end();
    const gone = open(both(await nobody(), await nobody()));
    await assert.rejects(gone.query('select 1'), DatabaseUnavailable);
    await gone.end();
  });
});

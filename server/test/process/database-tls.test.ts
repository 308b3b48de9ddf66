import assert from 'node:assert/strict';
import { after, before, suite, test } from 'node:test';
import { DatabaseUnavailable } from '../../src/store/database/errors.ts';
import { connect } from '../../src/store/database/pool.ts';
import { type Authority, skip as lacksOpenssl, makeAuthority } from '../support/certificates.ts';
import { runCommand } from '../support/commands.ts';
import {
  createLogin,
  type DebianPostgres,
  skip as lacksPostgres,
  startDebianPostgres,
} from '../support/debian-postgres.ts';
import { assent, launchServer, makeDataFolder, startServer } from '../support/programs.ts';
import { until } from '../support/waiting.ts';

suite('TLS to PostgreSQL', { skip: lacksPostgres || lacksOpenssl }, () => {
  const folder = makeDataFolder();
  let ours: Authority;
  let another: Authority;
  let postgres: DebianPostgres;
  before(async () => {
    [ours, another] = [makeAuthority(), makeAuthority()];
    postgres = await startDebianPostgres(ours.issue('localhost'));
    postgres.paste(`${createLogin('owner')} ${createLogin('server')} create role assent_app nologin;
      grant assent_app to owner, server; create database assent owner owner;`);
    const { status, stderr } = await assent(
      ['migrate'],
      envOf(`sslmode=verify-full&sslrootcert=${ours.file}`, 'owner'),
    );
    assert.equal(status, 0, stderr);
  });
  after(async () => {
    await postgres.stop();
    for (const authority of [ours, another]) authority.remove();
    folder.remove();
  });

  const envOf = (query: string, login = 'server', host = 'localhost') => ({
    ASSENT_ENV: 'production',
    PUBLIC_URL: 'https://api.example.com',
    ASSENT_DATA_DIR: folder.path,
    DATABASE_URL: `${postgres.url(login, 'assent', host)}${query && `?${query}`}`,
  });
  const list = (env: Record<string, string>) => runCommand(['firms', 'list'], env);
  const passes = async (env: Record<string, string>) => {
    const { status, stderr } = await list(env);
    assert.deepEqual([status, stderr], [0, '']);
  };
  const refused = async (env: Record<string, string>, line: RegExp) => {
    const { status, stderr } = await list(env);
    assert.ok(status === 1 || status === 2);
    assert.match(stderr, /^assent: [^\n]+\n$/, 'one line');
    assert.match(stderr, line);
  };

  test('sslmode=verify-full with the right CA and name connects, every connection encrypted', async () => {
    const env = envOf(`sslmode=verify-full&sslrootcert=${ours.file}`);
    const server = await startServer(env);
    const pool = connect({ connectionString: env.DATABASE_URL, size: 1, timeoutMs: 5_000 });
    let rows: { ssl: boolean }[] = [];
    // Some are opened once they are needed.
    await until('its connections are there', async () => {
      rows = await pool.query<{ ssl: boolean }>(
        `select ssl from pg_stat_ssl join pg_stat_activity using (pid) where application_name = 'assent'`,
      );
      return rows.length > 8;
    });
    await pool.end();
    assert.ok(rows.every(({ ssl }) => ssl));
    assert.equal(await server.stop(), 0);
    assert.doesNotMatch(server.said(), /DATABASE_URL/, 'a database that is protected needs no warning');
  });

  test('NODE_USE_SYSTEM_CA trusts the CAs of the operating system', async () => {
    const env = { ...envOf('sslmode=verify-full'), NODE_USE_SYSTEM_CA: '1' };
    await refused(env, /isn’t signed by a CA that we trust/);
    // A process reads them once.
    const { status, stderr } = await assent(['firms', 'list'], { ...env, SSL_CERT_FILE: ours.file });
    assert.deepEqual([status, stderr], [0, '']);
  });

  test('a certificate of another CA is refused in a line that says what to do', async () => {
    const line =
      /The database can’t be reached: its certificate isn’t signed by a CA that we trust\. Put the certificate of its CA into the file that sslrootcert/;
    await refused(envOf(`sslmode=verify-full&sslrootcert=${another.file}`), line);
    await refused(envOf('sslmode=verify-full'), line);
    const program = await launchServer(envOf(`sslmode=verify-full&sslrootcert=${another.file}`));
    assert.equal(await program.ended(), 1);
    assert.match(program.said(), /^[^\n]+\n$/, 'the server’s start says it in one line too');
    assert.match(program.said(), line);
  });

  test('a certificate for another name is refused in a line that names it', async () => {
    await refused(
      envOf(`sslmode=verify-full&sslrootcert=${ours.file}`, 'server', '127.0.0.1'),
      /its certificate is for another name \(localhost\)\. Put a name of the certificate/,
    );
  });

  test('a file of the URL that can’t be read is named', async () => {
    await refused(
      envOf('sslmode=verify-full&sslrootcert=/no/such.pem'),
      /\/no\/such\.pem can’t be read\. Check its sslrootcert, sslcert and sslkey\./,
    );
  });

  test('a login that may come over TLS only is told to', async () => {
    postgres.setEntry('hostssl all all all scram-sha-256');
    await refused(envOf(''), /it lets this login in over TLS only\. Add sslmode=verify-full to DATABASE_URL\./);
    postgres.setEntry('host all all all scram-sha-256');
  });

  test('a server on another machine that isn’t verified is a warning at the start', async () => {
    for (const [query, why] of [
      ['', /it has no sslmode, so nothing is encrypted/],
      ['sslmode=no-verify', /its sslmode doesn’t check who answers/],
    ] as const) {
      // This machine by a name that doesn't say so.
      const server = await startServer(envOf(query, 'server', '0.0.0.0'));
      assert.equal(await server.stop(), 0);
      const [warning = ''] = /.*DATABASE_URL.*/.exec(server.said()) ?? [];
      assert.match(warning, /"level":40.*add sslmode=verify-full/);
      assert.match(warning, why);
    }
  });

  test('a server that offers no TLS is refused where the URL asks for it', async () => {
    postgres.paste('alter system set ssl = off; select pg_reload_conf();');
    await refused(
      envOf(`sslmode=verify-full&sslrootcert=${ours.file}`),
      /it doesn’t offer TLS, and sslmode asks for it\. Turn on `ssl` in postgresql\.conf\./,
    );
    await passes(envOf('sslmode=disable'));
    postgres.paste('alter system set ssl = on; select pg_reload_conf();');
  });

  test('while it runs, a certificate that can’t be trusted is an unreachable database, not a fault of ours', async () => {
    const { DATABASE_URL } = envOf(`sslmode=verify-full&sslrootcert=${another.file}`);
    const pool = connect({ connectionString: DATABASE_URL, size: 1, timeoutMs: 5_000 });
    await assert.rejects(pool.query('select 1'), DatabaseUnavailable);
    await pool.end();
  });
});

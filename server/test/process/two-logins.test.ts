import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, suite, test } from 'node:test';
import pg from 'pg';
import { root } from '../../src/config.ts';
import type { EmbeddedPostgres } from '../../src/store/database/embedded.ts';
import { runCommand } from '../support/commands.ts';
import { launchServer, makeDataFolder, startServer } from '../support/programs.ts';
import { startTemporary } from '../support/temporary-postgres.ts';

const page = readFileSync(join(root, 'docs/operators/running.md'), 'utf8');

suite('the two logins of production, as the page for operators has them', () => {
  const folder = makeDataFolder();
  let postgres: EmbeddedPostgres;
  before(async () => {
    postgres = await startTemporary();
  });
  after(async () => {
    await postgres.stop();
    folder.remove();
  });

  const urlFor = (login: string) => {
    const url = new URL(postgres.url('assent'));
    url.username = login;
    return url.href;
  };
  const envOf = (url: string) => ({
    ASSENT_ENV: 'production',
    PUBLIC_URL: 'https://api.example.com',
    DATABASE_URL: url,
    ASSENT_DATA_DIR: folder.path,
  });
  /** A login of the page, found where the page gives it as an address. */
  const loginIn = (before: string, after: string) => {
    const [, login] = new RegExp(`${before}DATABASE_URL='postgres://(\\w+):\\S+'${after}`).exec(page) ?? [];
    assert.ok(login);
    return login;
  };
  const server = () => urlFor(loginIn('export ', '\n'));
  const owner = () => urlFor(loginIn('\n', ' assent migrate\n'));

  const migrateAsServer = async () => {
    const { status, stderr } = await runCommand(['migrate'], envOf(server()));
    assert.equal(status, 1);
    assert.match(stderr, /^assent: The login in DATABASE_URL is not the owner’s\. Put "assent_owner" into it[^\n]+\n$/);
  };

  test('are made with the database: one migrates, and the other serves', async () => {
    const [, sql = ''] = /```sql\n(.*?)```/s.exec(page) ?? [];
    await each(postgres.url('postgres'), sql.split(';').slice(0, -1));
    await migrateAsServer();
    const migrated = await runCommand(['migrate'], envOf(owner()));
    assert.equal(migrated.status, 0, migrated.stderr);
    const running = await startServer(envOf(server()));
    const added = await runCommand(['firms', 'add', 'Example Wealth'], envOf(server()));
    assert.equal(added.status, 0, added.stderr);
    assert.equal(await running.stop(), 0);
  });

  test('the server’s login is told to leave migrating to the owner’s, also on a database that it may create in', async () => {
    await migrateAsServer();
    const inDatabase = postgres.url('assent');
    await each(inDatabase, ['grant create on schema public to public']);
    await migrateAsServer();
    await each(inDatabase, ['revoke create on schema public from public']);
  });

  test('migrating again, as the owner, has nothing to do', async () => {
    const again = await runCommand(['migrate'], envOf(owner()));
    assert.equal(again.status, 0, again.stderr);
    assert.match(again.stderr, /Nothing to apply/);
  });

  test('the server’s login gets nothing back by leaving the role', async () => {
    for (const sql of [
      'update archive_entries set actor = actor',
      'delete from archive_checkpoints',
      'alter table archive_entries disable trigger append_only',
      'set role assent_owner',
      'grant assent_owner to assent_server',
      'alter role assent_server superuser',
    ])
      await assert.rejects(each(server(), ['set role none', sql]), { code: '42501' }, sql);
  });

  test('the owner’s login and a superuser’s are refused, by the server and by every command', async () => {
    for (const [url, why] of [
      [owner(), /"assent_owner" owns the tables/],
      [postgres.url('assent'), /is a superuser/],
    ] as const) {
      const program = await launchServer(envOf(url));
      assert.equal(await program.ended(), 1);
      assert.match(program.said(), why);
      assert.match(program.said(), /Put assent_server into DATABASE_URL/);
      const command = await runCommand(['firms', 'list'], envOf(url));
      assert.notEqual(command.status, 0);
      assert.match(command.stderr, why);
    }
  });
});

/** Runs each statement on one connection, outside of a transaction. */
async function each(connectionString: string, statements: string[]): Promise<void> {
  const client = new pg.Client({ connectionString });
  await client.connect();
  try {
    for (const statement of statements) await client.query(statement);
  } finally {
    await client.end();
  }
}

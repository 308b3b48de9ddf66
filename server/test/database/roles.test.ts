import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { after, before, suite, test } from 'node:test';
import pg from 'pg';
import { checkDatabase, MigrationError, migrate } from '../../src/store/database/schema/migrate.ts';
import { makeDatabase, type TestDatabase } from '../support/database.ts';

const insufficientPrivilege = '42501';

/** Tests that need a superuser are skipped if DATABASE_URL names a different role. */
async function lacksSuperuser(database: TestDatabase): Promise<boolean> {
  const [row] = await database.asOwner<{ on: boolean }>(
    'select not rolsuper as on from pg_roles where rolname = current_user',
  );
  return row?.on ?? true;
}

suite('the application’s role', () => {
  let database: TestDatabase;
  before(async () => {
    database = await makeDatabase();
  });
  after(() => database.drop());

  const refused = (sql: string) =>
    assert.rejects(database.pool.query(sql), { code: insufficientPrivilege }, `${sql} was not refused`);

  test('is the one that every statement runs as', async () => {
    const [row] = await database.pool.query('select current_user as name');
    assert.deepEqual(row, { name: 'assent_app' });
  });

  for (const sql of [
    'create table mine (id integer)',
    'create schema mine',
    'create function mine() returns integer language sql as $$ select 1 $$',
    'alter table contacts add column mine text',
    'alter table contacts disable trigger all',
    'drop table contacts',
    'drop function empty_contact_search_list',
    'truncate contacts',
    'create index mine on contacts (phone)',
    'create extension citext',
    'alter role assent_app superuser',
    'create database mine',
  ])
    test(`can’t change the schema: ${sql}`, () => refused(sql));

  for (const sql of [
    'update contact_changes set number = 0',
    'delete from contact_books',
    'delete from content_items',
    'delete from content_words',
    `insert into migrations (name, sha256) values ('mine', '')`,
    'delete from migrations',
    `update signing_keys set jwk = '{}'`,
    'delete from advisors',
    'delete from applications',
    'delete from api_keys',
  ])
    test(`can’t write what it only reads: ${sql}`, () => refused(sql));

  test('can’t read PostgreSQL’s own data or the machine’s files', async () => {
    await refused('select rolpassword from pg_authid');
    await refused(`select pg_read_file('postgresql.conf')`);
    await refused(`copy contacts to program 'true'`);
    await refused(`copy contacts to '/tmp/contacts.csv'`);
  });
});

suite('the check before the server starts', () => {
  const databases: TestDatabase[] = [];
  const fresh = async () => {
    const database = await makeDatabase({ size: 1 });
    databases.push(database);
    return database;
  };
  after(async () => {
    await Promise.all(databases.map((database) => database.drop()));
  });

  test('passes a migrated database with a restricted login', async (t) => {
    const database = await fresh();
    if (await lacksSuperuser(database)) return t.skip('needs a superuser');
    await withLogin(database, '', (url) => checkDatabase(url));
  });

  for (const [what, can, why] of [
    ['a superuser', 'alter role $login superuser', /"\w+" is a superuser/],
    ['one that may create roles', 'alter role $login createrole', /may create roles/],
    ['the owner of a table', 'alter table contacts owner to $login', /"\w+" owns the tables/],
    ['the owner of the database', 'alter database $database owner to $login', /owns the (schema|database)/],
    ['the owner of a trigger’s function', 'alter function refuse_change owner to $login', /owns the functions/],
    ['a member of the owner', 'grant $owner to $login', /can become "\w+", which owns the tables/],
    [
      'one that can become the owner but doesn’t inherit',
      'grant $owner to $login; alter role $login noinherit',
      /owns/,
    ],
    ['one that may write every table', 'grant pg_write_all_data to $login', /may change more/],
    ['one with a privilege of its own', 'grant update on archive_tiles, archive_runs to $login', /may change more/],
    ['one that may write files on the machine', 'grant pg_write_server_files to $login', /write files/],
    [
      'one that isn’t a member of the application’s role',
      'revoke assent_app from $login',
      /not a member of assent_app/,
    ],
  ] as const)
    test(`refuses ${what}, and says what to do`, async (t) => {
      const database = await fresh();
      if (await lacksSuperuser(database)) return t.skip('needs a superuser');
      await withLogin(database, can, (url) =>
        assert.rejects(checkDatabase(url), (error: Error) => {
          assert.ok(error instanceof MigrationError);
          assert.match(error.message, why);
          assert.match(error.message, /Have a superuser paste this into psql.*:\n {2}.*grant assent_app to \w+;/s);
          return true;
        }),
      );
    });

  test('refuses a database that lacks a migration', async () => {
    const database = await fresh();
    await database.asOwner(`delete from migrations`);
    await assert.rejects(checkDatabase(database.url), (error: Error) => {
      assert.ok(error instanceof MigrationError);
      assert.match(error.message, /lacks 1 migration.*assent migrate/);
      return true;
    });
  });

  test('refuses an empty database', async () => {
    const database = await fresh();
    await database.asOwner('drop table migrations');
    await assert.rejects(checkDatabase(database.url), /lacks \d+ migrations/);
  });

  const refusal = /was made by another version before 0\.1\.0.*export what you need.*assent archive export/;

  for (const [what, change] of [
    ['that was made with another baseline', `update migrations set sha256 = 'another'`],
    ['from before there was a baseline', `update migrations set name = '001-foundation.sql'`],
  ] as const)
    test(`refuses a database ${what}, says how to export, and changes nothing`, async () => {
      const database = await fresh();
      await database.asOwner(change);
      const rows = await database.asOwner('select * from migrations');
      await assert.rejects(checkDatabase(database.url), refusal);
      await assert.rejects(migrate(database.url), refusal);
      assert.deepEqual(await database.asOwner('select * from migrations'), rows);
    });
});

/** A login that is a member of the application's role and can do one thing more, on tables that have a plain owner. */
async function withLogin(database: TestDatabase, can: string, work: (url: string) => Promise<void>): Promise<void> {
  const [login, owner] = ['login', 'owner'].map((role) => `assent_test_${role}_${randomBytes(4).toString('hex')}`);
  const url = new URL(database.url);
  const change = can
    .replaceAll('$login', `${login}`)
    .replaceAll('$owner', `${owner}`)
    .replaceAll('$database', url.pathname.slice(1));
  url.username = `${login}`;
  url.password = 'plain';
  await database.asOwner(
    `create role ${owner}; create role ${login} login password 'plain'; grant assent_app to ${login};
     alter table members owner to ${owner}; ${change}`,
  );
  try {
    await work(url.href);
  } finally {
    await database.asOwner(
      `alter database ${url.pathname.slice(1)} owner to current_user;
       reassign owned by ${owner}, ${login} to current_user; drop owned by ${owner}, ${login};
       drop role ${owner}, ${login}`,
    );
  }
}

suite('migrations', () => {
  let database: TestDatabase;
  const made: string[] = [];
  before(async () => {
    database = await makeDatabase({ size: 1 });
  });
  after(async () => {
    for (const name of made) await database.asOwner(`drop database ${name} with (force)`);
    await database.drop();
  });

  /** The URL of a new, empty database. */
  async function empty(owner = ''): Promise<string> {
    const name = `assent_test_empty_${randomBytes(4).toString('hex')}`;
    await database.asOwner(`create database ${name} ${owner && `owner ${owner}`}`);
    made.push(name);
    const url = new URL(database.url);
    url.pathname = `/${name}`;
    return url.href;
  }

  test('are applied once, in order, even if several processes start at once', async () => {
    const url = await empty();
    const applied = await Promise.all([1, 2, 3].map(() => migrate(url)));
    const [all, ...none] = applied.toSorted((a, b) => b.length - a.length);
    assert.deepEqual(none, [[], []]);
    assert.deepEqual(all, all?.toSorted());
    assert.match(all?.[0] ?? '', /^001-/);
  });

  test('that fail leave nothing behind', async () => {
    const url = await empty();
    const client = new pg.Client({ connectionString: url });
    await client.connect();
    // Makes the baseline fail in the middle.
    await client.query('create table memberships (id integer)');
    await assert.rejects(migrate(url));
    const { rows } = await client.query(
      `select (select array_agg(name) from migrations) as applied, to_regclass('firms') as half`,
    );
    assert.equal(rows[0].applied, null);
    assert.equal(rows[0].half, null);
    await client.query('drop table memberships');
    assert.ok((await migrate(url)).length > 0);
    await client.end();
  });

  test('by a role that may not set up the application’s role say what a superuser must run', async (t) => {
    if (await lacksSuperuser(database)) return t.skip('needs a superuser');
    const role = `assent_test_plain_${randomBytes(4).toString('hex')}`;
    await database.asOwner(`create role ${role} login password 'plain'`);
    const url = new URL(await empty(role));
    url.username = role;
    url.password = 'plain';
    await assert.rejects(migrate(url.href), (error: Error) => {
      assert.ok(error instanceof MigrationError);
      assert.match(error.message, /superuser paste this into psql.*:\n {2}grant assent_app to/);
      return true;
    });
    const name = made.pop();
    await database.asOwner(`drop database ${name} with (force)`);
    await database.asOwner(`drop role ${role}`);
  });
});

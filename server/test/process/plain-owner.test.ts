import assert from 'node:assert/strict';
import { after, before, suite, test } from 'node:test';
import { runCommand } from '../support/commands.ts';
import {
  createLogin,
  type DebianPostgres,
  passwordTwice,
  pastedFrom,
  skip,
  startDebianPostgres,
} from '../support/debian-postgres.ts';

suite('`assent migrate` by an owner without CREATEROLE, on Debian’s PostgreSQL 15', { skip }, () => {
  let postgres: DebianPostgres;
  before(async () => {
    postgres = await startDebianPostgres();
  });
  after(() => postgres.stop());

  const run = (args: string[], login: string, database: string) =>
    runCommand(args, {
      ASSENT_ENV: 'production',
      PUBLIC_URL: 'https://api.example.com',
      DATABASE_URL: postgres.url(login, database),
    });
  const migrates = async (login: string, database: string) => {
    const { status, stderr } = await run(['migrate'], login, database);
    assert.equal(status, 0, stderr);
  };
  /** The text that a superuser is told to paste, and nothing that could still be pasted after it. */
  const refused = async (args: string[], login: string, database: string) => {
    const { status, stderr } = await run(args, login, database);
    assert.equal(status, 1);
    assert.match(stderr, /superuser paste this into psql/);
    assert.doesNotMatch(stderr, /^\s+at /m);
    return pastedFrom(stderr);
  };

  test('prints what works when a superuser pastes it, whatever database psql is connected to', async () => {
    postgres.paste(`${createLogin('plain')} create database "Texts of 2026" owner plain;`);
    const text = await refused(['migrate'], 'plain', 'Texts of 2026');
    assert.equal(text, 'create role assent_app nologin;\ngrant assent_app to plain;\n');
    postgres.paste(text);
    await migrates('plain', 'Texts of 2026');
  });

  test('prints only what is missing', async () => {
    postgres.paste(`${createLogin('second')} create database second owner second;`);
    const text = await refused(['migrate'], 'second', 'second');
    assert.equal(text, 'grant assent_app to second;\n');
    postgres.paste(text);
    await migrates('second', 'second');
  });

  test('names the database where the login owns neither it nor its schema', async () => {
    postgres.paste(`${createLogin('"Third"')} grant assent_app to "Third"; create database "third one";
      \\connect "third one"
      revoke all on schema public from public;`);
    const text = await refused(['migrate'], 'Third', 'third one');
    assert.equal(
      text,
      `grant create on database "third one" to "Third";
\\connect "third one"
grant usage on schema public to assent_app;
grant create on schema public to "Third";
`,
    );
    postgres.paste(text);
    await migrates('Third', 'third one');
  });

  test('says how to create a database that isn’t in UTF8, as a cluster without a locale has it', async () => {
    postgres.paste(`create database ascii owner plain encoding 'SQL_ASCII' template template0;`);
    const { status, stderr } = await run(['migrate'], 'plain', 'ascii');
    assert.equal(status, 1);
    assert.match(stderr, /^assent: The database’s encoding is SQL_ASCII.* encoding 'UTF8' template template0;\n$/);
  });

  test('a login that the server refuses is told what works when a superuser pastes it', async () => {
    postgres.paste(`${createLogin('fourth')} grant assent_app to fourth; create database fourth owner fourth;`);
    await migrates('fourth', 'fourth');
    const text = await refused(['firms', 'list'], 'fourth', 'fourth');
    assert.equal(
      text,
      'create role assent_server login;\ngrant assent_app to assent_server;\n\\password assent_server\n',
    );
    postgres.paste(text + passwordTwice);
    assert.equal((await run(['firms', 'list'], 'assent_server', 'fourth')).status, 0);
    const { status, stderr } = await run(['firms', 'list'], 'fourth', 'fourth');
    assert.equal(status, 1);
    assert.match(stderr, /Put assent_server into DATABASE_URL: it is such a login\.\n$/);
  });

  test('so is a login that isn’t a member of the application’s role, or doesn’t inherit', async () => {
    postgres.paste(`${createLogin('stranger')} alter role stranger noinherit;`);
    const text = await refused(['firms', 'list'], 'stranger', 'fourth');
    assert.equal(text, 'grant assent_app to stranger;\n');
    postgres.paste(text);
    const { status, stderr } = await run(['firms', 'list'], 'stranger', 'fourth');
    assert.equal(status, 0, stderr);
  });
});

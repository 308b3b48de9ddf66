import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { after, suite, test } from 'node:test';
import { explain } from '../../src/runtime.ts';
import { runCommand } from '../support/commands.ts';
import { makeDatabase } from '../support/database.ts';
import { assent, freePort, launchServer, makeDataFolder } from '../support/programs.ts';

suite('a start that fails', () => {
  const folder = makeDataFolder();
  after(() => folder.remove());

  const said = async (env: Record<string, string>) => {
    const program = await launchServer({ ASSENT_DATA_DIR: folder.path, ...env });
    const status = await program.ended();
    assert.equal(status, 1);
    assert.doesNotMatch(program.said(), /^\s+at /m, 'a person needs no stack to fix a setting');
    return program.said();
  };

  test('names a wrong setting', async () => {
    assert.match(await said({ PORT: 'eighty' }), /PORT.*"eighty"/);
  });

  test('in production without the migrations says to run them, and runs none', async () => {
    const database = await makeDatabase({ size: 1 });
    await database.asOwner(`delete from migrations`);
    const env = { ASSENT_ENV: 'production', PUBLIC_URL: 'https://api.example.com', DATABASE_URL: database.url };
    assert.match(await said(env), /lacks 1 migration.*assent migrate/);
    await database.drop();
  });

  test('says in a line that the database can’t be reached, and so does a command', async () => {
    const env = { DATABASE_URL: 'postgres://assent@127.0.0.1:1/assent' };
    assert.match(await said(env), /^The database can’t be reached: nothing listens there\. Check DATABASE_URL\.\n$/);
    const command = await runCommand(['firms', 'list'], { ASSENT_DATA_DIR: folder.path, ...env });
    assert.equal(command.status, 1);
    assert.match(command.stderr, /^assent: The database can’t be reached: nothing listens there\./);
    const database = await makeDatabase({ size: 1 });
    const missing = new URL(database.url);
    missing.pathname = '/nowhere';
    assert.match(await said({ DATABASE_URL: missing.href }), /can’t be reached: there is no such database/);
    await database.drop();
  });

  test('names ASSENT_DATA_DIR if its folder can’t be written', async () => {
    const file = join(folder.path, 'a-file');
    writeFileSync(file, '');
    const refused = await said({ ASSENT_DATA_DIR: join(file, 'data') });
    assert.match(refused, /^The data folder .* can’t be written by you \(ENOTDIR\): set ASSENT_DATA_DIR to/);
  });

  test('names PORT if another program has the port', async () => {
    const taken = createServer();
    await new Promise<void>((resolve) => taken.listen(0, '127.0.0.1', resolve));
    const { port } = taken.address() as { port: number };
    const database = await makeDatabase({ size: 1 });
    assert.match(await said({ PORT: String(port), DATABASE_URL: database.url }), new RegExp(`Port ${port}.*PORT`));
    taken.close();
    await database.drop();
  });

  test('says in a line why the system refuses an address or a file', () => {
    const refusal = (message: string, facts: object) => explain(Object.assign(new Error(message), facts));
    const listen = 'listen EACCES: permission denied 0.0.0.0:80';
    assert.equal(refusal(listen, { code: 'EACCES', syscall: 'listen' }), listen);
    const open = "ENOENT: no such file or directory, open '/mnt/out.csv'";
    assert.equal(refusal(open, { code: 'ENOENT', syscall: 'open', path: '/mnt/out.csv' }), open);
    const socket = { code: 'ENOENT', syscall: 'connect', address: '/run/.s.PGSQL.5432' };
    assert.match(refusal('connect ENOENT', socket), /database can’t be reached: there is no such socket/);
  });

  test('names a key of the archive that can’t be used, and a command that has begun ends too', async () => {
    const database = await makeDatabase({ size: 1 });
    const file = join(folder.path, 'wrong.key');
    writeFileSync(file, 'no key');
    const env = { ASSENT_DATA_DIR: folder.path, DATABASE_URL: database.url, ARCHIVE_KEY_FILE: file };
    assert.match(await said(env), /ARCHIVE_KEY_FILE.*wrong\.key must be an Ed25519 private key/);
    assert.match(await said({ ...env, ARCHIVE_KEY_FILE: folder.path }), /ARCHIVE_KEY_FILE.*can’t be read \(EISDIR\)/);
    const commands = [await assent(['serve'], env), await runCommand(['firms', 'list'], env)];
    for (const { status, stderr } of commands) {
      assert.equal(status, 2, stderr);
      assert.match(stderr, /^assent: ARCHIVE_KEY_FILE can’t be used: [^\n]+\n$/);
    }
    await database.drop();
  });

  test('at its last query ends the process that `assent serve` runs, instead of one that listens and does nothing', async () => {
    const database = await makeDatabase({ size: 1 });
    await database.asOwner('alter table archive_checkpoints rename to not_there');
    const env = { ASSENT_DATA_DIR: folder.path, DATABASE_URL: database.url, PORT: String(await freePort()) };
    const { status } = await assent(['serve', '--role', 'work'], env);
    assert.equal(status, 1);
    await database.drop();
  });
});

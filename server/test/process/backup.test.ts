import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { chmodSync, chownSync, mkdtempSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, suite, test } from 'node:test';
import pg from 'pg';
import { root } from '../../src/config.ts';
import { runCommand } from '../support/commands.ts';
import { bin, postgresUser, skip } from '../support/debian-postgres.ts';
import { credentials } from '../support/nodes.ts';
import { type DataFolder, freePort, makeDataFolder, type Program, startServer } from '../support/programs.ts';
import { until } from '../support/waiting.ts';

const page = readFileSync(join(root, 'docs/operators/backup.md'), 'utf8');
/** The commands in a section of the page. */
const commandsIn = (heading: string, language = 'sh') => {
  const [, section = ''] = new RegExp(`^## ${heading}\n(.*?)(?=^## |\n*$(?![^]))`, 'ms').exec(page) ?? [];
  const blocks = [...section.matchAll(new RegExp(`^ *\`\`\`${language}\n(.*?)^ *\`\`\``, 'gms'))];
  return blocks.map(([, text = '']) => text.replaceAll(/^ {3}/gm, ''));
};
const phone = '+15005550006';
const textsSent = 10;

suite('the page about back-up and restore, as it stands', { skip }, () => {
  let folder: string;
  let data: DataFolder;
  let env: Record<string, string>;
  let server: Program | undefined;
  let port: number;

  /** As the user postgres, with its programs; `/mnt/backup` is a folder of the test. */
  function asPostgres(script: string, more: Record<string, string> = {}): string {
    const { status, stdout, stderr } = spawnSync(
      'bash',
      ['-e', '-c', script.replaceAll('/mnt/backup', join(folder, 'backup'))],
      {
        ...postgresUser(),
        cwd: folder,
        encoding: 'utf8',
        timeout: 120_000,
        env: {
          LC_ALL: 'C',
          PATH: `${bin}:/usr/bin:/bin`,
          PGDATA: join(folder, 'data'),
          PGHOST: folder,
          PGPORT: String(port),
          PGUSER: 'postgres',
          ...more,
        },
      },
    );
    assert.equal(status, 0, `${script}\n${stdout}\n${stderr}`);
    return stdout.trim();
  }

  before(async () => {
    folder = mkdtempSync(join(tmpdir(), 'assent-backup-'));
    chmodSync(folder, 0o711);
    const user = postgresUser();
    if (user) chownSync(folder, user.uid, user.gid);
    port = await freePort();
    asPostgres('initdb -U postgres -E UTF8 --locale=C --auth=trust -N > init.log');
    const settings = `port = ${port}\nlisten_addresses = 'localhost'\nunix_socket_directories = '${folder}'\nfsync = off\n`;
    asPostgres(
      `cat >> "$PGDATA/postgresql.conf" <<'CONF'\n${settings}CONF\npg_ctl -w -l "$PGDATA/log" start > start.log`,
    );
    asPostgres('createdb assent');
    data = makeDataFolder();
    env = {
      DATABASE_URL: `postgres://postgres@localhost:${port}/assent`,
      ASSENT_DATA_DIR: data.path,
      PORT: String(await freePort()),
    };
  });
  after(async () => {
    if (server && !server.hasEnded()) await server.stop();
    asPostgres('pg_ctl -w -m immediate stop > stop.log || true');
    data.remove();
    rmSync(folder, { recursive: true, force: true });
  });

  const run = (...args: string[]) => runCommand(args, env);
  /** What a statement counts. Connects each time: PostgreSQL is stopped in between. */
  async function number(sql: string): Promise<number> {
    const client = new pg.Client({ connectionString: env.DATABASE_URL });
    await client.connect();
    const { rows } = await client.query({ text: sql, rowMode: 'array' }).finally(() => client.end());
    return Number(rows[0]?.[0]);
  }
  const outside = (name: string) => join(data.path, 'archive-outside', name);

  test('texts go on after the backup, and a restore to an earlier time texts nobody twice', async () => {
    const [archiveWal = ''] = commandsIn('Archive the write-ahead log');
    const [backUp = ''] = commandsIn('A base backup');
    const [restore = ''] = commandsIn('Restore');
    const [verify = '', setAside = ''] = commandsIn('After a restore');
    const [raiseIds = ''] = commandsIn('After a restore', 'sql');
    asPostgres(`mkdir backup; ${archiveWal} > restart.log`);
    server = await startServer(env);
    asPostgres(backUp);
    // A sandbox's database without a checkpoint counts as a new one.
    await until('a part is signed', async () => (await number('select size from archive_tree')) > 0, 30_000, 200);

    // One text a second: most of them wait when the moment comes that is restored.
    assert.equal((await run('advisors', 'set', 'avery@sandbox.example', '--texting-pace', '1')).status, 0);
    const token = (await run('token', '--advisor', 'avery@sandbox.example')).stdout.trim();
    const headers = { ...credentials(token, data.sandbox().apiKey), 'content-type': 'application/json' };
    const send = async (text: string) => {
      const body = JSON.stringify({ phone, text });
      const answer = await server?.fetch('/v1/text/messaging/messages', { method: 'POST', headers, body });
      assert.equal(answer?.status, 200);
    };
    for (let text = 1; text <= textsSent; text += 1) await send(`Text ${text}`);
    const TARGET = asPostgres('psql -d assent -Atc "select clock_timestamp()"');
    const waited = await number('select count(*) from dispatches');
    assert.ok(waited > 1, 'texts wait');
    const sent = () => number("select count(*) from messages where status = 'delivered'");
    await until('all of them are delivered', async () => (await sent()) === textsSent, 60_000, 200);
    const entries = () => number('select sum(last_number) from archive_heads');
    const copied = async () => (await number('select size from archive_tree')) === (await entries());
    await until('all is signed', copied, 30_000, 200);
    const signed = await entries();
    const lastCopy = () => Number(readFileSync(outside('leaves'), 'utf8').trimEnd().split('\n').at(-1)?.split(' ')[0]);
    await until('all is copied', () => lastCopy() === signed - 1, 30_000, 200);
    await server.stop();

    asPostgres('psql -d assent -Atc "select pg_switch_wal()"');
    asPostgres(`${restore} > restore.log`, { TARGET });
    assert.ok((await sent()) < textsSent, 'it is an earlier time');
    const found = await run(...wordsOf(verify));
    assert.equal(found.status, 2, found.stdout);
    assert.match(found.stdout, new RegExp(`and all after it were removed: ${signed} entries were signed`));
    assert.match((await run('doctor')).stdout, /failing\S* +archive +the database has \d+ entries of the archive/);

    server = await startServer(env);
    const halted = async () =>
      (await number("select count(*) from nodes where halted like 'the database has % were signed%'")) === 1;
    await until('the server says that it hands nothing over', halted, 30_000, 200);
    assert.match((await run('status')).stdout, /halted: the database has/);
    const waiting = await number('select count(*) from dispatches');
    assert.ok(waiting > 1, `${waiting} wait`);
    const before = await sent();
    assert.equal((await run(...wordsOf(setAside))).status, 0);
    assert.equal(await number("select count(*) from messages where status = 'in_doubt'"), waiting);
    assert.equal(await number('select count(*) from dispatches'), 0);
    const lastId = await number('select last_value from message_ids');
    asPostgres(`psql -d assent -v ON_ERROR_STOP=1 -Atq > ids.log <<'SQL'\n${raiseIds}SQL`);
    assert.ok((await number('select last_value from message_ids')) >= lastId + 1_000_000);
    await server.stop();
    assert.equal(await sent(), before, 'nobody got a text twice');

    for (const path of [outside('checkpoints'), outside('leaves'), join(data.path, 'archive.key.signed')])
      renameSync(path, `${path}.before`);
    const again = await run(...wordsOf(setAside));
    assert.equal(again.status, 1);
    assert.match(again.stderr, /Nothing outside the database says that it was restored/);
    server = await startServer(env);
    await send('A new text');
    await until('texts go out again', async () => (await sent()) === before + 1, 60_000, 200);
    await until('all is signed', copied, 30_000, 200);
    await server.stop();
    const left = await run('archive', 'verify');
    assert.equal(left.status, 0, left.stdout);
  });
});

/** `assent archive verify` is the command that the test runs in its own process. */
function wordsOf(script: string): string[] {
  const [name, ...words] = script.trim().split(' ');
  assert.equal(name, 'assent');
  return words;
}

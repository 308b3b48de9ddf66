import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import {
  chmodSync,
  chownSync,
  existsSync,
  mkdtempSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, suite, test } from 'node:test';
import pg from 'pg';
import { root } from '../../src/config.ts';
import { runCommand } from '../support/commands.ts';
import { bin, skip as lacksPostgres, postgresUser } from '../support/debian-postgres.ts';
import { credentials } from '../support/nodes.ts';
import { type DataFolder, freePort, makeDataFolder, type Program, startServer } from '../support/programs.ts';
import { until } from '../support/waiting.ts';

const lacksClusters = existsSync('/usr/bin/pg_createcluster') ? false : 'there is no /usr/bin/pg_createcluster';
const page = readFileSync(join(root, 'docs/operators/backup.md'), 'utf8');
/** The commands in a section of the page. */
const commandsIn = (heading: string, language = 'sh') => {
  const [, section = ''] = new RegExp(`^## ${heading}\n(.*?)(?=^## |\n*$(?![^]))`, 'ms').exec(page) ?? [];
  const blocks = [...section.matchAll(new RegExp(`^ *\`\`\`${language}\n(.*?)^ *\`\`\``, 'gms'))];
  return blocks.map(([, text = '']) => text.replaceAll(/^ {3}/gm, ''));
};
const phone = '+15005550006';
const textsSent = 10;
const [onDebian = '', elsewhere = ''] = commandsIn('PostgreSQL on this machine');
const [archiveWal = ''] = commandsIn('Archive the write-ahead log');
const [backUp = '', backUpConfiguration = ''] = commandsIn('A base backup');
const [restoreConfiguration = '', restore = '', resetRecovery = ''] = commandsIn('Restore');

suite('back-up and restore on Debian, as the page has it', { skip: lacksPostgres || lacksClusters }, () => {
  let postgres: Installation;
  before(async () => {
    postgres = await installOnDebian();
  });
  after(() => postgres.remove());
  const query = (sql: string) => postgres.perform(`psql -d postgres -v ON_ERROR_STOP=1 -Atqc "${sql}"`);

  test('a restore has what was committed until that moment, and the log is archived on', () => {
    const { perform, folder } = postgres;
    perform(archiveWal);
    query('create table noted (what text)');
    const BASE = perform(`${backUp}${backUpConfiguration}echo "$BASE"`).split('\n').at(-1) ?? '';
    query("insert into noted values ('before')");
    const TARGET = query('select clock_timestamp()');
    query("insert into noted values ('after')");

    // Another machine has the package's own configuration.
    writeFileSync(join(folder, 'etc/postgresql/15/main/pg_hba.conf'), '');
    perform(`${restoreConfiguration}${restore}${resetRecovery}`, { BASE, TARGET });
    assert.equal(query('table noted'), 'before');
    assert.equal(
      query("select setting from pg_settings where name = 'data_directory'"),
      join(folder, 'var/lib/postgresql/15/main'),
    );
    const archived = () => Number(perform('ls /mnt/backup/wal | wc -l'));
    const before = archived();
    query('select pg_switch_wal()');
    perform(`for n in {1..600}; do [ "$(ls /mnt/backup/wal | wc -l)" -gt ${before} ] && break; sleep 0.1; done`);
    assert.ok(archived() > before, 'the log is archived on');
    perform('postgresql restart');
    const settings = "('restore_command', 'recovery_target_time')";
    assert.equal(query(`select string_agg(setting, '') from pg_settings where name in ${settings}`), '');
  });
});

suite('the page about back-up and restore, as it stands', { skip: lacksPostgres }, () => {
  let postgres: Installation;
  let data: DataFolder;
  let env: Record<string, string>;
  let server: Program | undefined;

  before(async () => {
    postgres = await installElsewhere();
    postgres.perform('createdb assent');
    data = makeDataFolder();
    env = {
      DATABASE_URL: `postgres://postgres@localhost:${postgres.port}/assent`,
      ASSENT_DATA_DIR: data.path,
      PORT: String(await freePort()),
    };
  });
  after(async () => {
    if (server && !server.hasEnded()) await server.stop();
    postgres.remove();
    data.remove();
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
    const { perform } = postgres;
    const [verify = '', setAside = '', trust = ''] = commandsIn('After a restore');
    const [raiseIds = ''] = commandsIn('After a restore', 'sql');
    perform(archiveWal);
    server = await startServer(env);
    const BASE = perform(`${backUp}echo "$BASE"`).split('\n').at(-1) ?? '';
    // A sandbox's database without a checkpoint counts as a new one.
    await until('a part is signed', async () => (await number('select size from archive_tree')) > 0, undefined, 200);

    // One text a second: most of them wait when the moment comes that is restored.
    assert.equal((await run('advisors', 'set', 'avery@sandbox.example', '--texting-pace', '1')).status, 0);
    const token = (await run('token', '--advisor', 'avery@sandbox.example')).stdout.trim();
    const headers = { ...credentials(token, data.sandbox().apiKey), 'content-type': 'application/json' };
    const send = async (text: string) => {
      const body = JSON.stringify({ phone, text });
      const answer = await server?.fetch('/v1/text/messaging/messages', { method: 'POST', headers, body });
      assert.equal(answer?.status, 200);
    };
    // At once: on a busy machine as many could go out as come in, one after another.
    await Promise.all(Array.from({ length: textsSent }, (_, index) => send(`Text ${index + 1}`)));
    const TARGET = perform('psql -d assent -Atc "select clock_timestamp()"');
    const waited = await number('select count(*) from dispatches');
    assert.ok(waited > 1, 'texts wait');
    const sent = () => number("select count(*) from messages where status = 'delivered'");
    await until('all of them are delivered', async () => (await sent()) === textsSent, undefined, 200);
    const entries = () => number('select sum(last_number) from archive_heads');
    const copied = async () => (await number('select size from archive_tree')) === (await entries());
    await until('all is signed', copied, undefined, 200);
    const lastCopy = () => Number(readFileSync(outside('leaves'), 'utf8').trimEnd().split('\n').at(-1)?.split(' ')[0]);
    // Counted each time: once a minute a job may write an entry, also after this.
    await until('all is copied', async () => lastCopy() === (await entries()) - 1, undefined, 200);
    await server.stop();
    const signed = await number('select size from archive_tree');

    perform('psql -d assent -Atc "select pg_switch_wal()"');
    perform(`${restore}${resetRecovery}`, { BASE, TARGET });
    assert.ok((await sent()) < textsSent, 'it is an earlier time');
    const found = await run(...wordsOf(verify));
    assert.equal(found.status, 2, found.stdout);
    assert.match(found.stdout, new RegExp(`and all after it were removed: ${signed} entries were signed`));
    assert.match((await run('doctor')).stdout, /failing\S* +archive +the database has \d+ entries of the archive/);

    server = await startServer(env);
    const halted = async () =>
      (await number("select count(*) from nodes where halted like 'the database has % were signed%'")) === 1;
    await until('the server says that it hands nothing over', halted, undefined, 200);
    assert.match((await run('status')).stdout, /halted: the database has/);
    const waiting = await number('select count(*) from dispatches');
    assert.ok(waiting > 1, `${waiting} wait`);
    const before = await sent();
    assert.equal((await run(...wordsOf(setAside))).status, 0);
    // One that was being handed over at that moment is in doubt, too, once its claim has expired.
    assert.ok((await number("select count(*) from messages where status = 'in_doubt'")) >= waiting);
    assert.equal(await number('select count(*) from dispatches'), 0);
    const lastId = await number('select last_value from message_ids');
    perform(`psql -d assent -v ON_ERROR_STOP=1 -Atq > ids.log <<'SQL'\n${raiseIds}SQL`);
    assert.ok((await number('select last_value from message_ids')) >= lastId + 1_000_000);
    await server.stop();
    assert.equal(await sent(), before, 'nobody got a text twice');

    for (const path of [outside('checkpoints'), outside('leaves'), join(data.path, 'archive.key.signed')])
      renameSync(path, `${path}.before`);
    const again = await run(...wordsOf(setAside));
    assert.equal(again.status, 1);
    assert.match(again.stderr, /Nothing outside the database says that it was restored/);
    const { firmId } = JSON.parse((await run('firms', 'list', '--json')).stdout)[0];
    const dana = ['--name', 'Dana', '--email', 'dana@example.com'];
    assert.equal((await run('staff', 'add', String(firmId), ...dana)).status, 0);
    const lost = await run('archive', 'verify');
    assert.equal(lost.status, 3, `nothing says what was signed: ${lost.stdout}`);
    const trusted = await run(...wordsOf(trust));
    assert.equal(trusted.status, 0, trusted.stderr);
    server = await startServer(env);
    await send('A new text');
    await until('texts go out again', async () => (await sent()) === before + 1, undefined, 200);
    await until('all is signed', copied, undefined, 200);
    // A server that stops leaves the rest of the copies to the next one.
    const inFull = async () => existsSync(outside('leaves')) && lastCopy() === (await entries()) - 1;
    await until('all is copied', inFull, undefined, 200);
    await server.stop();
    const left = await run('archive', 'verify');
    assert.equal(left.status, 0, left.stdout);
  });
});

/** `assent archive verify` is the command that the test runs in its own process. */
function wordsOf(script: string): string[] {
  const [name, ...words] = (script.match(/'[^']*'|\S+/g) ?? []).map((word) => word.replaceAll("'", ''));
  assert.equal(name, 'assent');
  return words;
}

/** A PostgreSQL that the page's commands are for. */
type Installation = {
  folder: string;
  port: number;
  /** Performs commands after the page's block for this way to install it, and gives their output. */
  perform(commands: string, more?: Record<string, string>): string;
  remove(): void;
};

const installOnDebian = () =>
  install({
    block: onDebian,
    make: 'pg_createcluster -d "$PGDATA" -l "$PWD/log" -p "$PGPORT" 15 main -- -U postgres -E UTF8 --auth=trust -N',
    configuration: '/etc/postgresql/15/main/postgresql.conf',
  });
const installElsewhere = () =>
  install({
    block: `export PATH=${bin}:$PATH PGDATA=/var/lib/postgresql/data\n${elsewhere}`,
    make: 'initdb -U postgres -E UTF8 --locale=C --auth=trust -N',
    configuration: '"$PGDATA/postgresql.conf"',
  });

/** The page's folders are in one of the test's own. */
async function install(way: { block: string; make: string; configuration: string }): Promise<Installation> {
  const folder = mkdtempSync(join(tmpdir(), 'assent-backup-'));
  chmodSync(folder, 0o711);
  const user = postgresUser();
  if (user) chownSync(folder, user.uid, user.gid);
  // The commands run as PostgreSQL's user, who may do here what needs root elsewhere.
  writeFileSync(join(folder, 'sudo'), '#!/bin/sh\n[ "$1" = -u ] && shift 2\nexec "$@"\n', { mode: 0o755 });
  const port = await freePort();
  const here = (text: string) =>
    text.replaceAll(/\/(mnt\/backup|etc\/postgresql|var\/lib\/postgresql)/g, (path) => folder + path);
  const env = {
    LC_ALL: 'C',
    PATH: `${folder}:/usr/bin:/bin`,
    PG_CLUSTER_CONF_ROOT: here('/etc/postgresql'),
    PGHOST: folder,
    PGPORT: String(port),
    PGUSER: 'postgres',
  };
  const perform = (commands: string, more: Record<string, string> = {}) => {
    // Into files: a PostgreSQL that is started here would hold pipes open.
    const script = here(`exec > stdout 2> stderr\n${way.block}${commands}`);
    const { status } = spawnSync('bash', ['-e', '-c', script], {
      ...user,
      cwd: folder,
      timeout: 120_000,
      env: { ...env, ...more },
      stdio: 'ignore',
    });
    const [stdout, stderr] = ['stdout', 'stderr'].map((name) => readFileSync(join(folder, name), 'utf8'));
    assert.equal(status, 0, `${commands}\n${stdout}\n${stderr}`);
    return stdout?.trim() ?? '';
  };
  perform(`mkdir -p /mnt/backup /etc/postgresql /var/lib/postgresql\n${way.make}`);
  const settings = `port = ${port}\nlisten_addresses = 'localhost'\nunix_socket_directories = '${folder}'\nfsync = off\n`;
  perform(`cat >> ${way.configuration} <<'CONF'\n${settings}CONF\npostgresql start`);
  return {
    folder,
    port,
    perform,
    remove() {
      perform('postgresql stop || true');
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, suite, test } from 'node:test';
import { exitCodeOf } from '../../src/cli/operations/doctor.ts';
import { readConfig } from '../../src/config.ts';
import { checkDatabase, connectionsOf } from '../../src/domain/operations/database-checks.ts';
import { type CheckFinding, failing, ok, warning } from '../../src/domain/operations/findings.ts';
import { writeHeartbeat } from '../../src/domain/operations/nodes.ts';
import { checkSettings } from '../../src/domain/operations/settings-checks.ts';
import type { DatabaseFacts } from '../../src/store/database/schema/inspection.ts';
import { commandsWith, runCommand } from '../support/commands.ts';
import { acceptedPhone, send } from '../support/texting.ts';
import { credentialsKey, makeWorld, type World } from '../support/world.ts';

suite('assent doctor and assent status', () => {
  let world: World;
  let folder: string;
  before(async () => {
    world = await makeWorld({ dispatch: false });
    folder = mkdtempSync(join(tmpdir(), 'assent-doctor-'));
  });
  after(async () => {
    await world.close();
    rmSync(folder, { recursive: true, force: true });
  });

  const env = () => ({ DATABASE_URL: world.database.url, ASSENT_DATA_DIR: folder, CREDENTIALS_KEY: credentialsKey });
  const { run, records } = commandsWith(env);
  const doctor = async (...more: string[]) => {
    const { status, stdout } = await run(['doctor', '--json', ...more]);
    const findings = JSON.parse(stdout) as CheckFinding[];
    return { status, of: (check: string) => findings.filter((each) => each.check === check), findings };
  };

  test('a deployment whose process runs fails nothing, and says what it looked at', async () => {
    await writeHeartbeat(world.deps, { role: 'all', halted: null });
    const { status, findings, of } = await doctor();
    const failed = findings.filter(({ state, check }) => state === 'failing' && check !== 'carrier sandbox');
    // The tests' PostgreSQL doesn't wait for its disk, and no process has the carrier open.
    assert.deepEqual(
      failed.map(({ check }) => check),
      ['durability'],
    );
    assert.equal(status, 1);
    assert.match(of('migrations')[0]?.says ?? '', /\d+ applied, none missing/);
    assert.match(of('processes')[0]?.says ?? '', /1 serving requests, 1 sending texts/);
    for (const { state, next } of findings) assert.equal(next === null, state === 'ok');
  });

  test('a text that waits, a halted process and a number without a carrier are named, with the next step', async () => {
    await send(world.ann, { phone: await acceptedPhone(world, world.ann), text: 'Hello' });
    const { asOwner } = world.database;
    await asOwner(`update dispatches set not_before = now() - interval '5 minutes'`);
    await asOwner(`update advisors set carrier_id = null where advisor_id = $1`, [world.bob.advisor.advisorId]);
    await asOwner(
      `insert into nodes
       select 'gone/' || minutes, 'work', now(), now() - minutes * interval '1 minute', null
       from unnest(array[7, 5, 9]) as minutes`,
    );
    await writeHeartbeat(world.deps, { role: 'all', halted: 'people’s replies can’t be stored' });
    const { of } = await doctor();
    assert.equal(of('outbox')[0]?.state, 'failing');
    assert.match(of('outbox')[0]?.says ?? '', /1 texts are queued, the oldest for 3\d\d s/);
    assert.match(of('processes')[0]?.says ?? '', /isn’t sending texts: people’s replies can’t be stored/);
    const [, gone, ...others] = of('processes');
    assert.match(gone?.says ?? '', /^gone\/5 has been gone since [\d:]+ UTC, and 2 more within the hour, without/);
    assert.deepEqual(others, [], 'those that are gone are one line');
    assert.match(of('numbers')[0]?.says ?? '', /1 have no carrier: \+15005552002/);
  });

  test('migrations that are missing or newer are told apart', async () => {
    const { asOwner } = world.database;
    await asOwner(`insert into migrations (name, sha256) values ('999-later.sql', 'x')`);
    assert.match((await doctor()).of('migrations')[0]?.says ?? '', /newer version has added 999-later\.sql/);
    const [row] = await asOwner<{ name: string; sha256: string }>(
      `delete from migrations where name like '001-%' returning name, sha256`,
    );
    const { status, of } = await doctor();
    assert.equal(status, 1);
    assert.match(of('migrations')[0]?.says ?? '', /1 are missing: 001-/);
    // What isn't migrated is not looked into.
    assert.deepEqual(of('outbox'), []);
    await asOwner('insert into migrations (name, sha256) values ($1, $2)', [row?.name, row?.sha256]);
    await asOwner(`delete from migrations where name = '999-later.sql'`);
  });

  test('a trigger that was weakened is named, with how', async () => {
    const { asOwner } = world.database;
    const [row] = await asOwner<{ definition: string; body: string }>(
      `select
         (select pg_get_triggerdef(oid) from pg_trigger where tgname = 'number_stays') as definition,
         pg_get_functiondef('refuse_change'::regproc) as body`,
    );
    assert.ok(row);
    const always = 'enable always trigger';
    const empty = `create or replace function refuse_change() returns trigger language plpgsql as 'begin return null; end'`;
    for (const [weaken, says, restore] of [
      [
        'alter table holds disable trigger append_only',
        /append_only on holds is disabled/,
        [`alter table holds ${always} append_only`],
      ],
      [
        'alter table archive_entries enable trigger append_only',
        /append_only on archive_entries can be switched off/,
        [`alter table archive_entries ${always} append_only`],
      ],
      [
        'alter table archive_bodies enable replica trigger append_only',
        /append_only on archive_bodies is only enabled for repl/,
        [`alter table archive_bodies ${always} append_only`],
      ],
      [
        'drop trigger number_stays on members',
        /number_stays on members was dropped/,
        [row.definition, `alter table members ${always} number_stays`],
      ],
      [empty, /append_only on archive_runs calls refuse_change\(\), which was replaced/, [row.body]],
    ] as const) {
      await asOwner(weaken);
      const { status, of } = await doctor();
      assert.deepEqual([status, of('triggers')[0]?.state], [1, 'failing']);
      assert.match(of('triggers')[0]?.says ?? '', says);
      for (const sql of restore) await asOwner(sql);
    }
    assert.equal((await doctor()).of('triggers')[0]?.says, 'all are as migrated');
  });

  test('a socket in DATABASE_URL is read as the server reads it, however it is spelled', async () => {
    const url = new URL(world.database.url);
    const folder = url.searchParams.get('host') ?? decodeURIComponent(url.hostname);
    const port = url.searchParams.get('port') ?? url.port;
    const login = `${url.username}${url.password ? `:${url.password}` : ''}`;
    const production = { ASSENT_ENV: 'production', PUBLIC_URL: 'https://api.example.com' };
    assert.match(folder, /^\//);
    for (const spelled of [
      `postgresql:///${url.pathname.slice(1)}?host=${folder}&port=${port}&user=${url.username}&password=${url.password}`,
      `postgresql://${login}@${encodeURIComponent(folder)}:${port}${url.pathname}`,
    ]) {
      const there = commandsWith(() => ({ ...env(), ...production, DATABASE_URL: spelled }));
      const { stdout } = await there.run(['doctor']);
      assert.match(stdout, /ok\S* +database +PostgreSQL/, spelled);
      assert.match(stdout, /ok\S* +TLS +the database is on this machine/, spelled);
    }
  });

  test('a database and a Redis that don’t answer are a line each', async () => {
    const elsewhere = commandsWith(() => ({
      ...env(),
      DATABASE_URL: 'postgres://nobody:x@127.0.0.1:1/none',
      REDIS_URL: 'redis://127.0.0.1:1',
    }));
    const { status, stdout, stderr } = await elsewhere.run(['doctor']);
    assert.equal(status, 1);
    assert.match(stdout, /failing\S* +database +The database can’t be reached: nothing listens there/);
    assert.match(stdout, /warning\S* +Redis +it doesn’t answer \(ECONNREFUSED\)/);
    // The pages of the checkout may not have been built.
    assert.match(stderr, /checks: 1 failing, [12] warnings/);
  });

  test('a key that opens no secret, and a key file that can’t be read, are named as that', async () => {
    const settings = join(folder, 'acme.json');
    writeFileSync(settings, JSON.stringify({ hosts: [{ host: '127.0.0.1', port: 9 }], systemId: 'a', password: 'b' }));
    await run(['carriers', 'add', 'acme', '--kind', 'smpp', '--settings', settings]);
    assert.equal((await doctor()).of('secrets')[0]?.state, 'ok');
    const examined = async (more: Record<string, string>) => {
      const { status, stdout } = await runCommand(['doctor', '--json'], { ...env(), ...more });
      return { status, findings: JSON.parse(stdout) as CheckFinding[] };
    };
    const wrong = await examined({ CREDENTIALS_KEY: randomBytes(32).toString('base64') });
    const [secrets] = wrong.findings.filter(({ check }) => check === 'secrets');
    assert.equal(secrets?.state, 'failing');
    assert.match(secrets?.says ?? '', /doesn’t open the settings of acme/);
    const { status, findings } = await examined({ ARCHIVE_KEY_FILE: folder });
    assert.equal(status, 1);
    assert.match(
      findings.find(({ check }) => check === 'settings')?.says ?? '',
      /ARCHIVE_KEY_FILE .* can’t be read \(EISDIR\)/,
    );
    assert.equal(findings.find(({ check }) => check === 'database')?.state, 'ok');
    await run(['carriers', 'remove', 'acme', '--yes']);
    const key = join(folder, 'unread.key');
    symlinkSync(`${key}.signed`, `${key}.signed`);
    const unread = await examined({ ARCHIVE_KEY_FILE: key });
    assert.match(unread.findings.find(({ check }) => check === 'files')?.says ?? '', /ELOOP.*unread\.key\.signed/);
    assert.equal(unread.findings.find(({ check }) => check === 'database')?.state, 'ok');
  });

  test('status is one screen, or one record', async () => {
    // Again: what a process said is forgotten after 15 seconds.
    await writeHeartbeat(world.deps, { role: 'all', halted: 'people’s replies can’t be stored' });
    const { stdout } = await run(['status']);
    assert.match(stdout, /^waiting +1 ready, 0 paced, 0 deferred by quiet hours$/m);
    assert.match(stdout, /^archive +\d+ entries, 0 signed, none outside$/m);
    assert.match(stdout, /halted: people’s replies can’t be stored/);
    assert.ok(stdout.split('\n').length <= 24, 'it fits on a small screen');
    const [status] = await records(['status']);
    assert.equal(status.texts.ready, 1);
    assert.equal(status.nodes[0].role, 'all');
    assert.ok(status.texts.oldestWaitSeconds > 290);
  });
});

suite('what the doctor makes of a database', () => {
  const production = readConfig({
    ASSENT_ENV: 'production',
    PUBLIC_URL: 'https://api.example.com',
    DATABASE_URL: 'postgres://assent@db.example.com/assent',
  });
  const facts: DatabaseFacts = {
    version: '17.2',
    answeredMs: 2,
    clockAheadMs: 0,
    isReplica: false,
    isMember: true,
    excess: null,
    isEncrypted: true,
    migrations: { applied: 40, missing: [], changed: [], newer: [] },
    weakened: [],
    settings: { fsync: 'on', full_page_writes: 'on', synchronous_commit: 'on', autovacuum: 'on', archive_mode: 'on' },
    connections: { used: 10, most: 97 },
    databaseBytes: 2.5e9,
    oldestTransactions: 1_000,
    walArchive: { lastArchivedAt: new Date(1_000), lastFailedAt: null },
    bloated: [],
    citus: null,
  };
  const url = 'postgres://assent@db.example.com/assent?sslmode=verify-full';
  const bad = (changes: Partial<DatabaseFacts>, at = url) =>
    checkDatabase({ ...facts, ...changes }, production, at).flatMap(({ check, state }) =>
      state === 'ok' ? [] : [`${check} ${state}`],
    );

  test('a healthy one has nothing to do', () => {
    assert.deepEqual(bad({}), []);
    assert.deepEqual(bad({}, url.replace('verify-full', 'disable')), []);
    assert.deepEqual(bad({}, 'postgres://assent@127.0.0.1/assent'), []);
  });

  test('each thing that is wrong is found by itself', () => {
    const { settings } = facts;
    assert.deepEqual(bad({ isReplica: true }), ['database failing']);
    assert.deepEqual(bad({ excess: '"x" owns the tables' }), ['login failing']);
    assert.deepEqual(bad({}, 'postgres://assent@db.example.com/assent'), ['TLS warning']);
    assert.deepEqual(bad({ weakened: ['append_only on holds is disabled'] }), ['triggers failing']);
    assert.deepEqual(bad({ weakened: null }), []);
    assert.deepEqual(bad({ clockAheadMs: -2_000 }), ['clock warning']);
    assert.deepEqual(bad({ clockAheadMs: 9_000 }), ['clock failing']);
    assert.deepEqual(bad({ settings: { ...settings, synchronous_commit: 'off' } }), ['durability failing']);
    assert.deepEqual(bad({ settings: { ...settings, autovacuum: 'off' } }), ['autovacuum failing']);
    assert.deepEqual(bad({ connections: { used: 80, most: 97 } }), ['connections warning']);
    assert.deepEqual(bad({ oldestTransactions: 1_200_000_000 }), ['autovacuum warning']);
    assert.deepEqual(bad({ bloated: [{ table: 'dispatches', deadRows: 90_000 }] }), ['autovacuum warning']);
    assert.deepEqual(bad({ walArchive: null }), ['WAL archive warning']);
    const failed = { lastArchivedAt: new Date(1_000), lastFailedAt: new Date(2_000) };
    assert.deepEqual(bad({ walArchive: failed }), ['WAL archive failing']);
    assert.deepEqual(bad({ migrations: null }), ['migrations failing']);
    assert.deepEqual(bad({ citus: { workers: 1, shards: 2, unreachable: [] } }), ['Citus failing']);
    assert.deepEqual(bad({ citus: { workers: 4, shards: 2, unreachable: [] } }), ['Citus warning']);
    assert.deepEqual(bad({ citus: { workers: 2, shards: 4, unreachable: ['db-1:5432'] } }), ['Citus failing']);
    assert.deepEqual(bad({ citus: { workers: 2, shards: 4, unreachable: [] } }), []);
  });

  test('a process opens as many connections as the guide says', () => {
    assert.equal(connectionsOf(production), 38);
    assert.equal(connectionsOf({ ...production, role: 'api' }), 25);
    assert.equal(connectionsOf({ ...production, role: 'work' }), 18);
  });

  test('warnings alone exit with 0, and with --strict with 1', () => {
    const findings = [ok('one', 'fine'), warning('another', 'late', 'Look.')];
    assert.equal(exitCodeOf(findings, { strict: false }), 0);
    assert.equal(exitCodeOf(findings, { strict: true }), 1);
    assert.equal(exitCodeOf([...findings, failing('a third', 'off', 'Turn it on.')], { strict: false }), 1);
  });

  test('production without a key for secrets fails, without the archive’s settings it is warned', () => {
    const states = Object.fromEntries(checkSettings(production).map(({ check, state }) => [check, state]));
    assert.equal(states.CREDENTIALS_KEY, 'failing');
    assert.equal(states.ARCHIVE_OUTSIDE_DIR, 'warning');
    assert.equal(states.TRUSTED_PROXIES, 'warning');
    assert.equal(states.METRICS_TOKEN, 'warning');
  });
});

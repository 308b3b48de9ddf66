import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { chmodSync, mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, suite, test } from 'node:test';
import { root } from '../../src/config.ts';
import { assent, freePort } from '../support/programs.ts';
import { watchSharedHome } from '../support/shared-home.ts';
import { until } from '../support/waiting.ts';

suite('`npm start` by root, with a data folder below one that other users can’t enter', () => {
  const sharedHome = watchSharedHome();
  let closed: string;
  let dataDir: string;
  let server: ChildProcess;
  let ended: Promise<unknown>;
  let said = '';
  before(async () => {
    closed = mkdtempSync(join(tmpdir(), 'assent-root-'));
    chmodSync(closed, 0o700);
    dataDir = join(closed, 'data');
    const port = await freePort();
    server = spawn('npm', ['start'], {
      cwd: root,
      env: { PATH: process.env.PATH, HOME: process.env.HOME, ASSENT_DATA_DIR: dataDir, PORT: String(port) },
      detached: true,
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    ended = new Promise((resolve) => server.once('close', resolve));
    for (const stream of [server.stdout, server.stderr])
      stream?.setEncoding('utf8').on('data', (text) => {
        said += text;
      });
    const isReady = async () => (await fetch(`http://127.0.0.1:${port}/readyz`).catch(() => null))?.status === 200;
    await until('the server is ready', isReady, 120_000, 200).catch((error) => {
      throw new Error(said, { cause: error });
    });
  });
  after(async () => {
    if (server.pid && server.exitCode === null) process.kill(-server.pid, 'SIGTERM');
    await ended;
    rmSync(closed, { recursive: true, force: true });
    sharedHome.remove();
  });

  const postmaster = () => Number(readFileSync(join(dataDir, 'postgres/postmaster.pid'), 'utf8').split('\n')[0]);

  test('makes the data folder for root alone, and PostgreSQL’s files are in it', () => {
    assert.equal(statSync(dataDir).mode & 0o777, 0o700);
    assert.equal(statSync(dataDir).uid, 0);
    assert.ok(statSync(join(dataDir, 'postgres/base')).isDirectory());
    // At most the programs, if PostgreSQL's user can't enter the checkout either.
    assert.deepEqual(
      sharedHome.added().filter((name) => !name.startsWith('postgresql-')),
      [],
    );
  });

  test('runs PostgreSQL as a different user', () => {
    assert.notEqual(statSync(`/proc/${postmaster()}`).uid, 0);
    assert.equal(statSync(join(dataDir, 'postgres')).uid, statSync(`/proc/${postmaster()}`).uid);
  });

  test('a command finds it', async () => {
    const { status, stdout, stderr } = await assent(['token', '--advisor', 'avery@sandbox.example'], {
      ASSENT_DATA_DIR: dataDir,
    });
    assert.equal(status, 0, stderr);
    assert.match(stdout, /^[\w-]+\.[\w-]+\.[\w-]+\n$/);
  });

  test('a PostgreSQL that is killed is started again', async () => {
    const before = postmaster();
    process.kill(before, 'SIGKILL');
    const works = async () =>
      (await assent(['advisors', 'list'], { ASSENT_DATA_DIR: dataDir })).status === 0 && postmaster() !== before;
    await until('a command works again', works, 60_000, 200);
  });
});

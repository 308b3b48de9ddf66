import assert from 'node:assert/strict';
import { statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, suite, type TestContext, test } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import pg from 'pg';
import type { SandboxFile } from '../../src/domain/sandbox/sandbox.ts';
import { runCommand } from '../support/commands.ts';
import { credentials } from '../support/nodes.ts';
import {
  assent,
  freePort,
  isAlive,
  launchCommand,
  launchServer,
  makeDataFolder,
  type Program,
  startServer,
} from '../support/programs.ts';
import { until } from '../support/waiting.ts';

const contacts = '/v1/core/contact/contacts';

/** A partner's application, which finds everything it needs in the data folder. */
type Partner = {
  call(method: string, path: string, body?: object, headers?: Record<string, string>): Promise<Response>;
  total(): Promise<number>;
};

/** One sandbox through its life: each test continues where the previous one stopped. */
suite('the sandbox as a process', () => {
  const folder = makeDataFolder();
  /** Always the same, since a token is valid at one address. */
  let PORT: string;
  let program: Program;
  let postmaster: number;
  const tokens = new Map<string, string>();
  before(async () => {
    PORT = String(await freePort());
  });
  after(async () => {
    if (!program.hasEnded()) program.signal('SIGKILL');
    await program.ended();
    folder.remove();
  });

  async function start(): Promise<void> {
    program = await startServer({ ASSENT_DATA_DIR: folder.path, PORT });
    postmaster = folder.postmaster() ?? -1;
    assert.ok(isAlive(postmaster));
  }

  function assertGone(): void {
    assert.ok(!isAlive(program.pid));
    assert.ok(!isAlive(postmaster), 'PostgreSQL is gone too');
  }

  const env = { ASSENT_DATA_DIR: folder.path };
  const command = (...args: string[]) => assent(args, env);

  /** A command that does nothing until its stdin ends. */
  const waiting = ['advisors', 'set', 'avery@sandbox.example', '--password-stdin'];

  /** How many of our processes are connected: each holds one such connection while it lives. */
  async function connected(): Promise<number> {
    const client = new pg.Client({ host: join(folder.path, 'postgres'), user: 'assent', database: 'postgres' });
    await client.connect();
    const { rows } = await client.query(
      `select 1 from pg_stat_activity where application_name like 'assent presence%'`,
    );
    await client.end();
    return rows.length;
  }

  async function partner(advisor = 'avery@sandbox.example'): Promise<Partner> {
    const { apiKey } = folder.sandbox();
    const token =
      tokens.get(advisor + apiKey) ?? (await runCommand(['token', '--advisor', advisor], env)).stdout.trim();
    tokens.set(advisor + apiKey, token);
    const call: Partner['call'] = (method, path, body, headers = {}) =>
      program.fetch(path, {
        method,
        headers: {
          ...credentials(token, apiKey),
          ...(body ? { 'content-type': 'application/json' } : {}),
          ...headers,
        },
        ...(body ? { body: JSON.stringify(body) } : {}),
      });
    return {
      call,
      total: async () => {
        const answer = await call('GET', contacts);
        assert.equal(answer.status, 200);
        return ((await answer.json()) as { pageInfo: { totalRecord: number } }).pageInfo.totalRecord;
      },
    };
  }

  let firstFile: SandboxFile;

  test('the first start creates a sandbox, and sandbox.json has everything a partner needs', async () => {
    await start();
    assert.equal(statSync(join(folder.path, 'sandbox.json')).mode & 0o777, 0o600);
    firstFile = folder.sandbox();
    const base = `http://localhost:${PORT}`;
    const { apiKey, clientId, clientSecret, redirectUri, advisors, ...urls } = firstFile;
    assert.deepEqual(urls, {
      baseUrl: `${base}/v1`,
      authUrl: `${base}/oauth/authorize`,
      tokenUrl: `${base}/oauth/token`,
    });
    assert.match(apiKey, /^ak_sandbox_/);
    assert.match(clientId, /^app_sandbox_/);
    assert.match(clientSecret, /^cs_sandbox_/);
    assert.ok(URL.canParse(redirectUri));
    assert.deepEqual(
      advisors.map(({ email }) => email),
      ['avery', 'blake', 'casey', 'devon', 'ellis'].map((name) => `${name}@sandbox.example`),
    );
    for (const advisor of advisors) {
      const fields = ['id', 'name', 'email', 'password', 'textingNumber', 'timeZone', 'about'];
      assert.deepEqual(Object.keys(advisor), fields);
      assert.equal(typeof advisor.id, 'number');
      assert.match(advisor.textingNumber, /^\+[1-9]\d{7,14}$/);
      assert.ok(advisor.password.length >= 12);
    }
    assert.equal(new Set(advisors.map(({ password }) => password)).size, 5);
    await until('it prints its address', () => program.said().includes(base));
    assert.equal((await fetch(`${base}/healthz`)).status, 200);
  });

  test('a command works while the server runs, and leaves the database running', async () => {
    const { status, stdout, stderr } = await command('token', '--advisor', 'devon@sandbox.example');
    assert.equal(status, 0);
    assert.match(stdout, /^[\w-]+\.[\w-]+\.[\w-]+\n$/);
    assert.equal(stderr, '');
    assert.equal(folder.postmaster(), postmaster);
    tokens.set(`devon@sandbox.example${folder.sandbox().apiKey}`, stdout.trim());
    assert.equal(await (await partner('devon@sandbox.example')).total(), 0);
    const avery = await partner();
    assert.equal(await avery.total(), 20);
    assert.equal((await avery.call('POST', contacts, { firstName: 'Kept', lastName: 'Contact' })).status, 200);
  });

  test('a command without a running sandbox says so, exits 2 and starts nothing', async () => {
    assert.equal(await program.stop('SIGTERM'), 0);
    const { status, stdout, stderr } = await command('advisors', 'list', '--json');
    assert.equal(status, 2);
    assert.equal(stdout, '');
    assert.match(
      JSON.parse(stderr).error.message,
      /^DATABASE_URL is not set, and no sandbox is running in .*: .*`npm start`/,
    );
    assert.equal(folder.postmaster(), null);
  });

  test('the next start keeps secrets and data, and creates nothing twice', async () => {
    await start();
    assert.deepEqual(folder.sandbox(), firstFile);
    assert.equal(await (await partner()).total(), 21);
  });

  test('a second server on the same data folder says who has it, and leaves sandbox.json alone', async () => {
    const second = await launchServer({ ASSENT_DATA_DIR: folder.path, PORT: String(await freePort()) });
    assert.equal(await second.ended(), 1);
    const holder = `is in use by process ${program.pid}, at http://localhost:${PORT}. Stop it, or set ASSENT_DATA_DIR`;
    assert.ok(second.said().includes(holder), second.said());
    assert.deepEqual(folder.sandbox(), firstFile);
    assert.equal(await (await partner()).total(), 21);
  });

  test('SIGINT, even sent twice, shuts it down cleanly and leaves no process behind', async () => {
    program.signal('SIGINT');
    program.signal('SIGINT');
    assert.equal(await program.ended(), 0);
    assertGone();
  });

  test('a start with a broken sandbox.json creates new secrets and keeps the data', async () => {
    writeFileSync(join(folder.path, 'sandbox.json'), '{"broken');
    await start();
    const file = folder.sandbox();
    assert.notEqual(file.apiKey, firstFile.apiKey);
    assert.notEqual(file.advisors[0]?.password, firstFile.advisors[0]?.password);
    assert.deepEqual(
      file.advisors.map(({ id }) => id),
      firstFile.advisors.map(({ id }) => id),
    );
    assert.equal(await (await partner()).total(), 21);
  });

  test('it may stop while a command runs: whichever ends last stops the database', async () => {
    // The test before ran a command, whose connection PostgreSQL may end a moment later: it is none of these two.
    await until('only the server is connected', async () => (await connected()) === 1);
    const commands = [1, 2].map(() => launchCommand(waiting, env));
    const ended = Promise.all(commands.map((child) => new Promise((resolve) => child.once('close', resolve))));
    await until('both are connected', async () => (await connected()) === 3, 60_000);
    assert.equal(await program.stop('SIGHUP'), 0);
    assert.ok(isAlive(postmaster), 'PostgreSQL runs as long as a command does');
    for (const child of commands) child.stdin?.end('a password for avery');
    assert.deepEqual(await ended, [0, 0]);
    await until('PostgreSQL is gone', () => !isAlive(postmaster) && folder.postmaster() === null);
  });

  test('a signal during the start stops it, too, and leaves no process behind', async () => {
    program = await launchServer({ ASSENT_DATA_DIR: folder.path, PORT });
    await until('PostgreSQL is running', () => folder.postmaster() !== null);
    postmaster = folder.postmaster() ?? -1;
    assert.equal(await program.stop('SIGTERM'), 0, program.said());
    assertGone();
  });

  suite('after a kill -9', () => {
    before(async () => {
      await start();
      const keys = JSON.parse((await runCommand(['keys', 'list', '--json'], env)).stdout);
      const setPlan = ['keys', 'set-plan', String(keys.at(-1).keyId), '--unlimited'];
      const { status, stderr } = await runCommand(setPlan, env);
      assert.equal(status, 0, stderr);
    });

    test('of PostgreSQL, the server answers 502, restarts it, and no data is lost', async (t) => {
      const load = hammer(t, await partner(), 'postgres');
      await until('it is under load', () => load.answered.length > 50);
      process.kill(postmaster, 'SIGKILL');
      await until('PostgreSQL is gone', () => !isAlive(postmaster));
      const before = load.answered.length;
      await until('it answers again', () => load.answered.length > before + 50);
      await load.stop();
      assert.ok(!program.hasEnded(), program.said());
      assert.notEqual(folder.postmaster(), postmaster);
      const others = [...load.statuses].filter(([status]) => ![200, 502, 504].includes(status));
      assert.deepEqual(others, [], 'nothing but 200, 502 and 504 was answered');
      await assertAllThere(await partner(), load);
    });

    test('of the server, a command that is interrupted stops the PostgreSQL that is left', async () => {
      program.signal('SIGKILL');
      await program.ended();
      // PostgreSQL may notice a moment later, and the server's connection would be taken for the command's.
      await until('the server is disconnected', async () => (await connected()) === 0);
      const child = launchCommand(waiting, env);
      const ended = new Promise((resolve) => child.once('close', resolve));
      await until('the command is connected', async () => (await connected()) === 1, 60_000);
      child.kill('SIGINT');
      assert.equal(await ended, 130);
      assert.equal(folder.postmaster(), null);
      await start();
    });

    test('of both, no data is lost after the next start', async (t) => {
      const load = hammer(t, await partner(), 'both');
      await until('it is under load', () => load.answered.length > 50);
      const found = folder.postmaster();
      assert.ok(found);
      program.signal('SIGKILL');
      process.kill(found, 'SIGKILL');
      await program.ended();
      await load.stop();
      await start();
      await assertAllThere(await partner(), load);
    });

    test('of PostgreSQL and a SIGTERM at the same moment, no process is left behind', async () => {
      process.kill(postmaster, 'SIGKILL');
      assert.equal(await program.stop('SIGTERM'), 0, program.said());
      assertGone();
      assert.equal(folder.postmaster(), null);
    });

    /** Keeps posting contacts, each with its own key, and remembers which were answered. */
    function hammer(t: TestContext, by: Partner, name: string) {
      const answered: string[] = [];
      const unanswered: string[] = [];
      const statuses = new Map<number, number>();
      let stopped = false;
      const worker = async (id: number) => {
        for (let i = 0; !stopped; i++) {
          const lastName = `${name}${id}x${i}`;
          const answer = await post(by, lastName).catch(() => null);
          await answer?.body?.cancel();
          // After a kill there is no answer at all.
          if (answer) statuses.set(answer.status, (statuses.get(answer.status) ?? 0) + 1);
          (answer?.status === 200 ? answered : unanswered).push(lastName);
          if (answer?.status !== 200) await pause(5);
        }
      };
      const workers = Array.from({ length: 8 }, (_, id) => worker(id));
      // Also if the test fails: it would keep the process busy until its time is up.
      t.after(() => {
        stopped = true;
      });
      return {
        answered,
        unanswered,
        statuses,
        async stop() {
          stopped = true;
          await Promise.all(workers);
        },
      };
    }

    function post(by: Partner, lastName: string): Promise<Response> {
      return by.call('POST', contacts, { firstName: 'Crash', lastName }, { 'idempotency-key': lastName });
    }

    /** Each contact that got a 200 is there once; each that didn't is there once after a retry. */
    async function assertAllThere(by: Partner, load: ReturnType<typeof hammer>): Promise<void> {
      const retried = load.unanswered.slice(0, 20);
      for (const lastName of retried) {
        const retry = await post(by, lastName);
        assert.equal(retry.status, 200, await retry.text());
      }
      for (const lastName of [...load.answered.slice(-20), ...retried]) {
        const answer = await by.call('GET', `${contacts}?search=${lastName}`);
        assert.equal(answer.status, 200);
        const { data } = (await answer.json()) as { data: { lastName: string }[] };
        assert.equal(data.filter((each) => each.lastName === lastName).length, 1, lastName);
      }
    }
  });
});

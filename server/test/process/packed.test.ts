import assert from 'node:assert/strict';
import { type ChildProcess, execFileSync, spawn, spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, suite, test } from 'node:test';
import { root } from '../../src/config.ts';
import { makeDatabase, type TestDatabase } from '../support/database.ts';
import { freePort } from '../support/programs.ts';
import { until } from '../support/waiting.ts';

suite('the packed server, installed in an empty project', () => {
  let project: string;
  let database: TestDatabase;
  let server: ChildProcess | undefined;
  before(async () => {
    project = mkdtempSync(join(tmpdir(), 'assent-packed-'));
    database = await makeDatabase({ size: 1 });
    const packing = ['pack', '--workspace', 'server', '--pack-destination', project, '--json', '--loglevel=error'];
    execFileSync('npm', packing, { cwd: root, stdio: ['ignore', 'ignore', 'inherit'] });
    const [tarball = ''] = readdirSync(project);
    // As npm would install it, without a minute for what it needs: those packages are here already.
    const modules = join(project, 'node_modules');
    mkdirSync(join(modules, '@assent/server'), { recursive: true });
    for (const name of readdirSync(join(root, 'node_modules')))
      if (!name.startsWith('.') && name !== '@assent')
        symlinkSync(join(root, 'node_modules', name), join(modules, name));
    const into = ['-C', join(modules, '@assent/server'), '--strip-components=1'];
    execFileSync('tar', ['-xzf', join(project, tarball), ...into]);
    mkdirSync(join(modules, '.bin'));
    symlinkSync('../@assent/server/bin/assent', join(modules, '.bin/assent'));
  });
  after(async () => {
    if (server && server.exitCode === null) {
      server.kill('SIGTERM');
      await new Promise((resolve) => server?.once('exit', resolve));
    }
    await database.drop();
    rmSync(project, { recursive: true });
  });

  const env = () => ({ PATH: '/usr/bin:/bin', DATABASE_URL: database.url });
  const assent = (...args: string[]) =>
    spawnSync('node_modules/.bin/assent', args, { cwd: project, env: env(), encoding: 'utf8' });

  test('has no TypeScript, no tests and nothing of ours but what it runs', () => {
    const files = readdirSync(join(project, 'node_modules/@assent/server'), { recursive: true, encoding: 'utf8' });
    assert.deepEqual(
      files.filter((path) => /\.ts$|^(test|fuzz|bench|faults)\b/.test(path)),
      [],
    );
    for (const path of ['dist/cli/main.js', 'dist/client.tgz', 'schema.sql']) assert.ok(files.includes(path), path);
  });

  test('explains itself, serves, and keeps its data where it was started', async () => {
    assert.match(assent('--version').stdout, /^assent \d/);
    assert.match(assent('help', 'keys', 'issue').stdout, /^assent keys issue/);
    const port = await freePort();
    server = spawn('node_modules/.bin/assent', ['serve'], {
      cwd: project,
      env: { ...env(), PORT: String(port), LOG_LEVEL: 'warn' },
      stdio: ['ignore', 'ignore', 'inherit'],
    });
    const get = (path: string) => fetch(`http://127.0.0.1:${port}${path}`).catch(() => null);
    await until('it is ready', async () => (await get('/readyz'))?.status === 200, 120_000);
    assert.ok(existsSync(join(project, '.assent/sandbox.json')));
    const { apiKey } = JSON.parse(readFileSync(join(project, '.assent/sandbox.json'), 'utf8'));
    const { stdout: token, stderr } = assent('token', '--advisor', 'avery@sandbox.example');
    assert.match(token, /^[\w-]+\.[\w-]+\.[\w-]+\n$/, stderr);
    const account = await fetch(`http://127.0.0.1:${port}/v1/core/account`, {
      headers: { authorization: `Bearer ${token.trim()}`, 'x-api-key': apiKey },
    });
    assert.equal(account.status, 200);
    assert.equal(assent('example', 'web-app', '--port', String(await freePort())).status, 0);
    assert.match(readFileSync(join(project, 'web-app/.env'), 'utf8'), /^ASSENT_WEBHOOK_SECRET=whsec_/m);
    for (const page of ['/', '/docs', '/docs/partners/start', '/client.tgz', '/openapi.json', '/app'])
      assert.equal((await get(page))?.status, 200, page);
  });
});

import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { chmodSync, cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, suite, test } from 'node:test';
import { root } from '../../src/config.ts';

const other = process.platform === 'linux' ? 'darwin' : 'linux';
const lock = {
  '': { name: 'a' },
  server: { name: 'b' },
  'node_modules/used': { version: '1.0.0', integrity: 'sha512-u' },
  'node_modules/tool': { version: '1.0.0', integrity: 'sha512-t', dev: true },
  'node_modules/here': { version: '1.0.0', optional: true, os: [process.platform], cpu: process.arch },
  'node_modules/there': { version: '1.0.0', optional: true, os: [other], cpu: process.arch },
};

suite('scripts/install.js', () => {
  let checkout: string;
  beforeEach(() => {
    checkout = mkdtempSync(join(tmpdir(), 'assent-install-'));
    mkdirSync(join(checkout, 'scripts'));
    mkdirSync(join(checkout, 'bin'));
    cpSync(join(root, 'scripts/install.js'), join(checkout, 'scripts/install.js'));
    writeFileSync(join(checkout, 'package.json'), '{"type": "module"}');
    writeFileSync(join(checkout, 'package-lock.json'), JSON.stringify({ packages: lock }));
    writeFileSync(join(checkout, 'bin/npm'), `#!/bin/sh\necho "$@" >> ${checkout}/npm.log\n`);
    chmodSync(join(checkout, 'bin/npm'), 0o755);
  });
  afterEach(() => rmSync(checkout, { recursive: true }));

  /** As npm leaves it behind. */
  function installed(packages: Record<string, object>): void {
    for (const path of Object.keys(packages)) mkdirSync(join(checkout, path), { recursive: true });
    writeFileSync(join(checkout, 'node_modules/.package-lock.json'), JSON.stringify({ packages }));
  }

  function run(...args: string[]) {
    rmSync(join(checkout, 'npm.log'), { force: true });
    const { status, stderr } = spawnSync(process.execPath, [join(checkout, 'scripts/install.js'), ...args], {
      env: { PATH: `${join(checkout, 'bin')}:/usr/bin:/bin` },
      encoding: 'utf8',
    });
    const log = join(checkout, 'npm.log');
    return { status, stderr, npm: existsSync(log) ? readFileSync(log, 'utf8') : '' };
  }

  const { 'node_modules/there': _there, '': _root, ...ofThisPlatform } = lock;
  const { 'node_modules/tool': _tool, ...withoutTools } = ofThisPlatform;

  test('installs nothing after a plain `npm ci`', () => {
    installed(ofThisPlatform);
    for (const args of [[], ['start'], ['assent']]) assert.deepEqual(run(...args), { status: 0, stderr: '', npm: '' });
  });

  test('installs nothing for the server after `npm ci --omit=dev`, and the tools for tests', () => {
    installed(withoutTools);
    for (const caller of ['start', 'assent']) assert.equal(run(caller).npm, '');
    assert.match(run().npm, /^ci --include=dev/);
  });

  test('installs what a newer lock file, another platform or a deleted folder lacks', () => {
    installed({ ...ofThisPlatform, 'node_modules/used': { version: '0.9.0', integrity: 'sha512-o' } });
    assert.match(run('start').npm, /^ci /);
    const { 'node_modules/here': _here, ...elsewhere } = ofThisPlatform;
    installed(elsewhere);
    assert.match(run('start').npm, /^ci /);
    installed(ofThisPlatform);
    rmSync(join(checkout, 'node_modules/used'), { recursive: true });
    assert.match(run('start').npm, /^ci /);
  });

  test('for a command it installs only where nothing is, since a server may run beside it', () => {
    assert.match(run('assent').npm, /^ci /);
    installed({ ...ofThisPlatform, 'node_modules/used': { version: '0.9.0', integrity: 'sha512-o' } });
    const { status, stderr, npm } = run('assent');
    assert.equal(npm, '');
    assert.equal(status, 1);
    assert.match(stderr, /node_modules are not those of package-lock\.json.*`npm ci`/);
  });
});

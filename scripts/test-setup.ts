// Installs the Debian packages that tests need: `npm run test:setup`, as root. Without them `npm test` skips those tests, by
// name, and .ci/run treats a skip as a failure.
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { findBrowser } from '../server/test/support/browser.ts';
import { libfaketime } from '../server/test/support/wrong-clock.ts';

const needed = [
  { name: 'chromium-headless-shell', isThere: () => findBrowser(process.env) !== undefined },
  { name: 'busybox', file: '/usr/bin/busybox' },
  { name: 'libfaketime', isThere: () => libfaketime !== undefined },
  { name: 'curl', file: '/usr/bin/curl' },
  { name: 'openssl', file: '/usr/bin/openssl' },
  { name: 'prometheus', file: '/usr/bin/promtool' },
  { name: 'libnet-smpp-perl', file: '/usr/share/perl5/Net/SMPP.pm' },
  { name: 'kannel-extras', file: '/usr/lib/kannel/test/drive_smpp' },
  { name: 'redis-server', file: '/usr/bin/redis-server' },
  { name: 'haproxy', file: '/usr/sbin/haproxy' },
  { name: 'systemd', file: '/usr/bin/systemd-analyze' },
  { name: 'zsh', file: '/usr/bin/zsh' },
  { name: 'fish', file: '/usr/bin/fish' },
  { name: 'python3-requests-oauthlib', file: '/usr/lib/python3/dist-packages/requests_oauthlib' },
  { name: 'python3-authlib', file: '/usr/lib/python3/dist-packages/authlib' },
  { name: 'postgresql-15', file: '/usr/lib/postgresql/15/bin/postgres' },
];
const missing = needed.filter(({ file, isThere = () => existsSync(file ?? '') }) => !isThere()).map(({ name }) => name);

if (missing.length === 0) say('Everything that the tests need is installed.');
else if (!existsSync('/etc/debian_version')) fail(`This machine is not Debian. Tests need: ${missing.join(', ')}.`);
else if (process.getuid?.() !== 0) fail(`Root must install ${missing.join(', ')}: sudo npm run test:setup`);
else install();

/** One by one: a release of Debian may lack one of them. */
function install(): void {
  say(`Installing with apt-get: ${missing.join(', ')}. No service is started.`);
  apt('update', '-qq');
  const failed = missing.filter((name) => !apt('install', '-y', '-qq', '--no-install-recommends', name));
  if (failed.length > 0) fail(`Not installed: ${failed.join(', ')}. Tests that need them are skipped.`);
  else say('Everything that the tests need is installed.');
}

/** In runlevel 1 a package that brings a service doesn't start it. */
function apt(...args: string[]): boolean {
  const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive', RUNLEVEL: '1' };
  return spawnSync('apt-get', args, { stdio: ['ignore', 'ignore', 'inherit'], env }).status === 0;
}

function say(line: string): void {
  process.stdout.write(`${line}\n`);
}

function fail(why: string): void {
  process.stderr.write(`${why}\n`);
  process.exitCode = 1;
}

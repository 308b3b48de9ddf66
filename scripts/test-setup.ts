// Installs the Debian packages that tests need, if it can: as root on Debian. Elsewhere those tests are skipped by name,
// and .ci/run treats a skip as a failure.
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';

const needed = [
  { name: 'chromium-headless-shell', file: '/usr/bin/chromium-headless-shell' },
  { name: 'radicale', file: '/usr/bin/radicale' },
  { name: 'curl', file: '/usr/bin/curl' },
  { name: 'openssl', file: '/usr/bin/openssl' },
  { name: 'prometheus', file: '/usr/bin/promtool' },
  { name: 'libnet-smpp-perl', file: '/usr/share/perl5/Net/SMPP.pm' },
  { name: 'kannel-extras', file: '/usr/lib/kannel/test/drive_smpp' },
  { name: 'redis-server', file: '/usr/bin/redis-server' },
  { name: 'haproxy', file: '/usr/sbin/haproxy' },
  { name: 'systemd', file: '/usr/bin/systemd-analyze' },
  { name: 'postgresql-15', file: '/usr/lib/postgresql/15/bin/postgres' },
];
const missing = needed.filter(({ file }) => !existsSync(file)).map(({ name }) => name);

if (missing.length > 0 && process.getuid?.() === 0 && existsSync('/etc/debian_version')) {
  apt('update', '-qq');
  // One by one: a release of Debian may lack one of them.
  for (const name of missing) apt('install', '-y', '-qq', '--no-install-recommends', name);
} else if (missing.length > 0) {
  process.stdout.write(`Not installed: ${missing.join(', ')}. Tests that need them are skipped.\n`);
}

/** In runlevel 1 a package that brings a service doesn't start it. */
function apt(...args: string[]): void {
  const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive', RUNLEVEL: '1' };
  const { status } = spawnSync('apt-get', args, { stdio: ['ignore', 'ignore', 'inherit'], env });
  if (status !== 0) process.stderr.write(`apt-get ${args.join(' ')} failed; tests that need it are skipped.\n`);
}

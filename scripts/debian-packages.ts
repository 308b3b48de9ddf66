// Installs the Debian packages that tests need, if it can: as root on Debian. Elsewhere those tests are skipped by name,
// and .ci/run treats a skip as a failure.
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';

const needed = [
  { name: 'chromium', file: '/usr/bin/chromium' },
  { name: 'radicale', file: '/usr/bin/radicale' },
];
const missing = needed.filter(({ file }) => !existsSync(file)).map(({ name }) => name);

if (missing.length > 0 && process.getuid?.() === 0 && existsSync('/etc/debian_version')) {
  apt('update', '-qq');
  apt('install', '-y', '-qq', '--no-install-recommends', ...missing);
} else if (missing.length > 0) {
  process.stdout.write(`Not installed: ${missing.join(', ')}. Tests that need them are skipped.\n`);
}

function apt(...args: string[]): void {
  const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' };
  const { status } = spawnSync('apt-get', args, { stdio: ['ignore', 'ignore', 'inherit'], env });
  if (status !== 0)
    process.stderr.write(`apt-get ${args[0]} failed; tests that need ${missing.join(', ')} are skipped.\n`);
}

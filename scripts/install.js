// Installs the dependencies if they aren't up to date, on any version of Node. It compares the lock file with a hash kept
// in node_modules, which takes milliseconds; `npm ci` takes ten seconds.
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));
const stampFile = `${root}node_modules/.installed`;
const stamp = createHash('sha256')
  .update(readFileSync(`${root}package-lock.json`))
  .update(`${process.platform} ${process.arch}`)
  .digest('hex');

if (installed() !== stamp) {
  process.stderr.write('Installing the packages in package-lock.json …\n');
  // Output goes to stderr, so that a command that prints a value (`assent token`) has a clean stdout on a first run.
  // Development tools are installed even if NODE_ENV is production, because `npm test` needs them.
  const npm = spawnSync('npm', ['ci', '--include=dev', '--include=optional', '--loglevel=error'], {
    cwd: root,
    stdio: ['ignore', 2, 2],
  });
  if (npm.status !== 0) {
    process.stderr.write('npm ci failed; see its output above.\n');
    process.exit(1);
  }
  writeFileSync(stampFile, stamp);
}

function installed() {
  try {
    return readFileSync(stampFile, 'utf8');
  } catch {
    return '';
  }
}

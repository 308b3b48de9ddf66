// Installs what is missing and nothing else, on whatever Node the machine has. What was installed is known by the
// hash of the lock file, kept in node_modules: comparing it takes milliseconds, `npm ci` ten seconds.
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
  process.stderr.write('Installing what package-lock.json lists …\n');
  // Output goes to stderr, so that a command whose stdout is a value (`assent token`) stays clean on a first run.
  // Development tools are wanted even where NODE_ENV says production: `npm test` needs them.
  const npm = spawnSync('npm', ['ci', '--include=dev', '--include=optional', '--loglevel=error'], {
    cwd: root,
    stdio: ['ignore', 2, 2],
  });
  if (npm.status !== 0) {
    process.stderr.write('npm ci failed; what it said is above.\n');
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

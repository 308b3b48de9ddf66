// Runs a command on a distributed database: DATABASE_URL is that of a coordinator of Citus with two workers, which are started for
// it and end with it. `npm run citus -- npm test FILE…` runs those test files there; `npm run citus` alone all that use the
// database of all tests, without those in server/test/support/not-on-citus.ts. Citus has to be installed for Debian's PostgreSQL 15.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { globSync } from 'node:fs';
import { skip, startCitus } from '../server/test/support/citus.ts';
import { filesNotOnCitus, foldersNotOnCitus } from '../server/test/support/not-on-citus.ts';

if (skip) {
  process.stderr.write(`Citus is not installed: ${skip}.\n`);
  process.exit(2);
}
const [program = process.execPath, ...args] =
  process.argv.length > 2 ? process.argv.slice(2) : [process.execPath, 'scripts/test.ts', ...testFiles()];
// What it holds is gone afterward.
const citus = await startCitus({ fsync: 'off' });
try {
  // Ctrl-C reaches the whole process group; the databases end after the command.
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => {});
  const env = { ...process.env, DATABASE_URL: citus.url('postgres'), ASSENT_TEST_CITUS: '1' };
  const [code] = await once(spawn(program, args, { stdio: 'inherit', env }), 'close');
  process.exitCode = code ?? 1;
} finally {
  await citus.stop();
}

function testFiles(): string[] {
  return globSync('server/test/**/*.test.ts')
    .filter((file) => !(String(file.split('/')[2]) in foldersNotOnCitus))
    .filter((file) => !(file.slice('server/test/'.length, -'.test.ts'.length) in filesNotOnCitus))
    .sort();
}

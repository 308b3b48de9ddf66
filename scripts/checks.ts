// What can be checked without running a test.
//
//   node scripts/checks.ts          all of it
//   node scripts/checks.ts types    those whose name begins so: `npm run typecheck`, `npm run lint`
import { spawn } from 'node:child_process';
import { pathToFileURL } from 'node:url';

const tsc = 'node_modules/typescript/bin/tsc';
const checks: Record<string, string[]> = {
  types: [tsc, '--project', 'server'],
  'types of browser code': [tsc, '--project', 'server/tsconfig.browser.json'],
  'types of the app': [tsc, '--project', 'web'],
  'types of the console': [tsc, '--project', 'web/tsconfig.console.json'],
  'lint and format': ['node_modules/@biomejs/biome/bin/biome', 'ci', '--error-on-warnings', '.'],
  'generated files': ['scripts/generate.ts', '--check'],
  'types of the client': [tsc, '--project', 'sdk/test'],
  'the client': ['sdk/test/run.ts'],
};

if (process.argv[1] && import.meta.url === pathToFileURL(process.argv[1]).href) {
  const failed = await runChecks({ named: process.argv[2] ?? '' });
  if (failed.length > 0) process.exitCode = 1;
}

/** Runs them one after another, and returns the names of those that failed. */
export async function runChecks({ named = '', signal }: { named?: string; signal?: AbortSignal }): Promise<string[]> {
  const failed: string[] = [];
  for (const [name, args] of Object.entries(checks))
    if (name.startsWith(named) && !(await check(name, args, signal))) failed.push(name);
  return failed;
}

/** Its output is shown at once, so that the lines of tests that run beside it don't come in between. */
async function check(name: string, args: string[], signal: AbortSignal | undefined): Promise<boolean> {
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'pipe'], signal });
  child.on('error', () => {});
  const said: Buffer[] = [];
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (bytes) => said.push(bytes));
  const code = await new Promise((done) => child.once('close', done));
  const verdict = code === 0 ? '' : `\n${name}: failed`;
  process.stdout.write(`\n── ${name}\n${Buffer.concat(said)}${verdict}\n`);
  return code === 0;
}

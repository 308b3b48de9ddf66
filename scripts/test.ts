// Everything that must hold.
//
//   npm test                                 what a change of code can break: tests, types, lint and generated files
//   npm run test:all                         all tests, whole: also what a machine, a package, a kill or a pasted guide can break
//   npm run test:all -- --rest               all tests but those of `npm test`
//   npm test FILE…                           these test files
//   npm test -- --name 'second STOP' FILE…   the tests in them whose name matches
//   npm test -- --inspect FILE               waits for a debugger
//   npm test -- --record                     writes how long each file took to server/test/durations.json
//   npm run check                            types, lint, generated files, and the tests that take a moment
import { existsSync, globSync, writeFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { run as runTests } from 'node:test';
import { spec } from 'node:test/reporters';
import { fileURLToPath } from 'node:url';
import { globalSetup, globalTeardown } from '../server/test/support/global-setup.ts';
import { skippedOnCitus } from '../server/test/support/not-on-citus.ts';
import { buildWeb } from './build-web.ts';
import { runChecks } from './checks.ts';
import { optionsGiven } from './options.ts';
import { groupFiles, isEveryday, isFast, slowSeconds } from './test-groups.ts';

/** On two cores: most of them wait for a database, a server, a browser or the clock. Four left a quarter of the time unused. */
const processesMax = 5;
/** The fast ones hardly wait, and each process loads the server. */
const fastProcesses = 3;
const processMsMax = 1_200_000;
const filesMax = 24;
const slowestShown = 10;
/** What root does differently; .ci/run runs both. */
const rootsOwn = 'server/test/root/*.test.ts';
/** The client's other tests run against the packed client: sdk/test/run.ts. */
const clientWithServer = 'sdk/test/{examples,sandbox}.test.ts';
const isRoot = process.getuid?.() === 0;

process.chdir(fileURLToPath(new URL('..', import.meta.url)));
// Test processes load the same modules; compiled once, they load in half the time.
process.env.NODE_COMPILE_CACHE = fileURLToPath(new URL('../node_modules/.cache/compiled', import.meta.url));
const stopping = new AbortController();
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => stopping.abort());

const { values: given, positionals: named } = optionsGiven({
  allowPositionals: true,
  allowNegative: true,
  options: {
    all: { type: 'boolean', default: false },
    rest: { type: 'boolean', default: false },
    fast: { type: 'boolean', default: false },
    checks: { type: 'boolean', default: true },
    name: { type: 'string', multiple: true },
    inspect: { type: 'boolean', default: false },
    record: { type: 'boolean', default: false },
  },
});
const absent = named.find((file) => !existsSync(file));
if (absent !== undefined) {
  process.stderr.write(`There is no file ${absent}.\n`);
  process.exit(2);
}
// Models and races run all of their rounds, and not a quarter.
if (given.all || given.rest) process.env.ASSENT_TEST_WHOLE = '1';
await globalSetup();
try {
  if (!(await (named.length > 0 ? test(named) : testAll()))) process.exitCode = 1;
} finally {
  await globalTeardown();
}

/** The test files of this script, and the checks beside them. */
async function testAll(): Promise<boolean> {
  const all = globSync(['server/test/**/*.test.ts', clientWithServer], { exclude: isRoot ? [] : [rootsOwn] }).sort();
  if (!isRoot && (given.all || given.rest))
    process.stdout.write(`Only root can run ${globSync(rootsOwn).join(', ')}.\n`);
  const files = all.filter(isWanted);
  // Once for all who show the app: several that begin at a time would each build it.
  if (!given.fast) await buildWeb();
  // If all are fast, there is no more than a process for each place.
  const groups = groupFiles(files, given.fast ? Math.ceil(files.length / fastProcesses) : filesMax);
  const [passed, failed] = await Promise.all([
    test(files, groups.entries).finally(groups.remove),
    given.checks && !given.rest ? runChecks({ signal: stopping.signal }) : [],
  ]);
  for (const name of passed ? failed : ['tests', ...failed])
    process.stderr.write(`\n${name}: failed; the output is above\n`);
  return passed && failed.length === 0;
}

function isWanted(file: string): boolean {
  if (given.rest) return !isEveryday(file);
  if (given.all) return true;
  return given.fast ? isFast(file) : isEveryday(file);
}

/** Runs test files, shows which were the slowest, and says whether all ran and passed. */
async function test(files: string[], entries = files): Promise<boolean> {
  const missing = new Map(files.map((file) => [resolve(file), file]));
  const seconds: [file: string, seconds: number][] = [];
  const skipped: string[] = [];
  let passed = false;
  const events = runTests({
    files: entries,
    concurrency: given.inspect ? 1 : processesMax,
    timeout: given.inspect ? Number.POSITIVE_INFINITY : processMsMax,
    signal: stopping.signal,
    ...(given.name && { testNamePatterns: given.name }),
    ...(process.env.ASSENT_TEST_CITUS && { testSkipPatterns: skippedOnCitus() }),
    ...(given.inspect && { execArgv: ['--inspect-brk'] }),
  });
  events.on('test:complete', ({ name, details }) => {
    if (missing.delete(resolve(name))) seconds.push([name, details.duration_ms / 1000]);
  });
  // Node's summary counts skipped tests, but not suites.
  events.on('test:pass', ({ name, skip }) => {
    if (skip !== undefined) skipped.push(typeof skip === 'string' ? `${name}: ${skip}` : name);
  });
  events.on('test:summary', ({ file, success }) => {
    if (file === undefined) passed = success;
  });
  for await (const text of events.compose(new spec())) process.stdout.write(text);
  showSlowest(seconds);
  if (given.record) record(seconds);
  for (const each of skipped) process.stdout.write(`Not run: ${each}\n`);
  for (const file of missing.values()) process.stderr.write(`${file}: did not run\n`);
  return passed && missing.size === 0;
}

function showSlowest(seconds: [file: string, seconds: number][]): void {
  const slowest = seconds.sort(([, one], [, other]) => other - one).slice(0, slowestShown);
  process.stdout.write(`\nThe slowest of ${seconds.length} files, in seconds:\n`);
  for (const [file, each] of slowest) process.stdout.write(`${each.toFixed(1).padStart(6)}  ${file}\n`);
}

/** For the order of the next runs. Short ones are left out: which of them take how long changes every time. */
function record(seconds: [file: string, seconds: number][]): void {
  const slow = seconds.filter(([, each]) => each >= slowSeconds).map(([file, each]) => [file, Math.round(each)]);
  writeFileSync('server/test/durations.json', `${JSON.stringify(Object.fromEntries(slow), null, 2)}\n`);
}

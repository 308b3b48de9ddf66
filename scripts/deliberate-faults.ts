// Whether the everyday tests find faults: makes each of server/faults/deliberate/list.ts in a copy of the checkout, and runs the test
// that ought to fail there. Each breaks one sentence of the rules that the server enforces.
//
//   npm run test:faults                             all of them, after a run of the same tests without any
//   npm run test:faults -- --rule 11 --rule 11a     those of these rules
import { spawn } from 'node:child_process';
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type DeliberateFault, deliberateFaults } from '../server/faults/deliberate/list.ts';
import { globalSetup, globalTeardown } from '../server/test/support/global-setup.ts';
import { optionsGiven } from './options.ts';

const runMsMax = 300_000;
/** Enough of a run to see what failed. */
const linesShown = 60;
/** What comes to be in a checkout and isn't part of it. */
const leftOut = /^(node_modules|\.git|\.assent|\.env|dist(\..*)?|.*\.log)$/;
const workspaces = ['.', 'server', 'sdk', 'web'];
/** A test says what is wrong. A server that can’t be loaded, or throws, was not found out by a test. */
const assertionFailed = /\bERR_ASSERTION\b/;

type TestRun = { passed: boolean; said: string; seconds: number };

process.chdir(fileURLToPath(new URL('..', import.meta.url)));
const stopping = new AbortController();
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => stopping.abort());

const { values: given } = optionsGiven({ options: { rule: { type: 'string', multiple: true } } });
const faults = deliberateFaults.filter(({ rule }) => !given.rule || given.rule.includes(rule));
if (faults.length === 0) {
  process.stderr.write(`There is no fault for rule ${given.rule?.join(' or ')}.\n`);
  process.exit(2);
}
const copy = copyCheckout();
try {
  // One PostgreSQL for all runs.
  await globalSetup();
  if (!(await findAll())) process.exitCode = 1;
} catch (error) {
  if (!stopping.signal.aborted) throw error;
  process.exitCode = 1;
} finally {
  await globalTeardown();
  rmSync(copy, { recursive: true });
}

async function findAll(): Promise<boolean> {
  const began = performance.now();
  if (!(await passWithout(faults))) return false;
  let found = 0;
  for (const fault of faults) if (await find(fault)) found += 1;
  say(`${found} of ${faults.length} found, in ${Math.round((performance.now() - began) / 1000)} s`);
  return found === faults.length;
}

/** Whether the tests pass as long as nothing is wrong: only then it is the fault that they find. */
async function passWithout(faults: DeliberateFault[]): Promise<boolean> {
  const isNamed = ({ name }: DeliberateFault) => name !== undefined;
  for (const some of [faults.filter(isNamed), faults.filter((fault) => !isNamed(fault))]) {
    if (some.length === 0) continue;
    const { passed, said, seconds } = await run(some);
    const missing = some.flatMap(({ name = '' }) => (said.includes(name) ? [] : name));
    if (!passed || missing.length > 0) {
      say(`${endOf(said)}\nWithout a fault these tests must pass.`);
      for (const name of missing) say(`Not run: ${name}`);
      return false;
    }
    say(`${secondsOf(seconds)}  passed     without a fault`);
  }
  return true;
}

/** Whether the fault’s test finds it. The copy is as before then. */
async function find(fault: DeliberateFault): Promise<boolean> {
  const { rule, sentence, from, to } = fault;
  const file = join(copy, fault.file);
  const source = readFileSync(file, 'utf8');
  // By a function: in a text, a dollar sign would mean something.
  const broken = source.replace(from, () => to);
  writeFileSync(file, broken);
  const { passed, said, seconds } = await run([fault]);
  writeFileSync(file, source);
  const isFound = !passed && assertionFailed.test(said);
  say(`${secondsOf(seconds)}  ${isFound ? 'found    ' : 'NOT FOUND'}  rule ${rule.padEnd(3)}  ${sentence}`);
  if (!isFound) say(endOf(said));
  return isFound;
}

/** Runs the tests of these faults, all of which have a name or none. */
async function run(faults: DeliberateFault[]): Promise<TestRun> {
  const files = new Set(faults.map(({ test }) => test));
  const names = new Set(faults.flatMap(({ name }) => name ?? []));
  const patterns = [...names].flatMap((name) => ['--name', RegExp.escape(name)]);
  const began = performance.now();
  const child = spawn(process.execPath, ['scripts/test.ts', ...patterns, ...files], {
    cwd: copy,
    env: { ...process.env, DATABASE_URL: process.env.ASSENT_TEST_DATABASE },
    stdio: ['ignore', 'pipe', 'pipe'],
    signal: AbortSignal.any([stopping.signal, AbortSignal.timeout(runMsMax)]),
  });
  child.on('error', () => {});
  const said: Buffer[] = [];
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (bytes) => said.push(bytes));
  const code = await new Promise((done) => child.once('close', done));
  stopping.signal.throwIfAborted();
  const seconds = (performance.now() - began) / 1000;
  return { passed: code === 0, said: Buffer.concat(said).toString(), seconds };
}

/** In a folder of its own, so that nobody who works here meets a fault. */
function copyCheckout(): string {
  const folder = mkdtempSync(join(tmpdir(), 'assent-faults-'));
  for (const entry of readdirSync('.').filter(isKept))
    cpSync(entry, join(folder, entry), { recursive: true, filter: isKept });
  for (const workspace of workspaces) linkPackages(workspace, join(folder, workspace));
  return folder;
}

function isKept(path: string): boolean {
  return !leftOut.test(basename(path));
}

/** One by one: what tests compile into a cache goes with the copy. */
function linkPackages(workspace: string, folder: string): void {
  const installed = resolve(workspace, 'node_modules');
  if (!existsSync(installed)) return;
  mkdirSync(join(folder, 'node_modules'));
  for (const name of readdirSync(installed).filter((each) => each !== '.cache'))
    symlinkSync(join(installed, name), join(folder, 'node_modules', name));
}

function secondsOf(seconds: number): string {
  return `${seconds.toFixed(1).padStart(6)} s`;
}

function endOf(said: string): string {
  return said.split('\n').slice(-linesShown).join('\n');
}

function say(line: string): void {
  process.stdout.write(`${line}\n`);
}

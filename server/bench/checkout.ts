import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, globSync, openSync, readFileSync, readlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import pg from 'pg';
import { freePort } from './program.ts';
import type { Scratch } from './scratch.ts';
import { say } from './tables.ts';

/** A checkout of ours that runs. Nothing here or in its users knows more of it than its documents promise. */
export type Running = {
  name: string;
  origin: string;
  port: number;
  /** What `sandbox.json` has. */
  sandbox: {
    clientId: string;
    clientSecret: string;
    tokenUrl: string;
    advisors: { id: number; email: string; textingNumber: string }[];
  };
  /** The operator's command, from the same checkout. */
  assent(...args: string[]): Promise<string>;
  /** Node's processes. */
  pids: number[];
  postmasters: number[];
  statistics: pg.Client;
};

/** A database of somebody else's, and the first process of each PostgreSQL that it is on. */
export type Database = { url: string; postmasters: number[] };

/** With the packages to install first. */
const readyMsMax = 10 * 60_000;
const stopMsMax = 30_000;
const pollMs = 200;
const here = fileURLToPath(new URL('../..', import.meta.url));
const run = promisify(execFile);

/** The folder of that commit. It stays in the temporary folder, because its packages take a minute to install. */
export async function checkOut(ref: string): Promise<{ name: string; folder: string }> {
  const { stdout } = await run('git', ['rev-parse', '--short', `${ref}^{commit}`], { cwd: here });
  const name = stdout.trim();
  const folder = join(tmpdir(), 'assent-beside', name);
  if (existsSync(join(folder, 'package.json'))) return { name, folder };
  say(`Checking ${name} out; its first start installs its packages.`);
  await run('git', ['clone', '--quiet', '--shared', '--no-checkout', here, folder]);
  await run('git', ['checkout', '--quiet', '--detach', name], { cwd: folder });
  return { name, folder };
}

/** This checkout as it is, with what isn't committed. */
export const thisCheckout = { name: 'this', folder: here };

/** Starts it by `npm start` as a sandbox on an empty data folder, with its own PostgreSQL if it is given none. */
export async function startCheckout(
  scratch: Scratch,
  { name, folder }: { name: string; folder: string },
  database?: Database,
): Promise<Running> {
  const port = await freePort();
  const dataDir = join(scratch.folder, name);
  // The last one is for npm behind a proxy that has a certificate of its own.
  const { PATH, HOME, TMPDIR, NODE_EXTRA_CA_CERTS } = process.env;
  const own = { PATH, HOME, TMPDIR, NODE_EXTRA_CA_CERTS, PORT: String(port), ASSENT_DATA_DIR: dataDir };
  const env = { ...own, ...(database && { DATABASE_URL: database.url }) };
  const log = join(scratch.folder, `${name}.log`);
  const output = openSync(log, 'a');
  const npm = spawn('npm', ['start'], { cwd: folder, env, stdio: ['ignore', output, output] });
  const exited = once(npm, 'exit');
  scratch.owns(async () => {
    const cutOff = setTimeout(() => [...below(npm.pid), npm.pid ?? 0].forEach(kill), stopMsMax);
    npm.kill('SIGTERM');
    await exited;
    clearTimeout(cutOff);
  });
  const origin = `http://localhost:${port}`;
  for (const deadline = Date.now() + readyMsMax; !(await isReady(origin)); await pause(pollMs))
    if (npm.exitCode !== null || Date.now() > deadline)
      throw new Error(`${name} did not become ready: ${readFileSync(log, 'utf8')}`);

  const postmasters = database?.postmasters ?? below(npm.pid).filter(isPostgres).slice(0, 1);
  const statistics = new pg.Client(
    database
      ? { connectionString: database.url }
      : { host: readlinkSync(`/proc/${postmasters[0]}/cwd`), user: 'assent', database: 'assent' },
  );
  await statistics.connect();
  scratch.owns(() => statistics.end());
  return {
    name,
    origin,
    port,
    sandbox: JSON.parse(readFileSync(join(dataDir, 'sandbox.json'), 'utf8')),
    assent: async (...args) => (await run('npm', ['run', '-s', 'assent', '--', ...args], { cwd: folder, env })).stdout,
    pids: below(npm.pid).filter((pid) => !isPostgres(pid) && !isPostgres(parentOf(pid)) && !isBuild(pid)),
    postmasters,
    statistics,
  };
}

async function isReady(origin: string): Promise<boolean> {
  return fetch(`${origin}/readyz`).then(
    ({ ok }) => ok,
    () => false,
  );
}

/** The processes that it started, and those that they started, the first ones first. */
function below(pid: number | undefined): number[] {
  const all = globSync('/proc/[0-9]*').map((path) => Number(path.slice('/proc/'.length)));
  const children = all.filter((each) => parentOf(each) === pid);
  return children.flatMap((child) => [child, ...below(child)]);
}

function parentOf(pid: number): number {
  return Number(/^PPid:\s+(\d+)$/m.exec(read(`/proc/${pid}/status`))?.[1]);
}

function isPostgres(pid: number): boolean {
  return read(`/proc/${pid}/comm`).trim() === 'postgres';
}

/** It ends soon, and a round is measured only while all of a side's processes run. */
function isBuild(pid: number): boolean {
  return read(`/proc/${pid}/cmdline`).includes('build-web');
}

/** Empty if the process has ended. */
function read(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return '';
  }
}

function kill(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch {
    // It has ended.
  }
}

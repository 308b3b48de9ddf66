import { type ChildProcess, spawn } from 'node:child_process';
import { randomInt } from 'node:crypto';
import { chmodSync, closeSync, existsSync, mkdtempSync, openSync, readFileSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { SandboxFile } from '../../src/domain/sandbox/sandbox.ts';
import { makeDatabase, type TestDatabase } from './database.ts';
import { until } from './waiting.ts';

/** The checkout. */
const ours = fileURLToPath(new URL('../../../', import.meta.url));
const commandProgram = fileURLToPath(new URL('../../src/cli/main.ts', import.meta.url));
/** The same as for `npm start`: a program that has run before starts in half the time. */
const compiled = fileURLToPath(new URL('../../../node_modules/.cache/compiled', import.meta.url));
/** Only to tell late from never, on a busy machine. */
const startMs = 120_000;
const stopMs = 120_000;
/**
 * Below those that Linux and macOS give to whoever asks for any port, or connects: one of them could be taken before the program that it
 * is meant for listens there. Above 10080, which browsers refuse.
 */
const ports = { first: 11_000, count: 20_000 };
const portTriesMax = 1_000;

type Env = Record<string, string>;

/** The real server as a separate process. */
export type Program = {
  pid: number;
  port: number;
  /** Its output so far, stdout and stderr. */
  said(): string;
  signal(signal: NodeJS.Signals): void;
  /** Its exit code, or the signal that ended it. */
  ended(): Promise<number | NodeJS.Signals | null>;
  hasEnded(): boolean;
  /** Asks it to stop and waits until it has. */
  stop(signal?: NodeJS.Signals): Promise<number | NodeJS.Signals | null>;
  fetch(path: string, init?: RequestInit): Promise<Response>;
};

/** The test's own data folder, which PostgreSQL's user can reach, too. Removing it also stops a PostgreSQL in it. */
export type DataFolder = {
  path: string;
  postmaster(): number | null;
  sandbox(): SandboxFile;
  remove(): void;
};

export function makeDataFolder(): DataFolder {
  const path = mkdtempSync(join(tmpdir(), 'assent-process-'));
  chmodSync(path, 0o711);
  const postmaster = () => postmasterIn(join(path, 'postgres'));
  return {
    path,
    postmaster,
    sandbox: () => JSON.parse(readFileSync(join(path, 'sandbox.json'), 'utf8')),
    remove() {
      const pid = postmaster();
      if (pid) process.kill(pid, 'SIGQUIT');
      rmSync(path, { recursive: true, force: true, maxRetries: 10 });
    },
  };
}

export type Deployment = { folder: DataFolder; database: TestDatabase; env: Env; remove(): Promise<void> };

/** A data folder, and a database on the PostgreSQL of all tests: a new embedded one takes seconds. */
export async function makeDeployment(): Promise<Deployment> {
  const folder = makeDataFolder();
  const database = await makeDatabase({ size: 1 });
  return {
    folder,
    database,
    env: { DATABASE_URL: database.url, ASSENT_DATA_DIR: folder.path },
    async remove() {
      await database.drop();
      folder.remove();
    },
  };
}

/** The cluster's postmaster, if it is running. */
function postmasterIn(cluster: string): number | null {
  try {
    const pid = Number(readFileSync(join(cluster, 'postmaster.pid'), 'utf8').split('\n')[0]);
    // PostgreSQL makes the file before it writes to it, and process 0 is this process's group, which is always alive.
    return pid > 0 && isAlive(pid) ? pid : null;
  } catch {
    return null;
  }
}

/** A zombie, which its parent hasn't noticed yet, is not alive. */
export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return !existsSync(`/proc/${pid}/stat`) || !/^\d+ \(.*\) Z/.test(readFileSync(`/proc/${pid}/stat`, 'utf8'));
  } catch {
    return false;
  }
}

/** From another checkout, it is that version's. */
export async function launchServer(env: Env, checkout = ours): Promise<Program> {
  const { PORT = String(await freePort()) } = env;
  const port = Number(PORT);
  const child = launch(join(checkout, 'server/src/main.ts'), [], { LOG_LEVEL: 'warn', ...env, PORT });
  child.stdin?.end();
  let said = '';
  for (const stream of [child.stdout, child.stderr])
    stream?.setEncoding('utf8').on('data', (text) => {
      said += text;
    });
  const ended = new Promise<number | NodeJS.Signals | null>((resolve) =>
    child.once('close', (code, signal) => resolve(code ?? signal)),
  );
  const program: Program = {
    pid: child.pid ?? -1,
    port,
    said: () => said,
    signal: (signal) => void child.kill(signal),
    ended: () => within(stopMs, 'the server ends', ended),
    hasEnded: () => child.exitCode !== null || child.signalCode !== null,
    async stop(signal = 'SIGTERM') {
      child.kill(signal);
      return program.ended();
    },
    fetch: (path, init) => fetch(`http://127.0.0.1:${port}${path}`, init),
  };
  return program;
}

/** Launches the server and waits until it is ready. */
export async function startServer(env: Env, checkout?: string, withinMs = startMs): Promise<Program> {
  const program = await launchServer(env, checkout);
  const ready = async () => {
    if (program.hasEnded()) throw new Error(`The server ended: ${program.said()}`);
    return isReady(program);
  };
  await until('the server is ready', ready, withinMs).catch((error) => {
    // Otherwise it would answer for the next one on its port.
    program.signal('SIGKILL');
    throw error;
  });
  return program;
}

export async function isReady(program: Program): Promise<boolean> {
  const answer = await program.fetch('/readyz').catch(() => null);
  await answer?.body?.cancel();
  return answer?.status === 200;
}

export type CommandResult = { status: number | null; stdout: string; stderr: string };

/** Starts the operator's command; its stdin stays open. */
export function launchCommand(args: string[], env: Env): ChildProcess {
  return launch(commandProgram, args, env);
}

/** Runs the operator's command to its end. */
export async function assent(args: string[], env: Env, stdin = ''): Promise<CommandResult> {
  const child = launch(commandProgram, args, env);
  child.stdin?.on('error', () => {});
  child.stdin?.end(stdin);
  const said = { stdout: '', stderr: '' };
  for (const name of ['stdout', 'stderr'] as const)
    child[name]?.setEncoding('utf8').on('data', (text) => {
      said[name] += text;
    });
  const ended = new Promise<number | null>((resolve) => child.once('close', resolve));
  return { status: await within(stopMs, `assent ${args.join(' ')} ends`, ended), ...said };
}

/** Passes on nothing of the test's environment except what is needed to find programs. */
function launch(program: string, args: string[], env: Env): ChildProcess {
  return spawn(process.execPath, [program, ...args], {
    env: { PATH: process.env.PATH, HOME: process.env.HOME, TZ: 'UTC', NODE_COMPILE_CACHE: compiled, ...env },
    stdio: ['pipe', 'pipe', 'pipe'],
  });
}

/** A port on which nobody listens, and which no other test of this run gets. */
export async function freePort(): Promise<number> {
  for (let tries = 0; tries < portTriesMax; tries++) {
    const port = ports.first + randomInt(ports.count);
    if (reserve(port) && (await isFree(port))) return port;
  }
  throw new Error('No port is free.');
}

/** False if it is given to a test already. What isn't a test runs alone. */
function reserve(port: number): boolean {
  const { ASSENT_TEST_PORTS } = process.env;
  if (!ASSENT_TEST_PORTS) return true;
  try {
    closeSync(openSync(join(ASSENT_TEST_PORTS, String(port)), 'wx'));
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
    return false;
  }
}

function isFree(port: number): Promise<boolean> {
  const server = createServer();
  return new Promise((resolve) => {
    server.once('error', () => resolve(false));
    server.listen(port, '127.0.0.1', () => server.close(() => resolve(true)));
  });
}

async function within<Value>(ms: number, what: string, promise: Promise<Value>): Promise<Value> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`Waited ${ms} ms, but this never happened: ${what}.`)), ms);
  });
  return Promise.race([promise, late]).finally(() => clearTimeout(timer));
}

import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import type { Scratch } from './scratch.ts';

/** The real server on a data folder. */
export type Program = {
  baseUrl: string;
  dataDir: string;
  pid: number;
  stop(): Promise<void>;
};

const readyMsMax = 60_000;
const stopMsMax = 30_000;
const pollMs = 5;
const main = fileURLToPath(new URL('../src/main.ts', import.meta.url));
const compileCache = fileURLToPath(new URL('../../node_modules/.cache/compiled', import.meta.url));
const command = fileURLToPath(new URL('../src/cli/main.ts', import.meta.url));
/** How `npm start` runs Node: its options, and what it sets in the environment. */
export const started = readStart();

/** Starts the server as `npm start` does, without npm, and waits until it is ready. */
export async function startProgram(
  scratch: Scratch,
  dataDir: string,
  settings: Record<string, string> = {},
): Promise<Program> {
  const port = await freePort();
  const origin = `http://127.0.0.1:${port}`;
  const began = performance.now();
  const server = spawn(process.execPath, [...started.options, main], {
    env: environment(dataDir, { PORT: String(port), ...settings }),
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  const { stop } = scratch.owns(() => endProgram(server));
  while (!(await isReady(origin))) {
    if (server.exitCode !== null) throw new Error(`The server exited with ${server.exitCode} before it was ready.`);
    if (performance.now() - began > readyMsMax) throw new Error('The server did not become ready.');
    await pause(pollMs);
  }
  return { baseUrl: `${origin}/v1`, dataDir, pid: server.pid ?? -1, stop };
}

/** Runs a verb of the operator's command and returns its output. */
export async function assent(dataDir: string, args: string[]): Promise<string> {
  const run = spawn(process.execPath, [command, ...args], {
    env: environment(dataDir),
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let [said, noted] = ['', ''];
  run.stdout.on('data', (text) => {
    said += text;
  });
  run.stderr.on('data', (text) => {
    noted += text;
  });
  const [code] = await once(run, 'close');
  if (code !== 0) throw new Error(`assent ${args.join(' ')} exited with ${code}: ${noted}`);
  return said.trim();
}

async function isReady(origin: string): Promise<boolean> {
  return fetch(`${origin}/readyz`).then(
    (response) => response.ok,
    () => false,
  );
}

/** The environment that bin/assent sets, without the user's own settings. */
function environment(dataDir: string, more: Record<string, string> = {}): NodeJS.ProcessEnv {
  const { PATH, HOME, TMPDIR } = process.env;
  return { PATH, HOME, TMPDIR, ...started.environment, ASSENT_DATA_DIR: dataDir, ...more };
}

function readStart(): { options: string[]; environment: Record<string, string> } {
  const command = readFileSync(new URL('../bin/assent', import.meta.url), 'utf8');
  const settings = [...command.matchAll(/\$\{(\w+):=(\w+)\}/g)].map(([, name, value]) => [name, value]);
  return {
    options: command.match(/--max\S+/g) ?? [],
    environment: { ...Object.fromEntries(settings), NODE_COMPILE_CACHE: compileCache },
  };
}

export async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  server.close();
  await once(server, 'close');
  if (address === null || typeof address === 'string') throw new Error('There is no free port.');
  return address.port;
}

/** Asks it to end, and kills it if it takes too long. */
export async function endProgram(program: ChildProcess): Promise<void> {
  if (program.exitCode !== null || program.signalCode !== null) return;
  const exited = once(program, 'exit');
  program.kill('SIGTERM');
  const cutOff = setTimeout(() => program.kill('SIGKILL'), stopMsMax);
  await exited;
  clearTimeout(cutOff);
}

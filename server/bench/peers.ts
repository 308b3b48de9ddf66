import { execFile, spawn } from 'node:child_process';
import { existsSync, mkdirSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import type pg from 'pg';
import { type CpuTime, cpuTime, cpuTimeOf } from './cpu.ts';
import { findProgram } from './find-program.ts';
import { postRequest } from './load.ts';
import { endProgram, freePort } from './program.ts';
import type { Scratch } from './scratch.ts';
import { firstDigits, sampleText } from './send-cast.ts';
import { say } from './tables.ts';

/** What others would build a texting service on: Fastify, and a queue of jobs that its own process works off. */
export type Peer = {
  name: string;
  port: number;
  requests: Buffer[];
  /** Texts that were accepted and not handed over yet. */
  waiting(): Promise<number>;
  /** Of the program and Redis, and of PostgreSQL. */
  cpu(): Promise<CpuTime | undefined>;
  stop(): Promise<void>;
};

/** Where a peer keeps its jobs. */
type Keeping = { url: string; cpu(pid: number): Promise<CpuTime | undefined> };

const packages = { bullmq: '6.7.0', ioredis: '6.0.0', 'graphile-worker': '0.18.0' };
const promises = {
  bullmq: 'Redis, written to disk once a second: what it accepted in the last second is lost with the machine',
  'graphile-worker': 'PostgreSQL, as durable as ours',
};
const neither = 'no consent, no STOP, no archive, no order, no receipt, no attempt on record before it begins';
const json = { 'content-type': 'application/json' };
const program = fileURLToPath(new URL('peer-server.ts', import.meta.url));
const redis = findProgram('redis-server');
const startMsMax = 20_000;
const pollMs = 50;

/** Installs them for the bench alone, in a folder that stays: the product doesn't depend on them. */
export async function startPeers(scratch: Scratch, databaseUrl: string, owner: pg.Client): Promise<Peer[]> {
  const folder = join(tmpdir(), 'assent-peers');
  if (!Object.keys(packages).every((each) => existsSync(join(folder, 'node_modules', each)))) {
    mkdirSync(folder, { recursive: true });
    const wanted = Object.entries(packages).map((each) => each.join('@'));
    await promisify(execFile)('npm', ['install', '--no-audit', '--no-fund', '--prefix', folder, ...wanted]);
  }
  if (!redis) say('Redis is not installed (Debian: redis-server), so BullMQ is not measured.');
  for (const [name, promise] of Object.entries(promises)) say(`${name}: ${promise}; ${neither}.`);
  return [
    ...(redis ? [await start(scratch, folder, 'bullmq', await startRedis(scratch, redis))] : []),
    await start(scratch, folder, 'graphile-worker', {
      url: databaseUrl,
      cpu: (pid) => cpuTime([pid], owner),
    }),
  ];
}

async function start(scratch: Scratch, folder: string, name: string, keeping: Keeping): Promise<Peer> {
  const port = await freePort();
  const { pid, stop, hasEnded } = run(scratch, process.execPath, [program, name, folder, keeping.url, String(port)]);
  const waiting = async () => Number(await (await fetch(`http://127.0.0.1:${port}/waiting`)).text());
  await until(async () => hasEnded() || (await waiting()) >= 0);
  if (hasEnded()) throw new Error(`${name} ended at once.`);
  return {
    name,
    port,
    requests: [postRequest('/texts', json, { phone: `+${firstDigits}`, text: sampleText })],
    waiting,
    cpu: () => keeping.cpu(pid),
    stop,
  };
}

async function startRedis(scratch: Scratch, redis: string): Promise<Keeping> {
  const port = await freePort();
  const settings = ['--port', port, '--bind', '127.0.0.1', '--dir', scratch.folder];
  const durable = ['--appendonly', 'yes', '--appendfsync', 'everysec', '--save', ''];
  const { pid: own } = run(scratch, redis, [...settings, ...durable].map(String));
  return { url: `redis://127.0.0.1:${port}`, cpu: async (pid) => cpuTimeOf([pid, own], []) };
}

function run(scratch: Scratch, command: string, args: string[]) {
  const child = spawn(command, args, { stdio: ['ignore', 'ignore', 'inherit'] });
  const { stop } = scratch.owns(() => endProgram(child));
  return { pid: child.pid ?? -1, stop, hasEnded: () => child.exitCode !== null };
}

async function until(holds: () => Promise<boolean>): Promise<void> {
  for (const deadline = Date.now() + startMsMax; !(await holds().catch(() => false)); await pause(pollMs))
    if (Date.now() > deadline) throw new Error('A peer did not start.');
}

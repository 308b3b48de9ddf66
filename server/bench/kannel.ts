import { type ChildProcess, spawn } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { findProgram } from './find-program.ts';
import { endProgram, freePort } from './program.ts';
import type { Scratch } from './scratch.ts';
import { firstDigits, sampleText } from './send-cast.ts';

/**
 * Kannel, an SMS gateway in C: no consent, no archive, and nothing on disk. Its `smsbox` takes texts over HTTP, its
 * `bearerbox` keeps them in memory and hands them to the fake SMSC that comes with it.
 */
export type Kannel = {
  port: number;
  requests: Buffer[];
  /** How many texts wait in memory. */
  queued(): Promise<number>;
  /** Connects the fake SMSC, which takes what is queued. */
  handOver(): Promise<void>;
  stop(): Promise<void>;
};

const programs = {
  bearerbox: findProgram('bearerbox', '/usr/sbin'),
  smsbox: findProgram('smsbox', '/usr/sbin'),
  fakesmsc: findProgram('fakesmsc', '/usr/lib/kannel/test'),
};
export const hasKannel = Object.values(programs).every((program) => program !== null);

const password = 'bench';
const startMsMax = 20_000;
const pollMs = 50;

export async function startKannel(scratch: Scratch): Promise<Kannel> {
  const [admin = 0, boxes = 0, carrier = 0, port = 0] = await Promise.all(Array.from({ length: 4 }, freePort));
  const folder = join(scratch.folder, `kannel-${port}`);
  mkdirSync(folder);
  const file = join(folder, 'kannel.conf');
  writeFileSync(file, configuration({ admin, boxes, carrier, port }));
  const running: ChildProcess[] = [];
  const run = (name: keyof typeof programs, args: string[]) => {
    running.push(spawn(programs[name] ?? '', ['-v', '4', ...args], { stdio: 'ignore', cwd: folder }));
  };
  const { stop } = scratch.owns(async () => {
    for (const program of running.reverse()) await endProgram(program);
  });
  const status = async () =>
    (await fetch(`http://127.0.0.1:${admin}/status.txt?password=${password}`)).text().catch(() => '');

  run('bearerbox', [file]);
  await until(async () => (await status()).includes('Status: running'));
  run('smsbox', [file]);
  await until(async () => (await fetch(`http://127.0.0.1:${port}/`)).status > 0);
  return {
    port,
    requests: [request()],
    queued: async () => Number(/SMS: received .* sent \d+ \((\d+) queued\)/.exec(await status())?.[1]),
    async handOver() {
      // It sends one text itself, and then takes what comes.
      run('fakesmsc', ['-H', '127.0.0.1', '-r', String(carrier), '-i', '1000000', '-m', '1', '1 2 text hello']);
      await until(async () => (await status()).includes('(online'));
    },
    stop,
  };
}

function configuration(ports: Record<'admin' | 'boxes' | 'carrier' | 'port', number>): string {
  return `group = core
admin-port = ${ports.admin}
admin-password = ${password}
status-password = ${password}
smsbox-port = ${ports.boxes}
box-allow-ip = 127.0.0.1
log-level = 4

group = smsc
smsc = fake
smsc-id = fake
port = ${ports.carrier}
connect-allow-ip = 127.0.0.1

group = smsbox
bearerbox-host = 127.0.0.1
sendsms-port = ${ports.port}
log-level = 4

group = sendsms-user
username = ${password}
password = ${password}
`;
}

function request(): Buffer {
  const query = new URLSearchParams({
    username: password,
    password,
    from: '+15005552000',
    to: `+${firstDigits}`,
    text: sampleText,
  });
  return Buffer.from(`GET /cgi-bin/sendsms?${query} HTTP/1.1\r\nhost: localhost\r\n\r\n`);
}

async function until(holds: () => Promise<boolean>): Promise<void> {
  for (const deadline = Date.now() + startMsMax; !(await holds().catch(() => false)); await pause(pollMs))
    if (Date.now() > deadline) throw new Error('Kannel did not start.');
}

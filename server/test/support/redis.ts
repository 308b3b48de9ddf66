import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { connect } from 'node:net';
import { freePort } from './programs.ts';
import { until } from './waiting.ts';

const program = '/usr/bin/redis-server';
export const skip = existsSync(program) ? false : `there is no ${program}`;

/** A real Redis, which keeps nothing on disk. */
export type Redis = {
  url: string;
  /** It hangs: connections stay open, and nothing is answered. */
  hang(): void;
  goOn(): void;
  goDown(): Promise<void>;
  comeBack(): Promise<void>;
};

export async function startRedis(): Promise<Redis> {
  const port = await freePort();
  let child: ChildProcess;
  const kill = () => void child.kill('SIGKILL');
  process.once('exit', kill);

  async function start(): Promise<void> {
    const settings = ['--port', String(port), '--bind', '127.0.0.1', '--save', '', '--appendonly', 'no'];
    child = spawn(program, settings, { stdio: 'ignore' });
    await until('Redis listens', () => isListening(port));
  }

  await start();
  return {
    url: `redis://127.0.0.1:${port}`,
    hang: () => void child.kill('SIGSTOP'),
    goOn: () => void child.kill('SIGCONT'),
    async goDown() {
      const ended = new Promise((resolve) => child.once('exit', resolve));
      kill();
      await ended;
    },
    comeBack: start,
  };
}

function isListening(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1');
    socket.once('connect', () => resolve(true)).once('error', () => resolve(false));
    socket.once('connect', () => socket.destroy());
  });
}

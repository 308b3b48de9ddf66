import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { until } from './waiting.ts';

const program = '/usr/sbin/haproxy';
export const skip = existsSync(program) ? false : `there is no ${program}`;

/** Debian's HAProxy, which gives each request to one of the nodes that are ready. */
export type Haproxy = { port: number; stop(): Promise<void> };

/** The interval of its checks. It gives a node up after two, so STOP_GRACE_MS of the nodes has to be longer than that. */
export const checkMs = 200;

export async function startHaproxy(folder: string, port: number, nodes: number[]): Promise<Haproxy> {
  const file = join(folder, 'haproxy.cfg');
  writeFileSync(file, configuration(port, nodes));
  const child: ChildProcess = spawn(program, ['-db', '-f', file], { stdio: ['ignore', 'ignore', 'pipe'] });
  let said = '';
  child.stderr?.setEncoding('utf8').on('data', (text) => {
    said += text;
  });
  const ended = new Promise<void>((resolve) => child.once('exit', () => resolve()));
  process.once('exit', () => child.kill('SIGKILL'));
  await until('a node is ready behind HAProxy', async () => {
    if (child.exitCode !== null) throw new Error(`HAProxy ended: ${said}`);
    const answer = await fetch(`http://127.0.0.1:${port}/healthz`).catch(() => null);
    await answer?.body?.cancel();
    return answer?.status === 200;
  });
  return {
    port,
    async stop() {
      child.kill('SIGKILL');
      await ended;
    },
  };
}

/** The same as deploy/haproxy/haproxy.cfg, but for the addresses and the pace of the checks. */
function configuration(port: number, nodes: number[]): string {
  return `
global
  maxconn 2000
defaults
  mode http
  timeout connect 2s
  timeout client 60s
  timeout server 30s
  timeout check 10s
  timeout queue 5s
  option redispatch 1
  retries 3
frontend api
  bind 127.0.0.1:${port}
  default_backend nodes
backend nodes
  balance roundrobin
  option httpchk
  http-check send meth GET uri /readyz
  http-check expect status 200
  default-server check inter ${checkMs}ms fall 2 rise 1
${nodes.map((node, index) => `  server node${index + 1} 127.0.0.1:${node}\n`).join('')}`;
}

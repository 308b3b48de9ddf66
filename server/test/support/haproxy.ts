import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import pg from 'pg';
import { root } from '../../src/config.ts';
import { until } from './waiting.ts';

const program = '/usr/sbin/haproxy';
export const skip = existsSync(program) ? false : `there is no ${program}`;

/** Debian's HAProxy. */
export type Haproxy = { port: number; stop(): Promise<void> };

/** The interval of its checks. It gives a node up after two, so STOP_GRACE_MS of the nodes has to be longer than that. */
export const checkMs = 200;

/** It gives each request to one of the nodes that are ready. */
export async function startHaproxy(folder: string, port: number, nodes: number[]): Promise<Haproxy> {
  return start(join(folder, 'haproxy.cfg'), configuration(port, nodes), port, async () => {
    const answer = await fetch(`http://127.0.0.1:${port}/healthz`).catch(() => null);
    await answer?.body?.cancel();
    return answer?.status === 200;
  });
}

/** It passes connections on to the one of these servers that is the primary, by deploy/haproxy/postgresql.cfg. */
export async function startPostgresProxy(folder: string, port: number, servers: number[]): Promise<Haproxy> {
  const given = readFileSync(join(root, 'deploy/haproxy/postgresql.cfg'), 'utf8');
  const ours = given
    .replace('bind :5432', `bind 127.0.0.1:${port}`)
    .replace(/server db(\d) .*/g, (_, number) => `server db${number} 127.0.0.1:${servers[number - 1]}`);
  const isPrimary = async () => {
    const client = new pg.Client({ host: '127.0.0.1', port, user: 'haproxy', database: 'postgres' });
    try {
      await client.connect();
      return (await client.query('select pg_is_in_recovery() as is')).rows[0].is === false;
    } catch {
      return false;
    } finally {
      await client.end().catch(() => {});
    }
  };
  // Until it has asked them, it takes each for the primary, in turn.
  return start(join(folder, 'postgresql.cfg'), ours, port, async () => {
    for (let tries = 0; tries < 2 * servers.length; tries++) if (!(await isPrimary())) return false;
    return true;
  });
}

async function start(file: string, text: string, port: number, isReady: () => Promise<boolean>): Promise<Haproxy> {
  writeFileSync(file, text);
  const child: ChildProcess = spawn(program, ['-db', '-f', file], { stdio: ['ignore', 'ignore', 'pipe'] });
  let said = '';
  child.stderr?.setEncoding('utf8').on('data', (text) => {
    said += text;
  });
  const ended = new Promise<void>((resolve) => child.once('exit', () => resolve()));
  process.once('exit', () => child.kill('SIGKILL'));
  await until('something is ready behind HAProxy', () => {
    if (child.exitCode !== null) throw new Error(`HAProxy ended: ${said}`);
    return isReady();
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

import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, statfsSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { checkMs, startHaproxy, startPostgresProxy } from '../test/support/haproxy.ts';
import { keepAttempts } from '../test/support/instants.ts';
import { type DataFolder, freePort, makeDataFolder, type Program, startServer } from '../test/support/programs.ts';
import { type Redis, startRedis } from '../test/support/redis.ts';
import { type ReplicatedPostgres, startReplicatedPostgres } from '../test/support/replicated-postgres.ts';
import { credentialsKey } from '../test/support/world.ts';
import { connectSmsc, type SmscOptions } from './commands.ts';
import { type Links, startLinks } from './links.ts';
import { type Phones, startPhones } from './phones.ts';

type Env = Record<string, string>;

/** One process that answers or works, which can be replaced. */
export type Node = { name: string; role: 'api' | 'work'; env: Env; program: Program };

/**
 * Nodes that answer behind HAProxy and nodes that work, with a replicated PostgreSQL behind another, Redis and an SMSC, and a link at every place
 * between them: `database`, `nodes` and `carrier`.
 */
export type Fleet = {
  origin: string;
  env: Env;
  databaseUrl(): string;
  folder: DataFolder;
  nodes: Node[];
  postgres: ReplicatedPostgres;
  redis: Redis;
  links: Links;
  phones: Phones;
  /** The disk of the first PostgreSQL. Null where it can't be mounted. */
  disk: SmallDisk | null;
  stop(): Promise<void>;
};

export type FleetOptions = {
  api: number;
  work: number;
  settings?: Record<string, string>;
  diskMegabytes?: number;
  carrierTimeoutMs?: number;
  smsc?: Pick<SmscOptions, 'window' | 'times'>;
};

/** The lease of a text that was being handed over ends a little after this. */
const carrierTimeoutMsDefault = 2_000;
const smscDefault = { window: 50 };
const boundMs = 60_000;
const startMs = 300_000;

export async function startFleet({
  api,
  work,
  settings = {},
  diskMegabytes,
  carrierTimeoutMs = carrierTimeoutMsDefault,
  smsc = smscDefault,
}: FleetOptions): Promise<Fleet> {
  const stops: (() => Promise<unknown> | unknown)[] = [];
  const stop = async () => {
    for (const each of stops.reverse()) await each();
  };
  try {
    const folder = makeDataFolder();
    stops.push(() => folder.remove());
    const disk = diskMegabytes ? mountDisk(diskMegabytes) : null;
    if (disk) stops.push(disk.remove);
    const postgres = await startReplicatedPostgres({ settings, ...(disk && { folder: disk.path }) });
    stops.push(() => postgres.stop());
    await postgres.primary().query('create database assent');
    await postgres.primary().query('create role haproxy login');
    const databasePort = await freePort();
    const postgresProxy = await startPostgresProxy(folder.path, databasePort, postgres.ports);
    stops.push(() => postgresProxy.stop());
    const redis = await startRedis();
    stops.push(() => redis.goDown());
    const links = startLinks();
    stops.push(() => links.stop());
    const phones = await startPhones();
    stops.push(() => phones.stop());

    const front = await freePort();
    const origin = `http://localhost:${front}`;
    const env = {
      ASSENT_DATA_DIR: folder.path,
      PUBLIC_URL: origin,
      CREDENTIALS_KEY: credentialsKey,
      REDIS_URL: redis.url,
      CARRIER_TIMEOUT_MS: String(carrierTimeoutMs),
      STOP_GRACE_MS: String(5 * checkMs),
      LOG_LEVEL: 'error',
    };
    const nodes: Node[] = [];
    stops.push(() => Promise.all(nodes.map(({ program }) => program.hasEnded() || program.stop('SIGKILL'))));
    const start = (index: number) => startNode(index < api ? 'api' : 'work', index, env, { links, databasePort });
    // The first one migrates.
    nodes.push(await start(0));
    const others = await Promise.allSettled(Array.from({ length: api + work - 1 }, (_, index) => start(index + 1)));
    for (const each of others) if (each.status === 'fulfilled') nodes.push(each.value);
    for (const each of others) if (each.status === 'rejected') throw each.reason;
    const ports = [];
    for (const { role, program } of nodes) if (role === 'api') ports.push(await links.open('nodes', program.port));
    const haproxy = await startHaproxy(folder.path, front, ports);
    stops.push(() => haproxy.stop());

    const databaseUrl = () => `postgres://assent@127.0.0.1:${postgres.primary().port}/assent`;
    const ofCommands = { ...env, DATABASE_URL: databaseUrl() };
    await connectSmsc(ofCommands, {
      port: await links.open('carrier', phones.port),
      ...smsc,
      // Every number goes by the SMSC.
      numbers: folder.sandbox().advisors.flatMap(({ textingNumber }) => textingNumber ?? []),
      boundMs,
    });
    await postgres.primary().query('update api_keys set rate_per_second = null, burst = null', 'assent');
    await postgres.primary().query(keepAttempts, 'assent');
    return { origin, env, databaseUrl, folder, nodes, postgres, redis, links, phones, disk, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

async function startNode(
  role: Node['role'],
  index: number,
  shared: Env,
  { links, databasePort }: { links: Links; databasePort: number },
): Promise<Node> {
  const env = {
    ...shared,
    ROLE: role,
    PORT: String(await ownPort()),
    DATABASE_URL: `postgres://assent@127.0.0.1:${await links.open('database', databasePort)}/assent`,
  };
  return { name: `${role} ${index + 1}`, role, env, program: await startServer(env, undefined, startMs) };
}

/** Below the ports that the system gives to anybody: while a node is dead, nobody takes its port. */
async function ownPort(): Promise<number> {
  for (;;) {
    const port = 12_000 + Math.floor(Math.random() * 18_000);
    const server = createServer();
    const isFree = await new Promise<boolean>((resolve) =>
      server
        .once('error', () => resolve(false))
        .once('listening', () => resolve(true))
        .listen(port, '127.0.0.1'),
    );
    if (!isFree) continue;
    await new Promise((resolve) => server.close(resolve));
    return port;
  }
}

export type SmallDisk = { path: string; fill(): void; free(): void; remove(): void };

function mountDisk(megabytes: number): SmallDisk | null {
  const path = mkdtempSync(join(tmpdir(), 'assent-disk-'));
  const mounted = spawnSync('mount', ['-t', 'tmpfs', '-o', `size=${megabytes}m,mode=711`, 'tmpfs', path]).status === 0;
  if (!mounted) rmSync(path, { recursive: true });
  const ballast = join(path, 'ballast');
  return mounted
    ? {
        path,
        fill() {
          const { bavail, bsize } = statfsSync(path);
          spawnSync('fallocate', ['-l', String(bavail * bsize), ballast]);
        },
        free: () => rmSync(ballast, { force: true }),
        remove() {
          spawnSync('umount', ['-l', path]);
          rmSync(path, { recursive: true, force: true });
        },
      }
    : null;
}

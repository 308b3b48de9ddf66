import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { appendFileSync, chmodSync, chownSync, existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import pg from 'pg';
import { postgresUser } from './debian-postgres.ts';
import { freePort } from './programs.ts';
import { until } from './waiting.ts';

const bin = '/usr/lib/postgresql/15/bin';

/** One PostgreSQL server. While it is wanted, it is started again whenever it ends, as an operator's service manager would. */
export type PostgresServer = {
  port: number;
  start(): Promise<void>;
  /** SIGQUIT is PostgreSQL's immediate shutdown: what was written to no file is lost. */
  end(signal?: NodeJS.Signals): Promise<void>;
  /** As a superuser. */
  query<Row extends object>(sql: string, database?: string): Promise<Row[]>;
};

/** A primary and its synchronous standby: every commit is on both before it is answered. */
export type ReplicatedPostgres = {
  ports: number[];
  primary(): PostgresServer;
  /** Kills the primary and promotes the standby. From then on there is one server, until `rejoin`. */
  failOver(signal?: NodeJS.Signals): Promise<void>;
  /** Makes the old primary a synchronous standby of the new one. */
  rejoin(): Promise<void>;
  stop(): Promise<void>;
};

export type ReplicationOptions = {
  settings?: Record<string, string>;
  /** Where the first server keeps its files, instead of a temporary folder: a small disk, for example. */
  folder?: string;
};

const startMs = 60_000;
const restartMs = 100;

export async function startReplicatedPostgres(options: ReplicationOptions = {}): Promise<ReplicatedPostgres> {
  const user = postgresUser();
  const settings = { max_connections: '300', wal_keep_size: '256MB', jit: 'off', ...options.settings };
  const [first, second] = [await makeServer(user, settings, options.folder), await makeServer(user, settings)] as const;
  let [primary, standby] = [first, second];
  first.initialize();
  await first.start();

  async function join(): Promise<void> {
    standby.copyFrom(primary.port);
    await standby.start();
    await primary.query(`alter system set synchronous_standby_names = '*'`);
    await primary.query('select pg_reload_conf()');
    const isSynchronous = async () =>
      (await primary.query(`select from pg_stat_replication where sync_state = 'sync'`)).length > 0;
    await until('the standby is synchronous', isSynchronous, startMs, 50);
  }

  await join();
  return {
    ports: [first.port, second.port],
    primary: () => primary,
    async failOver(signal = 'SIGQUIT') {
      await primary.end(signal);
      await standby.query('select pg_promote()');
      [primary, standby] = [standby, primary];
    },
    rejoin: join,
    async stop() {
      for (const server of [standby, primary]) {
        await server.end();
        server.remove();
      }
    },
  };
}

type User = { uid: number; gid: number } | undefined;
type OwnServer = PostgresServer & { initialize(): void; copyFrom(port: number): void; pid(): number; remove(): void };

export async function makeServer(
  user: User,
  settings: Record<string, string>,
  given?: string,
  env: Record<string, string> = {},
): Promise<OwnServer> {
  const folder = given ?? mkdtempSync(join(tmpdir(), 'assent-replicated-'));
  chmodSync(folder, 0o711);
  if (user) chownSync(folder, user.uid, user.gid);
  const data = join(folder, 'data');
  const port = await freePort();
  const surroundings = { ...user, cwd: folder, env: { LC_ALL: 'C', PATH: '/usr/bin:/bin' } };
  let child: ChildProcess | undefined;
  let isWanted = false;

  function run(program: string, args: string[]): void {
    const { status, stderr } = spawnSync(`${bin}/${program}`, args, { ...surroundings, encoding: 'utf8' });
    if (status !== 0) throw new Error(`${program} failed: ${stderr}`);
  }

  function launch(): void {
    const all = { ...settings, port, listen_addresses: '127.0.0.1', unix_socket_directories: folder };
    const args = Object.entries(all).flatMap(([name, value]) => ['-c', `${name}=${value}`]);
    const launched = spawn(`${bin}/postgres`, ['-D', data, ...args], {
      ...surroundings,
      env: { ...surroundings.env, ...env },
      stdio: 'ignore',
    });
    child = launched;
    launched.once('exit', async () => {
      await pause(restartMs);
      // It may have been started again meanwhile.
      if (isWanted && child === launched) launch();
    });
  }

  async function query<Row extends object>(sql: string, database = 'postgres'): Promise<Row[]> {
    const client = new pg.Client({ host: folder, port, user: 'assent', database, connectionTimeoutMillis: 5_000 });
    client.on('error', () => {});
    await client.connect();
    return client
      .query<Row>(sql)
      .then(({ rows }) => rows)
      .finally(() => client.end());
  }

  const server: OwnServer = {
    port,
    query,
    initialize() {
      run('initdb', ['-D', data, '-U', 'assent', '-E', 'UTF8', '--locale=C.UTF-8', '--auth=trust', '-N']);
      writeFileSync(
        join(data, 'pg_hba.conf'),
        'local all all trust\nhost all all all trust\nhost replication all all trust\n',
      );
    },
    copyFrom(from) {
      rmSync(data, { recursive: true, force: true });
      run('pg_basebackup', [
        '-h',
        '127.0.0.1',
        '-p',
        String(from),
        '-U',
        'assent',
        '-D',
        data,
        '-R',
        '-N',
        '-c',
        'fast',
      ]);
      // Once promoted, it waits for nobody until another standby has joined.
      appendFileSync(join(data, 'postgresql.auto.conf'), `synchronous_standby_names = ''\n`);
    },
    async start() {
      isWanted = true;
      launch();
      const answers = () =>
        query('select 1').then(
          () => true,
          () => false,
        );
      await until('PostgreSQL answers', answers, startMs, 50);
    },
    async end(signal = 'SIGQUIT') {
      isWanted = false;
      const isRunning = child && child.exitCode === null && child.signalCode === null;
      if (!isRunning) return;
      const gone = new Promise((resolve) => child?.once('exit', resolve));
      child?.kill(signal);
      await gone;
    },
    pid: () => child?.pid ?? -1,
    remove: () => given ?? rmSync(folder, { recursive: true, force: true, maxRetries: 10 }),
  };
  process.once('exit', () => child?.kill('SIGQUIT'));
  return server;
}

export const skip = existsSync(`${bin}/pg_basebackup`) ? false : `there is no ${bin}/pg_basebackup`;

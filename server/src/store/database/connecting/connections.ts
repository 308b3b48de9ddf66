import pg from 'pg';
import { DatabaseBusy, isBroken, isMisplaced, kindOf, translated } from '../errors.ts';
import { setColumnParsers } from './column-values.ts';
import { type Column, describe } from './description.ts';

export type ConnectionOptions = {
  connectionString: string;
  timeoutMs: number;
  /** The restricted role that every statement runs as. Migrations leave it out and run as the owner. */
  role?: string;
  /** Idle connections stay open: when the server has no more to give, these are there. */
  keepOpen?: boolean;
  /** Statements are sent without waiting for the one before. */
  pipeline?: boolean;
  onError?: (error: Error) => void;
};

export type Statement = { text: string; values?: unknown[]; name?: string };

const waitingPerConnectionMax = 100;
/** Every search reads the list of contacts that are not in their index yet, so it stays short. */
const searchListLimit = 'gin_pending_list_limit=512kB';

/**
 * Compiling a statement that takes milliseconds takes seconds, and PostgreSQL thinks that it pays: on a server with its default
 * settings, writing outcomes timed out on a busy machine.
 */
const withoutCompiler = 'jit=off';

setColumnParsers();

/** Of each connection: which run of the server it belongs to, and when it was opened. */
const known = new WeakMap<pg.ClientBase, { run: string; atMs: number }>();
/** When a server last let a statement wait beyond its timeout: all pools of a process share what they find out. */
const silentAtMs = new Map<string | undefined, number>();
/** A connection that nobody uses notices a server that vanished after this and ten seconds more. */
const keepAliveInitialDelayMillis = 5_000;

/** Connections with these settings of the planner. */
export function makeConnections(options: ConnectionOptions, size: number, planning: string[]): pg.Pool {
  const pool = new pg.Pool({
    connectionString: options.connectionString,
    onConnect: learnRun,
    max: size,
    pipeline: options.pipeline ?? false,
    connectionTimeoutMillis: options.timeoutMs,
    idleTimeoutMillis: options.keepOpen ? 0 : 60_000,
    statement_timeout: options.timeoutMs,
    lock_timeout: options.timeoutMs,
    // A server that vanished (a pulled cable) never answers, so the driver gives up shortly after the server would have.
    query_timeout: options.timeoutMs + 1_000,
    idle_in_transaction_session_timeout: 60_000,
    keepAlive: true,
    keepAliveInitialDelayMillis,
    application_name: 'assent',
    options: [...planning, searchListLimit, withoutCompiler, ...(options.role ? [`role=${options.role}`] : [])]
      .map((setting) => `-c ${setting}`)
      .join(' '),
  });
  // A connection that dies must not kill the process: the next query replaces an idle one, and a query that is running
  // on one fails. While the pool ends, its connections may notice first that the server is stopping too.
  pool.on('error', (error) => pool.ending || options.onError?.(error));
  pool.on('connect', (client) => client.on('error', () => {}));
  return pool;
}

/**
 * A transaction's id names it in one run of the server only: after a crash or a failover another transaction may get the same id.
 * Its statistics begin anew with each run, even if the first of its processes lives on.
 */
async function learnRun(client: pg.ClientBase): Promise<void> {
  const { rows } = await client.query<{ run: string }>(
    `select concat_ws(' ', pg_postmaster_start_time(), stats_reset) as run from pg_stat_bgwriter`,
  );
  const [{ run }] = rows as [(typeof rows)[0]];
  known.set(client, { run, atMs: performance.now() });
}

export function runOf(client: pg.ClientBase): string {
  return known.get(client)?.run ?? '';
}

export async function acquire(pool: pg.Pool): Promise<pg.PoolClient> {
  const { max } = pool.options;
  if (pool.waitingCount >= max * waitingPerConnectionMax) throw new DatabaseBusy('Too many requests are waiting.');
  try {
    return await connectIn(pool);
  } catch (error) {
    if (kindOf(error) === 'timeout' && pool.totalCount >= max)
      throw new DatabaseBusy('No connection became free.', { cause: error });
    throw translated(error);
  }
}

/** Passes over connections from before the server fell silent: each would cost somebody a timeout. */
export async function connectIn(pool: pg.Pool): Promise<pg.PoolClient> {
  for (;;) {
    const client = await pool.connect();
    if ((known.get(client)?.atMs ?? 0) >= (silentAtMs.get(pool.options.connectionString) ?? 0)) return client;
    client.release(true);
  }
}

/** Whether a connection is useless after an error. If it fell silent, so did the others that are as old. */
export function breaks(pool: pg.Pool, error: unknown): boolean {
  const isUseless = isBroken(error) || isMisplaced(error);
  if (isUseless && kindOf(error) === 'timeout') silentAtMs.set(pool.options.connectionString, performance.now());
  return isUseless;
}

/** Opens every connection that the pool may have. */
export async function openAll(pool: pg.Pool): Promise<void> {
  await Promise.all(Array.from({ length: pool.options.max }, () => queryOn(pool, { text: 'select' })));
}

/** One statement on a connection of its own. */
export async function queryOn<Row extends object>(pool: pg.Pool, statement: Statement): Promise<Row[]> {
  return onConnection(pool, async (client) => (await send<Row>(client, statement)).rows);
}

/** Pipelined statements of one turn leave in one write: the driver makes one for each. */
export function send<Row extends object>(client: pg.PoolClient, statement: Statement): Promise<pg.QueryResult<Row>> {
  if (client.pipeline) {
    const { stream } = client.connection;
    stream.cork();
    process.nextTick(() => stream.uncork());
  }
  return client.query<Row>(statement);
}

export async function describeOn(pool: pg.Pool, text: string): Promise<Column[] | null> {
  return onConnection(pool, (client) => describe(client, text));
}

async function onConnection<Result>(pool: pg.Pool, work: (client: pg.PoolClient) => Promise<Result>): Promise<Result> {
  const client = await acquire(pool);
  let broken = false;
  try {
    return await work(client);
  } catch (error) {
    broken = breaks(pool, error);
    throw translated(error);
  } finally {
    client.release(broken);
  }
}

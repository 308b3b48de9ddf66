import { setTimeout as pause } from 'node:timers/promises';
import pg from 'pg';
import { type Batch, coalescer } from './coalescer.ts';

/** What the store speaks to: the pool, or one transaction of it. */
export type Db = {
  /** Rows of one statement. A name makes it a prepared statement, worth it for what runs on every request. */
  query<Row extends object>(text: string, values?: unknown[], name?: string): Promise<Row[]>;
  /** One transaction; called on a transaction, the work joins it. */
  transaction<Result>(work: (db: Transaction) => Promise<Result>): Promise<Result>;
  /** One item's share of a batch: with others that come meanwhile on the pool, alone in a transaction that is open. */
  batch<Item, Result>(batch: Batch<Item, Result>, item: Item): Promise<Result>;
  /** Runs once what was done so far is committed: at once, or at the end of the transaction. */
  afterCommit(work: () => void): void;
};

/** A transaction, which can also undo a part of itself. */
export type Transaction = Db & { savepoint<Result>(work: () => Promise<Result>): Promise<Result> };

export type Pool = Db & {
  counts(): { total: number; idle: number; waiting: number };
  end(): Promise<void>;
};

/** The database can't be reached, and nothing was committed. */
export class DatabaseUnavailable extends Error {}
/** A statement, a lock or a connection took too long, and nothing was committed. */
export class DatabaseTimeout extends Error {}
/** More requests wait for a connection than can be served soon. */
export class DatabaseBusy extends Error {}
/** The connection broke during a commit, and in settleMs nobody could say whether it took effect. */
export class OutcomeUnknown extends Error {}

export type PoolOptions = {
  connectionString: string;
  size: number;
  timeoutMs: number;
  /** The restricted role that every statement runs as; migrations leave it out and run as the owner. */
  role?: string;
  /** How long the outcome of a commit is looked for when its answer was lost. */
  settleMs?: number;
  onError?: (error: Error) => void;
};

const settleMsDefault = 10_000;
const settlePauseMs = 200;
const waitingPerConnectionMax = 100;
const batchConnectionsMax = 4;
const conflictRetriesMax = 3;
const conflictPauseMs = 50;

// Ids and counts stay below 2^53, so they are numbers; a date is the contract's own string and stays one.
pg.types.setTypeParser(pg.types.builtins.INT8, Number);
pg.types.setTypeParser(pg.types.builtins.DATE, (value) => value);

export function connect(options: PoolOptions): Pool {
  const { settleMs = settleMsDefault } = options;
  const pool = makePool(options, options.size, 'enable_seqscan');
  // A batch is a list joined to tables, one index lookup for each item. Of a table that was never analyzed the planner
  // believes otherwise, and 64 lookups took 32 ms instead of 1.
  const batchPool = makePool(
    options,
    Math.min(batchConnectionsMax, options.size),
    'enable_seqscan',
    'enable_hashjoin',
    'enable_mergejoin',
    'enable_bitmapscan',
    'enable_sort',
  );

  async function acquire(from: pg.Pool): Promise<pg.PoolClient> {
    const { max } = from.options;
    if (from.waitingCount >= max * waitingPerConnectionMax) throw new DatabaseBusy('Too many requests wait.');
    try {
      return await from.connect();
    } catch (error) {
      if (kindOf(error) === 'timeout' && from.totalCount >= max)
        throw new DatabaseBusy('No connection became free.', { cause: error });
      throw translated(error);
    }
  }

  async function query<Row extends object>(text: string, values?: unknown[], name?: string): Promise<Row[]> {
    const client = await acquire(pool);
    let broken = false;
    try {
      return (await client.query<Row>({ text, values, name })).rows;
    } catch (error) {
      broken = isBroken(error);
      throw translated(error);
    } finally {
      client.release(broken);
    }
  }

  async function transactionFrom<Result>(from: pg.Pool, work: (db: Transaction) => Promise<Result>): Promise<Result> {
    for (let attempt = 1; ; attempt++) {
      try {
        return await transactionOnce(from, work);
      } catch (error) {
        if (attempt > conflictRetriesMax || kindOf(error) !== 'conflict') throw error;
        // Back at once, the one that gave way could overtake the other and meet it again.
        await pause(Math.random() * conflictPauseMs * attempt);
      }
    }
  }

  async function transactionOnce<Result>(from: pg.Pool, work: (db: Transaction) => Promise<Result>): Promise<Result> {
    const client = await acquire(from);
    const afterCommit: (() => void)[] = [];
    let broken = false;
    let committing: { xid: string; result: Result } | undefined;
    try {
      const xid = await begin(client);
      const result = await work(transactionOn(client, afterCommit));
      committing = { xid, result };
      await client.query('commit');
    } catch (error) {
      broken = isBroken(error) || !(await rolledBack(client));
      if (!committing || !isBroken(error)) throw translated(error);
      await settle(committing.xid, error);
    } finally {
      client.release(broken);
    }
    for (const run of afterCommit) run();
    return committing.result;
  }

  /** The answer to a commit was lost. PostgreSQL remembers how each transaction ended, so ask it. */
  async function settle(xid: string, cause: unknown): Promise<void> {
    for (const deadline = Date.now() + settleMs; Date.now() < deadline; await pause(settlePauseMs)) {
      const late = pause(deadline - Date.now(), undefined, { ref: false });
      const status = await Promise.race([outcomeOf(xid), late]);
      if (status === 'committed') return;
      if (status === 'aborted') throw new DatabaseUnavailable('The connection broke.', { cause });
    }
    throw new OutcomeUnknown('The connection broke during a commit.', { cause });
  }

  async function outcomeOf(xid: string): Promise<string | undefined> {
    const [row] = await query<{ status: string }>('select pg_xact_status($1::xid8) as status', [xid]).catch(() => []);
    return row?.status;
  }

  return {
    query,
    transaction: (work) => transactionFrom(pool, work),
    batch: coalescer((work) => transactionFrom(batchPool, work), {
      isDataError,
      whenFull: () => new DatabaseBusy('Too many requests wait.'),
    }),
    afterCommit: (work) => work(),
    counts: () => ({ total: pool.totalCount, idle: pool.idleCount, waiting: pool.waitingCount }),
    end: async () => void (await Promise.all([pool.end(), batchPool.end()])),
  };
}

function makePool(options: PoolOptions, size: number, ...off: string[]): pg.Pool {
  const pool = new pg.Pool({
    connectionString: options.connectionString,
    max: size,
    connectionTimeoutMillis: options.timeoutMs,
    idleTimeoutMillis: 60_000,
    statement_timeout: options.timeoutMs,
    lock_timeout: options.timeoutMs,
    // A server that vanished (a pulled cable) never answers: the driver gives up a little after the server would have.
    query_timeout: options.timeoutMs + 1_000,
    idle_in_transaction_session_timeout: 60_000,
    application_name: 'assent',
    // Every table has the index that its statements need. A plan made while a table was small, or never analyzed, would
    // read all of it, and a prepared statement keeps its plan: after an import of 20,000 a page took 1.1 s instead of 10 ms.
    options: `${off.map((way) => `-c ${way}=off`).join(' ')}${options.role ? ` -c role=${options.role}` : ''}`,
  });
  // A connection that dies must not take the process with it: an idle one is replaced when the next query comes, one
  // that is lent out fails the query that it carries.
  // While the pool ends, its connections may hear first that the server goes too.
  pool.on('error', (error) => pool.ending || options.onError?.(error));
  pool.on('connect', (client) => client.on('error', () => {}));
  return pool;
}

/** Begins, and in the same round trip asks for the transaction's id: a commit whose answer is lost is looked up by it. */
async function begin(client: pg.PoolClient): Promise<string> {
  // Two statements in one text give two results, which the driver's types don't know.
  const results = (await client.query(
    'begin; select pg_current_xact_id()::text as xid',
  )) as unknown as pg.QueryResult[];
  return results[1]?.rows[0].xid;
}

function transactionOn(client: pg.PoolClient, afterCommit: (() => void)[]): Transaction {
  const transaction: Transaction = {
    query: async <Row extends object>(text: string, values?: unknown[], name?: string) =>
      (await client.query<Row>({ text, values, name })).rows,
    transaction: (work) => work(transaction),
    batch: async (batch, item) => (await batch.run(transaction, [item]))[0] as Awaited<ReturnType<typeof batch.run>>[0],
    afterCommit: (work) => void afterCommit.push(work),
    savepoint: async (work) => {
      await client.query('savepoint part');
      try {
        return await work();
      } catch (error) {
        if (!isBroken(error)) await client.query('rollback to savepoint part');
        throw error;
      }
    },
  };
  return transaction;
}

async function rolledBack(client: pg.PoolClient): Promise<boolean> {
  return client.query('rollback').then(
    () => true,
    () => false,
  );
}

type Kind = 'lost' | 'timeout' | 'conflict' | 'other';

/** After these nothing more can be asked on the connection, and what it was doing may or may not have taken effect. */
function isBroken(error: unknown): boolean {
  return kindOf(error) === 'lost' || (kindOf(error) === 'timeout' && !(error instanceof pg.DatabaseError));
}

function kindOf(error: unknown): Kind {
  if (!(error instanceof Error)) return 'other';
  const code = 'code' in error ? String(error.code) : '';
  if (error instanceof pg.DatabaseError) {
    if (/^(08|57P0[1235]|53300|25P0[34])/.test(code)) return 'lost';
    if (code === '57014' || code === '55P03') return 'timeout';
    return code === '40001' || code === '40P01' ? 'conflict' : 'other';
  }
  if (/timeout/i.test(error.message)) return 'timeout';
  return /^E[A-Z]+$/.test(code) || /connection (terminated|error|ended)|not queryable|closed/i.test(error.message)
    ? 'lost'
    : 'other';
}

function translated(error: unknown): unknown {
  const kind = kindOf(error);
  if (kind === 'lost') return new DatabaseUnavailable('The database can’t be reached.', { cause: error });
  if (kind === 'timeout') return new DatabaseTimeout('The database took too long.', { cause: error });
  return error;
}

/** Whether one row is at fault, which must not fail the others in its batch. */
export function isDataError(error: unknown): boolean {
  return error instanceof pg.DatabaseError && /^2[123]/.test(error.code ?? '');
}

/** What a write that broke a unique index comes to; any other error stays one. */
export function falseIfTaken(error: unknown): false {
  if (error instanceof pg.DatabaseError && error.code === '23505') return false;
  throw error;
}

export async function ping(db: Db): Promise<true> {
  await db.query('select 1');
  return true;
}

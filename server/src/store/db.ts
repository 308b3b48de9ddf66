import { setTimeout as pause } from 'node:timers/promises';
import pg from 'pg';

/** What the store speaks to: the pool, or one transaction of it. */
export type Db = {
  /** Rows of one statement. A name makes it a prepared statement, worth it for what runs on every request. */
  query<Row extends object>(text: string, values?: unknown[], name?: string): Promise<Row[]>;
  /** One transaction; called on a transaction, the work joins it. */
  transaction<Result>(work: (db: Transaction) => Promise<Result>): Promise<Result>;
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
const conflictRetriesMax = 3;
const conflictPauseMs = 50;

// Ids and counts stay below 2^53, so they are numbers; a date is the contract's own string and stays one.
pg.types.setTypeParser(pg.types.builtins.INT8, Number);
pg.types.setTypeParser(pg.types.builtins.DATE, (value) => value);

export function connect(options: PoolOptions): Pool {
  const { settleMs = settleMsDefault } = options;
  const pool = new pg.Pool({
    connectionString: options.connectionString,
    max: options.size,
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
    options: `-c enable_seqscan=off${options.role ? ` -c role=${options.role}` : ''}`,
  });
  // A connection that dies must not take the process with it: an idle one is replaced when the next query comes, one
  // that is lent out fails the query that it carries.
  pool.on('error', (error) => options.onError?.(error));
  pool.on('connect', (client) => client.on('error', () => {}));

  async function acquire(): Promise<pg.PoolClient> {
    if (pool.waitingCount >= options.size * waitingPerConnectionMax) throw new DatabaseBusy('Too many requests wait.');
    try {
      return await pool.connect();
    } catch (error) {
      if (kindOf(error) === 'timeout' && pool.totalCount >= options.size)
        throw new DatabaseBusy('No connection became free.', { cause: error });
      throw translated(error);
    }
  }

  async function query<Row extends object>(text: string, values?: unknown[], name?: string): Promise<Row[]> {
    const client = await acquire();
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

  async function transaction<Result>(work: (db: Transaction) => Promise<Result>): Promise<Result> {
    for (let attempt = 1; ; attempt++) {
      try {
        return await transactionOnce(work);
      } catch (error) {
        if (attempt > conflictRetriesMax || kindOf(error) !== 'conflict') throw error;
        // Back at once, the one that gave way could overtake the other and meet it again.
        await pause(Math.random() * conflictPauseMs * attempt);
      }
    }
  }

  async function transactionOnce<Result>(work: (db: Transaction) => Promise<Result>): Promise<Result> {
    const client = await acquire();
    let broken = false;
    let committing: { xid: string; result: Result } | undefined;
    try {
      const xid = await begin(client);
      const result = await work(transactionOn(client));
      committing = { xid, result };
      await client.query('commit');
      return result;
    } catch (error) {
      broken = isBroken(error) || !(await rolledBack(client));
      if (!committing || !isBroken(error)) throw translated(error);
      await settle(committing.xid, error);
      return committing.result;
    } finally {
      client.release(broken);
    }
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
    transaction,
    counts: () => ({ total: pool.totalCount, idle: pool.idleCount, waiting: pool.waitingCount }),
    end: () => pool.end(),
  };
}

/** Begins, and in the same round trip asks for the transaction's id: a commit whose answer is lost is looked up by it. */
async function begin(client: pg.PoolClient): Promise<string> {
  // Two statements in one text give two results, which the driver's types don't know.
  const results = (await client.query(
    'begin; select pg_current_xact_id()::text as xid',
  )) as unknown as pg.QueryResult[];
  return results[1]?.rows[0].xid;
}

function transactionOn(client: pg.PoolClient): Transaction {
  const transaction: Transaction = {
    query: async <Row extends object>(text: string, values?: unknown[], name?: string) =>
      (await client.query<Row>({ text, values, name })).rows,
    transaction: (work) => work(transaction),
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

/** What a write that broke a unique index comes to; any other error stays one. */
export function falseIfTaken(error: unknown): false {
  if (error instanceof pg.DatabaseError && error.code === '23505') return false;
  throw error;
}

export async function ping(db: Db): Promise<true> {
  await db.query('select 1');
  return true;
}

import { setTimeout as pause } from 'node:timers/promises';
import type pg from 'pg';
import { acquire, breaks, runOf, type Statement, send } from '../connecting/connections.ts';
import { describe } from '../connecting/description.ts';
import type { Transaction } from '../db.ts';
import { type Distribution, routedQueries } from '../distribution/queries.ts';
import { isBroken, kindOf, translated } from '../errors.ts';
import { copyIn } from './copy.ts';
import { gatherer } from './gatherer.ts';
import type { SettleCommit } from './lost-commits.ts';

type Work<Result> = (db: Transaction) => Promise<Result>;

const repeatsMax = 3;
const conflictPauseMs = 50;

/** What `beforehand` was asked for in a transaction. */
class Beforehand extends Error {
  readonly work: () => Promise<void>;

  constructor(work: () => Promise<void>) {
    super('Something has to come before the transaction.');
    this.work = work;
  }
}

/** Commits the work's changes, or none of them. */
export function runTransaction<Result>(
  pool: pg.Pool,
  options: { settle: SettleCommit; distribution: Distribution },
  work: Work<Result>,
): Promise<Result> {
  return repeatAfterConflict(() => runOnce(pool, options, work));
}

/** After a deadlock or a serialization failure the work runs again, and after what has to come before it. */
export async function repeatAfterConflict<Result>(work: () => Promise<Result>): Promise<Result> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await work();
    } catch (error) {
      if (attempt > repeatsMax) throw error;
      if (error instanceof Beforehand) await error.work();
      else if (kindOf(error) !== 'conflict') throw error;
      // If it retried at once, the victim could overtake the other transaction and conflict with it again.
      else await pause(Math.random() * conflictPauseMs * attempt);
    }
  }
}

async function runOnce<Result>(
  pool: pg.Pool,
  { settle, distribution }: { settle: SettleCommit; distribution: Distribution },
  work: Work<Result>,
): Promise<Result> {
  const client = await acquire(pool);
  const statements = statementsOn(client);
  const afterCommit: (() => void)[] = [];
  let broken = false;
  let committing: { xid: string; result: Result } | null = null;
  try {
    const beginning = begin(client, statements);
    // If it fails, so does the first statement after it, with the same error.
    beginning.catch(() => {});
    if (!client.pipeline) await beginning;
    const result = await work(transactionOn(client, statements, { afterCommit, distribution }));
    committing = { xid: await beginning, result };
    const failure = await statements.commit();
    if (failure) {
      committing = null;
      throw failure;
    }
  } catch (error) {
    statements.end();
    broken = breaks(pool, error) || !(await rolledBack(client));
    if (!committing || !isBroken(error)) throw translated(error);
    await settle({ xid: committing.xid, run: runOf(client) }, error);
  } finally {
    statements.end();
    client.release(broken);
  }
  for (const run of afterCommit) run();
  return committing.result;
}

/**
 * Begins, and gets the transaction's id in the same round trip. A commit whose reply is lost is looked up by it. Nobody waits
 * for it: where statements are pipelined, the first one goes along, and the id's statement is prepared, since planning it takes
 * longer than all else here.
 */
async function begin({ pipeline }: pg.PoolClient, { run }: Statements): Promise<string> {
  if (pipeline) void run({ text: 'begin' }).catch(() => {});
  // Two statements in one text give two results, which the driver's types don't know.
  const results = await run<{ xid: string }>(pipeline ? { text: xid, name: 'xid' } : { text: `begin; ${xid}` });
  return [results].flat().at(-1)?.rows[0]?.xid as string;
}

const xid = 'select pg_current_xact_id()::text as xid';

type Statements = ReturnType<typeof statementsOn>;

/**
 * The statements of one transaction. Nobody needs the rows of a write, so where statements are pipelined nobody waits for it:
 * what follows goes along, even the commit. If it fails, so does everything after it, and each reports that first error.
 */
function statementsOn(client: pg.PoolClient) {
  let failure: unknown = null;
  let isOver = false;
  let written = Promise.resolve();

  async function run<Row extends object>(statement: Statement): Promise<pg.QueryResult<Row>> {
    // Another part of the work that goes on: each of its statements would be a transaction by itself.
    if (isOver) throw new Error('The transaction is over.');
    try {
      return await send<Row>(client, statement);
    } catch (error) {
      failure ??= error;
      throw failure;
    }
  }

  async function write(statement: Statement): Promise<void> {
    const running = run(statement);
    if (!client.pipeline) await running;
    written = running.then(
      () => {},
      () => {},
    );
  }

  /**
   * Returns why it isn't done, if so. After a failed statement PostgreSQL answers a commit with a rollback; but it knows
   * nothing of a statement that the driver refused to send.
   */
  async function commit(): Promise<unknown> {
    const { command } = await run({ text: 'commit' });
    return failure ?? (command === 'COMMIT' ? null : new Error(`A commit was answered with ${command}.`));
  }

  async function savepoint<Result>(work: () => Promise<Result>): Promise<Result> {
    await run({ text: 'savepoint part' });
    try {
      const result = await work();
      await written;
      if (failure) throw failure;
      return result;
    } catch (error) {
      if (isBroken(error)) throw error;
      await client.query('rollback to savepoint part');
      failure = null;
      throw error;
    }
  }

  function end(): void {
    isOver = true;
  }

  return { run, write, commit, savepoint, end };
}

function transactionOn(
  client: pg.PoolClient,
  { run, write, savepoint }: Statements,
  { afterCommit, distribution }: { afterCommit: (() => void)[]; distribution: Distribution },
): Transaction {
  const query = async <Row extends object>(text: string, values?: unknown[], name?: string) =>
    (await run<Row>({ text, values, name })).rows;
  const plain = {
    query,
    write: (text: string, values?: unknown[], name?: string) => write({ text, values, name }),
    lookUp: query,
    gatherRows: gatherer(query),
    describe: (text: string) => describe(client, text),
    isTransaction: true,
  };
  const transaction: Transaction = {
    ...routedQueries(plain, distribution),
    transaction: (work) => work(transaction),
    batch: async (batch, item) => (await batch.run(transaction, [item]))[0] as Awaited<ReturnType<typeof batch.run>>[0],
    beforehand: async (work) => {
      throw new Beforehand(work);
    },
    afterCommit: (work) => void afterCommit.push(work),
    copy: (text, rows) => copyIn(client, text, rows),
    savepoint,
  };
  return transaction;
}

async function rolledBack(client: pg.PoolClient): Promise<boolean> {
  return client.query('rollback').then(
    () => true,
    () => false,
  );
}

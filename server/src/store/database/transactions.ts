import { setTimeout as pause } from 'node:timers/promises';
import type pg from 'pg';
import { acquire } from './connections.ts';
import { copyIn } from './copy.ts';
import type { Transaction } from './db.ts';
import { isBroken, kindOf, translated } from './errors.ts';
import type { SettleCommit } from './lost-commits.ts';

type Work<Result> = (db: Transaction) => Promise<Result>;

const conflictRetriesMax = 3;
const conflictPauseMs = 50;

/** Commits the work's changes, or none of them. */
export function runTransaction<Result>(pool: pg.Pool, settle: SettleCommit, work: Work<Result>): Promise<Result> {
  return repeatAfterConflict(() => runOnce(pool, settle, work));
}

/** After a deadlock or a serialization failure the work runs again. */
export async function repeatAfterConflict<Result>(work: () => Promise<Result>): Promise<Result> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await work();
    } catch (error) {
      if (attempt > conflictRetriesMax || kindOf(error) !== 'conflict') throw error;
      // If it retried at once, the victim could overtake the other transaction and conflict with it again.
      await pause(Math.random() * conflictPauseMs * attempt);
    }
  }
}

async function runOnce<Result>(pool: pg.Pool, settle: SettleCommit, work: Work<Result>): Promise<Result> {
  const client = await acquire(pool);
  const afterCommit: (() => void)[] = [];
  let broken = false;
  let committing: { xid: string; result: Result } | undefined;
  try {
    const beginning = begin(client);
    // If it fails, so does the first statement after it.
    beginning.catch(() => {});
    const result = await work(transactionOn(client, afterCommit));
    committing = { xid: await beginning, result };
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

/**
 * Begins, and gets the transaction's id in the same round trip. A commit whose reply is lost is looked up by it. Nobody waits
 * for it: where statements are pipelined, the first one goes along.
 */
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
    lookUp: (text, values, name) => transaction.query(text, values, name),
    transaction: (work) => work(transaction),
    batch: async (batch, item) => (await batch.run(transaction, [item]))[0] as Awaited<ReturnType<typeof batch.run>>[0],
    afterCommit: (work) => void afterCommit.push(work),
    copy: (text, rows) => copyIn(client, text, rows),
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

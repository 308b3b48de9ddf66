import type { Pool, Transaction } from '../../src/store/database/db.ts';

class Crash extends Error {}

/** The pool of a node that dies in its next transaction: after this many statements, or just before the commit. */
export function failing(pool: Pool, statements: number): Pool {
  const transaction: Pool['transaction'] = (work) =>
    pool.transaction(async (db) => {
      let left = statements;
      const survive = () => {
        if (left === 0) throw new Crash('The node died between two statements.');
        left -= 1;
      };
      const watched: Transaction = {
        ...db,
        transaction: (inner) => inner(watched),
        async query(text, values, name) {
          survive();
          return db.query(text, values, name);
        },
        async write(text, values, name) {
          survive();
          return db.write(text, values, name);
        },
      };
      await work(watched);
      throw new Crash('The node died before its commit.');
    });
  return {
    ...pool,
    transaction,
    batch: (batch, item) => transaction(async (db) => (await batch.run(db, [item]))[0] as never),
  };
}

/** The pool of a node that can die: from then on, none of its calls are run or answered. */
export function mortal(pool: Pool): { pool: Pool; die(): void } {
  let dead = false;
  const never = new Promise<never>(() => {});
  return {
    pool: {
      ...pool,
      query: (text, values, name) => (dead ? never : pool.query(text, values, name)),
      write: (text, values, name) => (dead ? never : pool.write(text, values, name)),
      transaction: (work) => (dead ? never : pool.transaction(work)),
      batch: (batch, item) => (dead ? never : pool.batch(batch, item)),
    },
    die() {
      dead = true;
    },
  };
}

/** The pool, with a way to wait until all work started on it has ended. */
export function tracked(pool: Pool): { pool: Pool; idle(): Promise<void> } {
  const inProgress = new Set<Promise<unknown>>();
  const track = <Result>(work: Promise<Result>): Promise<Result> => {
    const ended: Promise<unknown> = work.catch(() => {}).finally(() => inProgress.delete(ended));
    inProgress.add(ended);
    return work;
  };
  return {
    pool: {
      ...pool,
      transaction: (work) => track(pool.transaction(work)),
      batch: (batch, item) => track(pool.batch(batch, item)),
    },
    async idle() {
      do await Promise.all([...inProgress, new Promise(setImmediate)]);
      while (inProgress.size > 0);
    },
  };
}

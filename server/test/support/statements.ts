import type { Pool, Transaction } from '../../src/store/database/db.ts';

/** The pool with a hook before each statement of a transaction, which can hold the transaction or make it fail. */
export function withinTransactions(pool: Pool, before: (statement: string) => Promise<void>): Pool {
  return {
    ...pool,
    transaction: (work) =>
      pool.transaction((db) => {
        const watched: Transaction = {
          ...db,
          transaction: (inner) => inner(watched),
          async query(text, values, name) {
            await before(text);
            return db.query(text, values, name);
          },
          async write(text, values, name) {
            await before(text);
            return db.write(text, values, name);
          },
          shards: {
            ...db.shards,
            async query(statement, jobs) {
              await before(statement.text);
              return db.shards.query(statement, jobs);
            },
            async write(statement, jobs) {
              await before(statement.text);
              return db.shards.write(statement, jobs);
            },
          },
        };
        return work(watched);
      }),
  };
}

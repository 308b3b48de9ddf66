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
            await before(statementIn(text, values));
            return db.query(text, values, name);
          },
          async write(text, values, name) {
            await before(statementIn(text, values));
            return db.write(text, values, name);
          },
        };
        return work(watched);
      }),
  };
}

/** A distributed database gets the statement as a parameter, with its tables in braces. */
function statementIn(text: string, values: unknown[] = []): string {
  return text.includes('run_on_shards') ? String(values[2]).replaceAll(/[{}]/g, '') : text;
}

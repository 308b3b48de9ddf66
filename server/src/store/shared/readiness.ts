import type { Db } from '../database/db.ts';
import { DatabaseUnable } from '../database/errors.ts';

const probeRows = 1_000;
const probeRowBytes = 1_024;

export async function ping(db: Db): Promise<void> {
  await db.query('select 1');
}

/**
 * Throws DatabaseUnable if the database can't store anything. Rows that don't fit in work_mem go to a temporary file, on
 * the same disk as the tables. It is gone when the statement ends, so asking often leaves nothing behind: an insert would,
 * and it would find a full disk only if it needed a new page. It takes 5 ms.
 */
export async function probeStorage(db: Db): Promise<void> {
  await db.transaction(async (transaction) => {
    await transaction.query(`select set_config('work_mem', '64kB', true), set_config('temp_tablespaces', '', true)`);
    const { isReadOnly } = await transaction.one<{ isReadOnly: boolean }>(
      `with rows as materialized (
         select repeat('x', $2) as bytes
         from generate_series(1, $1)
       )
       select current_setting('transaction_read_only')::boolean as "isReadOnly", count(*)
       from rows`,
      [probeRows, probeRowBytes],
    );
    if (isReadOnly) throw new DatabaseUnable('The database is read-only.');
  });
}

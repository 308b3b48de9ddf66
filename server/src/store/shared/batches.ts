import type { Db } from '../database/db.ts';

/** Deletes rows of a table, no more than a few at a time; those that another node is deleting are left to it. */
export async function deleteSome(
  db: Db,
  { table, key, where }: { table: string; key: string; where: string },
  values: unknown[],
  limit: number,
): Promise<number> {
  const deleted = await db.query(
    `delete from ${table}
     where ${key} in (
       select ${key}
       from ${table}
       where ${where}
       limit ${limit}
       for update skip locked
     )
     and ${where}
     returning 1`,
    values,
  );
  return deleted.length;
}

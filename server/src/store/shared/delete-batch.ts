import type { Db } from '../database/db.ts';

/**
 * Deletes up to `limit` rows and skips those that another node is deleting. Returns how many it deleted. Spans advisors: what is
 * old goes, whoever's it is.
 */
export async function deleteBatch(
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

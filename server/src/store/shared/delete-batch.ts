import type { Db } from '../database/db.ts';

/**
 * Deletes up to `limit` rows and skips those that another node is deleting. Returns how many it deleted. They are looked up by an array
 * of their keys: joined with a list of them, each row was compared with the whole list where PostgreSQL had no statistics yet. Spans
 * advisors: what is old goes, whoever's it is.
 */
export async function deleteBatch(
  db: Db,
  { table, key, where }: { table: string; key: string; where: string },
  values: unknown[],
  limit: number,
): Promise<number> {
  const deleted = await db.query(
    `delete from ${table}
     where ${key} = any (
       array(
         select ${key}
         from ${table}
         where ${where}
         limit ${limit}
         for update skip locked
       )
     )
     and ${where}
     returning 1`,
    values,
  );
  return deleted.length;
}

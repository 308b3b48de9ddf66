import type { Db } from '../database/db.ts';

/** Tables whose rows are of no use after a time: the key, and the column with the time. */
const tables = {
  sessions: ['session_hash', 'date_time_expires'],
  devices: ['device_hash', 'date_time_expires'],
  invitations: ['code_hash', 'date_time_expires'],
  passkey_challenges: ['challenge_hash', 'date_time_expires'],
  throttles: ['bucket_hash', 'date_time_filled'],
  interactions: ['uid_hash', 'date_time_expires'],
  oauth_tokens: ['token_hash', 'date_time_expires'],
  revoked_tokens: ['token_id', 'date_time_expires'],
  webhook_deliveries: ['delivery_id', 'date_time'],
} as const;
export type AgingTable = keyof typeof tables;

export async function deleteOldRows(db: Db, table: AgingTable, before: Date, limit: number): Promise<number> {
  const [key, time] = tables[table];
  return deleteBatch(db, { table, key, where: `${time} <= $1` }, [before], limit);
}

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

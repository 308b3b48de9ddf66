import type { Db } from '../database/db.ts';
import { deleteBatch } from './delete-batch.ts';

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

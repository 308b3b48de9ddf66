import type { Db } from '../database/db.ts';
import { deleteBatch } from '../shared/delete-batch.ts';

export async function insertRevokedToken(db: Db, tokenId: string, expires: Date): Promise<void> {
  await db.query(
    `insert into revoked_tokens (token_id, date_time_expires)
     values ($1, $2)
     on conflict do nothing`,
    [tokenId, expires],
  );
}

export async function deleteExpiredRevokedTokens(db: Db, now: Date, limit: number): Promise<number> {
  const expired = { table: 'revoked_tokens', key: 'token_id', where: 'date_time_expires < $1' };
  return deleteBatch(db, expired, [now], limit);
}

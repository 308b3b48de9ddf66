import type { Db } from '../database/db.ts';

export async function insertRevokedToken(db: Db, tokenId: string, expires: Date): Promise<void> {
  await db.query(
    `insert into revoked_tokens (token_id, date_time_expires)
     values ($1, $2)
     on conflict do nothing`,
    [tokenId, expires],
  );
}

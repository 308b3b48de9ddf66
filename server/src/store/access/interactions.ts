import type { Db } from '../database/db.ts';

export async function upsertInteraction(
  db: Db,
  { hash, browserHash, payload, expires }: { hash: Buffer; browserHash: Buffer; payload: object; expires: Date },
): Promise<void> {
  await db.query(
    `insert into interactions (uid_hash, browser_hash, payload, date_time_expires)
     values ($1, $2, $3, $4)
     on conflict (uid_hash) do update
     set payload = excluded.payload, date_time_expires = excluded.date_time_expires`,
    [hash, browserHash, payload, expires],
  );
}

export async function findInteraction(
  db: Db,
  { hash, browserHash }: { hash: Buffer; browserHash: Buffer },
): Promise<Record<string, unknown> | null> {
  return db.value<Record<string, unknown>>(
    'select payload from interactions where uid_hash = $1 and browser_hash = $2',
    [hash, browserHash],
  );
}

export async function deleteInteraction(db: Db, hash: Buffer): Promise<boolean> {
  return db.has('delete from interactions where uid_hash = $1 returning 1', [hash]);
}

import type { Db } from '../database/db.ts';

export type BucketRow = { bucketHash: Buffer; burst: number; perSecond: number };

/**
 * Refills the bucket up to now, creating a new one, and returns what it holds. Inside a transaction it stays locked until
 * the end.
 */
export async function fillBucket(db: Db, { bucketHash, burst, perSecond }: BucketRow, now: Date): Promise<number> {
  // Two nodes' clocks differ a little: time that seems to run backwards refills nothing.
  const found = await db.value<number>(
    `insert into throttles as t (bucket_hash, attempts_left, date_time_filled)
     values ($1, $2::float8, $4)
     on conflict (bucket_hash) do update
     set attempts_left = least($2::float8, t.attempts_left
           + $3::float8 * greatest(0, extract(epoch from excluded.date_time_filled - t.date_time_filled))),
         date_time_filled = greatest(t.date_time_filled, excluded.date_time_filled)
     returning attempts_left as "attemptsLeft"`,
    [bucketHash, burst, perSecond, now],
  );
  return found ?? 0;
}

export async function takeFromBuckets(db: Db, buckets: BucketRow[]): Promise<void> {
  await db.query(
    `update throttles
     set attempts_left = attempts_left - 1
     where bucket_hash = any($1)`,
    [buckets.map(({ bucketHash }) => bucketHash)],
  );
}

export async function returnToBucket(db: Db, { bucketHash, burst }: BucketRow): Promise<void> {
  await db.query('update throttles set attempts_left = least($2, attempts_left + 1) where bucket_hash = $1', [
    bucketHash,
    burst,
  ]);
}

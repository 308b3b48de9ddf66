import type { Db } from '../database/db.ts';
import { deleteBatch } from '../shared/delete-batch.ts';

export type BucketRow = { bucketHash: Buffer; burst: number; perSecond: number };

/**
 * Refills the buckets up to now, creating the new ones, and returns what each holds. Inside a transaction they stay
 * locked until it ends, always in the same order to avoid deadlocks.
 */
export async function fillBuckets(
  db: Db,
  buckets: BucketRow[],
  now: Date,
): Promise<{ bucketHash: Buffer; attemptsLeft: number }[]> {
  // Two nodes' clocks differ a little: time that seems to run backwards refills nothing.
  return db.query(
    `insert into throttles as t (bucket_hash, attempts_left, date_time_filled)
     select bucket_hash, burst, $4
     from unnest($1::bytea[], $2::float8[], $3::float8[]) as asked (bucket_hash, burst, per_second)
     order by bucket_hash
     on conflict (bucket_hash) do update
     set attempts_left = (
           select least(burst, t.attempts_left
             + per_second * greatest(0, extract(epoch from excluded.date_time_filled - t.date_time_filled)))
           from unnest($1::bytea[], $2::float8[], $3::float8[]) as asked (bucket_hash, burst, per_second)
           where asked.bucket_hash = t.bucket_hash
         ),
         date_time_filled = greatest(t.date_time_filled, excluded.date_time_filled)
     returning bucket_hash as "bucketHash", attempts_left as "attemptsLeft"`,
    [...columnsOf(buckets), now],
  );
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

export async function deleteBucketsFilledBefore(db: Db, before: Date, limit: number): Promise<number> {
  const full = { table: 'throttles', key: 'bucket_hash', where: 'date_time_filled < $1' };
  return deleteBatch(db, full, [before], limit);
}

function columnsOf(buckets: BucketRow[]): unknown[] {
  return [
    buckets.map(({ bucketHash }) => bucketHash),
    buckets.map(({ burst }) => burst),
    buckets.map(({ perSecond }) => perSecond),
  ];
}

import type { Db } from '../database/db.ts';

/** `size` is null if the checkpoint is gone. */
type CheckpointDelivery = { checkpointId: number; size: number | null; dateTimeCreated: Date };

export async function findLastDelivery(db: Db): Promise<CheckpointDelivery | null> {
  return db.find<CheckpointDelivery>(
    `select d.checkpoint_id as "checkpointId", c.size, d.date_time_created as "dateTimeCreated"
     from archive_deliveries d
     left join archive_checkpoints c using (checkpoint_id)
     order by d.checkpoint_id desc
     limit 1`,
    [],
    'find-last-delivery',
  );
}

/** Two nodes may have delivered the same checkpoint: the first to record it wins. */
export async function insertDelivery(db: Db, checkpointId: number, now: Date): Promise<void> {
  await db.query(
    `insert into archive_deliveries (checkpoint_id, date_time_created)
     values ($1, $2)
     on conflict do nothing`,
    [checkpointId, now],
  );
}

/**
 * The checkpoint's id. If it is missing, it was signed before an older backup was restored: then the last id for a smaller
 * tree, so that no checkpoint of this size or larger is skipped.
 */
export async function findCheckpointId(db: Db, { size, note }: { size: number; note: string }): Promise<number> {
  const [row] = await db.query<{ checkpointId: number }>(
    `select coalesce(
       (select max(checkpoint_id) from archive_checkpoints where size = $1 and note = $2),
       (select max(checkpoint_id) from archive_checkpoints where size < $1),
       0
     ) as "checkpointId"`,
    [size, note],
    'find-checkpoint-id',
  );
  return row?.checkpointId ?? 0;
}

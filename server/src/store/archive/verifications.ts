import type { Db } from '../database/db.ts';

type VerificationRow = {
  verdict: 'intact' | 'altered' | 'incomplete' | 'unknown';
  entries: number;
  checkpoints: number;
  faults: number;
  dateTimeCreated: Date;
  actor: string;
  /** Of staff. */
  actorName: string | null;
};

export async function insertVerification(
  db: Db,
  { verdict, entries, checkpoints, faults, actor }: Omit<VerificationRow, 'dateTimeCreated' | 'actorName'>,
  now: Date,
): Promise<void> {
  await db.query(
    `insert into archive_verifications (verdict, entries, checkpoints, faults, date_time_created, actor)
     values ($1, $2, $3, $4, $5, $6)`,
    [verdict, entries, checkpoints, faults, now, actor],
  );
}

export async function findLastVerification(db: Db): Promise<VerificationRow | null> {
  return db.find<VerificationRow>(
    `select verdict, entries, checkpoints, faults, v.date_time_created as "dateTimeCreated", actor, name as "actorName"
     from archive_verifications v
     left join staff on actor = 'staff:' || staff_id
     order by verification_id desc
     limit 1`,
  );
}

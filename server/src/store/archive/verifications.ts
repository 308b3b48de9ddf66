import type { Db } from '../database/db.ts';

export type VerificationRow = {
  verdict: 'intact' | 'altered' | 'incomplete' | 'unknown';
  entries: number;
  checkpoints: number;
  faults: number;
  dateTimeCreated: Date;
};

export async function insertVerification(
  db: Db,
  { verdict, entries, checkpoints, faults }: Omit<VerificationRow, 'dateTimeCreated'>,
  now: Date,
): Promise<void> {
  await db.query(
    `insert into archive_verifications (verdict, entries, checkpoints, faults, date_time_created)
     values ($1, $2, $3, $4, $5)`,
    [verdict, entries, checkpoints, faults, now],
  );
}

export async function findLastVerification(db: Db): Promise<VerificationRow | null> {
  const [row] = await db.query<VerificationRow>(
    `select verdict, entries, checkpoints, faults, date_time_created as "dateTimeCreated"
     from archive_verifications
     order by verification_id desc
     limit 1`,
  );
  return row ?? null;
}

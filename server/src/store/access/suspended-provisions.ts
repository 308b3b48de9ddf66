import type { Db } from '../database/db.ts';

type Ids = { advisorId: number; applicationId: number };

export async function insertSuspendedProvision(db: Db, { advisorId, applicationId }: Ids): Promise<void> {
  await db.query(
    `insert into suspended_provisions (advisor_id, application_id)
     values ($1, $2)
     on conflict do nothing`,
    [advisorId, applicationId],
  );
}

export async function findSuspendedProvision(db: Db, { advisorId, applicationId }: Ids): Promise<boolean> {
  const rows = await db.query('select from suspended_provisions where advisor_id = $1 and application_id = $2', [
    advisorId,
    applicationId,
  ]);
  return rows.length > 0;
}

export async function deleteSuspendedProvision(db: Db, { advisorId, applicationId }: Ids): Promise<boolean> {
  const rows = await db.query(
    `delete from suspended_provisions
     where advisor_id = $1 and application_id = $2
     returning 1`,
    [advisorId, applicationId],
  );
  return rows.length > 0;
}

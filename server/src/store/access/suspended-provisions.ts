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
  return db.has('select from suspended_provisions where advisor_id = $1 and application_id = $2', [
    advisorId,
    applicationId,
  ]);
}

export async function deleteSuspendedProvision(db: Db, { advisorId, applicationId }: Ids): Promise<boolean> {
  return db.has(
    `delete from suspended_provisions
     where advisor_id = $1 and application_id = $2
     returning 1`,
    [advisorId, applicationId],
  );
}

/** The applications that the advisor took the operator's permission from. */
export async function listSuspendedProvisions(db: Db, advisorId: number) {
  return db.query<{ clientId: string; applicationName: string }>(
    `select client_id as "clientId", applications.name as "applicationName"
     from suspended_provisions
     join applications using (application_id)
     where advisor_id = $1 and not disabled
     order by lower(applications.name), application_id`,
    [advisorId],
  );
}

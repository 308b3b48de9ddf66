import type { Db } from '../database/db.ts';
import { falseIfTaken } from '../database/errors.ts';

export type ApplicationRow = {
  applicationId: number;
  clientId: string;
  name: string;
  secretHash: Buffer;
  scopes: string[];
  redirectUris: string[];
  externalClientId: string | null;
  disabled: boolean;
  dateTimeCreated: Date;
};

const columns = `
  application_id as "applicationId", client_id as "clientId", name, secret_hash as "secretHash", scopes,
  redirect_uris as "redirectUris", external_client_id as "externalClientId", disabled, date_time_created as "dateTimeCreated"`;

/** The new application, or null if another one has its external client id. */
export async function insertApplication(
  db: Db,
  application: Omit<ApplicationRow, 'applicationId' | 'disabled' | 'dateTimeCreated'>,
  now: Date,
): Promise<ApplicationRow | null> {
  return db.find<ApplicationRow>(
    `insert into applications (
       client_id, name, secret_hash, scopes, redirect_uris, external_client_id, date_time_created
     )
     values ($1, $2, $3, $4, $5, $6, $7)
     on conflict do nothing
     returning ${columns}`,
    [
      application.clientId,
      application.name,
      application.secretHash,
      application.scopes,
      application.redirectUris,
      application.externalClientId,
      now,
    ],
  );
}

export async function updateApplication(
  db: Db,
  applicationId: number,
  change: { secretHash?: Buffer; disabled?: boolean; redirectUris?: string[]; scopes?: string[] },
): Promise<void> {
  await db.query(
    `update applications
     set secret_hash = coalesce($2, secret_hash),
         disabled = coalesce($3, disabled),
         redirect_uris = coalesce($4, redirect_uris),
         scopes = coalesce($5, scopes)
     where application_id = $1`,
    [
      applicationId,
      change.secretHash ?? null,
      change.disabled ?? null,
      change.redirectUris ?? null,
      change.scopes ?? null,
    ],
  );
}

/** False if another application has the external client id. */
export async function updateExternalClientId(
  db: Db,
  applicationId: number,
  externalClientId: string | null,
): Promise<boolean> {
  const update = db.query(
    `update applications
     set external_client_id = $2
     where application_id = $1`,
    [applicationId, externalClientId],
  );
  return update.then(() => true).catch(falseIfTaken);
}

export async function findApplication(db: Db, clientId: string): Promise<ApplicationRow | null> {
  return db.find<ApplicationRow>(`select ${columns} from applications where client_id = $1`, [clientId]);
}

export async function findApplicationForUpdate(db: Db, clientId: string): Promise<ApplicationRow | null> {
  return db.find<ApplicationRow>(`select ${columns} from applications where client_id = $1 for no key update`, [
    clientId,
  ]);
}

export async function listApplications(db: Db): Promise<ApplicationRow[]> {
  return db.query<ApplicationRow>(`select ${columns} from applications order by application_id`);
}

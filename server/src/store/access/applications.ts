import type { Db } from '../database/db.ts';

export type ApplicationRow = {
  applicationId: number;
  clientId: string;
  name: string;
  secretHash: Buffer;
  scopes: string[];
  redirectUris: string[];
  disabled: boolean;
  dateTimeCreated: Date;
};

const columns = `
  application_id as "applicationId", client_id as "clientId", name, secret_hash as "secretHash", scopes,
  redirect_uris as "redirectUris", disabled, date_time_created as "dateTimeCreated"`;

export async function insertApplication(
  db: Db,
  application: Omit<ApplicationRow, 'applicationId' | 'disabled' | 'dateTimeCreated'>,
  now: Date,
): Promise<ApplicationRow> {
  return db.one<ApplicationRow>(
    `insert into applications (client_id, name, secret_hash, scopes, redirect_uris, date_time_created)
     values ($1, $2, $3, $4, $5, $6)
     returning ${columns}`,
    [application.clientId, application.name, application.secretHash, application.scopes, application.redirectUris, now],
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

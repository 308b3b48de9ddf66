import type { Db } from './db.ts';

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
export type NewApplication = Pick<ApplicationRow, 'clientId' | 'name' | 'secretHash' | 'scopes' | 'redirectUris'>;

const columns = `
  application_id as "applicationId", client_id as "clientId", name, secret_hash as "secretHash", scopes,
  redirect_uris as "redirectUris", disabled, date_time_created as "dateTimeCreated"`;

export async function insertApplication(db: Db, application: NewApplication, now: Date): Promise<ApplicationRow> {
  const [row] = await db.query<ApplicationRow>(
    `insert into applications (client_id, name, secret_hash, scopes, redirect_uris, date_time_created)
     values ($1, $2, $3, $4, $5, $6)
     returning ${columns}`,
    [application.clientId, application.name, application.secretHash, application.scopes, application.redirectUris, now],
  );
  if (!row) throw new Error('The insert returned no application.');
  return row;
}

export async function updateApplication(
  db: Db,
  applicationId: number,
  change: { secretHash?: Buffer; disabled?: boolean; redirectUris?: string[] },
): Promise<void> {
  await db.query(
    `update applications
     set secret_hash = coalesce($2, secret_hash),
         disabled = coalesce($3, disabled),
         redirect_uris = coalesce($4, redirect_uris)
     where application_id = $1`,
    [applicationId, change.secretHash ?? null, change.disabled ?? null, change.redirectUris ?? null],
  );
}

export async function findApplication(db: Db, clientId: string): Promise<ApplicationRow | null> {
  const [row] = await db.query<ApplicationRow>(`select ${columns} from applications where client_id = $1`, [clientId]);
  return row ?? null;
}

export async function listApplications(db: Db): Promise<ApplicationRow[]> {
  return db.query<ApplicationRow>(`select ${columns} from applications order by application_id`);
}

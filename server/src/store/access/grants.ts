import { randomUUID } from 'node:crypto';
import type { Db } from '../database/db.ts';

export type GrantKind = 'authorized' | 'provisioned' | 'issued';
export type GrantRow = {
  grantId: string;
  kind: GrantKind;
  advisorId: number;
  applicationId: number;
  clientId: string;
  applicationName: string;
  scopes: string[];
  dateTimeCreated: Date;
  dateTimeModified: Date;
};
/** When a token of it was last renewed, which happens every hour while it is used; null if none was. */
type ListedGrant = GrantRow & { dateTimeUsed: Date | null };

const columns = `
  grant_id as "grantId", kind, advisor_id as "advisorId", application_id as "applicationId", client_id as "clientId",
  applications.name as "applicationName", grants.scopes, grants.date_time_created as "dateTimeCreated",
  grants.date_time_modified as "dateTimeModified"`;

/** Inserts the grant, or adds the scopes to the existing one of that kind, which keeps its id; not changed if it has them all. */
export async function upsertGrant(
  db: Db,
  grant: Pick<GrantRow, 'advisorId' | 'applicationId' | 'kind' | 'grantId' | 'scopes'>,
  now: Date,
) {
  const had = await db.has(
    `select
     from grants
     where advisor_id = $1 and application_id = $2 and kind = $3 and scopes @> $4`,
    [grant.advisorId, grant.applicationId, grant.kind, grant.scopes],
  );
  const row = await db.one<{ grantId: string }>(
    `insert into grants as g (
       advisor_id, application_id, kind, grant_id, scopes, date_time_created, date_time_modified
     )
     values ($1, $2, $3, $4, $5, $6, $6)
     on conflict (advisor_id, application_id, kind) do update
     set scopes = scopes_of_both(g.scopes, excluded.scopes), date_time_modified = excluded.date_time_modified
     returning grant_id as "grantId"`,
    [grant.advisorId, grant.applicationId, grant.kind, grant.grantId, grant.scopes, now],
  );
  return { ...row, isChanged: !had };
}

/**
 * The grant, unless its application or its advisor is disabled. Locked, so that using the grant's tokens and ending it
 * take turns.
 */
export async function findGrantForUpdate(db: Db, grantId: string): Promise<GrantRow | null> {
  return db.find<GrantRow>(
    `select ${columns}
     from grants
     join applications using (application_id)
     join advisors using (advisor_id)
     where grant_id = $1 and not applications.disabled and not advisors.disabled
     for update of grants`,
    [grantId],
  );
}

export async function listGrants(db: Db, advisorId: number): Promise<ListedGrant[]> {
  return db.query<ListedGrant>(
    `select
       ${columns},
       (select max(date_time_used) from oauth_tokens t where t.grant_id = grants.grant_id) as "dateTimeUsed"
     from grants
     join applications using (application_id)
     where advisor_id = $1 and not disabled
     order by lower(applications.name), application_id, kind`,
    [advisorId],
  );
}

/** The advisors an application is provisioned for, unless either is disabled; two are enough to know there are several. */
export async function listProvisioned(db: Db, clientId: string, advisorId: number | null) {
  return db.query<{ grantId: string; advisorId: number }>(
    `select grant_id as "grantId", advisor_id as "advisorId"
     from grants
     join applications using (application_id)
     join advisors using (advisor_id)
     where client_id = $1 and kind = 'provisioned' and not applications.disabled and not advisors.disabled
       and ($2::bigint is null or advisor_id = $2)
     order by advisor_id
     limit 2`,
    [clientId, advisorId],
  );
}

/** For whom an application may text. */
export async function listProvisionedAdvisors(db: Db, applicationId: number) {
  return db.query<{ advisorId: number; name: string }>(
    `select advisor_id as "advisorId", name
     from grants
     join advisors using (advisor_id)
     where application_id = $1 and kind = 'provisioned'
     order by lower(name), advisor_id`,
    [applicationId],
  );
}

/** Its codes and refresh tokens stop working at once; they are deleted later, because there may be many. */
export async function deleteGrant(db: Db, grantId: string): Promise<void> {
  await db.query(
    `with ended as (
       delete from grants
       where grant_id = $1
       returning grant_id
     )
     insert into ended_grants (grant_id)
     select grant_id
     from ended`,
    [grantId],
  );
}

export async function listEndedGrants(db: Db): Promise<string[]> {
  const rows = await db.query<{ grantId: string }>('select grant_id as "grantId" from ended_grants limit 1000');
  return rows.map(({ grantId }) => grantId);
}

export async function deleteEndedGrant(db: Db, grantId: string): Promise<void> {
  await db.query('delete from ended_grants where grant_id = $1', [grantId]);
}

export async function deleteGrantOfKind(
  db: Db,
  { advisorId, applicationId, kind }: Pick<GrantRow, 'advisorId' | 'applicationId' | 'kind'>,
): Promise<boolean> {
  return db.has(
    `delete from grants
     where advisor_id = $1 and application_id = $2 and kind = $3
     returning grant_id`,
    [advisorId, applicationId, kind],
  );
}

/**
 * Ends the application's access to the advisor, or to every advisor. Grants that the operator provisioned stay, under a
 * new id, so that tokens with the old id end too. Returns how many advisors had authorized it, how many grants ended or were
 * renamed, and for which advisors one ended.
 */
export async function deleteConnections(db: Db, applicationId: number, advisorId: number | null) {
  return db.one<{ authorized: number; grants: number; ended: number[] }>(
    `with ended as (
       delete from grants
       where application_id = $1 and ($2::bigint is null or advisor_id = $2) and kind <> 'provisioned'
       returning kind, grant_id, advisor_id
     ),
     noted as (
       insert into ended_grants (grant_id)
       select grant_id
       from ended
     ),
     renamed as (
       update grants
       -- Random once, and different for each: every node must come to the same.
       set grant_id = md5($3::text || ':' || advisor_id)::uuid::text
       where application_id = $1 and ($2::bigint is null or advisor_id = $2) and kind = 'provisioned'
       returning kind
     )
     select
       count(*) filter (where kind = 'authorized') as authorized, count(*) as grants,
       array(select distinct advisor_id::double precision from ended order by 1) as ended
     from (
       select kind from ended
       union all
       select kind from renamed
     ) as all_of_them`,
    [applicationId, advisorId, randomUUID()],
  );
}

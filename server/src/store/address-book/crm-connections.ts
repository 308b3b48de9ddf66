import type { Db } from '../database/db.ts';

export type CrmConnectionRow = {
  advisorId: number;
  url: string;
  sealedSecret: Buffer;
  lookupFault: string | null;
  waitingLookups: number;
  dateTimeCreated: Date;
};

const columns = `
  c.advisor_id as "advisorId", c.url, c.sealed_secret as "sealedSecret", c.lookup_fault as "lookupFault",
  c.date_time_created as "dateTimeCreated",
  (select count(*) from crm_lookups l where l.advisor_id = c.advisor_id) as "waitingLookups"`;

/** An advisor has one CRM: a new one replaces it. */
export async function insertCrmConnection(
  db: Db,
  advisorId: number,
  { url, sealedSecret }: Pick<CrmConnectionRow, 'url' | 'sealedSecret'>,
  now: Date,
): Promise<void> {
  await db.query(
    `insert into crm_connections (advisor_id, url, sealed_secret, date_time_created)
     values ($1, $2, $3, $4)
     on conflict (advisor_id) do update
     set url = excluded.url, sealed_secret = excluded.sealed_secret, lookups_after = '-infinity', lookup_fault = null,
         date_time_created = excluded.date_time_created`,
    [advisorId, url, sealedSecret, now],
  );
}

export async function findCrmConnection(db: Db, advisorId: number): Promise<CrmConnectionRow | null> {
  return db.find<CrmConnectionRow>(
    `select ${columns}
     from crm_connections c
     where c.advisor_id = $1`,
    [advisorId],
  );
}

/** Spans advisors: an operator sees all of them. */
export async function listCrmConnections(db: Db): Promise<CrmConnectionRow[]> {
  return db.query<CrmConnectionRow>(
    `select ${columns}
     from crm_connections c
     order by c.advisor_id`,
  );
}

/** Contacts from the CRM stay; numbers that wait for a lookup don't. */
export async function deleteCrmConnection(db: Db, advisorId: number): Promise<boolean> {
  await db.query('delete from crm_lookups where advisor_id = $1', [advisorId]);
  return db.has(
    `delete from crm_connections
     where advisor_id = $1
     returning advisor_id`,
    [advisorId],
  );
}

/** Unless another one has been connected since. */
export async function updateSealedSecret(
  db: Db,
  advisorId: number,
  { from, to }: Record<'from' | 'to', Buffer>,
): Promise<void> {
  await db.query(
    `update crm_connections
     set sealed_secret = $3
     where advisor_id = $1 and sealed_secret = $2`,
    [advisorId, from, to],
  );
}

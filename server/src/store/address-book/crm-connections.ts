import type { Db } from '../database/db.ts';
import { forAllAdvisors } from '../database/for-advisors.ts';

export type CrmConnectionRow = {
  advisorId: number;
  kind: string;
  settings: Record<string, string>;
  sealedSecret: Buffer | null;
  daily: boolean;
  nextSyncAt: Date | null;
  syncId: number | null;
  lookupFault: string | null;
  waitingLookups: number;
  dateTimeCreated: Date;
};

type NewCrmConnection = Pick<CrmConnectionRow, 'kind' | 'settings' | 'sealedSecret' | 'daily' | 'nextSyncAt'>;

const columns = `
  c.advisor_id as "advisorId", c.kind, c.settings, c.sealed_secret as "sealedSecret", c.daily,
  c.next_sync_at as "nextSyncAt", c.sync_id as "syncId", c.lookup_fault as "lookupFault",
  c.date_time_created as "dateTimeCreated",
  (select count(*) from crm_lookups l where l.advisor_id = c.advisor_id) as "waitingLookups"`;

/** An advisor has one CRM: a new one replaces it. */
export async function insertCrmConnection(
  db: Db,
  advisorId: number,
  { kind, settings, sealedSecret, daily, nextSyncAt }: NewCrmConnection,
  now: Date,
): Promise<void> {
  await db.query(
    `insert into crm_connections (advisor_id, kind, settings, sealed_secret, daily, next_sync_at, date_time_created)
     values ($1, $2, $3, $4, $5, $6, $7)
     on conflict (advisor_id) do update
     set kind = excluded.kind, settings = excluded.settings, sealed_secret = excluded.sealed_secret,
         daily = excluded.daily, next_sync_at = excluded.next_sync_at, sync_id = null, syncing_until = null,
         lookups_after = '-infinity', lookup_fault = null,
         date_time_created = excluded.date_time_created`,
    [advisorId, kind, settings, sealedSecret, daily, nextSyncAt, now],
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

/** Advisors whose sync is due and not running, the longest overdue first. Spans advisors: syncs are due, whoever's they are. */
export async function listDueForSync(
  db: Db,
  { now, realNow, limit }: { now: Date; realNow: Date; limit: number },
): Promise<number[]> {
  const rows = await forAllAdvisors(db, (db) =>
    db.query<{ advisorId: number; nextSyncAt: Date }>(
      `select advisor_id as "advisorId", next_sync_at as "nextSyncAt"
       from crm_connections
       where next_sync_at <= $1 and (syncing_until is null or syncing_until < $2)
       order by next_sync_at
       limit $3`,
      [now, realNow, limit],
      'list-due-for-sync',
    ),
  );
  return rows
    .sort((a, b) => a.nextSyncAt.getTime() - b.nextSyncAt.getTime())
    .slice(0, limit)
    .map(({ advisorId }) => advisorId);
}

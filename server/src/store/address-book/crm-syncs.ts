import type { Db } from '../database/db.ts';

type SyncStatus = 'running' | 'succeeded' | 'failed' | 'interrupted';
export type SyncCounts = {
  added: number;
  updated: number;
  unchanged: number;
  conflicts: number;
  duplicates: number;
  missing: number;
  refused: number;
};
export type CrmSyncRow = {
  syncId: number;
  kind: string;
  actor: string;
  status: SyncStatus;
  reason: string | null;
  dateTimeStarted: Date;
  dateTimeEnded: Date | null;
} & SyncCounts;

export type FindingKind = 'conflict' | 'duplicate' | 'missing' | 'refused' | 'left_out';
export type SyncFinding = {
  kind: FindingKind;
  remoteContactId: string | null;
  contactId: number | null;
  detail: string;
};

const columns = `
  sync_id as "syncId", kind, actor, status, reason, added, updated, unchanged, conflicts, duplicates, missing, refused,
  date_time_started as "dateTimeStarted", date_time_ended as "dateTimeEnded"`;

type Lease = { realNow: Date; until: Date };

/**
 * Starts a sync, unless one is running. Its id fences off an earlier sync that may still be alive. A sync whose node died
 * becomes interrupted.
 */
export async function claimSync(
  db: Db,
  advisorId: number,
  { kind, actor, now, realNow, until }: { kind: string; actor: string; now: Date } & Lease,
): Promise<number | null> {
  const isFree = await db.has(
    `select
     from crm_connections
     where advisor_id = $1 and (syncing_until is null or syncing_until < $2)
     for update`,
    [advisorId, realNow],
  );
  if (!isFree) return null;
  await db.query(
    `update crm_syncs
     set status = 'interrupted', date_time_ended = $2
     where advisor_id = $1 and status = 'running'`,
    [advisorId, now],
  );
  const { syncId } = await db.one<{ syncId: number }>(
    `insert into crm_syncs (advisor_id, kind, actor, status, date_time_started)
     values ($1, $2, $3, 'running', $4)
     returning sync_id as "syncId"`,
    [advisorId, kind, actor, now],
  );
  await db.query(
    `update crm_connections
     set sync_id = $2, syncing_until = $3
     where advisor_id = $1`,
    [advisorId, syncId, until],
  );
  return syncId;
}

/** Returns whether the sync still has its lease. In a transaction, it also keeps another sync from starting before its end. */
export async function renewSync(db: Db, advisorId: number, syncId: number, until: Date): Promise<boolean> {
  return db.has(
    `update crm_connections
     set syncing_until = $3
     where advisor_id = $1 and sync_id = $2
     returning advisor_id`,
    [advisorId, syncId, until],
    'renew-sync',
  );
}

export async function addToSync(db: Db, advisorId: number, syncId: number, counts: SyncCounts): Promise<void> {
  const { added, updated, unchanged, conflicts, duplicates, missing, refused } = counts;
  await db.query(
    `update crm_syncs
     set added = added + $3, updated = updated + $4, unchanged = unchanged + $5, conflicts = conflicts + $6,
         duplicates = duplicates + $7, missing = missing + $8, refused = refused + $9
     where advisor_id = $1 and sync_id = $2`,
    [advisorId, syncId, added, updated, unchanged, conflicts, duplicates, missing, refused],
    'add-to-sync',
  );
}

/** Ends a sync and sets when the next is due. A sync that was fenced off changes only its own record. */
export async function endSync(
  db: Db,
  advisorId: number,
  syncId: number,
  { status, reason, nextSyncAt, now }: { status: SyncStatus; reason: string | null; nextSyncAt: Date; now: Date },
): Promise<void> {
  await db.query(
    `update crm_syncs
     set status = $3, reason = $4, date_time_ended = $5
     where advisor_id = $1 and sync_id = $2 and status = 'running'`,
    [advisorId, syncId, status, reason, now],
  );
  await db.query(
    `update crm_connections
     set syncing_until = null, sync_id = null, next_sync_at = case when daily then $3::timestamptz end
     where advisor_id = $1 and sync_id = $2`,
    [advisorId, syncId, nextSyncAt],
  );
}

export async function findSync(db: Db, advisorId: number, syncId: number): Promise<CrmSyncRow | null> {
  return db.find<CrmSyncRow>(
    `select ${columns}
     from crm_syncs
     where advisor_id = $1 and sync_id = $2`,
    [advisorId, syncId],
  );
}

/** Newest first. */
export async function listSyncs(db: Db, advisorId: number, limit: number): Promise<CrmSyncRow[]> {
  return db.query<CrmSyncRow>(
    `select ${columns}
     from crm_syncs
     where advisor_id = $1
     order by sync_id desc
     limit $2`,
    [advisorId, limit],
  );
}

export async function insertFindings(
  db: Db,
  advisorId: number,
  syncId: number,
  findings: SyncFinding[],
): Promise<void> {
  if (findings.length === 0) return;
  await db.query(
    `insert into crm_findings (advisor_id, sync_id, kind, remote_contact_id, contact_id, detail)
     select $1, $2, kind, "remoteContactId", "contactId", detail
     from json_to_recordset($3) as given (kind text, "remoteContactId" text, "contactId" bigint, detail text)`,
    [advisorId, syncId, JSON.stringify(findings)],
    'insert-findings',
  );
}

export async function listFindings(db: Db, advisorId: number, syncId: number): Promise<SyncFinding[]> {
  return db.query<SyncFinding>(
    `select kind, remote_contact_id as "remoteContactId", contact_id as "contactId", detail
     from crm_findings
     where advisor_id = $1 and sync_id = $2
     order by finding_id`,
    [advisorId, syncId],
  );
}

/** People look at recent findings only, so those of the last few syncs are enough. */
export async function deleteOldFindings(db: Db, advisorId: number, keptSyncs: number): Promise<void> {
  await db.query(
    `delete from crm_findings
     where advisor_id = $1
       and sync_id < (
         select min(sync_id)
         from (
           select sync_id
           from crm_syncs
           where advisor_id = $1
           order by sync_id desc
           limit $2
         ) as kept
       )`,
    [advisorId, keptSyncs],
  );
}

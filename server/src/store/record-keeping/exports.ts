import type { Db } from '../database/db.ts';

export type ExportJob = {
  exportId: number;
  firmId: number;
  staffId: number;
  traceId: string | null;
  advisorId: number;
  from: Date;
  to: Date;
  format: 'eml' | 'ndjson';
  status: 'waiting' | 'running' | 'ready' | 'failed' | 'expired';
  entriesDone: number;
  entriesTotal: number | null;
  bytes: number;
  reason: string | null;
  dateTimeCreated: Date;
};
export type ListedExport = ExportJob & { advisor: string; by: string };
export type NewExport = Pick<ExportJob, 'firmId' | 'staffId' | 'traceId' | 'advisorId' | 'from' | 'to' | 'format'>;

const columns = `
  export_id as "exportId", firm_id as "firmId", staff_id as "staffId", trace_id as "traceId",
  of_advisor as "advisorId", period_from as "from", period_to as "to", format, status,
  entries_done as "entriesDone", entries_total as "entriesTotal", bytes, reason, date_time_created as "dateTimeCreated"`;

export async function insertExport(
  db: Db,
  { firmId, staffId, traceId, advisorId, from, to, format }: NewExport,
  realNow: Date,
): Promise<ExportJob> {
  return db.one<ExportJob>(
    `insert into exports (firm_id, staff_id, trace_id, of_advisor, period_from, period_to, format, date_time_created)
     values ($1, $2, $3, $4, $5, $6, $7, $8)
     returning ${columns}`,
    [firmId, staffId, traceId, advisorId, from, to, format, realNow],
  );
}

/** How many the firm has asked for that aren't made yet. */
export async function countUnmadeExports(db: Db, firmId: number): Promise<number> {
  const { count } = await db.one<{ count: number }>(
    `select count(*)::integer as count from exports where firm_id = $1 and status in ('waiting', 'running')`,
    [firmId],
  );
  return count;
}

/** The newest first. */
export async function listExports(db: Db, firmId: number, limit: number): Promise<ListedExport[]> {
  return db.query(
    `select
       ${columns},
       (select name from advisors a where a.advisor_id = of_advisor) as advisor,
       (select name from staff s where s.staff_id = exports.staff_id) as by
     from exports
     where firm_id = $1
     order by export_id desc
     limit $2`,
    [firmId, limit],
  );
}

export async function findExport(db: Db, firmId: number, exportId: number): Promise<ExportJob | null> {
  return db.find<ExportJob>(`select ${columns} from exports where firm_id = $1 and export_id = $2`, [firmId, exportId]);
}

/**
 * The oldest of those that nobody makes, of the firm that has waited longest for one: a firm that asks for a hundred delays
 * itself. What another node left of it is gone.
 */
export async function claimExport(db: Db, realNow: Date, until: Date): Promise<ExportJob | null> {
  const row = await db.find<ExportJob>(
    `with turns as (
       select firm_id, max(leased_until) as last_turn
       from exports
       where status in ('waiting', 'running', 'ready')
       group by firm_id
     )
     update exports
     set status = 'running', leased_until = $2, entries_done = 0, bytes = 0
     where export_id = (
       select export_id
       from exports
       join turns using (firm_id)
       where status in ('waiting', 'running') and leased_until <= $1
       order by last_turn, export_id
       limit 1
       for update of exports skip locked
     )
     returning ${columns}`,
    [realNow, until],
    'claim-export',
  );
  if (row) await deleteExportParts(db, row.exportId);
  return row;
}

export async function updateExport(
  db: Db,
  exportId: number,
  { entriesDone, entriesTotal, until }: { entriesDone: number; entriesTotal: number; until: Date },
): Promise<void> {
  await db.query(
    `update exports
     set entries_done = $2, entries_total = $3, leased_until = $4
     where export_id = $1 and status = 'running'`,
    [exportId, entriesDone, entriesTotal, until],
  );
}

export async function endExport(
  db: Db,
  exportId: number,
  { status, reason }: { status: 'ready' | 'failed' | 'expired'; reason: string | null },
): Promise<void> {
  await db.query('update exports set status = $2, reason = $3 where export_id = $1', [exportId, status, reason]);
}

export async function insertExportPart(db: Db, exportId: number, part: number, bytes: Buffer): Promise<void> {
  await db.query('insert into export_parts (export_id, part, bytes) values ($1, $2, $3)', [exportId, part, bytes]);
  await db.query('update exports set bytes = bytes + $2 where export_id = $1', [exportId, bytes.length]);
}

export async function findExportPart(db: Db, exportId: number, part: number): Promise<Buffer | null> {
  return db.value<Buffer>('select bytes from export_parts where export_id = $1 and part = $2', [exportId, part]);
}

export async function deleteExportParts(db: Db, exportId: number): Promise<void> {
  await db.query('delete from export_parts where export_id = $1', [exportId]);
}

export async function listReadyBefore(db: Db, before: Date): Promise<number[]> {
  const rows = await db.query<{ exportId: number }>(
    `select export_id as "exportId" from exports where status = 'ready' and date_time_created < $1`,
    [before],
  );
  return rows.map(({ exportId }) => exportId);
}

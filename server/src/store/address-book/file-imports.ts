import type { Db, Due } from '../database/db.ts';
import { takeDue } from '../database/for-advisors.ts';

/** A row that was refused, or imported without something. */
export type ImportNote = { line: number; isRefused: boolean; why: string };
export type ImportCounts = Record<'created' | 'updated' | 'unchanged' | 'repeated' | 'refused', number>;
export type FileImport = ImportCounts & {
  importId: number;
  fileName: string;
  status: 'previewed' | 'running' | 'done' | 'failed' | 'stopped';
  rowCount: number;
  rowsDone: number;
  notes: ImportNote[];
};
type ImportFile = { fileName: string; file: Buffer; rowCount: number };
export type ClaimedImport = {
  advisorId: number;
  importId: number;
  file: Buffer;
  rowsDone: number;
  notes: ImportNote[];
};

const columns = `
  import_id as "importId", file_name as "fileName", status, row_count as "rowCount", rows_done as "rowsDone", created,
  updated, unchanged, repeated, refused, notes`;

/** In place of the one before, unless that is running: then null. */
export async function insertImport(db: Db, advisorId: number, given: ImportFile): Promise<number | null> {
  await db.query(`delete from contact_imports where advisor_id = $1 and status <> 'running'`, [advisorId]);
  if (await findImport(db, advisorId)) return null;
  return db.value<number>(
    `insert into contact_imports (advisor_id, file_name, file, row_count)
     values ($1, $2, $3, $4)
     returning import_id as "importId"`,
    [advisorId, given.fileName, given.file, given.rowCount],
  );
}

/** The advisor's last one. */
export async function findImport(db: Db, advisorId: number): Promise<FileImport | null> {
  return db.find<FileImport>(
    `select ${columns}
     from contact_imports
     where advisor_id = $1
     order by import_id desc
     limit 1`,
    [advisorId],
    'find-import',
  );
}

export async function findImportFile(db: Db, advisorId: number, importId: number): Promise<Buffer | null> {
  return db.value<Buffer>('select file from contact_imports where advisor_id = $1 and import_id = $2', [
    advisorId,
    importId,
  ]);
}

export async function startImport(db: Db, advisorId: number, importId: number): Promise<boolean> {
  return db.has(
    `update contact_imports
     set status = 'running'
     where advisor_id = $1 and import_id = $2 and status = 'previewed'
       and not exists (select from contact_imports where advisor_id = $1 and status = 'running')
     returning 1`,
    [advisorId, importId],
  );
}

/** Whichever node is at it ends with the batch that it has. */
export async function stopImport(db: Db, advisorId: number, importId: number): Promise<boolean> {
  return db.has(
    `update contact_imports
     set status = 'stopped'
     where advisor_id = $1 and import_id = $2 and status = 'running'
     returning 1`,
    [advisorId, importId],
  );
}

export async function deleteImport(db: Db, advisorId: number, importId: number): Promise<boolean> {
  return db.has(
    `delete from contact_imports
     where advisor_id = $1 and import_id = $2 and status <> 'running'
     returning 1`,
    [advisorId, importId],
  );
}

/** One that is running and that no node is at. Spans advisors: its job works for all of them. */
export async function claimImport(
  db: Db,
  { realNow, until }: { realNow: Date; until: Date },
): Promise<ClaimedImport | null> {
  const due: Due = [
    `select from contact_imports where status = 'running' and leased_until < $1 limit 1`,
    [realNow],
    'has-imports',
  ];
  const { rows } = await takeDue(db, due, (db) =>
    db.query<ClaimedImport>(
      `update contact_imports
       set leased_until = $2
       where (advisor_id, import_id) in (
         select advisor_id, import_id
         from contact_imports
         where status = 'running' and leased_until < $1
         order by leased_until
         limit 1
         for update skip locked
       )
       returning advisor_id as "advisorId", import_id as "importId", file, rows_done as "rowsDone", notes`,
      [realNow, until],
      'claim-import',
    ),
  );
  return rows[0] ?? null;
}

type ImportProgress = {
  status: FileImport['status'];
  rowsDone: number;
  counts: ImportCounts;
  notes: ImportNote[];
  lease: { was: Date; until: Date };
};

/** Adds to the counts, also of one that was stopped meanwhile. False if it was, or another node has it by now. */
export async function updateImport(
  db: Db,
  advisorId: number,
  importId: number,
  { status, rowsDone, counts, notes, lease }: ImportProgress,
): Promise<boolean> {
  const found = await db.value<FileImport['status']>(
    `update contact_imports
     set status = case when status = 'running' then $3 else status end, rows_done = $4, created = created + $5,
         updated = updated + $6, unchanged = unchanged + $7, repeated = repeated + $8, refused = refused + $9, notes = $10,
         leased_until = $12
     where advisor_id = $1 and import_id = $2 and leased_until = $11
     returning status`,
    [
      advisorId,
      importId,
      status,
      rowsDone,
      counts.created,
      counts.updated,
      counts.unchanged,
      counts.repeated,
      counts.refused,
      JSON.stringify(notes),
      lease.was,
      lease.until,
    ],
  );
  return found === status;
}

/** Spans advisors: a file is kept for so long, whoever's it is. */
export async function deleteOldImports(db: Db, before: Date): Promise<void> {
  await db.query(`delete from contact_imports where status <> 'running' and uploaded_at < $1`, [before]);
}

import type { Db } from '../database/db.ts';

type WordingRow = { kind: string; version: number; text: string; dateTimeCreated: Date };

const columns = 'kind, version, text, date_time_created as "dateTimeCreated"';

/** The newest version, or null if the firm has no wording of its own. */
export async function findWording(db: Db, firmId: number, kind: string): Promise<WordingRow | null> {
  return db.find<WordingRow>(
    `select ${columns}
     from wordings
     where firm_id = $1 and kind = $2
     order by version desc
     limit 1`,
    [firmId, kind],
    'find-wording',
  );
}

/** The newest version of each kind that the firm has its own wording for. */
export async function listWordings(db: Db, firmId: number): Promise<WordingRow[]> {
  return db.query<WordingRow>(
    `select distinct on (kind) ${columns}
     from wordings
     where firm_id = $1
     order by kind, version desc`,
    [firmId],
  );
}

/** Every version of every kind, the newest first. */
export async function listWordingVersions(db: Db, firmId: number): Promise<WordingRow[]> {
  return db.query<WordingRow>(
    `select ${columns}
     from wordings
     where firm_id = $1
     order by kind, version desc`,
    [firmId],
  );
}

/** Adds the next version. The firm's row is locked, so two concurrent calls make two versions. */
export async function insertWording(
  db: Db,
  firmId: number,
  { kind, text }: { kind: string; text: string },
  now: Date,
): Promise<number> {
  return db.transaction(async (own) => {
    await own.query('select from firms where firm_id = $1 for update', [firmId]);
    const [last] = await own.query<{ version: number | null }>(
      'select max(version) as version from wordings where firm_id = $1 and kind = $2',
      [firmId, kind],
    );
    const version = (last?.version ?? 0) + 1;
    await own.query(
      `insert into wordings (firm_id, kind, version, text, date_time_created)
       values ($1, $2, $3, $4, $5)`,
      [firmId, kind, version, text, now],
    );
    return version;
  });
}

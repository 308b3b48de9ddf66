import { columnsOf } from '../database/columns.ts';
import type { Db } from '../database/db.ts';

type LexiconRow = { firmId: number; version: number; rules: string };

/** The newest version for each firm that has a lexicon of its own, unless it is the given one. */
export async function listNewLexicons(db: Db, known: Omit<LexiconRow, 'rules'>[]): Promise<LexiconRow[]> {
  return db.query<LexiconRow>(
    `select newest.firm_id as "firmId", newest.version, rules
     from unnest($1::bigint[], $2::integer[]) as given (firm_id, version)
     cross join lateral (
       select *
       from lexicons
       where firm_id = given.firm_id
       order by version desc
       limit 1
     ) as newest
     where newest.version <> given.version`,
    columnsOf(known, 'firmId', 'version'),
    'list-new-lexicons',
  );
}

/** Adds a version after the last one. The caller has locked the firm's row, so two calls at once make two versions. */
export async function insertLexicon(
  db: Db,
  firmId: number,
  { rules, setBy }: { rules: string; setBy: number | null },
  now: Date,
): Promise<number> {
  const last = await db.value<number>('select max(version) from lexicons where firm_id = $1', [firmId]);
  const version = (last ?? 0) + 1;
  await db.query(
    `insert into lexicons (firm_id, version, rules, date_time_created, set_by)
     values ($1, $2, $3, $4, $5)`,
    [firmId, version, rules, now, setBy],
  );
  return version;
}

/** These versions, of firms that have them. */
export async function listLexiconVersions(
  db: Db,
  versions: { firmId: number; version: number }[],
): Promise<LexiconRow[]> {
  return db.query<LexiconRow>(
    `select distinct l.firm_id as "firmId", l.version, l.rules
     from lexicons l
     join json_to_recordset($1) as given (firm_id bigint, version integer) using (firm_id, version)`,
    [JSON.stringify(versions.map(({ firmId, version }) => ({ firm_id: firmId, version })))],
  );
}

export type LexiconVersionRow = { version: number; dateTimeCreated: Date; setBy: string | null };

/** The firm's versions, the newest first. */
export async function listLexiconHistory(db: Db, firmId: number, limit: number): Promise<LexiconVersionRow[]> {
  return db.query<LexiconVersionRow>(
    `select l.version, l.date_time_created as "dateTimeCreated", s.name as "setBy"
     from lexicons l
     left join staff s on s.staff_id = l.set_by
     where l.firm_id = $1
     order by l.version desc
     limit $2`,
    [firmId, limit],
  );
}

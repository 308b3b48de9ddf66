import type { Db } from '../database/db.ts';

export type LexiconRow = { firmId: number; version: number; rules: string };

/** The newest version for each firm that has a lexicon of its own. */
export async function listLexicons(db: Db, firmIds: number[]): Promise<LexiconRow[]> {
  return db.query<LexiconRow>(
    `select newest.firm_id as "firmId", version, rules
     from unnest($1::bigint[]) as given (firm_id)
     cross join lateral (
       select *
       from lexicons
       where firm_id = given.firm_id
       order by version desc
       limit 1
     ) as newest`,
    [firmIds],
    'list-lexicons',
  );
}

/** Adds a version after the last one. The caller has locked the firm's row, so two calls at once make two versions. */
export async function insertLexicon(db: Db, firmId: number, rules: string, now: Date): Promise<number> {
  const [row] = await db.query<{ version: number }>(
    `insert into lexicons (firm_id, version, rules, date_time_created)
     select $1, coalesce(max(version), 0) + 1, $2, $3
     from lexicons
     where firm_id = $1
     returning version`,
    [firmId, rules, now],
  );
  if (!row) throw new Error('The insert returned no lexicon.');
  return row.version;
}

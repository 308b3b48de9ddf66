import type { Db } from '../database/db.ts';

export async function insertSavedSearch(
  db: Db,
  firmId: number,
  { staffId, search, now }: { staffId: number; search: object; now: Date },
): Promise<number> {
  const [row] = await db.query<{ searchId: number }>(
    `insert into saved_searches (firm_id, staff_id, search, date_time_created)
     values ($1, $2, $3, $4)
     returning search_id as "searchId"`,
    [firmId, staffId, JSON.stringify(search), now],
  );
  if (!row) throw new Error('The insert returned no search.');
  return row.searchId;
}

export async function findSavedSearch(db: Db, firmId: number, searchId: number): Promise<object | null> {
  const [row] = await db.query<{ search: object }>(
    'select search from saved_searches where firm_id = $1 and search_id = $2',
    [firmId, searchId],
  );
  return row?.search ?? null;
}

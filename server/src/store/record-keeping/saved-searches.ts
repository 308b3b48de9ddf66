import type { Db } from '../database/db.ts';

export async function insertSavedSearch(
  db: Db,
  firmId: number,
  { staffId, search, now }: { staffId: number; search: object; now: Date },
): Promise<number> {
  const { searchId } = await db.one<{ searchId: number }>(
    `insert into saved_searches (firm_id, staff_id, search, date_time_created)
     values ($1, $2, $3, $4)
     returning search_id as "searchId"`,
    [firmId, staffId, JSON.stringify(search), now],
  );
  return searchId;
}

export async function findSavedSearch(db: Db, firmId: number, searchId: number): Promise<object | null> {
  return db.value<object>('select search from saved_searches where firm_id = $1 and search_id = $2', [
    firmId,
    searchId,
  ]);
}

import type { Db } from '../database/db.ts';

/** Serializes changes to one book: every change to existing rows locks this row first, to avoid deadlocks. */
export async function lockBook(db: Db, advisorId: number): Promise<void> {
  await db.query(
    `insert into contact_books (advisor_id)
     values ($1)
     on conflict (advisor_id) do update
     set advisor_id = excluded.advisor_id`,
    [advisorId],
    'lock-book',
  );
}

/** How contacts change, and which may; new ones are not known before. A change of counts alone is not logged. */
type Change = { what: 'created' | 'updated' | 'deleted' | 'counted'; contactIds?: number[] };

type SortKeys = { contact_id: number; date_time_modified: string } & Record<string, unknown>;

/**
 * Changes contacts in a transaction, in which the book is locked unless they are new. On one PostgreSQL triggers count them and
 * log the change; where the database is distributed this does, from what the contacts were before and are after. `changed`
 * tells by the result which of them did change, if not all.
 */
export async function changingContacts<Result>(
  db: Db,
  advisorId: number,
  { what, contactIds = [] }: Change,
  work: () => Promise<Result>,
  changed: (result: Result) => number[] = () => contactIds,
): Promise<Result> {
  const isDistributed = db.isDistributed();
  if (isDistributed === false || !(await isDistributed)) return work();
  const earlier = what === 'created' ? [] : await listSortKeys(db, advisorId, contactIds);
  const result = await work();
  const ids = changed(result);
  if (ids.length === 0) return result;
  const before = earlier.filter(({ contact_id: id }) => ids.includes(id));
  const after = what === 'deleted' ? [] : await listSortKeys(db, advisorId, ids);
  const changes = [...before.map((row) => ({ ...row, change: -1 })), ...after.map((row) => ({ ...row, change: 1 }))];
  await db.query('select count_contacts($1, $2)', [advisorId, JSON.stringify(changes)]);
  if (what !== 'counted') await logChanges(db, advisorId, what, what === 'deleted' ? before : after);
  return result;
}

async function listSortKeys(db: Db, advisorId: number, contactIds: number[]): Promise<SortKeys[]> {
  return db.query<SortKeys>(
    `select
       advisor_id, contact_id, full_name, email_order, email_status, group_count, source,
       date_time_created::text as date_time_created, date_time_modified::text as date_time_modified
     from contacts
     where advisor_id = $1 and contact_id = any ($2)`,
    [advisorId, contactIds],
    'list-sort-keys',
  );
}

async function logChanges(
  db: Db,
  advisorId: number,
  what: 'created' | 'updated' | 'deleted',
  rows: SortKeys[],
): Promise<void> {
  const modified = rows.map((row) => row.date_time_modified).sort();
  await db.query('select log_changes_of_contacts($1, $2, $3, $4)', [
    advisorId,
    what,
    rows.map((row) => row.contact_id),
    what === 'deleted' ? null : modified.at(-1),
  ]);
}

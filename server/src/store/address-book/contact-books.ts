import { columnsOf } from '../database/columns.ts';
import type { Db } from '../database/db.ts';
import { forAdvisors } from '../database/for-advisors.ts';

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

/** What one statement did to these contacts, and by how many it changed the number of those with an email. */
type BookChange = {
  change: 'created' | 'updated' | 'deleted';
  contactIds: number[];
  emails: number;
  dateTime: Date;
};

/**
 * Counts a change and adds it to the log of changes, in the transaction that made it. From here to the commit that transaction
 * has the book to itself, so the numbers of changes are in the order of commits.
 */
export async function recordChange(
  db: Db,
  advisorId: number,
  { change, contactIds, emails, dateTime }: BookChange,
): Promise<void> {
  if (contactIds.length === 0) return;
  const runs = runsOf(contactIds);
  const added = { created: contactIds.length, updated: 0, deleted: -contactIds.length }[change];
  await forAdvisors(db, [{ advisorId }], (db) =>
    db.write(
      `with book as (
         insert into contact_books as book (advisor_id, contact_count, email_count, last_change)
         values ($1, $2, $3, cardinality($4::bigint[]))
         on conflict (advisor_id) do update
         set contact_count = book.contact_count + excluded.contact_count,
             email_count = book.email_count + excluded.email_count,
             last_change = book.last_change + excluded.last_change
         returning advisor_id, last_change
       )
       insert into contact_changes (advisor_id, number, change, first_contact_id, last_contact_id, date_time)
       select advisor_id, last_change - cardinality($4) + nth, $6, first_id, last_id, $7
       from book, unnest($4, $5::bigint[]) with ordinality as run (first_id, last_id, nth)`,
      [advisorId, added, emails, ...columnsOf(runs, 'first', 'last'), change, dateTime],
      'record-change',
    ),
  );
}

/** Ids that follow each other, as the first and the last of them: those of an import are one run. */
function runsOf(ids: number[]): { first: number; last: number }[] {
  const runs: { first: number; last: number }[] = [];
  for (const id of ids.toSorted((a, b) => a - b)) {
    const run = runs.at(-1);
    if (run && run.last === id - 1) run.last = id;
    else runs.push({ first: id, last: id });
  }
  return runs;
}

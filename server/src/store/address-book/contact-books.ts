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

import type { Db } from '../database/db.ts';

/** Changes to one book take turns: whoever changes what is there locks this row first, and so never in a circle. */
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

import assert from 'node:assert/strict';
import type { World } from '../support/world.ts';

/** Asserts that the counts in the book's row equal the contacts, counted one by one. */
export async function assertCounted(world: World, advisorId: number): Promise<void> {
  const [book] = await world.database.asOwner<{ counted: string; held: string }>(
    `select
       (select row(contact_count, email_count)::text from contact_books where advisor_id = $1) as counted,
       (select row(count(*), count(email_address))::text from contacts where advisor_id = $1) as held`,
    [advisorId],
  );
  assert.equal(book?.counted ?? '(0,0)', book?.held);
}

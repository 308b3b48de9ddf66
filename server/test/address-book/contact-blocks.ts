import assert from 'node:assert/strict';
import { sorts } from '../../src/store/address-book/contact-summaries.ts';
import type { World } from '../support/world.ts';

const blockMax = 1000;
export const blockSorts = Object.entries(sorts);

type Block = { sortBy: string; lowId: number; counted: number; held: number };

/** Asserts that the counts of the book and of every block equal the contacts, counted one by one. */
export async function assertInSync(world: World, advisorId: number): Promise<void> {
  const [book] = await world.database.asOwner<{ counted: string; held: string }>(
    `select
       (select row(contact_count, email_count)::text from contact_books where advisor_id = $1) as counted,
       (select row(count(*), count(email_address))::text from contacts where advisor_id = $1) as held`,
    [advisorId],
  );
  assert.equal(book?.counted ?? '(0,0)', book?.held);

  const blocks = await listBlocks(world, advisorId);
  const totals = new Map<string, number>();
  for (const { sortBy, lowId, counted, held } of blocks) {
    assert.equal(counted, held, `The block of ${sortBy} at ${lowId} counts ${counted} contacts and holds ${held}.`);
    assert.ok(counted <= blockMax, `A block of ${sortBy} holds ${counted} contacts.`);
    assert.ok(counted > 0 || lowId < 0, `An empty block of ${sortBy} was left behind.`);
    totals.set(sortBy, (totals.get(sortBy) ?? 0) + counted);
  }
  for (const [sortBy, total] of totals) assert.equal(`(${total}`, book?.held.split(',')[0], sortBy);
  if (book?.counted && book.counted !== '(0,0)') assert.equal(totals.size, blockSorts.length);
}

/** Where the blocks of one sort begin: the first below all contacts, each of the others at a contact. */
export async function listLowIds(world: World, advisorId: number, sortBy: string): Promise<Set<number>> {
  const blocks = await listBlocks(world, advisorId);
  return new Set(blocks.filter((block) => block.sortBy === sortBy).map((block) => block.lowId));
}

async function listBlocks(world: World, advisorId: number): Promise<Block[]> {
  const selects = blockSorts.map(
    ([sortBy, { column, low }]) => `
      select sort_by as "sortBy", low_id::double precision as "lowId", contact_count as counted, held::integer
      from (
        select *, lead(${low}) over sorted as next_low, lead(low_id) over sorted as next_id
        from contact_blocks
        where advisor_id = $1 and sort_by = '${sortBy}'
        window sorted as (order by ${low}, low_id)
      ) as block
      cross join lateral (
        select count(*) as held
        from contacts
        where advisor_id = $1
          and (${column}, contact_id) >= (${low}, low_id)
          and (next_id is null or (${column}, contact_id) < (next_low, next_id))
      ) as between_lows`,
  );
  return world.database.asOwner<Block>(selects.join(' union all '), [advisorId]);
}

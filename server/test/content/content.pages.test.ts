import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import fc from 'fast-check';
import { addAdvisor } from '../../src/domain/accounts/advisors.ts';
import { addFirm } from '../../src/domain/accounts/firms.ts';
import { type ContentInput, contentTypes, saveContent, searchContent } from '../../src/domain/content/content.ts';
import { makeWorld } from '../support/world.ts';

const world = await makeWorld({ dispatch: false });
after(() => world.close());
const { deps, database } = world;

const title = fc.string({ unit: fc.constantFrom(...'aAáÁbBzZøßñ1 -’'), minLength: 1, maxLength: 4 });
const item = fc.record({
  title: title.map((text) => text.trim() || 'x'),
  type: fc.constantFrom(...contentTypes),
  status: fc.constantFrom('published', 'published', 'published', 'published', 'draft', 'archived'),
});
const pageSize = 150;

async function save(firmId: number | null, from: number, count: number, seed: number): Promise<void> {
  const items = fc.sample(item, { seed, numRuns: count }).map(
    (fields, index): ContentInput => ({
      ...(fields as Pick<ContentInput, 'title' | 'type' | 'status'>),
      url: `https://content.example/${from + index}`,
      summary: null,
      keywords: [],
      dateTimePublished: null,
    }),
  );
  for (let start = 0; start < items.length; start += 700)
    await saveContent(deps, { firmId, source: null }, items.slice(start, start + 700));
}

/** Every page that the advisor sees equals plain SQL, and every block counts what it has. */
async function assertPages(advisorId: number, firmId: number): Promise<void> {
  for (const contentType of ['All', 'Emails'] as const) {
    const expected = await database.asOwner<{ url: string }>(
      `select url
       from content_items
       where status = 'published' and (firm_id is null or firm_id = $1) and ($2 = 'All' or type = $2)
       order by title, content_id`,
      [firmId, contentType],
    );
    const found: string[] = [];
    for (let page = 1; page <= Math.ceil(expected.length / pageSize) + 1; page++) {
      const { data, pageInfo } = await searchContent(deps, advisorId, { contentType, page, pageSize });
      assert.equal(pageInfo.totalRecord, expected.length);
      found.push(...data.map(({ url }) => url));
    }
    assert.deepEqual(
      found,
      expected.map(({ url }) => url),
    );
  }
}

async function assertInSync(): Promise<number> {
  const blocks = await database.asOwner<{ low_id: number; counted: string | null; held: string | null; total: number }>(
    `select low_id, counted, held, coalesce(total, 0)::integer as total
     from (select *, lead(low_title) over sorted as next_title, lead(low_id) over sorted as next_id
           from content_blocks window sorted as (order by low_title, low_id)) as block
     left join lateral (
       select string_agg(concat_ws(' ', firm_id, type, item_count), ',' order by firm_id, type) as counted,
         sum(item_count) as total
       from content_block_counts where block_id = block.block_id
     ) as counts on true
     left join lateral (
       select string_agg(concat_ws(' ', firm_id, type, item_count), ',' order by firm_id, type) as held
       from (
         select firm_id, type, count(*) as item_count
         from content_items
         where status = 'published' and (title, content_id) >= (low_title, low_id)
           and (next_id is null or (title, content_id) < (next_title, next_id))
         group by firm_id, type
       ) as items
     ) as items on true`,
  );
  for (const { low_id: lowId, counted, held, total } of blocks) {
    assert.equal(counted, held, `the block at ${lowId}`);
    assert.ok(total <= 1000, `A block has ${total} items.`);
    assert.ok(total > 0 || lowId < 0, 'An empty block was left behind.');
  }
  return blocks.length;
}

test('every page by title is right while items are added, changed and archived', async () => {
  const { firmId } = await addFirm(deps, 'Paged');
  const { advisorId } = await addAdvisor(deps, { firmId, name: 'Page', email: 'page@test.example' });
  const { firmId: otherId } = await addFirm(deps, 'Other');
  await assertPages(advisorId, firmId);
  await save(null, 0, 2_500, 1);
  await save(firmId, 0, 300, 2);
  await save(otherId, 0, 900, 3);
  assert.ok((await assertInSync()) >= 3);
  await assertPages(advisorId, firmId);
  await save(null, 100, 900, 4);
  await save(firmId, 250, 100, 5);
  await assertInSync();
  await assertPages(advisorId, firmId);
  for (const owner of [null, firmId, otherId])
    await database.asOwner(`update content_items set status = 'archived' where firm_id is not distinct from $1`, [
      owner,
    ]);
  assert.equal(await assertInSync(), 1);
  await assertPages(advisorId, firmId);
});

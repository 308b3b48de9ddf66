import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import fc from 'fast-check';
import { addAdvisor } from '../../src/domain/accounts/advisors.ts';
import { addFirm } from '../../src/domain/accounts/firms.ts';
import { type ContentInput, contentTypes, saveContent, searchContent } from '../../src/domain/content/content.ts';
import { listContentByText } from '../../src/store/content/content-search.ts';
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
    await saveContent(deps, firmId, items.slice(start, start + 700));
}

/** Every page that the advisor sees equals plain SQL. */
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

test('every page by title is right while items are added, changed and archived', async () => {
  const { firmId } = await addFirm(deps, 'Paged');
  const { advisorId } = await addAdvisor(deps, { firmId, name: 'Page', email: 'page@test.example' });
  const { firmId: otherId } = await addFirm(deps, 'Other');
  await assertPages(advisorId, firmId);
  await save(null, 0, 2_500, 1);
  await save(firmId, 0, 300, 2);
  await save(otherId, 0, 900, 3);
  await assertPages(advisorId, firmId);
  await save(null, 100, 900, 4);
  await save(firmId, 250, 100, 5);
  await assertPages(advisorId, firmId);
  for (const owner of [null, firmId, otherId])
    await database.asOwner(`update content_items set status = 'archived' where firm_id is not distinct from $1`, [
      owner,
    ]);
  await assertPages(advisorId, firmId);
});

test('past the ranked items, those with the words in their titles come first, then the newest', async () => {
  const { firmId } = await addFirm(deps, 'Unranked');
  const words = fc.constantFrom('tax', 'taxes', 'estate', 'estate tax', 'other');
  // Few enough days that many are equal, and the lower id decides.
  const day = fc.integer({ min: 1, max: 5 }).map((each) => new Date(Date.UTC(2026, 0, each)));
  const fields = fc.record({ title: words, summary: words, dateTimePublished: day });
  const items = fc.sample(fields, { seed: 6, numRuns: 120 }).map(
    (each, index): ContentInput => ({
      ...each,
      type: 'Print',
      url: `https://content.example/unranked/${index}`,
      keywords: [],
      status: 'published',
    }),
  );
  await saveContent(deps, firmId, items);
  for (const [text, any] of [
    ['tax', false],
    ['tax estate', false],
    ['tax estate', true],
  ] as const) {
    const asked = text.split(' ');
    const query = asked.join(any ? '|' : '&');
    const inTitle = asked.map((word) => `${word}:A`).join(any ? '|' : '&');
    const expected = await database.asOwner<{ url: string }>(
      `select url
       from content_search
       join content_items using (content_id)
       where content_search.firm_id = $1 and words @@ to_tsquery('english', $2)
       order by words @@ to_tsquery('english', $3) desc, date_time_listed desc, content_id`,
      [firmId, query, inTitle],
    );
    const search = { words: asked.map((word) => ({ word, others: [] })), any };
    const found: string[] = [];
    for (let offset = 0n; offset < expected.length; offset += 7n) {
      const page = { offset, limit: 7, rankedMax: 0 };
      const { total, items: shown } = await listContentByText(deps.db, { firmId, type: 'All' }, search, page);
      assert.equal(total, expected.length);
      found.push(...shown.map(({ url }) => url));
    }
    assert.deepEqual(
      found,
      expected.map(({ url }) => url),
    );
  }
});

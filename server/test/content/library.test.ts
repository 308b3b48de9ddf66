import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import fc from 'fast-check';
import { addFirm } from '../../src/domain/accounts/firms.ts';
import { archiveContent, type ContentInput, contentTypes, saveContent } from '../../src/domain/content/content.ts';
import { makeLibrary, restMs } from '../../src/domain/content/library.ts';
import type { Library } from '../../src/domain/ports.ts';
import type { ContentFilter, RankedPage, WordSearch } from '../../src/store/content/content-search.ts';
import { listContentByText } from '../../src/store/content/content-search.ts';
import type { Db } from '../../src/store/database/db.ts';
import { until } from '../support/waiting.ts';
import { makeWorld } from '../support/world.ts';

const world = await makeWorld({ dispatch: false });
after(() => world.close());
const { deps, database } = world;
const db = database.pool;

const vocabulary = 'retire retiring retirement ret re r tax taxes taxing the to 401k über ünder 中文 a1b2 café'.split(
  ' ',
);
const word = fc.constantFrom(...vocabulary);
const text = (wordsMax: number) => fc.array(word, { maxLength: wordsMax }).map((words) => words.join(' '));
const item = fc.record({
  type: fc.constantFrom(...contentTypes.slice(0, 2)),
  title: text(3).map((title) => title || 'untitled'),
  summary: text(3),
  keywords: fc.array(word, { maxLength: 2 }),
  status: fc.constantFrom('published', 'published', 'published', 'draft', 'archived'),
  // Few enough that many are equal, and the lower id decides.
  dateTimePublished: fc.integer({ min: 0, max: 5 }).map((day) => new Date(Date.UTC(2026, 0, day))),
});
// A word that PostgreSQL splits is a phrase, which memory leaves to it.
const asked = fc.constantFrom(...vocabulary, 'retir', 'retirem', 'taxed', 'ü', 'untitled', 'absent', 'x²');
const search = fc.record({
  words: fc
    .uniqueArray(asked, { minLength: 1, maxLength: 4 })
    .chain((words) =>
      fc.tuple(
        ...words.map((each) => fc.record({ word: fc.constant(each), others: fc.uniqueArray(asked, { maxLength: 2 }) })),
      ),
    ),
  any: fc.boolean(),
});
const page = fc.record({
  number: fc.integer({ min: 0, max: 12 }),
  limit: fc.integer({ min: 1, max: 30 }),
  ranked: fc.integer({ min: 0, max: 3 }),
});

let urls = 0;
function itemsOf(count: number, seed: number, from?: number): ContentInput[] {
  const first = from ?? urls;
  urls = Math.max(urls, first + count);
  return fc.sample(item, { seed, numRuns: count }).map((fields, index) => ({
    ...(fields as Omit<ContentInput, 'url'>),
    url: `https://content.example/${first + index}`,
  }));
}

const one = (...words: string[]): WordSearch => ({
  words: words.map((each) => ({ word: each, others: [] })),
  any: false,
});
const firstPage: RankedPage = { offset: 0n, limit: 10, rankedMax: 20 };

/** Whether memory answered; if it did, it was what PostgreSQL answers. */
async function agrees(library: Library, filter: ContentFilter, wanted: WordSearch, at: RankedPage): Promise<boolean> {
  const found = await library.find(db, filter, wanted, at);
  if (found) assert.deepEqual(found, await listContentByText(db, filter, wanted, at), JSON.stringify(wanted));
  return found !== null;
}

async function assertAgrees(library: Library, firmId: number, seed: number): Promise<void> {
  let [answered, count] = [0, 0];
  const type = fc.constantFrom('All' as const, ...contentTypes.slice(0, 2));
  await fc.assert(
    fc.asyncProperty(search, type, page, async (wanted, contentType, { number, limit, ranked }) => {
      const at = { offset: BigInt(number * limit), limit, rankedMax: ranked * limit };
      count += 1;
      if (await agrees(library, { firmId, type: contentType }, wanted, at)) answered += 1;
    }),
    { numRuns: 150, seed },
  );
  assert.ok(answered > count / 2, `Memory answered ${answered} of ${count}.`);
}

test('memory finds what PostgreSQL finds, in the same order, while items are added, changed and archived', async () => {
  const { firmId } = await addFirm(deps, 'Remembered');
  const { firmId: otherId } = await addFirm(deps, 'Other');
  const library = makeLibrary(db);
  const owners = [null, firmId, otherId].map((owner) => ({ firmId: owner, source: null }));
  await assertAgrees(library, firmId, 1);
  for (const [index, owner] of owners.entries()) await saveContent(deps, owner, itemsOf(150, index));
  await assertAgrees(library, firmId, 2);
  // The same urls with other words, types, dates and statuses.
  for (const [index, owner] of owners.entries()) await saveContent(deps, owner, itemsOf(80, 10 + index, index * 150));
  await assertAgrees(library, firmId, 3);
  await archiveContent(
    deps,
    { firmId: null, source: null },
    itemsOf(60, 20, 0).map(({ url }) => url),
  );
  await assertAgrees(library, firmId, 4);
  await assertAgrees(library, otherId, 5);
});

test('a library that is larger than one step is answered by PostgreSQL until it is loaded', async () => {
  const { firmId } = await addFirm(deps, 'Large');
  await saveContent(deps, { firmId, source: null }, itemsOf(900, 30));
  const library = makeLibrary(db);
  const filter: ContentFilter = { firmId, type: 'All' };
  assert.equal(await agrees(library, filter, one('retire'), firstPage), false);
  await until('memory answers', () => agrees(library, filter, one('retire'), firstPage));
  await assertAgrees(library, firmId, 6);
});

test('a node knows at once what another one saved', async () => {
  const { firmId } = await addFirm(deps, 'Two nodes');
  const filter: ContentFilter = { firmId, type: 'All' };
  const [node, another] = [makeLibrary(db), makeLibrary(db)];
  const totals = () =>
    Promise.all([node, another].map(async (each) => (await each.find(db, filter, one('zebra'), firstPage))?.total));
  await until('memory answers', async () => (await totals()).every((total) => total === 0));
  const item: ContentInput = { ...(itemsOf(1, 40)[0] as ContentInput), title: 'Zebra', status: 'published' };
  for (const status of ['published', 'draft', 'published', 'archived'] as const) {
    await saveContent(deps, { firmId, source: null }, [{ ...item, status }]);
    const total = status === 'published' ? 1 : 0;
    assert.deepEqual(await totals(), [total, total], status);
  }
});

test('if the library changes during a search, memory doesn’t answer', async () => {
  const { firmId } = await addFirm(deps, 'Changing');
  const filter: ContentFilter = { firmId, type: 'All' };
  const items = itemsOf(5, 50).map((each) => ({ ...each, title: 'Giraffe', status: 'published' as const }));
  await saveContent(deps, { firmId, source: null }, items);
  let beforeLast = async () => {};
  const changing: Db = {
    ...db,
    async query(sql, values, name) {
      if (sql.includes('unnest($6::bigint[])')) await beforeLast();
      return db.query(sql, values, name);
    },
  };
  const library = makeLibrary(db);
  await until('memory answers', () => agrees(library, filter, one('giraffe'), firstPage));
  beforeLast = async () => {
    beforeLast = async () => {};
    await archiveContent(
      deps,
      { firmId, source: null },
      items.slice(0, 2).map(({ url }) => url),
    );
  };
  assert.equal(await library.find(changing, filter, one('giraffe'), firstPage), null);
  assert.equal((await library.find(db, filter, one('giraffe'), firstPage))?.total, 3);
});

test('a node that missed changes which are no longer kept loads the library again', async () => {
  const { firmId } = await addFirm(deps, 'Forgetful');
  const filter: ContentFilter = { firmId, type: 'All' };
  const library = makeLibrary(db);
  await saveContent(deps, { firmId, source: null }, itemsOf(20, 60));
  await until('memory answers', () => agrees(library, filter, one('retire'), firstPage));
  for (const seed of [61, 62, 63]) await saveContent(deps, { firmId, source: null }, itemsOf(20, seed));
  await database.asOwner(
    `delete from content_changes
     where owner_id = $1 and version < (select max(version) from content_changes where owner_id = $1)`,
    [firmId],
  );
  await until('memory answers', () => agrees(library, filter, one('retire'), firstPage));
  await assertAgrees(library, firmId, 7);
});

test('a database that was restored from a copy is read again, though it counts the same versions', async () => {
  const { firmId } = await addFirm(deps, 'Restored');
  const filter: ContentFilter = { firmId, type: 'All' };
  const library = makeLibrary(db);
  const owner = { firmId, source: null };
  await saveContent(deps, owner, itemsOf(1, 70));
  await saveContent(
    deps,
    owner,
    itemsOf(1, 71).map((each) => ({ ...each, title: 'Lost', status: 'published' as const })),
  );
  await until('memory answers', async () => (await library.find(db, filter, one('lost'), firstPage))?.total === 1);
  await database.asOwner('delete from content_search where firm_id = $1', [firmId]);
  await database.asOwner('delete from content_changes where owner_id = $1', [firmId]);
  for (const title of ['Old', 'New', 'Newer', 'Newest'])
    await saveContent(
      deps,
      owner,
      itemsOf(1, 72).map((each) => ({ ...each, title, status: 'published' as const })),
    );
  await until('memory answers', async () => (await library.find(db, filter, one('newest'), firstPage))?.total === 1);
  assert.equal((await library.find(db, filter, one('lost'), firstPage))?.total, 0);
});

test('only a thousand changes are kept', async () => {
  const { firmId } = await addFirm(deps, 'Busy');
  await saveContent(
    deps,
    { firmId, source: null },
    itemsOf(3, 80).map((each) => ({ ...each, status: 'published' as const })),
  );
  await database.asOwner(
    `do $$ begin for i in 1..1010 loop
       update content_search set type = type where firm_id = ${firmId};
     end loop; end $$`,
  );
  const [kept] = await database.asOwner<{ count: number; latest: number }>(
    'select count(*)::integer as count, max(version)::integer as latest from content_changes where owner_id = $1',
    [firmId],
  );
  assert.deepEqual(kept, { count: 1_000, latest: 1_011 });
});

/** Each with over sixty words. */
function wordyItems(count: number): ContentInput[] {
  const words = Array.from({ length: 60 }, (_, index) => `tax${index}`).join(' ');
  return itemsOf(count, 90).map((each) => ({ ...each, summary: words, status: 'published' }));
}

test('memory is bounded: owners that nobody uses make room, and one without room is left to PostgreSQL', async () => {
  const firms: number[] = [];
  for (const name of ['One', 'Another']) {
    const { firmId } = await addFirm(deps, name);
    await saveContent(deps, { firmId, source: null }, wordyItems(90));
    firms.push(firmId);
  }
  const [firm = 0, another = 0] = firms;
  let loads: number[] = [];
  const counting: Db = {
    ...db,
    query(sql, values, name) {
      if (sql.includes('order by firm_id, url')) loads.push(Number(values?.[0]));
      return db.query(sql, values, name);
    },
  };
  let nowMs = Date.now();
  // Everyone's items are those of the tests above: there is room for them and for one firm.
  const library = makeLibrary(counting, { sizeMax: 10_000, now: () => nowMs });
  const find = (firmId: number) => agrees(library, { firmId, type: 'All' }, one('tax'), firstPage);
  await until('memory answers', () => find(firm));
  for (let times = 0; times < 3; times++) assert.equal(await find(another), false);
  assert.ok(await find(firm));
  assert.deepEqual(loads.toSorted(), [0, firm, another].toSorted());
  loads = [];
  nowMs += restMs - 1;
  assert.equal(await find(another), false);
  nowMs += 1;
  await until('memory answers', () => find(another));
  assert.equal(await find(firm), false);
  assert.deepEqual(loads, [another, firm]);
});

import assert from 'node:assert/strict';
import { after, before, suite, test } from 'node:test';
import { type ContentInput, contentTypes, saveContent, searchContent } from '../../src/domain/content/content.ts';
import { makeWorld, type World } from '../support/world.ts';

const everyone = null;

function itemOf(number: number, change: Partial<ContentInput> = {}): ContentInput {
  return {
    type: contentTypes[number % contentTypes.length] ?? 'WebContent',
    title: `Title ${(number * 7_919) % 1_000} of ${number % 13}`,
    url: `https://content.example/${number}`,
    summary: number % 3 === 0 ? null : `Words ${number % 50} and ${number % 7}`,
    keywords: [`keyword${number % 20}`, 'shared'],
    status: 'published',
    dateTimePublished: new Date(1_700_000_000_000 + number * 60_000),
    ...change,
  };
}

const many = (count: number, first = 0) => Array.from({ length: count }, (_, index) => itemOf(first + index));

suite('saving content', () => {
  let world: World;
  let firm: number;
  before(async () => {
    world = await makeWorld({ dispatch: false });
    firm = world.ann.advisor.firmId;
  });
  after(() => world.close());

  const save = (firmId: number | null, items: ContentInput[]) => saveContent(world.deps, firmId, items);
  const modified = async (url: string) =>
    (
      await world.database.asOwner<{ at: Date }>('select date_time_modified as at from content_items where url = $1', [
        url,
      ])
    )[0]?.at;

  test('reports for each item whether it was added, changed or unchanged', async () => {
    const [one, two] = many(2);
    assert.ok(one && two);
    assert.deepEqual(await save(everyone, [one, two]), ['added', 'added']);
    assert.deepEqual(await save(everyone, [one, { ...two, summary: 'Other' }]), ['unchanged', 'changed']);
    const changes: Partial<ContentInput>[] = [
      { title: 'Other' },
      { type: 'Print' },
      { summary: 'Other' },
      { keywords: ['shared', 'keyword0'] },
      { status: 'draft' },
      { dateTimePublished: null },
    ];
    for (const change of changes) {
      assert.deepEqual(await save(everyone, [{ ...one, ...change }]), ['changed'], JSON.stringify(change));
      assert.deepEqual(await save(everyone, [{ ...one, ...change }]), ['unchanged']);
      assert.deepEqual(await save(everyone, [one]), ['changed']);
    }
    assert.deepEqual(await save(everyone, []), []);
    await assert.rejects(save(everyone, many(1_001)), /at most 1000/);
  });

  test('doesn’t write unchanged items', async () => {
    const item = itemOf(10);
    await save(everyone, [item]);
    const before = await modified(item.url);
    await world.clock.advance(1_000);
    await save(everyone, [item]);
    assert.deepEqual(await modified(item.url), before);
    await save(everyone, [{ ...item, title: 'Other' }]);
    assert.notDeepEqual(await modified(item.url), before);
  });

  test('saves the last of duplicate urls', async () => {
    const item = itemOf(20);
    assert.deepEqual(await save(everyone, [{ ...item, title: 'First' }, itemOf(21), item]), [
      'added',
      'added',
      'added',
    ]);
    assert.deepEqual(await save(everyone, [item]), ['unchanged']);
  });

  test('keeps each owner’s items apart, even with the same url', async () => {
    const item = itemOf(30);
    assert.deepEqual(await save(everyone, [item]), ['added']);
    assert.deepEqual(await save(firm, [{ ...item, title: 'The firm’s' }]), ['added']);
    assert.deepEqual(await save(everyone, [item]), ['unchanged']);
  });

  test('adds a batch only once if it is saved twice at the same time', async () => {
    const items = many(20, 40);
    const saved = (await Promise.all([save(everyone, items), save(everyone, items)])).flat();
    assert.deepEqual([saved.filter((each) => each === 'added').length, saved.length], [20, 40]);
  });
});

suite('a library of shared and firm content', () => {
  let world: World;
  before(async () => {
    world = await makeWorld({ dispatch: false });
    const { firmId } = world.ann.advisor;
    for (let first = 0; first < 3_000; first += 1_000) await saveContent(world.deps, everyone, many(1_000, first));
    await saveContent(world.deps, firmId, many(1_000, 10_000));
    await saveContent(world.deps, firmId, many(300, 11_000));
  });
  after(() => world.close());

  const allOf = (contentType: string) =>
    world.database.asOwner<{ title: string; url: string }>(
      `select title, url
       from content_items
       where status = 'published' and $1 in ('All', type)
       order by title, content_id`,
      [contentType],
    );

  async function assertPages(): Promise<void> {
    for (const contentType of ['All', ...contentTypes] as const) {
      const all = await allOf(contentType);
      const pageSize = contentType === 'All' ? 97 : 61;
      for (let page = 1; page <= Math.ceil(all.length / pageSize) + 1; page++) {
        const found = await searchContent(world.deps, world.ann.advisor.advisorId, { contentType, page, pageSize });
        const expected = all.slice((page - 1) * pageSize, page * pageSize);
        assert.deepEqual(found.data, expected, `${contentType} page ${page}`);
        assert.equal(found.pageInfo.totalRecord, all.length);
      }
    }
  }

  /** Asserts that the search has exactly the published items, with the same firm, type and time. */
  async function assertInSync(): Promise<void> {
    const columns = 'content_id::integer as id, firm_id::integer as firm, type';
    const searched = await world.database.asOwner(
      `select ${columns}, date_time_listed as at from content_search order by content_id`,
    );
    const published = await world.database.asOwner(
      `select ${columns}, coalesce(date_time_published, date_time_created) as at
       from content_items
       where status = 'published'
       order by content_id`,
    );
    assert.deepEqual(searched, published);
  }

  test('has every page ordered by title, for each type and for all', () => assertPages());

  test('searches published items only', () => assertInSync());

  test('finds each item of a common word exactly once across all pages', async () => {
    const found = new Set<string>();
    for (let page = 1; page <= 22; page++) {
      const search = { contentType: 'All', text: 'shared', page, pageSize: 200 } as const;
      const { data, pageInfo } = await searchContent(world.deps, world.ann.advisor.advisorId, search);
      assert.equal(pageInfo.totalRecord, 4_300);
      for (const { title, url } of data) found.add(`${title} ${url}`);
    }
    assert.equal(found.size, 4_300);
  });

  test('stays in sync when many items change, are archived and come back', async () => {
    const third = many(1_000, 1_000);
    await saveContent(
      world.deps,
      everyone,
      third.map((item) => ({ ...item, status: 'archived' })),
    );
    await saveContent(
      world.deps,
      everyone,
      many(1_000).map((item) => ({ ...item, title: `Z ${item.title}`, type: 'Print' })),
    );
    await saveContent(
      world.deps,
      everyone,
      third.slice(0, 100).map((item) => ({ ...item, keywords: ['back'] })),
    );
    const { firmId } = world.ann.advisor;
    for (const old of [many(1_000, 10_000), many(100, 11_200)])
      await saveContent(
        world.deps,
        firmId,
        old.map((item) => ({ ...item, status: 'archived' })),
      );
    await assertPages();
    await assertInSync();
    const gone = { contentType: 'All', text: 'keyword3', page: 1, pageSize: 200 } as const;
    const before = await searchContent(world.deps, world.ann.advisor.advisorId, gone);
    await saveContent(
      world.deps,
      everyone,
      many(1_000).map((item) => ({ ...item, keywords: [] })),
    );
    const after = await searchContent(world.deps, world.ann.advisor.advisorId, gone);
    assert.ok(after.pageInfo.totalRecord < before.pageInfo.totalRecord);
  });
});

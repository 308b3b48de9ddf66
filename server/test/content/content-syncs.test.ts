import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { type KnownPages, pagesOfRun, planSync } from '../../src/domain/content/content-syncs.ts';

const january = new Date('2026-01-01T00:00:00Z');
const february = new Date('2026-02-01T00:00:00Z');
const page = (url: string, dateTimePublished: Date | null = null) => ({ url, dateTimePublished });
const known: KnownPages = new Map([
  ['dated', { status: 'published', dateTimePublished: january }],
  ['undated', { status: 'published', dateTimePublished: null }],
  ['draft', { status: 'draft', dateTimePublished: null }],
  ['archived', { status: 'archived', dateTimePublished: null }],
]);

suite('the plan of a sitemap’s sync', () => {
  test('reads pages that are new, changed, or have a different status, and no others', () => {
    const entries = [
      page('dated', new Date(january)),
      page('undated'),
      page('new'),
      page('draft'),
      page('archived', january),
    ];
    const { stale, unchanged } = planSync({ entries, isWhole: true }, known, 'published');
    assert.deepEqual(stale, [page('new'), page('draft'), page('archived', january)]);
    assert.equal(unchanged, 2);
    for (const changed of [page('dated', february), page('dated'), page('undated', january)])
      assert.deepEqual(planSync({ entries: [changed], isWhole: true }, known, 'published').stale, [changed]);
    assert.deepEqual(planSync({ entries: [page('undated')], isWhole: true }, known, 'draft').stale, [page('undated')]);
  });

  test('names the pages that are no longer listed, unless they are archived', () => {
    const { missing } = planSync({ entries: [page('undated'), page('new')], isWhole: true }, known, 'published');
    assert.deepEqual(missing, ['dated', 'draft']);
  });

  test('can’t tell what is missing from an empty or partial listing', () => {
    assert.equal(planSync({ entries: [], isWhole: true }, known, 'published').missing, null);
    assert.equal(planSync({ entries: [page('undated')], isWhole: false }, known, 'published').missing, null);
  });

  test('starts at a random page if there are more than one run may read', () => {
    const stale = ['a', 'b', 'c', 'd'];
    assert.deepEqual(
      pagesOfRun(stale, 3, () => 2),
      ['c', 'd', 'a'],
    );
    assert.deepEqual(
      pagesOfRun(stale, 4, () => 2),
      stale,
    );
    assert.deepEqual(pagesOfRun([], 0), []);
    const firsts = new Set(Array.from({ length: 200 }, () => pagesOfRun(stale, 1)[0]));
    assert.deepEqual([...firsts].sort(), stale);
  });
});

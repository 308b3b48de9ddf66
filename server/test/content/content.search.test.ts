import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import fc from 'fast-check';
import { anyText } from '../../fuzz/values.ts';
import { addAdvisor } from '../../src/domain/accounts/advisors.ts';
import { addFirm } from '../../src/domain/accounts/firms.ts';
import { type ContentInput, contentTypes, saveContent } from '../../src/domain/content/content.ts';
import { assertInvalid, idMax, pairs, search, testDoor } from '../address-book/address-book.ts';
import { assertProblem } from '../support/problem.ts';
import { rounds } from '../support/rounds.ts';
import { makeWorld, type Person } from '../support/world.ts';

const world = await makeWorld({ dispatch: false });
after(() => world.close());
const { ann } = world;
const path = '/core/content/library/search';
let urls = 0;

/** An advisor whose firm's items nobody else sees, so a test finds only what it saved. */
async function outsider(): Promise<Person & { firmId: number }> {
  const { firmId } = await addFirm(world.deps, 'Another firm');
  const advisor = await addAdvisor(world.deps, { firmId, name: 'Out', email: `out${firmId}@test.example` });
  const token = await world.token(advisor.advisorId);
  return {
    firmId,
    advisor,
    token,
    call: (method, to, body, headers = {}) =>
      ann.call(method, to, body, { authorization: `Bearer ${token}`, ...headers }),
  };
}

async function put(firmId: number | null, ...items: Partial<ContentInput>[]): Promise<void> {
  const whole = items.map((item) => {
    urls += 1;
    const url = `https://content.example/${urls}`;
    const usual: ContentInput = {
      type: 'WebContent',
      title: 'Untitled',
      url,
      summary: null,
      keywords: [],
      status: 'published',
      dateTimePublished: null,
    };
    return { ...usual, ...item };
  });
  await saveContent(world.deps, firmId, whole);
}

async function titles(person: Person, query: Record<string, string | number | undefined> = {}): Promise<string[]> {
  const { data } = await search(person, path, query);
  return data.map((item: { title: string }) => item.title);
}

const find = (query: string) => ann.call('GET', `${path}?${query}`);

test('without content there is one empty page', async () => {
  const pageInfo = { page: 1, pageSize: 25, totalRecord: 0 };
  const { data, pageInfo: byTitle } = await search(await outsider(), path);
  assert.deepEqual([data, byTitle], [[], { ...pageInfo, sortDirection: 'asc', sortBy: 'title' }]);
  const found = await search(await outsider(), path, { searchText: 'anything' });
  assert.deepEqual(found, { data: [], pageInfo: { ...pageInfo, sortDirection: 'desc', sortBy: 'relevance' } });
});

test('an item has a title and a url, and the next search finds it', async () => {
  const person = await outsider();
  for (const title of ['Alpha beta', 'Gamma']) {
    await put(person.firmId, { title, url: `https://content.example/${title}`.replace(' ', '-'), keywords: ['delta'] });
    assert.ok((await titles(person)).includes(title));
    assert.ok((await titles(person, { searchText: 'delta' })).includes(title));
  }
  const { data } = await search(person, path, { searchText: 'alpha' });
  assert.deepEqual(data, [{ title: 'Alpha beta', url: 'https://content.example/Alpha-beta' }]);
});

test('pageInfo echoes the query', async () => {
  const person = await outsider();
  await put(person.firmId, { title: 'Tax one' }, { title: 'Tax two' }, { title: 'Other' });
  const asked = { page: 2, pageSize: 1 };
  const { pageInfo } = await search(person, path, { ...asked, searchText: 'tax' });
  assert.deepEqual(pageInfo, { ...asked, totalRecord: 2, sortDirection: 'desc', sortBy: 'relevance' });
  const { pageInfo: byTitle } = await search(person, path, asked);
  assert.deepEqual(byTitle, { ...asked, totalRecord: 3, sortDirection: 'asc', sortBy: 'title' });
});

test('a type finds items of that type, All finds all items', async () => {
  const person = await outsider();
  await put(person.firmId, ...contentTypes.map((type) => ({ type, title: `Budget ${type}` })));
  for (const text of [{}, { searchText: 'budget' }]) {
    for (const type of contentTypes)
      assert.deepEqual(await titles(person, { contentType: type, ...text }), [`Budget ${type}`]);
    assert.equal((await titles(person, { contentType: 'All', ...text })).length, 5);
  }
});

test('an invalid value is 400, never clamped', async () => {
  const never = ['0', '-1', '1.5', '1e1', '01', 'abc', '', '9007199254740992'];
  for (const value of never) assertInvalid(await find(pairs({ page: value })), '/page');
  for (const value of [...never, '201']) assertInvalid(await find(pairs({ pageSize: value })), '/pageSize');
  for (const value of ['', 'all', 'webcontent', 'Videos', '__proto__'])
    assertInvalid(await find(pairs({ contentType: value })), '/contentType');
  assertInvalid(await find('searchText=a&searchText=a'), '/searchText');
  assertInvalid(await find('searchText=a%00b'), '/searchText');
  assertProblem(await find('searchText=%ED%A0%80'), 'invalid_request');
});

test('text has at most 150 code points, under either name', async () => {
  for (const name of ['searchText', 'search']) {
    for (const letter of ['a', '😀', 'é', '中'])
      assert.equal((await find(pairs({ [name]: letter.repeat(150) }))).status, 200, letter);
    for (const letter of ['a', '😀', ' ']) assertInvalid(await find(pairs({ [name]: letter.repeat(151) })), `/${name}`);
  }
});

test('search is another name for searchText; if both are given, they must be equal', async () => {
  const person = await outsider();
  await put(person.firmId, { title: 'Annuities' }, { title: 'Bonds' });
  assert.deepEqual(await titles(person, { search: 'bonds' }), ['Bonds']);
  assert.deepEqual(await titles(person, { search: 'bonds', searchText: 'bonds' }), ['Bonds']);
  assertInvalid(await find('search=bonds&searchText=annuities'), '/search');
  assertInvalid(await find('search=bonds&searchText='), '/search');
});

test('blank text is the same as none', async () => {
  const person = await outsider();
  await put(person.firmId, { title: 'Bonds' }, { title: 'Annuities' });
  for (const text of ['', ' ', '\t\n', '\u200b', '\u00a0'])
    assert.deepEqual((await search(person, path, { searchText: text })).pageInfo.sortBy, 'title');
  assert.deepEqual(await titles(person, { search: '  ' }), ['Annuities', 'Bonds']);
});

test('text without a letter or a digit finds nothing', async () => {
  for (const text of ['%', '_', '🎂', '***', "'", '\\', '"', '&|!():*<->'])
    assert.deepEqual((await search(ann, path, { searchText: text })).pageInfo.totalRecord, 0, text);
});

test('operators and quotes around words are ignored', async () => {
  const person = await outsider();
  await put(person.firmId, { title: 'Retirement income' }, { title: 'Estate' });
  const texts = [
    'retirement & income',
    'retirement | income',
    '!retirement income',
    '"retirement income"',
    'retirement:* income:A',
    "retirement' income\\",
    '(retirement) <-> income',
    'retirement% inc_ome income',
    'retirement+income',
    "'; drop table --retirement",
  ];
  for (const text of texts) assert.equal((await titles(person, { searchText: text }))[0], 'Retirement income', text);
  assert.equal((await person.call('GET', `${path}?searchText=retirement+income`)).body.data.length, 1);
});

test('no text makes a search fail', async () => {
  const person = await outsider();
  await put(person.firmId, { title: 'Ａ ﷺ 401(k) ’tis e-mail', keywords: ['ß', 'İ', '中文'], summary: '\u0301\u200b' });
  const text = fc.oneof(
    anyText(0, 150),
    fc.string({ unit: 'grapheme', maxLength: 60 }),
    fc.array(fc.constantFrom(...'a\'b*:&|!()<>"\\%_ -$1é😀\n*'), { maxLength: 150 }).map((all) => all.join('')),
    fc.constantFrom('ﷺ', 'İ', 'ß', '*', 'a ', '401(k', "'").map((each) => each.repeat(Math.floor(150 / each.length))),
  );
  const asked = fc.asyncProperty(text, fc.constantFrom('All', ...contentTypes), async (searchText, contentType) => {
    const answer = await person.call('GET', `${path}?${pairs({ searchText, contentType })}`);
    assert.equal(answer.status, searchText.includes('\0') || [...searchText].length > 150 ? 400 : 200);
  });
  await fc.assert(asked, { numRuns: rounds(150), seed: 7 });
});

test('without text, titles are in the order of the Unicode root collation, ties by id', async () => {
  const person = await outsider();
  const ordered = [
    '_misc',
    '2026',
    'alpha',
    'Alpha',
    'álpha',
    'alpha beta',
    'Beta',
    'Émigrés',
    'zeta',
    'Zeta',
    'Ωmega',
  ];
  for (const title of ordered.toReversed()) await put(person.firmId, { title });
  assert.deepEqual(await titles(person), ordered);
  await put(person.firmId, { title: 'Beta', url: 'https://content.example/beta-2' });
  const { data } = await search(person, path);
  assert.equal(data[7].url, 'https://content.example/beta-2');
});

test('the pages add up to all items, with and without text', async () => {
  const person = await outsider();
  const items = Array.from({ length: 11 }, (_, index) => ({
    title: ['Apes tax', 'Bees', 'Cats tax', 'Dogs'][(index * 3) % 4],
    keywords: index % 2 === 0 ? ['tax'] : ['taxes'],
    summary: 'The tax of animals',
  }));
  await put(person.firmId, ...items);
  for (const text of [{}, { searchText: 'tax' }]) {
    const { data: all } = await search(person, path, { ...text, pageSize: 200 });
    assert.equal(all.length, 11);
    for (const pageSize of [1, 4, 11]) {
      const walked: unknown[] = [];
      for (let page = 1; page <= Math.ceil(11 / pageSize); page++)
        walked.push(...(await search(person, path, { ...text, page, pageSize })).data);
      assert.deepEqual(walked, all);
    }
    for (const page of [4, idMax]) {
      const { data, pageInfo } = await search(person, path, { ...text, page, pageSize: 4 });
      assert.deepEqual([data, pageInfo.totalRecord], [[], 11]);
    }
  }
});

test('advisors find everyone’s items and their own firm’s, but not another firm’s', async () => {
  const [one, other] = [await outsider(), await outsider()];
  await put(one.firmId, { title: 'Zebra handbook', keywords: ['quagga'] });
  await put(null, { title: 'Aardvark handbook', url: 'https://content.example/shared' });
  await put(other.firmId, { title: 'Meerkat handbook', url: 'https://content.example/shared' });
  assert.deepEqual((await titles(one, { searchText: 'handbook' })).sort(), ['Aardvark handbook', 'Zebra handbook']);
  assert.deepEqual((await titles(other, { searchText: 'handbook' })).sort(), ['Aardvark handbook', 'Meerkat handbook']);
  assert.deepEqual(await titles(one), ['Aardvark handbook', 'Zebra handbook']);
  assert.deepEqual(await titles(other), ['Aardvark handbook', 'Meerkat handbook']);
  // A word that only another firm has doesn't affect corrections either.
  for (const text of ['zebra', 'quaga', 'quagga', 'zebr'])
    assert.equal((await search(other, path, { searchText: text })).pageInfo.totalRecord, 0, text);
  // Removed again, so other tests find only their own items.
  await put(null, { title: 'Aardvark handbook', url: 'https://content.example/shared', status: 'archived' });
  assert.deepEqual(await titles(one), ['Zebra handbook']);
});

test('drafts and archived items are not found', async () => {
  const person = await outsider();
  const url = 'https://content.example/changing';
  for (const status of ['draft', 'published', 'archived', 'published', 'draft'] as const) {
    await put(person.firmId, { title: 'Changing', url, status });
    const expected = status === 'published' ? ['Changing'] : [];
    assert.deepEqual(await titles(person), expected);
    assert.deepEqual(await titles(person, { searchText: 'changing' }), expected);
  }
});

test('a changed item is found by its new words', async () => {
  const person = await outsider();
  const url = 'https://content.example/edited';
  await put(person.firmId, { title: 'Giraffe', keywords: ['savanna'], summary: 'Tall', url, type: 'Print' });
  await put(person.firmId, { title: 'Penguin', keywords: ['antarctic'], summary: 'Small', url, type: 'Emails' });
  for (const gone of ['giraffe', 'savanna', 'tall']) assert.deepEqual(await titles(person, { searchText: gone }), []);
  for (const text of ['penguin', 'antarctic', 'small', 'pe'])
    assert.deepEqual(await titles(person, { searchText: text }), ['Penguin']);
  assert.deepEqual(await titles(person, { contentType: 'Emails', searchText: 'penguin' }), ['Penguin']);
  assert.deepEqual(await titles(person, { contentType: 'Print' }), []);
});

test('items must have all words; if none does, items with more of them come first', async () => {
  const person = await outsider();
  await put(
    person.firmId,
    { title: 'Roth conversion', summary: 'Taxes now' },
    { title: 'Roth basics' },
    { title: 'Currency conversion' },
  );
  assert.deepEqual(await titles(person, { searchText: 'roth conversion' }), ['Roth conversion']);
  assert.deepEqual(await titles(person, { searchText: 'basics conversion taxes' }), [
    'Roth conversion',
    'Roth basics',
    'Currency conversion',
  ]);
  assert.deepEqual(await titles(person, { searchText: 'basics zzzzzz' }), ['Roth basics']);
});

test('a search is for the first four meaningful words, or if no item has them all, for any of the first three', async () => {
  const person = await outsider();
  await put(person.firmId, { title: 'Roth' }, { title: 'Conversion' }, { title: 'Ladder' }, { title: 'Basics' });
  await put(person.firmId, { title: 'Estate gifts trusts wills' });
  assert.deepEqual(await titles(person, { searchText: 'an estate of gifts, trusts and wills for grandchildren' }), [
    'Estate gifts trusts wills',
  ]);
  const found = await titles(person, { searchText: 'roth conversion ladder basics' });
  assert.deepEqual(found.toSorted(), ['Conversion', 'Ladder', 'Roth']);
});

test('if no item has all words, a prefix needs four letters', async () => {
  const person = await outsider();
  await put(person.firmId, { title: 'Retirement' });
  assert.deepEqual(await titles(person, { searchText: 'ret' }), ['Retirement']);
  assert.deepEqual(await titles(person, { searchText: 'ret zzzzzz' }), []);
  assert.deepEqual(await titles(person, { searchText: 'reti zzzzzz' }), ['Retirement']);
});

test('a word that some item has is not corrected', async () => {
  const person = await outsider();
  await put(person.firmId, { title: 'Planes' }, { title: 'Estate planning' }, { title: 'Estate plants' });
  assert.deepEqual(await titles(person, { searchText: 'estate plants' }), ['Estate plants']);
  assert.deepEqual((await titles(person, { searchText: 'estate planes' })).toSorted(), [
    'Estate planning',
    'Estate plants',
    'Planes',
  ]);
});

test('stop words are ignored unless there are no others', async () => {
  const person = await outsider();
  await put(person.firmId, { title: 'How to retire' }, { title: 'Saving for college', summary: 'How to begin' });
  assert.deepEqual(await titles(person, { searchText: 'how do i save for the college' }), ['Saving for college']);
  assert.deepEqual(await titles(person, { searchText: 'how to' }), ['How to retire']);
});

test('titles rank over keywords over summaries, and of two equal items the newer one is first', async () => {
  const person = await outsider();
  const old = new Date('2020-01-01T00:00:00Z');
  await put(
    person.firmId,
    { title: 'In the summary', summary: 'About inflation' },
    { title: 'In the keywords', keywords: ['inflation'] },
    { title: 'Inflation, old', dateTimePublished: old },
    { title: 'Inflation, new', dateTimePublished: new Date('2026-01-01T00:00:00Z') },
    { title: 'Inflation', keywords: ['inflation'], dateTimePublished: old },
  );
  assert.deepEqual(await titles(person, { searchText: 'inflation' }), [
    'Inflation',
    'Inflation, new',
    'Inflation, old',
    'In the keywords',
    'In the summary',
  ]);
});

test('the exact word ranks over its stem over a prefix, and a phrase over scattered words', async () => {
  const person = await outsider();
  await put(
    person.firmId,
    { title: 'Retireland' },
    { title: 'Retiring' },
    { title: 'Retire' },
    { title: 'Care over the long term' },
    { title: 'Long-term care' },
  );
  assert.deepEqual(await titles(person, { searchText: 'retire' }), ['Retire', 'Retiring', 'Retireland']);
  assert.deepEqual(await titles(person, { searchText: 'long term care' }), [
    'Long-term care',
    'Care over the long term',
  ]);
  assert.deepEqual(await titles(person, { searchText: 'retirelnad' }), ['Retireland']);
  assert.equal((await titles(person, { searchText: 're' })).length, 3);
});

test('the text determines the order: a different one is 400', async () => {
  for (const query of ['sortBy=title&sortDirection=asc', 'searchText=a&sortBy=relevance&sortDirection=desc'])
    assert.equal((await find(query)).status, 200, query);
  for (const query of ['sortBy=relevance', 'sortBy=dateTimeCreated', 'searchText=a&sortBy=title', 'sortBy='])
    assertInvalid(await find(query), '/sortBy');
  for (const query of ['sortDirection=desc', 'searchText=a&sortDirection=asc', 'sortDirection=down'])
    assertInvalid(await find(query), '/sortDirection');
});

testDoor(world, { method: 'GET', path, scope: 'core.content.read' });

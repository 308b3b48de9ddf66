import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { groupSorts } from '../../src/domain/address-book/groups.ts';
import { assertProblem } from '../support/problem.ts';
import { makeWorld, type Person } from '../support/world.ts';
import {
  addContact,
  addGroup,
  assertInvalid,
  findGroups,
  groupsPath,
  idMax,
  newcomer,
  pairs,
  putInGroups,
  search,
  testDoor,
} from './address-book.ts';

const world = await makeWorld();
after(() => world.close());
const { ann } = world;

/** Groups with ties in every sort field; 11 of them, so the last page of 4 has 3. */
const mixed = await newcomer(world);
await fillMixed(mixed);

async function fillMixed(person: Person): Promise<void> {
  const groupIds: number[] = [];
  for (let index = 0; index < 11; index++) {
    if (index % 3 === 0) await world.clock.advance(1_000);
    groupIds.push(await addGroup(person, ['apes', 'bees', 'cats', 'dogs'][(index * 3) % 4]));
  }
  for (const [index, groupId] of groupIds.entries()) {
    if (index % 4 !== 0) continue;
    await world.clock.advance(1_000);
    await putInGroups(person, await addContact(person), [groupId, groupIds[index + 1] ?? groupId]);
  }
}

async function namesOf(person: Person, query: Record<string, string | number>): Promise<string[]> {
  return (await findGroups(person, query)).map((group) => group.name);
}

function find(query: string) {
  return ann.call('GET', `${groupsPath}?${query}`);
}

test('without groups there is one empty page', async () => {
  const answer = await (await newcomer(world)).call('GET', groupsPath);
  assert.deepEqual(
    [answer.status, answer.body],
    [200, { data: [], pageInfo: { page: 1, pageSize: 25, totalRecord: 0, sortDirection: 'asc', sortBy: 'name' } }],
  );
});

test('a new group is found', async () => {
  const person = await newcomer(world);
  const seen = Array.from({ length: 10 }, async () => {
    const groupId = await addGroup(person);
    return (await findGroups(person)).some((group) => group.groupId === groupId);
  });
  assert.ok((await Promise.all(seen)).every(Boolean));
});

test('pageInfo echoes the query', async () => {
  for (const sortBy of groupSorts)
    for (const sortDirection of ['asc', 'desc']) {
      const asked = { page: 2, pageSize: 4, sortBy, sortDirection };
      assert.deepEqual((await search(mixed, groupsPath, asked)).pageInfo, { ...asked, totalRecord: 11 });
    }
});

test('names are in the order of the Unicode root collation', async () => {
  const person = await newcomer(world);
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
  for (const name of ordered.toReversed()) await addGroup(person, name);
  assert.deepEqual(await namesOf(person, {}), ordered);
});

test('each sort orders by its field; ties are by ascending id in both directions', async () => {
  for (const sortBy of groupSorts)
    for (const [sortDirection, sign] of Object.entries({ asc: 1, desc: -1 })) {
      const groups = await findGroups(mixed, { sortBy, sortDirection });
      const sorted = groups.toSorted((x, y) =>
        x[sortBy] === y[sortBy] ? x.groupId - y.groupId : x[sortBy] < y[sortBy] ? -sign : sign,
      );
      assert.deepEqual(groups, sorted, `${sortBy} ${sortDirection}`);
      assert.equal(groups.length, 11);
    }
});

test('the pages add up to all groups, in every order', async () => {
  for (const sortBy of groupSorts)
    for (const sortDirection of ['asc', 'desc'])
      for (const pageSize of [1, 4, 11]) {
        const walked: unknown[] = [];
        for (let page = 1; page <= Math.ceil(11 / pageSize); page++)
          walked.push(...(await findGroups(mixed, { sortBy, sortDirection, page, pageSize })));
        assert.deepEqual(walked, await findGroups(mixed, { sortBy, sortDirection }));
      }
});

test('a page past the end is empty and still has the total', async () => {
  for (const page of [4, idMax]) {
    const { data, pageInfo } = await search(mixed, groupsPath, { page, pageSize: 4 });
    assert.deepEqual([data, pageInfo.totalRecord], [[], 11]);
  }
});

test('page sizes range from 1 to 200', async () => {
  const person = await newcomer(world);
  await Promise.all(Array.from({ length: 201 }, () => addGroup(person)));
  assert.equal((await findGroups(person)).length, 25);
  assert.equal((await findGroups(person, { pageSize: 200 })).length, 200);
  assert.equal((await findGroups(person, { pageSize: 200, page: 2 })).length, 1);
});

test('an invalid page, size, sort or direction is 400, never clamped', async () => {
  const never = ['0', '-1', '1.5', '1e1', '01', 'abc', '', '9007199254740992', '9223372036854775808'];
  for (const value of never) assertInvalid(await find(pairs({ page: value })), '/page');
  for (const value of [...never, '201']) assertInvalid(await find(pairs({ pageSize: value })), '/pageSize');
  for (const value of ['', 'fullName', 'Name', 'groupId', '__proto__'])
    assertInvalid(await find(pairs({ sortBy: value })), '/sortBy');
  for (const value of ['', 'ASC', 'down']) assertInvalid(await find(pairs({ sortDirection: value })), '/sortDirection');
});

test('a search matches the beginning of any word, in any case and with any accents', async () => {
  const person = await newcomer(world);
  for (const name of ['Early retirees', 'Émigrés (2026)', '100%_Sure', 'tax-free']) await addGroup(person, name);
  const cases = {
    RET: ['Early retirees'],
    'ret early': ['Early retirees'],
    emi: ['Émigrés (2026)'],
    ÉMI: ['Émigrés (2026)'],
    2026: ['Émigrés (2026)'],
    free: ['tax-free'],
    '100%_': ['100%_Sure'],
    '%': [],
    _: [],
    etirees: [],
  };
  for (const [text, names] of Object.entries(cases))
    assert.deepEqual(await namesOf(person, { search: text }), names, text);
  const { pageInfo } = await search(person, groupsPath, { search: 'e', pageSize: 1 });
  assert.equal(pageInfo.totalRecord, 2);
});

test('an empty search finds all, and one over 500 code points is 400', async () => {
  assert.equal((await findGroups(mixed, { search: '' })).length, 11);
  assert.deepEqual(await findGroups(mixed, { search: '😀'.repeat(500) }), []);
  assertInvalid(await find(pairs({ search: 'a'.repeat(501) })), '/search');
});

test('a query that is not well-formed is 400', async () => {
  assertInvalid(await find('search=a%00b'), '/search');
  for (const query of ['search=%ED%A0%80', 'search=%']) assertProblem(await find(query), 'invalid_request');
  assertInvalid(await find('page=1&page=2'), '/page');
});

test('a change of members modifies the group', async () => {
  const person = await newcomer(world);
  const [groupId, contactId] = [await addGroup(person), await addContact(person)];
  const [before] = await findGroups(person);
  await world.clock.advance(1_000);
  await putInGroups(person, contactId, [groupId]);
  const [after] = await findGroups(person);
  assert.equal(after.contactCount, 1);
  assert.equal(after.dateTimeCreated, before.dateTimeCreated);
  assert.ok(after.dateTimeModified > before.dateTimeModified);
});

testDoor(world, { method: 'GET', path: groupsPath, scope: 'core.contacts.read' });

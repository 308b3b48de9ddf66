import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { contactSorts, createContact, createContacts } from '../../src/domain/address-book/contacts.ts';
import { assertProblem } from '../support/problem.ts';
import { makeWorld, type Person } from '../support/world.ts';
import {
  addContact,
  addGroup,
  assertInvalid,
  contactsPath,
  dateTime,
  findIds,
  idMax,
  newcomer,
  pairs,
  putInGroups,
  search,
  testDoor,
  uuid,
} from './address-book.ts';

const world = await makeWorld();
after(() => world.close());
const { ann } = world;

/** A book with ties in every sort field; 23 contacts, so the last page of 5 has 3. */
const mixed = await newcomer(world);
const mixedIds = await fillMixed(mixed);
type Key = string | number | undefined;

async function fillMixed(person: Person): Promise<number[]> {
  const groupIds = [await addGroup(person, 'A'), await addGroup(person, 'B'), await addGroup(person, 'C')];
  const ids: number[] = [];
  for (let index = 0; index < 23; index++) {
    if (index % 6 === 0) await world.clock.advance(1_000);
    const contactId = await createContact(
      world.deps,
      person.advisor.advisorId,
      {
        firstName: ['Ann', 'bob', 'Cid', 'Élan'][index % 4],
        lastName: 'Smith',
        emailAddress: index % 3 === 0 ? null : `${'zay'[index % 5] ?? 'b'}@example.org`,
      },
      [0, 2, 4, 10][index % 4] as number,
    );
    await putInGroups(person, contactId, groupIds.slice(0, index % 4));
    ids.push(contactId);
  }
  await world.database.asOwner(
    `update contacts
     set email_status = split_part('None,Subscribed,Unsubscribed,Bounced,Complained,Disabled', ',', contact_id::integer % 6 + 1)
     where advisor_id = $1`,
    [person.advisor.advisorId],
  );
  return ids;
}

function find(query: string) {
  return ann.call('GET', `${contactsPath}?${query}`);
}

test('an empty book is one empty page', async () => {
  const answer = await (await newcomer(world)).call('GET', contactsPath);
  assert.deepEqual(
    [answer.status, answer.body],
    [200, { data: [], pageInfo: { page: 1, pageSize: 25, totalRecord: 0, sortDirection: 'asc', sortBy: 'fullName' } }],
  );
});

test('a summary has every field that is set, and no others', async () => {
  const person = await newcomer(world);
  const bare = await addContact(person);
  const whole = await addContact(person, { lastName: 'Young', emailAddress: 'Ann@Example.org', phone: '+12125550123' });
  await putInGroups(person, whole, [await addGroup(person, 'Retirees')]);
  const { data } = await search(person, contactsPath);
  for (const each of data) {
    assert.match(each.identifier, uuid);
    assert.match(each.dateTimeCreated, dateTime);
    assert.match(each.dateTimeModified, dateTime);
    delete each.identifier;
    delete each.dateTimeCreated;
    delete each.dateTimeModified;
  }
  const common = {
    firstName: 'Ann',
    emailStatus: 'None',
    emailAddressDisposition: 0,
    status: 'Active',
    source: 2,
    sourceText: 'API',
    isCrmLinkedContact: false,
  };
  assert.deepEqual(data, [
    { ...common, contactId: bare, fullName: 'Ann Smith', lastName: 'Smith', groupCount: 0, groupNames: [] },
    {
      ...common,
      contactId: whole,
      phone: '+12125550123',
      fullName: 'Ann Young',
      lastName: 'Young',
      email: 'Ann@Example.org',
      groupCount: 1,
      groupNames: ['Retirees'],
    },
  ]);
});

test('a contact that texting created is shown by its number', async () => {
  const person = await newcomer(world);
  await createContact(world.deps, person.advisor.advisorId, { phone: '+12125550199' }, 3);
  const { data } = await search(person, contactsPath);
  assert.deepEqual([data[0].fullName, data[0].sourceText], ['+12125550199', 'Texting']);
  assert.ok(!('firstName' in data[0]) && !('lastName' in data[0]));
});

test('a contact is inactive only if its email is unusable and it has no phone', async () => {
  const person = await newcomer(world);
  const [withPhone, without] = [await addContact(person, { phone: '+12125550123' }), await addContact(person)];
  const inactive = ['Unsubscribed', 'Bounced', 'Disabled'];
  for (const word of ['None', 'Subscribed', 'Complained', ...inactive]) {
    await world.database.asOwner('update contacts set email_status = $1 where contact_id in ($2, $3)', [
      word,
      withPhone,
      without,
    ]);
    const { data } = await search(person, contactsPath);
    assert.deepEqual(
      data.map((each: { status: string }) => each.status),
      ['Active', inactive.includes(word) ? 'Inactive' : 'Active'],
      word,
    );
  }
});

test('pageInfo echoes the query', async () => {
  for (const sortBy of contactSorts)
    for (const sortDirection of ['asc', 'desc']) {
      const asked = { page: 2, pageSize: 7, sortBy, sortDirection };
      assert.deepEqual((await search(mixed, contactsPath, asked)).pageInfo, { ...asked, totalRecord: 23 });
    }
});

test('names are in the order of the Unicode root collation', async () => {
  const person = await newcomer(world);
  const ordered = [
    '_ann',
    '-ann',
    '😀',
    '1 ann',
    'ann b',
    'ann',
    'Ann',
    'ánn',
    'Ánn',
    'anna',
    'Åsa',
    'Bob',
    'ca',
    'Émile',
    'Ødegård',
    'œuf',
    'ss',
    'ß',
    'ya',
    'zoe',
    'Zoë',
    'þór',
    'ωmega',
    'Иван',
    '李',
  ];
  for (const firstName of ordered.toReversed()) await addContact(person, { firstName, lastName: 'X' });
  const { data } = await search(person, contactsPath, { pageSize: 200 });
  assert.deepEqual(
    data.map((each: { firstName: string }) => each.firstName),
    ordered,
  );
});

test('each sort orders by what the summary shows; ties are by id, and unset values are last in both directions', async () => {
  for (const sortBy of contactSorts)
    for (const sortDirection of ['asc', 'desc']) {
      const { data } = await search(mixed, contactsPath, { sortBy, sortDirection, pageSize: 200 });
      assert.deepEqual(
        data,
        data.toSorted(byKey(sortBy, sortDirection === 'desc' ? -1 : 1)),
        `${sortBy} ${sortDirection}`,
      );
      assert.deepEqual(
        data.map((each: { contactId: number }) => each.contactId).sort((x: number, y: number) => x - y),
        mixedIds,
      );
    }
});

/** A plain comparison is enough, because the keys of the mixed book differ in a letter, not just in case. */
function byKey(sortBy: string, sign: number) {
  const keyOf = (each: Record<string, Key>): Key => {
    const key = each[sortBy];
    return typeof key === 'string' ? key.normalize('NFD').toLowerCase() : key;
  };
  return (x: Record<string, Key>, y: Record<string, Key>): number => {
    const [left, right] = [keyOf(x), keyOf(y)];
    if ((left === undefined) !== (right === undefined)) return left === undefined ? 1 : -1;
    if (left !== right) return (left as string) < (right as string) ? -sign : sign;
    return (x.contactId as number) - (y.contactId as number);
  };
}

test('unset emails are last, even after an email of the highest character', async () => {
  const person = await newcomer(world);
  for (const emailAddress of [
    '\uFFFFz@x.example',
    null,
    '\uFFFF@x.example',
    'a@x.example',
    null,
    '\u{10FFFD}@x.example',
  ])
    await addContact(person, { firstName: 'X', lastName: 'Y', emailAddress });
  for (const sortDirection of ['asc', 'desc'])
    for (const filter of [{}, { search: 'x' }]) {
      const { data } = await search(person, contactsPath, { sortBy: 'email', sortDirection, ...filter });
      assert.equal(new Set(data.map(({ contactId }: { contactId: number }) => contactId)).size, 6);
      assert.deepEqual(
        data.map(({ email }: { email?: string }) => email !== undefined),
        [true, true, true, true, false, false],
      );
    }
});

test('the pages add up to the whole book, in every order and size, filtered or not', async () => {
  const everyone = { modifiedSince: '2000-01-01T00:00:00Z' };
  for (const filter of [{}, everyone])
    for (const sortBy of contactSorts)
      for (const sortDirection of ['asc', 'desc']) {
        const order = { sortBy, sortDirection, ...filter };
        const whole = await findIds(mixed, { ...order, pageSize: 200 });
        for (const pageSize of [5, 23]) {
          const walked: number[] = [];
          for (let page = 1; page <= Math.ceil(23 / pageSize); page++)
            walked.push(...(await findIds(mixed, { ...order, page, pageSize })));
          assert.deepEqual(walked, whole, JSON.stringify({ ...order, pageSize }));
        }
      }
});

test('the last page has the remaining contacts', async () => {
  assert.equal((await findIds(mixed, { page: 5, pageSize: 5 })).length, 3);
});

test('a page past the end is empty and still has the total', async () => {
  for (const page of [6, 1_000_000, idMax])
    for (const filter of [{}, { search: 'smith' }])
      for (const sortDirection of ['asc', 'desc']) {
        const query = { page, pageSize: 5, sortBy: 'email', sortDirection, ...filter };
        const { data, pageInfo } = await search(mixed, contactsPath, query);
        assert.deepEqual([data, pageInfo.totalRecord, pageInfo.page], [[], 23, page]);
      }
});

test('first pages that several advisors ask for at once are each their own', async () => {
  const empty = await newcomer(world);
  const people = [await newcomer(world), empty, await newcomer(world), mixed];
  for (const person of people) if (person !== empty && person !== mixed) await addContact(person);
  const expected: { pageInfo: { totalRecord: number } }[] = [];
  for (const person of people) expected.push(await search(person, contactsPath));
  const asked = Array.from({ length: 20 }, (_, index) => index % people.length);
  const found = await Promise.all(asked.map((index) => search(people[index] as Person, contactsPath)));
  assert.deepEqual(
    found,
    asked.map((index) => expected[index]),
  );
  assert.deepEqual(
    expected.map(({ pageInfo }) => pageInfo.totalRecord),
    [1, 0, 1, 23],
  );
});

test('page sizes range from 1 to 200', async () => {
  const person = await newcomer(world);
  const names = Array.from({ length: 201 }, () => ({ firstName: 'Ann', lastName: 'Smith' }));
  await createContacts(world.deps, person.advisor.advisorId, names, 2);
  assert.equal((await findIds(person)).length, 25);
  assert.equal((await findIds(person, { pageSize: 1 })).length, 1);
  assert.equal((await findIds(person, { pageSize: 200 })).length, 200);
  assert.equal((await findIds(person, { pageSize: 200, page: 2 })).length, 1);
});

test('a page or page size that is not an integer in its range is 400, never clamped', async () => {
  const never = [
    '0',
    '-1',
    '1.5',
    '1e1',
    '01',
    'abc',
    '',
    'null',
    ' 1',
    '１',
    '9007199254740992',
    '9223372036854775808',
  ];
  for (const value of never) assertInvalid(await find(pairs({ page: value })), '/page');
  for (const value of [...never, '201', '1000']) assertInvalid(await find(pairs({ pageSize: value })), '/pageSize');
});

test('an unknown sort field or direction is 400', async () => {
  for (const value of [
    '',
    'name',
    'fullname',
    'FullName',
    'contactId',
    'phone',
    '__proto__',
    'constructor',
    'full_name;--',
  ])
    assertInvalid(await find(pairs({ sortBy: value })), '/sortBy');
  for (const value of ['', 'ASC', 'up', 'ascending', 'desc nulls first'])
    assertInvalid(await find(pairs({ sortDirection: value })), '/sortDirection');
});

test('a repeated parameter is 400', async () => {
  for (const name of ['page', 'pageSize', 'sortBy', 'sortDirection', 'search', 'phone', 'email', 'groupId'])
    assertInvalid(await find(`${name}=1&${name}=1`), `/${name}`);
});

test('every invalid parameter is reported at once', async () => {
  const { body } = await find('page=0&pageSize=201&sortBy=x&phone=1');
  assert.deepEqual(body.details.map((each: { path: string }) => each.path).sort(), [
    '/page',
    '/pageSize',
    '/phone',
    '/sortBy',
  ]);
});

test('a query that is not well-formed is 400', async () => {
  for (const query of ['search=%', 'search=%ED%A0%80', 'search=%FF', 'search=%E2%82', '%FF=1'])
    assertProblem(await find(query), 'invalid_request');
  for (const name of ['search', 'email', 'remoteContactId', 'phone', 'sortBy', 'modifiedSince'])
    assertInvalid(await find(`${name}=a%00b`), `/${name}`);
});

test('unknown parameters are 400', async () => {
  for (const name of ['unknown', '__proto__', 'constructor', 'offset'])
    assertInvalid(await find(`${name}=1`), `/${name}`);
  assert.equal((await find('page=1&&')).status, 200);
});

test('by the time of the last change, in both directions', async () => {
  const person = await newcomer(world);
  const ids: number[] = [];
  for (const lastName of ['A', 'B', 'C']) {
    ids.push(await addContact(person, { lastName }));
    await world.clock.advance(1_000);
  }
  await person.call('PUT', `${contactsPath}/${ids[0]}`, { city: 'Springfield' });
  for (const [sortDirection, order] of [
    ['asc', [1, 2, 0]],
    ['desc', [0, 2, 1]],
  ] as const) {
    const { data, pageInfo } = await search(person, contactsPath, { sortBy: 'dateTimeModified', sortDirection });
    assert.deepEqual(
      data.map(({ contactId }: { contactId: number }) => contactId),
      order.map((index) => ids[index]),
    );
    assert.equal(pageInfo.sortBy, 'dateTimeModified');
  }
});

testDoor(world, { method: 'GET', path: contactsPath, scope: 'core.contacts.read' });

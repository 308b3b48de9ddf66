import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { createContact, createContacts } from '../../src/domain/address-book/contacts.ts';
import { assertProblem } from '../support/problem.ts';
import { makeWorld } from '../support/world.ts';
import {
  addContact,
  addGroup,
  assertInvalid,
  contactsPath,
  findIds,
  getContact,
  idMax,
  newcomer,
  pairs,
  putInGroups,
  search,
} from './address-book.ts';

const world = await makeWorld();
after(() => world.close());
const { ann } = world;
const everyone = {
  zoe: await addContact(ann, { firstName: 'Zoë', lastName: 'O’Neil-Smith', phone: '+12125550123' }),
  jose: await addContact(ann, {
    firstName: 'José María',
    lastName: 'Muñoz',
    emailAddress: 'jm.munoz+book@mail.example',
  }),
  odysseus: await addContact(ann, { firstName: 'ΟΔΥΣΣΕΥΣ', lastName: 'Łukasz', phone: '+442071838750' }),
  strasse: await addContact(ann, { firstName: 'Große', lastName: 'Straße', emailAddress: '100%_sure@x.example' }),
  ten: await addContact(ann, { firstName: '10-4', lastName: 'back\\slash', emailAddress: 'unit.10-4@radio.example' }),
};
type Who = keyof typeof everyone;

async function found(query: Record<string, string | number>): Promise<Who[]> {
  const ids = await findIds(ann, query);
  return (Object.keys(everyone) as Who[]).filter((who) => ids.includes(everyone[who]));
}

async function assertFound(cases: Record<string, Who[]>): Promise<void> {
  for (const [text, who] of Object.entries(cases)) assert.deepEqual(await found({ search: text }), who, text);
}

test('a search matches the beginning of any word in the name', async () => {
  await assertFound({
    zo: ['zoe'],
    neil: ['zoe'],
    smi: ['zoe'],
    mar: ['jose'],
    munoz: ['jose'],
    oe: [],
    mith: [],
    zoex: [],
  });
});

test('a search ignores case and accents, in the search and in the contact', async () => {
  await assertFound({ ZOE: ['zoe'], zöé: ['zoe'], jose: ['jose'], JOSÉ: ['jose'], MUÑOZ: ['jose'], Mun̈oz: ['jose'] });
  await assertFound({ lukasz: ['odysseus'], grosse: ['strasse'], STRASSE: ['strasse'], STRAẞE: ['strasse'] });
  await assertFound({ οδυσσευς: ['odysseus'], Οδυσσεύς: ['odysseus'], ΟΔΥΣ: ['odysseus'], ｚｏｅ: ['zoe'] });
});

test('a search matches the beginning of any word in the email', async () => {
  await assertFound({
    jm: ['jose'],
    'jm.mu': ['jose'],
    'munoz+bo': ['jose'],
    'mail.ex': ['jose'],
    'jm.munoz+book@mail.example': ['jose'],
  });
});

test('a search matches digits of the phone, however they are written', async () => {
  for (const text of [
    '+12125550123',
    '12125550123',
    '2125550123',
    '5550123',
    '555-0123',
    '(212)',
    '212.555',
    '0123',
    '3',
  ])
    assert.ok((await found({ search: text })).includes('zoe'), text);
  await assertFound({ '(212) 555-0123': ['zoe'], '+44 20 7183 8750': ['odysseus'], 99999: [], '+1212555012399': [] });
});

test('a search matches a name with digits and punctuation', async () => {
  await assertFound({ '10-4': ['ten'], '10-': ['strasse', 'ten'], 'unit.10-4': ['ten'], '10-4@radio': ['ten'] });
});

test('every word of a search must match, in any order', async () => {
  await assertFound({
    'zo neil': ['zoe'],
    'smith  zoe': ['zoe'],
    'zoe munoz': [],
    'zoe 0123': ['zoe'],
    ' zoe ': ['zoe'],
  });
});

test('%, _ and \\ match literally', async () => {
  await assertFound({ '%': [], _: [], '100%': ['strasse'], '100%_': ['strasse'], '1_0': [], '100_': [] });
  await assertFound({ 'z%e': [], 'back\\': ['ten'], 'back\\slash': ['ten'], '\\': [], "o'": [], '"': [] });
});

test('an empty search finds everyone', async () => {
  await assertFound({ '': Object.keys(everyone) as Who[], '   ': Object.keys(everyone) as Who[] });
});

test('a search may have 500 code points', async () => {
  assert.deepEqual(await found({ search: '😀'.repeat(500) }), []);
  assert.deepEqual(await found({ search: 'a '.repeat(250) }), []);
  assertInvalid(await ann.call('GET', `${contactsPath}?${pairs({ search: 'a'.repeat(501) })}`), '/search');
});

test('a phone finds every contact that has it, oldest first among equals', async () => {
  const person = await newcomer(world);
  const phone = '+12125550188';
  const ids = [await addContact(person, { phone }), await addContact(person, { phone })];
  await addContact(person, { phone: '+121255501889' });
  assert.deepEqual(await findIds(person, { phone }), ids);
  assert.deepEqual(await findIds(person, { phone: '+12125550189' }), []);
});

test('a phone that more contacts have than a short page finds all of them, in order', async () => {
  const person = await newcomer(world);
  const phone = '+12125550188';
  const names = Array.from({ length: 51 }, (_, index) => ({ phone, lastName: `N${String(index).padStart(2, '0')}` }));
  const ids = await createContacts(world.deps, person.advisor.advisorId, names.slice(1).toReversed(), 2);
  const ordered = ids.toReversed();
  const expected = (all: number[]) => [all.slice(0, 20), all.slice(20, 40), all.slice(-20), []];
  const pages = async () => [
    await findIds(person, { phone, pageSize: 20 }),
    await findIds(person, { phone, pageSize: 20, page: 2 }),
    (await findIds(person, { phone, pageSize: 20, sortDirection: 'desc' })).toReversed(),
    await findIds(person, { phone, pageSize: 20, page: 4 }),
  ];
  assert.deepEqual(await pages(), expected(ordered));
  const [first] = await createContacts(world.deps, person.advisor.advisorId, names.slice(0, 1), 2);
  assert.deepEqual(await pages(), expected([first as number, ...ordered]));
  const { pageInfo } = await search(person, contactsPath, { phone, page: 9 });
  assert.equal(pageInfo.totalRecord, 51);
});

test('a phone that is not in E.164 is 400', async () => {
  for (const phone of [
    '',
    '12125550123',
    '+1234567',
    '+1234567890123456',
    '+１２１２５５５０１２３',
    '+12125550123\n',
    '555',
  ])
    assertInvalid(await ann.call('GET', `${contactsPath}?${pairs({ phone })}`), '/phone');
});

test('a raw + in a query is 400, and the message says to write %2B', async () => {
  const raw = {
    phone: '+12125550123',
    modifiedSince: '2026-03-01T17:05:00+02:00',
    email: 'ann+book@mail.example',
    remoteContactId: 'a+b',
    page: '+1',
  };
  for (const [name, value] of Object.entries(raw)) {
    const answer = await ann.call('GET', `${contactsPath}?${name}=${value}`);
    assertInvalid(answer, `/${name}`);
    assert.match(answer.body.detail, /%2B/);
  }
});

test('an email matches the whole address in any case', async () => {
  const email = 'jm.munoz+book@mail.example';
  assert.deepEqual(await found({ email }), ['jose']);
  assert.deepEqual(await found({ email: email.toUpperCase() }), ['jose']);
  for (const other of ['jm.munoz', 'mail.example', '%', 'jm.munoz_book@mail.example', 'x'.repeat(254)])
    assert.deepEqual(await found({ email: other }), []);
});

test('an empty or too long email or remote id is 400', async () => {
  for (const [name, max] of Object.entries({ email: 254, remoteContactId: 500 }))
    for (const value of ['', 'x'.repeat(max + 1)])
      assertInvalid(await ann.call('GET', `${contactsPath}?${pairs({ [name]: value })}`), `/${name}`);
});

test('a group id finds the group’s members', async () => {
  const groupId = await addGroup(ann);
  await putInGroups(ann, everyone.zoe, [groupId]);
  await putInGroups(ann, everyone.ten, [await addGroup(ann), groupId]);
  assert.deepEqual(await found({ groupId }), ['zoe', 'ten']);
});

test('an unknown group id finds nobody, and an invalid one is 400', async () => {
  for (const groupId of [0, idMax]) assert.deepEqual(await found({ groupId }), []);
  for (const groupId of ['', '-1', '1.5', 'abc', '9007199254740992', '9223372036854775808'])
    assertInvalid(await ann.call('GET', `${contactsPath}?${pairs({ groupId })}`), '/groupId');
});

test('a remote id finds the contact with exactly that id', async () => {
  await world.database.asOwner(`update contacts set source = 12, remote_contact_id = 'CRM-7' where contact_id = $1`, [
    everyone.jose,
  ]);
  assert.deepEqual(await found({ remoteContactId: 'CRM-7' }), ['jose']);
  for (const remoteContactId of ['crm-7', 'CRM-', 'CRM-77', '%'])
    assert.deepEqual(await found({ remoteContactId }), []);
  const { data } = await search(ann, contactsPath, { remoteContactId: 'CRM-7' });
  assert.deepEqual(
    [data[0].remoteContactId, data[0].isCrmLinkedContact, data[0].sourceText],
    ['CRM-7', true, 'HTTPS lookup'],
  );
});

test('modifiedSince is inclusive, to the millisecond', async () => {
  const person = await newcomer(world);
  const contactId = await addContact(person);
  const { dateTimeModified } = await getContact(person, contactId);
  const time = Temporal.Instant.from(dateTimeModified);
  const since = (modifiedSince: string) => findIds(person, { modifiedSince });
  assert.deepEqual(await since(dateTimeModified), [contactId]);
  assert.deepEqual(await since(time.subtract({ milliseconds: 1 }).toString()), [contactId]);
  assert.deepEqual(await since(time.add({ milliseconds: 1 }).toString()), []);
  assert.deepEqual(await since(time.add({ nanoseconds: 1 }).toString()), []);
  assert.deepEqual(await since(time.subtract({ nanoseconds: 1 }).toString()), [contactId]);
});

test('modifiedSince accepts any RFC 3339 offset, and years from 0000 to 9999', async () => {
  const person = await newcomer(world);
  const contactId = await addContact(person);
  const { dateTimeModified } = await getContact(person, contactId);
  const local = Temporal.Instant.from(dateTimeModified).toString({ timeZone: '+05:30', smallestUnit: 'millisecond' });
  assert.match(local, /\+05:30$/);
  for (const modifiedSince of [
    local,
    dateTimeModified.toLowerCase(),
    '0000-01-01T00:00:00Z',
    '1969-12-31T23:59:59.9995-08:00',
  ])
    assert.deepEqual(await findIds(person, { modifiedSince }), [contactId], modifiedSince);
  assert.deepEqual(await findIds(person, { modifiedSince: '9999-12-31T23:59:59.999999999Z' }), []);
});

test('modifiedSince finds updates and changed memberships', async () => {
  const person = await newcomer(world);
  const [updated, joined] = [await addContact(person), await addContact(person)];
  await addContact(person);
  const groupId = await addGroup(person);
  await world.clock.advance(1_000);
  const modifiedSince = world.clock.now().toISOString();
  await person.call('PUT', `${contactsPath}/${updated}`, { nickname: 'A' });
  await putInGroups(person, joined, [groupId]);
  assert.deepEqual(await findIds(person, { modifiedSince }), [updated, joined]);
});

test('a modifiedSince that is not an RFC 3339 time is 400', async () => {
  const unlike = [
    '',
    '2026-03-01',
    '2026-03-01T17:05:00',
    '1772384700000',
    '2026-03-01 17:05:00Z',
    '2026-03-01T17:05Z',
  ];
  const unreal = ['2026-02-30T00:00:00Z', '2026-03-01T25:00:00Z', '2026-03-01T17:05:00+25:00', '2026-13-01T00:00:00Z'];
  for (const modifiedSince of [...unlike, ...unreal, '2026-03-01T17:05:00Z\n', '2026-03-01T17:05:00Z[UTC]'])
    assertInvalid(await ann.call('GET', `${contactsPath}?${pairs({ modifiedSince })}`), '/modifiedSince');
});

test('a contact must match every filter, and the total counts the matches', async () => {
  const person = await newcomer(world);
  const groupId = await addGroup(person);
  const fields = { firstName: 'Zoe', emailAddress: 'zoe@example.org', phone: '+12125550123' };
  const member = await addContact(person, fields);
  const other = await addContact(person, fields);
  await putInGroups(person, member, [groupId]);
  const query = {
    search: 'zoe',
    phone: fields.phone,
    email: fields.emailAddress,
    modifiedSince: '2000-01-01T00:00:00Z',
  };
  assert.deepEqual(await findIds(person, query), [member, other]);
  const { data, pageInfo } = await search(person, contactsPath, { ...query, groupId });
  assert.deepEqual([data.length, data[0].contactId, pageInfo.totalRecord], [1, member, 1]);
  assert.deepEqual(await findIds(person, { ...query, groupId, search: 'bob' }), []);
});

test('a filtered search is sorted, with unset values last in both directions', async () => {
  const person = await newcomer(world);
  const unset = await addContact(person, { firstName: 'Ann' });
  const b = await addContact(person, { firstName: 'Ann', emailAddress: 'b@example.org' });
  const a = await addContact(person, { firstName: 'Ann', emailAddress: 'a@example.org' });
  const query = { search: 'ann', sortBy: 'email' };
  assert.deepEqual(await findIds(person, query), [a, b, unset]);
  assert.deepEqual(await findIds(person, { ...query, sortDirection: 'desc' }), [b, a, unset]);
  assert.deepEqual(await findIds(person, { ...query, sortDirection: 'desc', page: 2, pageSize: 2 }), [unset]);
});

test('a contact without names is found by its phone', async () => {
  const person = await newcomer(world);
  const contactId = await createContact(world.deps, person.advisor.advisorId, { phone: '+12125550199' }, 3);
  for (const query of [{ search: '0199' }, { phone: '+12125550199' }])
    assert.deepEqual(await findIds(person, query), [contactId]);
});

test('no search text causes a server error', async () => {
  for (const text of [
    "'",
    '"',
    '\\\\',
    '--',
    ';',
    '()',
    '+',
    '-',
    '/',
    '%%%',
    '\u200b',
    '\uffff',
    '𝒵𝑜𝑒',
    'ﬁ',
    '\u0301',
    '$1',
    '*',
  ])
    assert.equal((await ann.call('GET', `${contactsPath}?${pairs({ search: text })}`)).status, 200, text);
  assertProblem(await ann.call('GET', `${contactsPath}?search=%00`), 'invalid_request');
});

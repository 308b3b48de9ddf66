import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { createContact } from '../../src/domain/address-book/contacts.ts';
import { makeWorld } from '../support/world.ts';
import {
  addContact,
  addGroup,
  assertInvalid,
  assertNotFound,
  callRaw,
  contactsPath,
  findIds,
  getContact,
  idMax,
  illFormed,
  newcomer,
  putInGroups,
  search,
  testDoor,
  testIds,
} from './address-book.ts';

const world = await makeWorld();
after(() => world.close());
const { ann } = world;

const optional = {
  emailAddress: 'ann@example.org',
  nickname: 'Annie',
  birthDate: '1961-07-14',
  phone: '+12125550123',
  clientAnniversary: '2019-03-01',
  gender: 2,
  maritalStatus: 2,
  address1: '1 Main Street',
  address2: 'Apt 4',
  city: 'Springfield',
  state: 'IL',
  postalCode: '62701',
};

function update(contactId: number, fields: object) {
  return ann.call('PUT', `${contactsPath}/${contactId}`, fields);
}

test('an update is 200 with the contact’s id', async () => {
  const contactId = await addContact(ann);
  const answer = await update(contactId, { nickname: 'Annie' });
  assert.deepEqual([answer.status, answer.body], [200, { id: contactId }]);
});

test('fields that are given are replaced, all others are kept', async () => {
  const changes = {
    firstName: 'Bea',
    lastName: 'Jones',
    emailAddress: 'bea@example.org',
    nickname: 'B',
    birthDate: '1970-01-01',
    phone: '+442071838750',
    clientAnniversary: '2020-02-29',
    gender: 3,
    maritalStatus: 4,
    address1: '2 Side Street',
    address2: 'Floor 2',
    city: 'Shelbyville',
    state: 'IN',
    postalCode: '46176',
  };
  const contactId = await addContact(ann, optional);
  const expected = await getContact(ann, contactId);
  for (const [field, value] of Object.entries(changes)) {
    await update(contactId, { [field]: value });
    const { dateTimeModified, ...kept } = await getContact(ann, contactId);
    expected[field] = value;
    assert.deepEqual({ ...kept, dateTimeModified: expected.dateTimeModified }, expected, field);
  }
});

test('null or "" clears an optional field, and no other field', async () => {
  for (const empty of [null, ''])
    for (const field of Object.keys(optional)) {
      const contactId = await addContact(ann, optional);
      const { [field]: _, dateTimeModified: __, ...others } = await getContact(ann, contactId);
      assert.equal((await update(contactId, { [field]: empty })).status, 200);
      const { dateTimeModified, ...kept } = await getContact(ann, contactId);
      const cleared = field === 'gender' || field === 'maritalStatus' ? { [field]: 0 } : {};
      assert.deepEqual(kept, { ...others, ...cleared }, field);
    }
});

test('names can be changed but not cleared', async () => {
  const contactId = await addContact(ann);
  for (const field of ['firstName', 'lastName'])
    for (const empty of [null, '', '  ', '\n']) assertInvalid(await update(contactId, { [field]: empty }), `/${field}`);
  const { firstName, lastName } = await getContact(ann, contactId);
  assert.deepEqual([firstName, lastName], ['Ann', 'Smith']);
});

test('an empty body changes no field', async () => {
  const contactId = await addContact(ann, optional);
  const { dateTimeModified: _, ...before } = await getContact(ann, contactId);
  assert.equal((await update(contactId, {})).status, 200);
  const { dateTimeModified: __, ...kept } = await getContact(ann, contactId);
  assert.deepEqual(kept, before);
});

test('names are trimmed', async () => {
  const contactId = await addContact(ann);
  await update(contactId, { firstName: '  Bea ', lastName: `${'x'.repeat(200)}\n` });
  const { firstName, lastName } = await getContact(ann, contactId);
  assert.deepEqual([firstName, lastName], ['Bea', 'x'.repeat(200)]);
});

test('one invalid field refuses the whole update', async () => {
  const contactId = await addContact(ann, optional);
  const before = await getContact(ann, contactId);
  const bad = {
    birthDate: '2023-02-29',
    phone: '+1234567',
    gender: 4,
    maritalStatus: 7,
    nickname: 'x'.repeat(201),
    emailAddress: 'x'.repeat(255),
    city: 'x'.repeat(501),
    state: 5,
  };
  for (const [field, value] of Object.entries(bad))
    assertInvalid(await update(contactId, { firstName: 'Bea', [field]: value }), `/${field}`);
  assert.deepEqual(await getContact(ann, contactId), before);
});

test('NUL and lone surrogates are refused in every string', async () => {
  const contactId = await addContact(ann);
  const { gender, maritalStatus, ...strings } = optional;
  for (const field of ['firstName', 'lastName', ...Object.keys(strings)])
    for (const value of illFormed) assertInvalid(await update(contactId, { [field]: value }), `/${field}`);
});

test('a body can’t set fields that the server owns', async () => {
  const contactId = await addContact(ann, optional);
  const before = await getContact(ann, contactId);
  const owned =
    '"contactId":7,"source":10,"remoteContactId":"x","isCrmLinkedContact":true,"emailStatus":2,"groupIds":[1]';
  const times = '"dateTimeCreated":"2020-01-01T00:00:00.000Z","dateTimeModified":"2020-01-01T00:00:00.000Z"';
  const sneaky = '"identifier":"x","advisor_id":1,"__proto__":{"nickname":"Eve"},"constructor":{"nickname":"Eve"}';
  const answer = await callRaw(ann, 'PUT', `${contactsPath}/${contactId}`, `{${owned},${times},${sneaky}}`);
  assert.deepEqual([answer.status, answer.body], [200, { id: contactId }]);
  const after = await getContact(ann, contactId);
  assert.ok(after.dateTimeModified >= before.dateTimeModified);
  assert.deepEqual({ ...after, dateTimeModified: before.dateTimeModified }, before);
});

test('an update changes the modification time and keeps the creation time', async () => {
  const contactId = await addContact(ann);
  const before = await getContact(ann, contactId);
  await world.clock.advance(60_000);
  await update(contactId, { nickname: 'Annie' });
  const after = await getContact(ann, contactId);
  assert.equal(after.dateTimeCreated, before.dateTimeCreated);
  assert.ok(Date.parse(after.dateTimeModified) >= Date.parse(before.dateTimeModified) + 60_000);
});

test('an update keeps the groups', async () => {
  const [contactId, groupId] = [await addContact(ann), await addGroup(ann)];
  await putInGroups(ann, contactId, [groupId]);
  await update(contactId, { firstName: 'Bea' });
  assert.deepEqual((await getContact(ann, contactId)).groupIds, [groupId]);
});

test('the next search shows the change and finds the contact by its new fields', async () => {
  const person = await newcomer(world);
  const contactId = await addContact(person, { firstName: 'Zoe', lastName: 'Zimmer', ...optional });
  const otherId = await addContact(person, { firstName: 'Max', lastName: 'Miller' });
  await person.call('PUT', `${contactsPath}/${contactId}`, {
    firstName: 'Abe',
    emailAddress: '',
    phone: '+442071838750',
  });
  assert.deepEqual(await findIds(person), [contactId, otherId]);
  const { data } = await search(person, contactsPath, { search: 'abe zim 8750' });
  assert.deepEqual([data.length, data[0].fullName, data[0].email], [1, 'Abe Zimmer', undefined]);
  const stale = [
    { search: 'zoe' },
    { search: '2125550123' },
    { phone: optional.phone },
    { email: optional.emailAddress },
  ];
  for (const query of stale) assert.deepEqual(await findIds(person, query), []);
});

test('a contact that texting created can be given names', async () => {
  const contactId = await createContact(world.deps, ann.advisor.advisorId, { phone: '+12125550177' }, 3);
  await update(contactId, { firstName: 'Tex', lastName: 'Ting' });
  const { data } = await search(ann, contactsPath, { phone: '+12125550177' });
  assert.deepEqual([data[0].fullName, data[0].source], ['Tex Ting', 3]);
});

test('simultaneous updates of different fields are all kept', async () => {
  const contactId = await addContact(ann);
  const entries = Object.entries({ firstName: 'Bea', ...optional });
  await Promise.all(entries.map(([field, value]) => update(contactId, { [field]: value })));
  const kept = await getContact(ann, contactId);
  for (const [field, value] of entries) assert.equal(kept[field], value, field);
  assert.ok((await findIds(ann, { search: 'bea ann@example.org 2125550123' })).includes(contactId));
});

test('a deleted contact is 404', async () => {
  const contactId = await addContact(ann);
  await ann.call('DELETE', `${contactsPath}/${contactId}`);
  assertNotFound(await update(contactId, { firstName: 'Bea' }));
});

test('an invalid body for an unknown id is 400', async () => {
  assertInvalid(await update(idMax, { phone: '555' }), '/phone');
});

const existing = await addContact(ann);
testIds(world, 'PUT', (id) => `${contactsPath}/${id}`, { firstName: 'Bea' });
testDoor(world, {
  method: 'PUT',
  path: `${contactsPath}/${existing}`,
  scope: 'core.contacts.write',
  body: { firstName: 'Bea' },
});

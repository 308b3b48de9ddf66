import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { makeWorld } from '../support/world.ts';
import {
  addContact,
  addGroup,
  assertNotFound,
  contactsPath,
  findGroups,
  findIds,
  getContact,
  newcomer,
  putInGroups,
  search,
  testDoor,
  testIds,
} from './address-book.ts';

const world = await makeWorld();
after(() => world.close());
const { ann } = world;

test('a delete is 204 without a body', async () => {
  const answer = await ann.call('DELETE', `${contactsPath}/${await addContact(ann)}`);
  assert.deepEqual([answer.status, answer.body], [204, '']);
});

test('a second delete is 404', async () => {
  const contactId = await addContact(ann);
  await ann.call('DELETE', `${contactsPath}/${contactId}`);
  assertNotFound(await ann.call('DELETE', `${contactsPath}/${contactId}`));
});

test('of many simultaneous deletes, one is 204 and the others are 404', async () => {
  const contactId = await addContact(ann);
  const deletes = Array.from({ length: 8 }, () => ann.call('DELETE', `${contactsPath}/${contactId}`));
  const statuses = (await Promise.all(deletes)).map((answer) => answer.status).sort();
  assert.deepEqual(statuses, [204, ...Array(7).fill(404)]);
});

test('no search finds the contact anymore', async () => {
  const person = await newcomer(world);
  const fields = { firstName: 'Zoe', emailAddress: 'zoe@example.org', phone: '+12125550123' };
  const [stays, goes] = [await addContact(person), await addContact(person, fields)];
  const groupId = await addGroup(person);
  for (const contactId of [stays, goes]) await putInGroups(person, contactId, [groupId]);
  await person.call('DELETE', `${contactsPath}/${goes}`);
  const { data, pageInfo } = await search(person, contactsPath);
  assert.deepEqual([data.length, data[0].contactId, pageInfo.totalRecord], [1, stays, 1]);
  assert.deepEqual(await findIds(person, { groupId }), [stays]);
  for (const query of [{ search: 'zoe' }, { phone: fields.phone }, { email: fields.emailAddress }])
    assert.deepEqual(await findIds(person, query), []);
});

test('the contact leaves its groups, and the groups stay', async () => {
  const person = await newcomer(world);
  const groupIds = [await addGroup(person, 'A'), await addGroup(person, 'B')];
  const [stays, goes] = [await addContact(person), await addContact(person)];
  for (const contactId of [stays, goes]) await putInGroups(person, contactId, groupIds);
  await person.call('DELETE', `${contactsPath}/${goes}`);
  const counts = (await findGroups(person)).map((group) => [group.groupId, group.contactCount]);
  assert.deepEqual(counts, [
    [groupIds[0], 1],
    [groupIds[1], 1],
  ]);
  assert.deepEqual((await getContact(person, stays)).groupIds, groupIds);
});

test('an id is never reused', async () => {
  const contactId = await addContact(ann);
  await ann.call('DELETE', `${contactsPath}/${contactId}`);
  assert.ok((await addContact(ann)) > contactId);
});

test('a delete ignores a body and its type', async () => {
  const headers = { 'content-type': 'text/plain' };
  const answer = await ann.call('DELETE', `${contactsPath}/${await addContact(ann)}`, 'not json', headers);
  assert.equal(answer.status, 204);
});

const existing = await addContact(ann);
testIds(world, 'DELETE', (id) => `${contactsPath}/${id}`);
testDoor(world, { method: 'DELETE', path: `${contactsPath}/${existing}`, scope: 'core.contacts.write' });

import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { makeWorld, type Person } from '../support/world.ts';
import {
  addContact,
  addGroup,
  assertInvalid,
  assertNotFound,
  callRaw,
  contactsPath,
  findGroups,
  getContact,
  groupsPath,
  idMax,
  newcomer,
  putInGroups,
  search,
  testDoor,
  testIds,
} from './address-book.ts';

const world = await makeWorld();
after(() => world.close());
const { ann } = world;
const [a, b, c] = [await addGroup(ann, 'A'), await addGroup(ann, 'B'), await addGroup(ann, 'C')];

function replace(contactId: number, body: object, person = ann) {
  return person.call('PUT', `${contactsPath}/${contactId}/groups`, body);
}

async function groupIdsOf(contactId: number, person = ann): Promise<number[]> {
  return (await getContact(person, contactId)).groupIds;
}

async function counts(person: Person): Promise<Record<string, number>> {
  return Object.fromEntries((await findGroups(person)).map((group) => [group.name, group.contactCount]));
}

test('a replacement is 200 with the contact’s id', async () => {
  const contactId = await addContact(ann);
  const answer = await replace(contactId, { groupIds: [a] });
  assert.deepEqual([answer.status, answer.body], [200, { id: contactId }]);
});

test('the contact becomes a member of exactly these groups', async () => {
  const contactId = await addContact(ann);
  for (const groupIds of [[a, b], [b, c], [c], [], [c, a, b]]) {
    await putInGroups(ann, contactId, groupIds);
    assert.deepEqual(
      await groupIdsOf(contactId),
      groupIds.toSorted((x, y) => x - y),
    );
  }
});

test('duplicate ids are ignored', async () => {
  const person = await newcomer(world);
  const [contactId, groupId] = [await addContact(person), await addGroup(person, 'A')];
  await putInGroups(person, contactId, [groupId, groupId, groupId]);
  assert.deepEqual(await groupIdsOf(contactId, person), [groupId]);
  assert.deepEqual(await counts(person), { A: 1 });
});

test('an empty list removes the contact from all groups', async () => {
  const contactId = await addContact(ann);
  await putInGroups(ann, contactId, [a, b]);
  await putInGroups(ann, contactId, []);
  assert.deepEqual(await groupIdsOf(contactId), []);
});

test('groupIds is required unless isSelectAllGroup is true', async () => {
  const contactId = await addContact(ann);
  for (const body of [{}, { isSelectAllGroup: false }, { groups: [a] }])
    assertInvalid(await replace(contactId, body), '/groupIds');
});

test('isSelectAllGroup makes the contact a member of every group that exists now', async () => {
  const person = await newcomer(world);
  const contactId = await addContact(person);
  const groupIds = [await addGroup(person, 'A'), await addGroup(person, 'B')];
  assert.equal((await replace(contactId, { isSelectAllGroup: true }, person)).status, 200);
  const later = await addGroup(person, 'C');
  assert.deepEqual(await groupIdsOf(contactId, person), groupIds);
  await replace(contactId, { isSelectAllGroup: true }, person);
  assert.deepEqual(await groupIdsOf(contactId, person), [...groupIds, later]);
});

test('isSelectAllGroup is fine without any groups', async () => {
  const person = await newcomer(world);
  const contactId = await addContact(person);
  assert.equal((await replace(contactId, { isSelectAllGroup: true }, person)).status, 200);
  assert.deepEqual(await groupIdsOf(contactId, person), []);
});

test('isSelectAllGroup ignores groupIds, even invalid ones', async () => {
  const contactId = await addContact(ann);
  for (const groupIds of [[], [a], [idMax], ['x'], null, 7]) {
    assert.equal((await replace(contactId, { isSelectAllGroup: true, groupIds })).status, 200);
    assert.deepEqual(await groupIdsOf(contactId), [a, b, c]);
  }
});

test('isSelectAllGroup false means exactly the groupIds', async () => {
  const contactId = await addContact(ann);
  await replace(contactId, { isSelectAllGroup: false, groupIds: [b] });
  assert.deepEqual(await groupIdsOf(contactId), [b]);
});

test('an unknown group id is 400, is named by its path, and nothing changes', async () => {
  const contactId = await addContact(ann);
  await putInGroups(ann, contactId, [a]);
  const before = [await getContact(ann, contactId), await findGroups(ann)];
  const answer = await replace(contactId, { groupIds: [b, idMax, c, 0] });
  assertInvalid(answer, '/groupIds/1');
  assertInvalid(answer, '/groupIds/3');
  assert.equal(answer.body.details.length, 2);
  assert.deepEqual([await getContact(ann, contactId), await findGroups(ann)], before);
});

test('of very many unknown group ids, a hundred are reported', async () => {
  const groupIds = Array.from({ length: 10_000 }, (_, index) => 1_000_000 + index);
  const answer = await replace(await addContact(ann), { groupIds });
  assertInvalid(answer, '/groupIds/0');
  assert.equal(answer.body.details.length, 100);
});

test('a deleted group is unknown', async () => {
  const [contactId, groupId] = [await addContact(ann), await addGroup(ann)];
  await ann.call('DELETE', `${groupsPath}/${groupId}`);
  assertInvalid(await replace(contactId, { groupIds: [groupId] }), '/groupIds/0');
});

test('ids in the list are integers from 0 to 2^53−1, never coerced', async () => {
  const contactId = await addContact(ann);
  for (const each of [-1, 1.5, 2 ** 53, 2 ** 63, String(a), null, true, [a], {}])
    assertInvalid(await replace(contactId, { groupIds: [a, each] }), '/groupIds/1');
  for (const groupIds of [null, a, String(a), {}, true])
    assertInvalid(await replace(contactId, { groupIds }), '/groupIds');
  for (const isSelectAllGroup of [null, 'true', 1, []])
    assertInvalid(await replace(contactId, { groupIds: [a], isSelectAllGroup }), '/isSelectAllGroup');
  assertInvalid(
    await callRaw(ann, 'PUT', `${contactsPath}/${contactId}/groups`, '{"groupIds":[1e400]}'),
    '/groupIds/0',
  );
  assert.deepEqual(await groupIdsOf(contactId), []);
});

test('the search shows the number of groups, and their names in the order of groupIds', async () => {
  const person = await newcomer(world);
  const contactId = await addContact(person);
  const groupIds = [
    await addGroup(person, 'émigrés'),
    await addGroup(person, 'Zebras'),
    await addGroup(person, 'apes'),
  ];
  await putInGroups(person, contactId, groupIds);
  const { data } = await search(person, contactsPath);
  assert.deepEqual([data[0].groupCount, data[0].groupNames], [3, ['émigrés', 'Zebras', 'apes']]);
  await putInGroups(person, contactId, []);
  const { data: later } = await search(person, contactsPath);
  assert.deepEqual([later[0].groupCount, later[0].groupNames], [0, []]);
});

test('the groups count their members', async () => {
  const person = await newcomer(world);
  const [x, y] = [await addGroup(person, 'X'), await addGroup(person, 'Y')];
  const [first, second] = [await addContact(person), await addContact(person)];
  await putInGroups(person, first, [x, y]);
  await putInGroups(person, second, [x]);
  assert.deepEqual(await counts(person), { X: 2, Y: 1 });
  await putInGroups(person, first, [y]);
  assert.deepEqual(await counts(person), { X: 1, Y: 1 });
});

test('a replacement with the same groups changes nothing, not even the times', async () => {
  const contactId = await addContact(ann);
  await putInGroups(ann, contactId, [a, b]);
  const before = [await getContact(ann, contactId), await findGroups(ann)];
  await world.clock.advance(1_000);
  await putInGroups(ann, contactId, [b, a]);
  assert.deepEqual([await getContact(ann, contactId), await findGroups(ann)], before);
});

test('two simultaneous replacements leave one of the two, never a mix', async () => {
  const contactId = await addContact(ann);
  const choices = [[a], [b, c]];
  for (let round = 0; round < 20; round++) {
    await Promise.all(choices.map((groupIds) => putInGroups(ann, contactId, groupIds)));
    const groupIds = await groupIdsOf(contactId);
    assert.ok(
      choices.some((choice) => choice.join() === groupIds.join()),
      `${groupIds}`,
    );
    await putInGroups(ann, contactId, []);
  }
});

test('counts stay correct while groups and contacts are created and deleted', async () => {
  const person = await newcomer(world);
  const contactIds = await Promise.all(Array.from({ length: 6 }, () => addContact(person)));
  const groupIds = await Promise.all(['A', 'B', 'C', 'D'].map((name) => addGroup(person, name)));
  const answers = await Promise.all([
    ...contactIds.map((contactId) => replace(contactId, { groupIds }, person)),
    ...contactIds.map((contactId) => replace(contactId, { isSelectAllGroup: true }, person)),
    person.call('DELETE', `${groupsPath}/${groupIds[0]}`),
    person.call('DELETE', `${contactsPath}/${contactIds[0]}`),
    person.call('DELETE', `${groupsPath}/${groupIds[1]}`),
  ]);
  assert.ok(answers.every(({ status }) => [200, 204, 400, 404].includes(status)));
  const left = await Promise.all(contactIds.slice(1).map((contactId) => groupIdsOf(contactId, person)));
  for (const { groupId, contactCount } of await findGroups(person))
    assert.equal(contactCount, left.filter((each) => each.includes(groupId)).length);
  const { data } = await search(person, contactsPath, { sortBy: 'dateTimeCreated' });
  for (const { contactId, groupCount, groupNames } of data) {
    assert.equal(groupCount, (await groupIdsOf(contactId, person)).length);
    assert.equal(groupNames.length, groupCount);
  }
});

test('an unknown group for an unknown contact is 400', async () => {
  assertInvalid(await replace(idMax, { groupIds: [idMax] }), '/groupIds/0');
});

test('a deleted contact is 404', async () => {
  const contactId = await addContact(ann);
  await ann.call('DELETE', `${contactsPath}/${contactId}`);
  assertNotFound(await replace(contactId, { groupIds: [a] }));
  assertNotFound(await replace(contactId, { isSelectAllGroup: true }));
});

const existing = await addContact(ann);
testIds(world, 'PUT', (id) => `${contactsPath}/${id}/groups`, { groupIds: [a] });
testDoor(world, {
  method: 'PUT',
  path: `${contactsPath}/${existing}/groups`,
  scope: 'core.contacts.write',
  body: { groupIds: [a] },
});

import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { clearDeletedGroups } from '../../src/domain/address-book/groups.ts';
import { makeWorld } from '../support/world.ts';
import {
  addContact,
  addGroup,
  assertNotFound,
  contactsPath,
  findGroups,
  findIds,
  getContact,
  groupsPath,
  newcomer,
  putInGroups,
  search,
  testDoor,
  testIds,
} from './address-book.ts';
import { assertCounted } from './book-counts.ts';

const world = await makeWorld();
after(() => world.close());
const { ann } = world;

test('a delete is 204 without a body', async () => {
  const answer = await ann.call('DELETE', `${groupsPath}/${await addGroup(ann)}`);
  assert.deepEqual([answer.status, answer.body], [204, '']);
});

test('a second delete is 404', async () => {
  const groupId = await addGroup(ann);
  await ann.call('DELETE', `${groupsPath}/${groupId}`);
  assertNotFound(await ann.call('DELETE', `${groupsPath}/${groupId}`));
});

test('of many simultaneous deletes, one is 204 and the others are 404', async () => {
  const groupId = await addGroup(ann);
  const deletes = Array.from({ length: 8 }, () => ann.call('DELETE', `${groupsPath}/${groupId}`));
  const statuses = (await Promise.all(deletes)).map((answer) => answer.status).sort();
  assert.deepEqual(statuses, [204, ...Array(7).fill(404)]);
});

test('no search finds the group anymore', async () => {
  const person = await newcomer(world);
  const [goes, stays] = [await addGroup(person, 'A'), await addGroup(person, 'B')];
  await person.call('DELETE', `${groupsPath}/${goes}`);
  const { data, pageInfo } = await search(person, groupsPath);
  assert.deepEqual([data.length, data[0].groupId, pageInfo.totalRecord], [1, stays, 1]);
});

test('its contacts stay, without the group', async () => {
  const person = await newcomer(world);
  const [goes, stays] = [await addGroup(person, 'A'), await addGroup(person, 'B')];
  const [inBoth, inOne] = [await addContact(person, { firstName: 'A' }), await addContact(person, { firstName: 'B' })];
  await putInGroups(person, inBoth, [goes, stays]);
  await putInGroups(person, inOne, [goes]);
  await person.call('DELETE', `${groupsPath}/${goes}`);
  assert.deepEqual((await getContact(person, inBoth)).groupIds, [stays]);
  assert.deepEqual((await getContact(person, inOne)).groupIds, []);
  const { data } = await search(person, contactsPath, { sortBy: 'groupCount' });
  const shown = data.map((each: Record<string, unknown>) => [each.contactId, each.groupCount, each.groupNames]);
  assert.deepEqual(shown, [
    [inOne, 0, []],
    [inBoth, 1, ['B']],
  ]);
  assert.deepEqual(await findIds(person, { groupId: goes }), []);
  assert.equal((await findGroups(person))[0].contactCount, 1);
});

test('it changes no contact’s dateTimeModified', async () => {
  const person = await newcomer(world);
  const groupId = await addGroup(person);
  const member = await addContact(person);
  await putInGroups(person, member, [groupId]);
  const { dateTimeModified } = await getContact(person, member);
  await world.clock.advance(1_000);
  const modifiedSince = world.clock.now().toISOString();
  await person.call('DELETE', `${groupsPath}/${groupId}`);
  assert.deepEqual(await findIds(person, { modifiedSince }), []);
  assert.equal((await getContact(person, member)).dateTimeModified, dateTimeModified);
});

test('its externalGroupId can be used again, for a new group without its members', async () => {
  const person = await newcomer(world);
  const groupId = await addGroup(person, 'A', 'external');
  const member = await addContact(person);
  await putInGroups(person, member, [groupId]);
  await person.call('DELETE', `${groupsPath}/${groupId}`);
  const again = await addGroup(person, 'A', 'external');
  assert.notEqual(again, groupId);
  assert.equal((await findGroups(person))[0].contactCount, 0);
  assert.deepEqual(await findIds(person, { groupId: again }), []);
});

for (const [when, clear] of Object.entries({
  after: () => clearDeletedGroups(world.deps),
  before: async () => {},
}))
  test(`a member can change groups and be deleted ${when} its memberships are removed`, async () => {
    const person = await newcomer(world);
    const [goes, stays] = [await addGroup(person, 'A'), await addGroup(person, 'B')];
    const [changes, leaves, same] = [await addContact(person), await addContact(person), await addContact(person)];
    for (const member of [changes, leaves]) await putInGroups(person, member, [goes]);
    await putInGroups(person, same, [goes, stays]);
    const { dateTimeModified } = await getContact(person, same);
    await world.clock.advance(1_000);
    await person.call('DELETE', `${groupsPath}/${goes}`);
    await clear();
    await person.call('PUT', `${contactsPath}/${changes}/groups`, { isSelectAllGroup: true });
    await putInGroups(person, same, [stays]);
    assert.equal((await person.call('DELETE', `${contactsPath}/${leaves}`)).status, 204);
    await clearDeletedGroups(world.deps);
    const { data } = await search(person, contactsPath, { sortBy: 'groupCount' });
    const shown = data.map((each: Record<string, unknown>) => [each.contactId, each.groupCount, each.groupNames]);
    assert.deepEqual(shown, [
      [changes, 1, ['B']],
      [same, 1, ['B']],
    ]);
    assert.equal((await getContact(person, same)).dateTimeModified, dateTimeModified, 'it is where it was');
    await assertCounted(world, person.advisor.advisorId);
  });

test('once its memberships are removed, nothing of it is left', async () => {
  const person = await newcomer(world);
  const groupId = await addGroup(person);
  await putInGroups(person, await addContact(person), [groupId]);
  await person.call('DELETE', `${groupsPath}/${groupId}`);
  await clearDeletedGroups(world.deps);
  const left = await world.database.asOwner(
    'select group_id from memberships where group_id = $1 union all select group_id from deleted_groups where group_id = $1',
    [groupId],
  );
  assert.equal(left.length, 0);
});

const existing = await addGroup(ann);
testIds(world, 'DELETE', (id) => `${groupsPath}/${id}`);
testDoor(world, { method: 'DELETE', path: `${groupsPath}/${existing}`, scope: 'core.contacts.write' });

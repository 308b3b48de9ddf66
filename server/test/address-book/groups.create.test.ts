import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { makeWorld } from '../support/world.ts';
import {
  addGroup,
  assertInvalid,
  callRaw,
  dateTime,
  findGroups,
  groupsPath,
  illFormed,
  newcomer,
  testDoor,
} from './address-book.ts';

const world = await makeWorld();
after(() => world.close());
const { ann } = world;

function create(body: object) {
  return ann.call('POST', groupsPath, body);
}

test('a create is 200 with the new group’s id and nothing else', async () => {
  const answer = await create({ name: 'Retirees' });
  assert.equal(answer.status, 200);
  assert.deepEqual(Object.keys(answer.body), ['id']);
  assert.ok(Number.isSafeInteger(answer.body.id) && answer.body.id >= 0);
});

test('the next search shows the group as it was given', async () => {
  const person = await newcomer(world);
  const groupId = await addGroup(person, 'Été & Søn 😀', 'crm-17');
  const [{ dateTimeCreated, dateTimeModified, ...rest }] = await findGroups(person);
  assert.deepEqual(rest, { groupId, name: 'Été & Søn 😀', externalId: 'crm-17', contactCount: 0, source: 2 });
  assert.match(dateTimeCreated, dateTime);
  assert.equal(dateTimeModified, dateTimeCreated);
});

test('a name is required, a string of 1 to 200 code points', async () => {
  for (const name of [undefined, null, '', 5, true, ['A'], {}, 'x'.repeat(201), '😀'.repeat(201)])
    assertInvalid(await create({ name }), '/name');
  for (const name of ['x', '😀'.repeat(200)]) assert.equal((await create({ name })).status, 200);
});

test('an external id has at most 500 code points', async () => {
  const longest = '😀'.repeat(500);
  const person = await newcomer(world);
  await addGroup(person, 'A', longest);
  assert.equal((await findGroups(person))[0].externalId, longest);
  for (const externalGroupId of [`${longest}a`, 5, true, ['A'], {}])
    assertInvalid(await create({ name: 'A', externalGroupId }), '/externalGroupId');
});

test('null and "" for the external id mean unset, which never matches another group', async () => {
  const person = await newcomer(world);
  for (const externalGroupId of [undefined, null, '', null, ''])
    assert.equal((await person.call('POST', groupsPath, { name: 'A', externalGroupId })).status, 200);
  const groups = await findGroups(person);
  assert.equal(groups.length, 5);
  for (const group of groups) assert.ok(!('externalId' in group));
});

test('NUL and lone surrogates are refused in every string', async () => {
  for (const value of illFormed) {
    assertInvalid(await create({ name: value }), '/name');
    assertInvalid(await create({ name: 'A', externalGroupId: value }), '/externalGroupId');
  }
});

test('names need not be unique', async () => {
  assert.notEqual(await addGroup(ann, 'Twins'), await addGroup(ann, 'Twins'));
});

test('a repeated external id returns the group that has it, unchanged', async () => {
  const person = await newcomer(world);
  const groupId = await addGroup(person, 'First', 'crm-1');
  const before = await findGroups(person);
  await world.clock.advance(1_000);
  assert.equal(await addGroup(person, 'Second', 'crm-1'), groupId);
  assert.deepEqual(await findGroups(person), before);
});

test('external ids are compared exactly', async () => {
  const ids = await Promise.all(['Crm-9', 'crm-9', 'crm-9 ', 'crm-09'].map((each) => addGroup(ann, 'A', each)));
  assert.equal(new Set(ids).size, 4);
});

test('many simultaneous creates with one external id make one group', async () => {
  const person = await newcomer(world);
  const ids = await Promise.all(Array.from({ length: 20 }, (_, index) => addGroup(person, `Name ${index}`, 'crm-2')));
  assert.equal(new Set(ids).size, 1);
  assert.equal((await findGroups(person)).length, 1);
});

test('after a delete, the external id makes a new group', async () => {
  const first = await addGroup(ann, 'A', 'crm-3');
  await ann.call('DELETE', `${groupsPath}/${first}`);
  assert.ok((await addGroup(ann, 'A', 'crm-3')) > first);
});

test('each advisor has their own external ids', async () => {
  const [first, second] = [await newcomer(world), await newcomer(world)];
  assert.notEqual(await addGroup(first, 'A', 'crm-4'), await addGroup(second, 'B', 'crm-4'));
  assert.deepEqual(
    (await findGroups(second)).map((group) => group.name),
    ['B'],
  );
});

test('a body can’t set unknown fields or fields that the server owns', async () => {
  const person = await newcomer(world);
  const owned = '"groupId":7,"source":10,"contactCount":9,"externalId":"x","dateTimeCreated":"2020-01-01T00:00:00Z"';
  const sneaky = '"advisorId":1,"note":"a\\u0000b","__proto__":{"externalGroupId":"x"},"constructor":{"name":"x"}';
  const { body } = await callRaw(person, 'POST', groupsPath, `{"name":"A",${owned},${sneaky}}`);
  const [{ dateTimeCreated, dateTimeModified, ...rest }] = await findGroups(person);
  assert.deepEqual(rest, { groupId: body.id, name: 'A', contactCount: 0, source: 2 });
  assert.notEqual(dateTimeCreated.slice(0, 4), '2020');
});

testDoor(world, { method: 'POST', path: groupsPath, scope: 'core.contacts.write', body: { name: 'Retirees' } });

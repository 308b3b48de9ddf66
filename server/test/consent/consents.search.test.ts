import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { addContact, assertInvalid, contactsPath, testDoor } from '../address-book/address-book.ts';
import { ask, say } from '../support/people.ts';
import { consentsPath, lookUp, newPhone } from '../support/texting.ts';
import { type Answer, makeWorld, type Person } from '../support/world.ts';

const world = await makeWorld({ dispatch: false });
after(() => world.close());
const { ann, bob } = world;
const path = `${consentsPath}/search`;
const unknown = { memberId: null, state: null, lastChanged: null };

function search(phoneNumbers: unknown, person: Person = ann, headers = {}): Promise<Answer> {
  return person.call('POST', path, { phoneNumbers }, headers);
}

test('each number has its state as the lookup answers it, in the order given', async () => {
  const [none, pending, accepted, optedOut, nobodys] = Array.from({ length: 5 }, newPhone) as [
    string,
    string,
    string,
    string,
    string,
  ];
  await addContact(ann, { phone: none });
  await ask(world, ann, pending, accepted, optedOut);
  await say(world, ann, accepted, 'YES');
  await say(world, ann, optedOut, 'STOP');
  const order = [optedOut, nobodys, none, accepted, pending];
  const { status, body } = await search(order);
  const expected = [];
  for (const phone of order)
    expected.push({ phone, ...(phone === nobodys ? unknown : (await lookUp(ann, phone)).body) });
  assert.deepEqual([status, body], [200, { data: expected }]);
  const states = body.data.map(({ state }: { state: string }) => state);
  assert.deepEqual(states, ['opted_out', null, 'none', 'accepted', 'pending']);
});

test('duplicates are ignored', async () => {
  const [one, other] = [newPhone(), newPhone()];
  const { body } = await search([one, other, one, other, one]);
  assert.deepEqual(
    body.data.map(({ phone }: { phone: string }) => phone),
    [one, other],
  );
});

test('a deleted contact’s number, an old number and another advisor’s are unknown', async () => {
  const [deleted, old, theirs] = [newPhone(), newPhone(), newPhone()];
  await ann.call('DELETE', `${contactsPath}/${await addContact(ann, { phone: deleted })}`);
  await ann.call('PUT', `${contactsPath}/${await addContact(ann, { phone: old })}`, { phone: newPhone() });
  await addContact(bob, { phone: theirs });
  const { body } = await search([deleted, old, theirs]);
  assert.deepEqual(body, { data: [deleted, old, theirs].map((phone) => ({ phone, ...unknown })) });
});

test('a state that no entry proves shows what the entry says', async () => {
  const phone = newPhone();
  await addContact(ann, { phone });
  await world.database.asOwner(`alter table members disable trigger consent_changed`);
  await world.database.asOwner(`update members set state = 'accepted' where phone = $1`, [phone]);
  await world.database.asOwner(`alter table members enable always trigger consent_changed`);
  assert.equal((await search([phone])).body.data[0].state, 'none');
});

test('a thousand numbers are one answer; nothing is made of unknown ones', async () => {
  const phones = Array.from({ length: 1_000 }, newPhone);
  const { body } = await search(phones);
  assert.deepEqual(body, { data: phones.map((phone) => ({ phone, ...unknown })) });
  assert.equal((await lookUp(ann, phones[0] ?? '')).status, 404);
});

test('no numbers, over a thousand, or one that is not in E.164 is 400', async () => {
  for (const given of [undefined, null, [], 'x', Array.from({ length: 1_001 }, newPhone)])
    assertInvalid(await search(given), '/phoneNumbers');
  assertInvalid(await search([newPhone(), '5005550006']), '/phoneNumbers/1');
});

test('it doesn’t spend an Idempotency-Key: the same key sees the next state', async () => {
  const phone = newPhone();
  const key = { 'idempotency-key': 'search-1' };
  await addContact(ann, { phone });
  assert.equal((await search([phone], ann, key)).body.data[0].state, 'none');
  await say(world, ann, phone, 'START');
  const again = await search([phone], ann, key);
  assert.equal(again.body.data[0].state, 'accepted');
  assert.equal(again.headers['idempotent-replayed'], undefined);
  assert.equal((await search([newPhone()], ann, key)).status, 200);
});

testDoor(world, {
  method: 'POST',
  path,
  scope: 'text.messaging.read',
  body: { phoneNumbers: ['+15005550006'] },
});

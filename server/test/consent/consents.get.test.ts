import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import {
  addContact,
  assertInvalid,
  assertNotFound,
  contactsPath,
  pairs,
  testDoor,
} from '../address-book/address-book.ts';
import { ask, memberOf, say } from '../support/people.ts';
import { consentsPath, newPhone } from '../support/texting.ts';
import { type Answer, makeWorld, type Person } from '../support/world.ts';

const world = await makeWorld({ dispatch: false });
after(() => world.close());
const { ann, bob } = world;

function get(query: Record<string, string | number>, person: Person = ann): Promise<Answer> {
  return person.call('GET', `${consentsPath}?${pairs(query)}`);
}

test('a contact’s number is in state none from when it became known', async () => {
  const phone = newPhone();
  const before = world.clock.now().getTime();
  await addContact(ann, { phone });
  const { status, body } = await get({ phone });
  assert.equal(status, 200);
  assert.deepEqual(Object.keys(body), ['memberId', 'state', 'lastChanged']);
  assert.equal(body.state, 'none');
  assert.ok(body.lastChanged >= before && body.lastChanged <= world.clock.now().getTime(), String(body.lastChanged));
});

test('each state is returned with the time of its last change in epoch milliseconds', async () => {
  const phone = newPhone();
  const steps: [() => Promise<unknown>, string][] = [
    [() => ask(world, ann, phone), 'pending'],
    [() => say(world, ann, phone, 'YES'), 'accepted'],
    [() => say(world, ann, phone, 'STOP'), 'opted_out'],
    [() => say(world, ann, phone, 'START'), 'accepted'],
  ];
  for (const [step, state] of steps) {
    await world.clock.advance(60_000);
    const before = world.clock.now().getTime();
    await step();
    const { body } = await get({ phone });
    assert.equal(body.state, state);
    assert.ok(body.lastChanged >= before && body.lastChanged <= world.clock.now().getTime());
  }
});

test('a number added to an existing contact is known too', async () => {
  const phone = newPhone();
  const contactId = await addContact(ann);
  await ann.call('PUT', `${contactsPath}/${contactId}`, { phone });
  assert.equal((await get({ phone })).body.state, 'none');
});

test('memberId finds the same member, alone or with the phone', async () => {
  const phone = newPhone();
  await addContact(ann, { phone });
  const { body } = await get({ phone });
  const { memberId } = body;
  assert.deepEqual((await get({ memberId })).body, body);
  assert.deepEqual((await get({ memberId, phone })).body, body);
});

test('a phone and memberId that don’t agree are 400', async () => {
  const [phone, other] = [newPhone(), newPhone()];
  for (const each of [phone, other]) await addContact(ann, { phone: each });
  const { memberId } = (await get({ phone: other })).body;
  assertInvalid(await get({ phone, memberId }), '/memberId');
  assertInvalid(await get({ phone, memberId: 999_999 }), '/memberId');
  assertInvalid(await get({ phone: newPhone(), memberId }), '/memberId');
});

test('neither phone nor memberId is 400', async () => {
  assertInvalid(await ann.call('GET', consentsPath), '/phone');
  assertInvalid(await get({ wait: 1 }), '/phone');
});

test('a phone that is not in E.164 is 400, and a raw plus gets its own message', async () => {
  for (const phone of ['', '15005550006', '+1500555', '+1234567890123456', '+1500555000６', '+15005550006\n'])
    assertInvalid(await get({ phone }), '/phone');
  const raw = await ann.call('GET', `${consentsPath}?phone=+15005550006`);
  assertInvalid(raw, '/phone');
  assert.match(raw.body.detail, /%2B/);
  assertInvalid(await ann.call('GET', `${consentsPath}?phone=%2B15005550006&phone=%2B15005550006`), '/phone');
});

test('a memberId that is not an id is 400', async () => {
  for (const memberId of ['', '-1', '1.5', '01', 'abc', '9007199254740992'])
    assertInvalid(await get({ memberId }), '/memberId');
});

test('a number that no contact owns is 404', async () => {
  assertNotFound(await get({ phone: newPhone() }));
  for (const memberId of [0, 999_999, Number.MAX_SAFE_INTEGER]) assertNotFound(await get({ memberId }));
  assertNotFound(await get({ phone: newPhone(), memberId: 999_999 }));
});

test('another advisor’s numbers and ids answer exactly like unknown ones', async () => {
  const phone = newPhone();
  await addContact(ann, { phone });
  const { memberId } = (await get({ phone })).body;
  assertNotFound(await get({ phone }, bob));
  assertNotFound(await get({ memberId }, bob));
  const [theirs, nobodys] = [await get({ memberId }, bob), await get({ memberId: 999_999 }, bob)];
  assert.equal(theirs.body.detail, nobodys.body.detail);
});

test('after a delete it is 404, but consent is kept for a re-created contact', async () => {
  const phone = newPhone();
  const contactId = await addContact(ann, { phone });
  await say(world, ann, phone, 'START');
  const before = (await get({ phone })).body;
  await ann.call('DELETE', `${contactsPath}/${contactId}`);
  assertNotFound(await get({ phone }));
  assertNotFound(await get({ memberId: before.memberId }));
  await addContact(ann, { phone });
  assert.deepEqual((await get({ phone })).body, before);
});

test('consent stays with the old number when a contact’s phone is edited', async () => {
  const [old, fresh] = [newPhone(), newPhone()];
  const contactId = await addContact(ann, { phone: old });
  await say(world, ann, old, 'START');
  await ann.call('PUT', `${contactsPath}/${contactId}`, { phone: fresh });
  assertNotFound(await get({ phone: old }));
  assert.equal((await get({ phone: fresh })).body.state, 'none');
  assert.equal((await memberOf(world, ann, old)).state, 'accepted');
});

/** A request with `wait` of 30 that is answered sooner didn't wait to the end. */
const waitEndsMs = 29_000;

test('wait delays the answer until the state changes', async () => {
  const phone = newPhone();
  await ask(world, ann, phone);
  const startedMs = Date.now();
  const waiting = get({ phone, wait: 30 });
  await new Promise((resolve) => setTimeout(resolve, 200));
  await say(world, ann, phone, 'YES');
  const { status, body } = await waiting;
  assert.deepEqual([status, body.state], [200, 'accepted']);
  const tookMs = Date.now() - startedMs;
  assert.ok(tookMs >= 200 && tookMs < waitEndsMs, String(tookMs));
});

test('wait ends with the current state if nothing changes, and 0 doesn’t wait', async () => {
  const phone = newPhone();
  await ask(world, ann, phone);
  const startedMs = Date.now();
  assert.equal((await get({ phone, wait: 0 })).body.state, 'pending');
  const answeredMs = Date.now();
  assert.ok(answeredMs - startedMs < waitEndsMs);
  assert.equal((await get({ phone, wait: 1 })).body.state, 'pending');
  assert.ok(Date.now() - answeredMs >= 995);
});

test('wait is 0 to 30 whole seconds', async () => {
  const phone = newPhone();
  await addContact(ann, { phone });
  for (const wait of [-1, 31, '1.5', 'abc', '']) assertInvalid(await get({ phone, wait }), '/wait');
});

test('waiting for an unknown number is 404 at once', async () => {
  const startedMs = Date.now();
  assertNotFound(await get({ phone: newPhone(), wait: 30 }));
  assert.ok(Date.now() - startedMs < waitEndsMs);
});

testDoor(world, { method: 'GET', path: `${consentsPath}?phone=%2B15005550006`, scope: 'text.messaging.read' });

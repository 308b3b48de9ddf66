import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { dateTime, testDoor, testIds } from '../address-book/address-book.ts';
import { acceptedPhone, handset, lookUp, messagesPath, send, setConsent, statusOf } from '../support/texting.ts';
import { makeWorld } from '../support/world.ts';

const world = await makeWorld();
after(() => world.close());
const { ann, bob } = world;

async function sent(phone: string, text = 'Hello'): Promise<number> {
  await setConsent(world, ann, phone, 'accepted');
  const { body } = await send(ann, { phone, text });
  return body.successes[0].messageId;
}

test('a text that arrived is delivered, with every field', async () => {
  const phone = await acceptedPhone(world, ann);
  const messageId = await sent(phone, 'Grüße €');
  const { dateTimeCreated, dateTimeSent, dateTimeDelivered, ...rest } = await statusOf(ann, messageId, 'delivered');
  const { memberId } = (await lookUp(ann, phone)).body;
  const fields = { messageId, memberId, phone, status: 'delivered', segments: 1, encoding: 'GSM-7' };
  assert.deepEqual(rest, { ...fields, failureCode: null, heldReason: null });
  for (const time of [dateTimeCreated, dateTimeSent, dateTimeDelivered]) assert.match(time, dateTime);
  assert.ok(dateTimeCreated <= dateTimeSent && dateTimeSent <= dateTimeDelivered);
});

test('segments and encoding are as the network counts them', async () => {
  const phone = await acceptedPhone(world, ann);
  for (const [text, segments, encoding] of [
    ['x'.repeat(160), 1, 'GSM-7'],
    ['x'.repeat(161), 2, 'GSM-7'],
    ['ж'.repeat(70), 1, 'UCS-2'],
    ['ж'.repeat(71), 2, 'UCS-2'],
  ] as const) {
    const status = (await ann.call('GET', `${messagesPath}/${await sent(phone, text)}`)).body;
    assert.deepEqual([status.segments, status.encoding], [segments, encoding]);
  }
});

const magic = [
  { phone: '+15005550006', status: 'delivered', failureCode: null, onHandset: 1 },
  { phone: '+15005550007', status: 'undelivered', failureCode: 'undelivered', onHandset: 0 },
  { phone: '+15005550008', status: 'delivered', failureCode: null, onHandset: 1 },
  { phone: '+15005550009', status: 'sent', failureCode: null, onHandset: 1 },
  { phone: '+15005550014', status: 'failed', failureCode: 'opted_out', onHandset: 0 },
  { phone: '+15005550021', status: 'delivered', failureCode: null, onHandset: 1 },
  { phone: '+15005550022', status: 'in_doubt', failureCode: null, onHandset: 1 },
] as const;

for (const { phone, status, failureCode, onHandset } of magic)
  test(`a text to ${phone} becomes ${status}`, async () => {
    const known = await statusOf(ann, await sent(phone), status);
    assert.equal(known.failureCode, failureCode);
    assert.equal(known.dateTimeDelivered !== null, status === 'delivered');
    assert.equal((await handset(world, phone)).length, onHandset);
  });

test('a carrier that says a person opted out opts them out', async () => {
  assert.equal((await lookUp(ann, '+15005550014')).body.state, 'opted_out');
  const { body } = await send(ann, { phone: '+15005550014', text: 'Again' });
  assert.equal(body.failureDetails[0].code, 'opted_out');
});

test('another advisor’s message is the same 404 as one that doesn’t exist', async () => {
  const messageId = await sent(await acceptedPhone(world, ann));
  const foreign = await bob.call('GET', `${messagesPath}/${messageId}`);
  const unknown = await bob.call('GET', `${messagesPath}/999999999`);
  assert.deepEqual([foreign.status, unknown.status], [404, 404]);
  assert.equal(foreign.body.detail, unknown.body.detail);
});

testIds(world, 'GET', (id) => `${messagesPath}/${id}`);
testDoor(world, { method: 'GET', path: `${messagesPath}/1`, scope: 'text.messaging.read' });

import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { byOperator } from '../../src/domain/archive/archive.ts';
import { sendMessage } from '../../src/domain/messages/messages.ts';
import { findMember } from '../../src/store/members/members.ts';
import { assertInvalid, illFormed, testDoor } from '../address-book/address-book.ts';
import { assertProblem } from '../support/problem.ts';
import { acceptedPhone, handset, lookUp, newPhone, received, send, setConsent } from '../support/texting.ts';
import { makeWorld } from '../support/world.ts';

const world = await makeWorld();
after(() => world.close());
const { ann, bob } = world;
const text = 'Your annual review is due. Does Tuesday at 10 suit you?';

test('a send to somebody who accepted is a success with two ids, and reaches the phone', async () => {
  const phone = await acceptedPhone(world, ann);
  const { status, body } = await send(ann, { phone, text });
  assert.equal(status, 200);
  const [success] = body.successes;
  assert.deepEqual(body, { successes: [success], failures: [], failureDetails: [] });
  assert.deepEqual(Object.keys(success), ['messageId', 'memberId', 'phone', 'status']);
  assert.deepEqual([success.phone, success.status], [phone, 'queued']);
  assert.ok(Number.isSafeInteger(success.messageId) && Number.isSafeInteger(success.memberId));
  assert.equal(success.memberId, (await lookUp(ann, phone)).body.memberId);
  const [onPhone] = await received(world, phone);
  assert.equal(onPhone?.text, text);
  assert.equal(onPhone?.from, ann.advisor.textingNumber);
  assert.equal(onPhone?.to, phone);
});

const refusals = [
  { state: 'none', code: 'not_consented', retryable: false, says: /has not consented/ },
  { state: 'pending', code: 'consent_pending', retryable: true, says: /not yet accepted/ },
  { state: 'opted_out', code: 'opted_out', retryable: false, says: /opted out.*START/ },
] as const;

for (const { state, code, retryable, says } of refusals)
  test(`a send to somebody in state ${state} is a failure in a 200, and nothing goes out`, async () => {
    const phone = newPhone();
    await setConsent(world, ann, phone, state);
    const { status, body } = await send(ann, { phone, text });
    assert.equal(status, 200);
    assert.deepEqual(body.successes, []);
    const { memberId } = (await lookUp(ann, phone)).body;
    const [message] = body.failures;
    assert.match(message, says);
    assert.ok(message.includes(phone));
    assert.deepEqual(body.failureDetails, [{ phone, memberId, code, message, retryable }]);
    assert.deepEqual(await handset(world, phone), []);
  });

test('a number that the carrier knows it can’t reach is a failure right away', async () => {
  for (const [phone, code] of [
    ['+15005550001', 'unreachable'],
    ['+15005550003', 'landline'],
  ] as const) {
    await setConsent(world, ann, phone, 'accepted');
    const { body } = await send(ann, { phone, text });
    assert.equal(body.failureDetails[0].code, code);
    assert.deepEqual(body.successes, []);
  }
});

test('an opt-out counts even where no consent is required', async () => {
  const { advisorId } = bob.advisor;
  await world.database.asOwner('update advisors set consent_required = false where advisor_id = $1', [advisorId]);
  const [fresh, pending, out] = [newPhone(), newPhone(), newPhone()];
  await setConsent(world, bob, pending, 'pending');
  await setConsent(world, bob, out, 'opted_out');
  const { body } = await send(bob, { phoneNumbers: [fresh, pending, out], text });
  assert.equal(body.successes.length, 2);
  assert.deepEqual(
    body.failureDetails.map(({ phone, code }: Record<string, string>) => ({ phone, code })),
    [{ phone: out, code: 'opted_out' }],
  );
});

test('phone and phoneNumbers go together: duplicates are ignored, with an outcome for each recipient in order', async () => {
  const [one, two, three] = [await acceptedPhone(world, ann), await acceptedPhone(world, ann), newPhone()];
  const { body } = await send(ann, { phone: two, phoneNumbers: [one, three, two, one], text });
  const members = await Promise.all([two, one].map(async (phone) => (await lookUp(ann, phone)).body.memberId));
  assert.deepEqual(
    body.successes.map(({ memberId }: { memberId: number }) => memberId),
    members,
  );
  assert.deepEqual(
    body.failureDetails.map(({ phone }: { phone: string }) => phone),
    [three],
  );
  assert.equal((await received(world, one)).length, 1);
  assert.equal((await received(world, two)).length, 1);
});

test('a thousand recipients are allowed, a thousand and one are not', async () => {
  const phones = Array.from({ length: 1_001 }, (_, index) => `+1646${5_550_000 + index}`);
  const { status, body } = await send(ann, { phoneNumbers: phones.slice(1), text });
  assert.equal(status, 200);
  assert.equal(body.failures.length, 1_000);
  assertInvalid(await send(ann, { phoneNumbers: phones, text }), '/phoneNumbers');
  assertInvalid(await send(ann, { phoneNumbers: [], text }), '/phoneNumbers');
});

test('a recipient is required', async () => {
  assertInvalid(await send(ann, { text }), '/phone');
});

test('a phone number is in E.164 and nothing else', async () => {
  for (const phone of [
    '+1234567',
    '12125550123',
    '+0125550123',
    '+12345678901234567',
    '+1212555012３',
    '+12125550123\n',
    5,
    null,
    ['+12125550123'],
  ]) {
    assertInvalid(await send(ann, { phone, text }), '/phone');
    assertInvalid(await send(ann, { phoneNumbers: ['+12125550123', phone], text }), '/phoneNumbers/1');
  }
  for (const phone of ['+12345678', '+123456789012345', '+19999999999'])
    assert.equal((await send(ann, { phone, text })).status, 200, phone);
});

test('a text has 1 to 1,600 code points', async () => {
  const phone = await acceptedPhone(world, ann);
  for (const bad of [undefined, null, '', 5, ['a'], 'x'.repeat(1_601), '😀'.repeat(1_601)])
    assertInvalid(await send(ann, { phone, text: bad }), '/text');
  for (const good of ['x', 'x'.repeat(1_600), '😀'.repeat(1_600)])
    assert.equal((await send(ann, { phone, text: good })).body.successes.length, 1);
});

test('a text is neither blank nor ill-formed, and its only control characters are tabs and line breaks', async () => {
  const phone = await acceptedPhone(world, ann);
  for (const bad of [
    ' ',
    '\n\t',
    '\u200b',
    '\u200b \ufeff\u2060',
    '\u00a0',
    'a\u0007',
    'a\u007f',
    'a\u0085',
    'a\u001b[31m',
    ...illFormed,
  ])
    assertInvalid(await send(ann, { phone, text: bad }), '/text');
  const exact = ' \ttab, line\nand\r\nreturn, é e\u0301 👩‍👩‍👧 \u202eרtl ';
  assert.equal((await send(ann, { phone, text: exact })).body.successes.length, 1);
  assert.equal((await received(world, phone))[0]?.text, exact);
});

test('an unknown number becomes a contact, even when its send is refused', async () => {
  const phone = newPhone();
  assert.equal((await lookUp(ann, phone)).status, 404);
  assert.equal((await send(ann, { phone, text })).body.failureDetails[0].code, 'not_consented');
  const { body } = await ann.call('GET', `/core/contact/contacts?phone=${encodeURIComponent(phone)}`);
  assert.equal(body.pageInfo.totalRecord, 1);
  const [{ fullName, sourceText, firstName }] = body.data;
  assert.deepEqual(
    { fullName, sourceText, firstName },
    { fullName: phone, sourceText: 'Texting', firstName: undefined },
  );
  assert.equal((await lookUp(ann, phone)).body.state, 'none');
});

test('fifty concurrent sends to one unknown number create one contact', async () => {
  const phone = newPhone();
  const answers = await Promise.all(Array.from({ length: 50 }, () => send(ann, { phone, text })));
  const members = new Set(answers.map(({ body }) => body.failureDetails[0].memberId));
  assert.equal(members.size, 1);
  const { body } = await ann.call('GET', `/core/contact/contacts?phone=${encodeURIComponent(phone)}`);
  assert.equal(body.pageInfo.totalRecord, 1);
});

test('texting changes no column of an existing contact', async () => {
  const phone = await acceptedPhone(world, ann);
  const person = {
    firstName: 'Ann',
    lastName: 'Smith',
    phone,
    emailAddress: 'ann@example.org',
    birthDate: '1961-07-14',
  };
  const { id } = (await ann.call('POST', '/core/contact/contacts', person)).body;
  const row = () => world.database.asOwner('select * from contacts where contact_id = $1', [id]);
  const before = await row();
  await world.clock.advance(1_000);
  await send(ann, { phone, text });
  await received(world, phone);
  assert.deepEqual(await row(), before);
});

test('each advisor has their own consents', async () => {
  const phone = await acceptedPhone(world, ann);
  const { advisorId } = bob.advisor;
  await world.database.asOwner('update advisors set consent_required = true where advisor_id = $1', [advisorId]);
  assert.equal((await send(bob, { phone, text })).body.failureDetails[0].code, 'not_consented');
});

test('consent stays with the number when its contact is deleted, and the lookup is a 404 until the number is texted again', async () => {
  const phone = await acceptedPhone(world, ann);
  const person = { firstName: 'Ann', lastName: 'Smith', phone };
  const { id } = (await ann.call('POST', '/core/contact/contacts', person)).body;
  const { memberId } = (await lookUp(ann, phone)).body;
  await ann.call('DELETE', `/core/contact/contacts/${id}`);
  assertProblem(await lookUp(ann, phone), 'not_found');
  const { body } = await send(ann, { phone, text });
  assert.equal(body.successes[0].memberId, memberId);
  assert.equal((await lookUp(ann, phone)).body.state, 'accepted');
});

test('a scheduled send has its own id and no message id', async () => {
  const phone = await acceptedPhone(world, ann);
  const deliveryDate = world.clock.now().getTime() + 60_000;
  const { body } = await send(ann, { phone, text, scheduleDelivery: true, deliveryDate });
  const [{ messageId, memberId, scheduledMessageId, status }] = body.successes;
  assert.deepEqual([messageId, status], [null, 'scheduled']);
  assert.ok(Number.isSafeInteger(memberId) && Number.isSafeInteger(scheduledMessageId));
  assert.deepEqual(await handset(world, phone), []);
});

test('a delivery date is in the future, at most 731 days ahead, in milliseconds or seconds', async () => {
  const phone = await acceptedPhone(world, ann);
  const now = world.clock.now().getTime();
  const day = 86_400_000;
  const schedule = (deliveryDate: unknown) => send(ann, { phone, text, scheduleDelivery: true, deliveryDate });
  for (const bad of [
    undefined,
    null,
    '2027-01-01',
    true,
    0,
    -1,
    now - 1_000,
    Math.floor(now / 1000) - 10,
    now + 732 * day,
    now / 1000 + (732 * day) / 1000,
  ])
    assertInvalid(await schedule(bad), '/deliveryDate');
  for (const good of [now + 60_000, Math.floor(now / 1000) + 60, now + 60_000.5, now + 730 * day])
    assert.equal((await schedule(good)).body.successes.length, 1, String(good));
});

test('a frequency is one of five values', async () => {
  const phone = await acceptedPhone(world, ann);
  const deliveryDate = world.clock.now().getTime() + 60_000;
  const schedule = (frequency: unknown) => send(ann, { phone, text, scheduleDelivery: true, deliveryDate, frequency });
  for (const bad of [5, -1, 1.5, '1', true]) assertInvalid(await schedule(bad), '/frequency');
  for (const good of [0, 1, 2, 3, 4, null]) assert.equal((await schedule(good)).status, 200);
});

test('a date or a frequency without scheduleDelivery is 400, and nobody is texted', async () => {
  const phone = await acceptedPhone(world, ann);
  const deliveryDate = world.clock.now().getTime() + 60_000;
  for (const scheduleDelivery of [undefined, null]) {
    const dated = await send(ann, { phone, text, scheduleDelivery, deliveryDate });
    assertInvalid(dated, '/deliveryDate');
    assert.match(dated.body.detail, /true .* false/);
    assertInvalid(await send(ann, { phone, text, scheduleDelivery, frequency: 2 }), '/frequency');
    assertInvalid(await send(ann, { phone, text, scheduleDelivery, deliveryDate, frequency: 2 }), '/deliveryDate');
    assert.equal((await send(ann, { phone, text, scheduleDelivery, frequency: 0 })).status, 200);
  }
  assert.equal((await received(world, phone, 2)).length, 2);
  assertInvalid(await send(ann, { phone, text, scheduleDelivery: 'true' }), '/scheduleDelivery');
});

test('with scheduleDelivery false, a date and a frequency are ignored, but not of a wrong type', async () => {
  const phone = await acceptedPhone(world, ann);
  const off = { phone, text, scheduleDelivery: false };
  for (const ignored of [{ deliveryDate: 1 }, { deliveryDate: -5 }, { frequency: 99 }, { deliveryDate: null }]) {
    const { body } = await send(ann, { ...off, ...ignored });
    assert.ok(Number.isSafeInteger(body.successes[0].messageId));
  }
  assertInvalid(await send(ann, { ...off, deliveryDate: 'tomorrow' }), '/deliveryDate');
  assertInvalid(await send(ann, { ...off, frequency: 'weekly' }), '/frequency');
  assertInvalid(await send(ann, { ...off, frequency: 1.5 }), '/frequency');
});

test('null is unset, and so is an empty list beside a phone', async () => {
  const phone = await acceptedPhone(world, ann);
  const unset = { scheduleDelivery: null, deliveryDate: null, frequency: null };
  assert.equal((await send(ann, { phone, phoneNumbers: null, text, ...unset })).body.successes.length, 1);
  assert.equal((await send(ann, { phone: null, phoneNumbers: [phone], text })).body.successes.length, 1);
  assert.equal((await send(ann, { phone, phoneNumbers: [], text })).body.successes.length, 1);
  assertInvalid(await send(ann, { phoneNumbers: [], text }), '/phoneNumbers');
  assertInvalid(await send(ann, { phone: null, phoneNumbers: [], text }), '/phoneNumbers');
  assertInvalid(await send(ann, { phone: null, phoneNumbers: null, text }), '/phone');
  assertInvalid(await send(ann, { phone, text: null }), '/text');
});

test('scheduling is refused right away where consent is missing now', async () => {
  const phone = newPhone();
  const deliveryDate = world.clock.now().getTime() + 60_000;
  const { body } = await send(ann, { phone, text, scheduleDelivery: true, deliveryDate });
  assert.equal(body.failureDetails[0].code, 'not_consented');
});

test('unknown fields are ignored, including ones that the server owns', async () => {
  const phone = await acceptedPhone(world, ann);
  const { body } = await send(ann, { phone, text, messageId: 7, status: 'sent', constructor: 1, advisorId: 1 });
  assert.notEqual(body.successes[0].messageId, 7);
});

test('a send by an advisor without a texting number is a 409, and creates no contact', async () => {
  const { advisorId, textingNumber } = bob.advisor;
  const phone = newPhone();
  await world.database.asOwner('update advisors set texting_number = null where advisor_id = $1', [advisorId]);
  try {
    assertProblem(await send(bob, { phone, text }), 'conflict', /texting number/);
    assertInvalid(await send(bob, { phone: 'x', text }), '/phone');
    assert.equal((await lookUp(bob, phone)).status, 404);
  } finally {
    await world.database.asOwner('update advisors set texting_number = $2 where advisor_id = $1', [
      advisorId,
      textingNumber,
    ]);
  }
});

test('a send by an account that was disabled meanwhile is a 401, and creates no contact', async () => {
  const { advisorId } = bob.advisor;
  const phone = newPhone();
  await world.database.asOwner('update advisors set disabled = true where advisor_id = $1', [advisorId]);
  try {
    const sent = sendMessage(world.deps, advisorId, { phone, text }, byOperator);
    await assert.rejects(sent, {
      code: 'unauthorized',
      message: 'The advisor’s account is disabled. Contact the operator.',
    });
    assert.equal(await findMember(world.deps.db, advisorId, phone), null);
  } finally {
    await world.database.asOwner('update advisors set disabled = false where advisor_id = $1', [advisorId]);
  }
});

test('one bad send in a batch fails alone', async () => {
  const phone = await acceptedPhone(world, ann);
  const sends = Array.from({ length: 40 }, (_, index) =>
    send(ann, { phone, text: index === 20 ? 'a\u0000b' : `${index}` }),
  );
  const statuses = (await Promise.all(sends)).map(({ status }) => status);
  assert.deepEqual(
    statuses.filter((status) => status !== 200),
    [400],
  );
  assert.equal((await received(world, phone, 39)).length, 39);
});

test('texts to one number arrive in the order in which they were accepted', async () => {
  const phone = await acceptedPhone(world, ann);
  for (let index = 0; index < 20; index++) await send(ann, { phone, text: `${index}` });
  const texts = (await received(world, phone, 20)).map((each) => each.text);
  assert.deepEqual(
    texts,
    Array.from({ length: 20 }, (_, index) => `${index}`),
  );
});

test('with an Idempotency-Key a text goes out once, however often it is requested', async () => {
  const phone = await acceptedPhone(world, ann);
  const key = { 'idempotency-key': 'send-once' };
  const answers = await Promise.all(Array.from({ length: 20 }, () => send(ann, { phone, text }, key)));
  const ids = new Set(answers.map(({ body }) => body.successes[0].messageId));
  assert.equal(ids.size, 1);
  assert.equal((await send(ann, { phone, text }, key)).headers['idempotent-replayed'], 'true');
  await received(world, phone);
  assert.equal((await handset(world, phone)).length, 1);
  assertProblem(await send(ann, { phone, text: 'other' }, key), 'invalid_request', /different body/);
});

testDoor(world, {
  method: 'POST',
  path: '/text/messaging/messages',
  scope: 'text.messaging.write',
  body: { phone: '+12125550123', text },
});

test('quiet hours defer a text until the morning there, and a scheduled date is judged by itself', async () => {
  const night = await makeWorld({ dispatch: false });
  try {
    // Midnight in New York, where this number is.
    const midnight = Temporal.ZonedDateTime.from('2031-03-03T00:00[America/New_York]').epochMilliseconds;
    await night.clock.advance(midnight - night.clock.now().getTime());
    const phone = await acceptedPhone(night, night.ann);
    await night.database.asOwner(`update advisors set quiet_hours = 'defer'`);
    const [deferred] = (await send(night.ann, { phone, text })).body.successes;
    assert.equal(deferred.status, 'deferred');
    const morning = Temporal.ZonedDateTime.from('2031-03-03T08:00[America/New_York]').epochMilliseconds;
    assert.equal(deferred.deliverAfter, morning);

    await night.database.asOwner(`update advisors set quiet_hours = 'refuse'`);
    const [now] = (await send(night.ann, { phone, text })).body.failureDetails;
    assert.deepEqual([now.code, now.retryable], ['quiet_hours', true]);
    const deliveryDate = midnight + 2 * 3_600_000;
    const scheduled = await send(night.ann, { phone, text, scheduleDelivery: true, deliveryDate });
    const [then] = scheduled.body.failureDetails;
    assert.deepEqual([then.code, then.retryable], ['quiet_hours', false]);
    assert.match(then.message, /^The delivery date is not between/);
  } finally {
    await night.close();
  }
});

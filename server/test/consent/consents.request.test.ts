import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { setAdvisor } from '../../src/domain/accounts/advisors.ts';
import { setWording } from '../../src/domain/texting/wordings.ts';
import { addContact, assertInvalid, findIds, getContact, newcomer, testDoor } from '../address-book/address-book.ts';
import { entries, kindsSent, memberOf, outbox, say, stateOf } from '../support/people.ts';
import { assertProblem } from '../support/problem.ts';
import { acceptedPhone, consentRequestsPath, lookUp, newPhone, received, setConsent } from '../support/texting.ts';
import { type Answer, makeWorld, type Person } from '../support/world.ts';

const world = await makeWorld();
after(() => world.close());
const { ann, bob } = world;

function request(phoneNumbers: unknown, headers: Record<string, string> = {}, person: Person = ann): Promise<Answer> {
  return person.call('POST', consentRequestsPath, { phoneNumbers }, headers);
}

test('an unknown number is asked: 200 with its member, pending, a text on the phone, and a contact', async () => {
  const phone = newPhone();
  const answer = await request([phone]);
  assert.equal(answer.status, 200, JSON.stringify(answer.body));
  const { memberId } = await memberOf(world, ann, phone);
  assert.deepEqual(answer.body, {
    successes: [{ phone, memberId, consentState: 'pending' }],
    failures: [],
    failureDetails: [],
  });
  const [text] = await received(world, phone);
  assert.equal(text?.from, ann.advisor.textingNumber);
  assert.match(text?.text ?? '', /^ann of Test Wealth .*ACCEPT.*STOP.*HELP.*rates may apply/);
  const [contactId] = await findIds(ann, { phone });
  assert.equal((await getContact(ann, Number(contactId))).sourceText, 'Texting');
  assert.deepEqual((await lookUp(ann, phone)).body.state, 'pending');
});

test('an existing contact is never changed', async () => {
  const phone = newPhone();
  const contactId = await addContact(ann, { phone });
  const before = await getContact(ann, contactId);
  await world.clock.advance(1_000);
  assert.equal((await request([phone])).status, 200);
  assert.deepEqual(await getContact(ann, contactId), before);
  assert.deepEqual(await findIds(ann, { phone }), [contactId]);
});

test('outcomes are in the order of the numbers, and duplicates are ignored', async () => {
  const phones = [newPhone(), newPhone(), newPhone()];
  const [a = '', b = '', c = ''] = phones;
  const { body } = await request([c, a, c, b, a]);
  const ids = [];
  for (const phone of [c, a, b]) ids.push((await memberOf(world, ann, phone)).memberId);
  assert.deepEqual(
    body.successes.map(({ memberId }: { memberId: number }) => memberId),
    ids,
  );
  for (const phone of phones) assert.deepEqual(await kindsSent(world, ann, phone), ['consent_request']);
});

test('a repeated request stays pending, without a cooldown', async () => {
  const phone = newPhone();
  for (let count = 1; count <= 3; count++) {
    const { body } = await request([phone]);
    assert.equal(body.successes[0].consentState, 'pending');
    assert.equal((await memberOf(world, ann, phone)).consentRequests, count);
  }
});

test('the flow: request, ACCEPT, accepted, with a confirmation', async () => {
  const phone = '+15005550010';
  assert.equal((await request([phone])).status, 200);
  const texts = await received(world, phone, 2);
  assert.match(texts[1]?.text ?? '', /^You have agreed to texts from ann of Test Wealth/);
  assert.equal((await lookUp(ann, phone)).body.state, 'accepted');
});

test('an accepted number makes the request 400 before any side effect, with an item for each such number', async () => {
  const [first, second] = [await acceptedPhone(world, ann), await acceptedPhone(world, ann)];
  const others = Array.from({ length: 48 }, newPhone);
  const answer = await request([others[0], first, ...others.slice(1), first, second]);
  assertProblem(answer, 'invalid_request');
  assert.deepEqual(
    answer.body.details.map(({ path, rule }: { path: string; rule: string }) => [path, rule]),
    [
      ['/phoneNumbers/1', 'notAccepted'],
      ['/phoneNumbers/50', 'notAccepted'],
    ],
  );
  assert.ok(answer.body.details[0].message.includes(first));
  for (const phone of others) await assert.rejects(memberOf(world, ann, phone), /Nobody knows/);
  assert.deepEqual(await findIds(ann, { phone: others[3] }), []);
  assert.deepEqual(await kindsSent(world, ann, first), []);
});

test('every accepted number is listed, even if there are hundreds', async () => {
  const person = await texter();
  const phones = Array.from({ length: 300 }, newPhone);
  for (const phone of phones) await setConsent(world, person, phone, 'accepted');
  const answer = await request(phones, {}, person);
  assertProblem(answer, 'invalid_request');
  assert.equal(answer.body.details.length, 300);
});

test('consent given to one advisor doesn’t count for another', async () => {
  const phone = await acceptedPhone(world, ann);
  const answer = await request([phone], {}, bob);
  assert.equal(answer.status, 200);
  assert.equal(await stateOf(world, ann, phone), 'accepted');
  assert.equal(await stateOf(world, bob, phone), 'pending');
});

test('an opted-out number is a failure in a 200, and no text goes out', async () => {
  const [stopped, other] = [newPhone(), newPhone()];
  await setConsent(world, ann, stopped, 'opted_out');
  const { status, body } = await request([stopped, other]);
  const { memberId } = await memberOf(world, ann, stopped);
  const message = `${stopped} has opted out of texts from ann. Only they can opt back in, by texting START to +15005552001.`;
  assert.equal(status, 200);
  assert.deepEqual(body.failures, [message]);
  assert.deepEqual(body.failureDetails, [{ phone: stopped, memberId, code: 'opted_out', message, retryable: false }]);
  assert.equal(body.successes.length, 1);
  assert.deepEqual(await kindsSent(world, ann, stopped), []);
  assert.equal(await stateOf(world, ann, stopped), 'opted_out');
});

test('a number that the carrier knows to be unfit is a failure in a 200', async () => {
  const { status, body } = await request(['+15005550001', '+15005550003']);
  assert.equal(status, 200);
  assert.deepEqual(
    body.failureDetails.map(({ code, retryable }: { code: string; retryable: boolean }) => [code, retryable]),
    [
      ['unreachable', false],
      ['landline', false],
    ],
  );
  assert.deepEqual(body.successes, []);
  assert.equal(await stateOf(world, ann, '+15005550001'), 'none');
  assert.equal((await findIds(ann, { phone: '+15005550001' })).length, 1, 'it still becomes a contact');
});

test('outside the recipient’s hours a request is a retryable failure or waits, as the advisor’s setting says', async () => {
  const person = await texter();
  // Ten at night in New York, whatever time it is now.
  const night = Temporal.Instant.fromEpochMilliseconds(world.clock.now().getTime())
    .toZonedDateTimeISO('America/New_York')
    .add({ days: 1 })
    .withPlainTime('22:00');
  await world.clock.advance(night.epochMilliseconds - world.clock.now().getTime());
  const [refused, deferred] = [newPhone(), newPhone()];

  await setAdvisor(world.deps, person.advisor.advisorId, { quietHours: 'refuse' });
  const { body } = await request([refused], {}, person);
  assert.deepEqual([body.failureDetails[0].code, body.failureDetails[0].retryable], ['quiet_hours', true]);
  assert.equal(await stateOf(world, person, refused), 'none');

  await setAdvisor(world.deps, person.advisor.advisorId, { quietHours: 'defer' });
  assert.equal((await request([deferred], {}, person)).body.successes.length, 1);
  assert.equal(await stateOf(world, person, deferred), 'pending');
});

test('an account that isn’t set up for it is 409, and nothing is created', async () => {
  const phone = newPhone();
  const [unset, numberless] = [await texter(), await newcomer(world)];
  await setAdvisor(world.deps, unset.advisor.advisorId, { consentCollection: false });
  for (const person of [unset, numberless]) {
    assertProblem(await request([phone], {}, person), 'conflict');
    assert.deepEqual(await findIds(person, { phone }), []);
    await assert.rejects(memberOf(world, person, phone), /Nobody knows/);
  }
});

test('an accepted number is checked before the account’s setup', async () => {
  const person = await texter();
  const phone = await acceptedPhone(world, person);
  await setAdvisor(world.deps, person.advisor.advisorId, { consentCollection: false });
  assertProblem(await request([phone], {}, person), 'invalid_request');
});

test('phoneNumbers is required: 1 to 1,000 numbers in E.164', async () => {
  for (const wrong of [undefined, null, [], '+15005550006', {}, 5, Array(1_001).fill('+15005550006')])
    assertInvalid(await request(wrong), '/phoneNumbers');
  const notE164 = [
    '',
    '15005550006',
    '+05005550006',
    '+1500555',
    '+1234567890123456',
    ' +15005550006',
    '+15005550006\n',
    '+1500555000６',
    5,
    null,
    ['+15005550006'],
  ];
  for (const phone of notE164) assertInvalid(await request([newPhone(), phone]), '/phoneNumbers/1');
  for (const phone of ['+12345678', '+123456789012345']) assert.equal((await request([phone])).status, 200);
});

test('one request can ask a thousand numbers', async () => {
  const person = await texter();
  const { status, body } = await request(Array.from({ length: 1_000 }, newPhone), {}, person);
  assert.equal(status, 200);
  assert.equal(body.successes.length, 1_000);
});

test('concurrent requests for one unknown number create one contact, and each is counted', async () => {
  const phone = newPhone();
  const answers = await Promise.all(Array.from({ length: 10 }, () => request([phone])));
  assert.ok(answers.every(({ status }) => status === 200));
  assert.equal((await findIds(ann, { phone })).length, 1);
  assert.equal((await memberOf(world, ann, phone)).consentRequests, 10);
});

test('with an Idempotency-Key a request runs once, and so does a refused one', async () => {
  const [phone, accepted] = [newPhone(), await acceptedPhone(world, ann)];
  const twice = async (key: string, number: string) => [
    await request([number], { 'idempotency-key': key }),
    await request([number], { 'idempotency-key': key }),
  ];
  const [first, second] = await twice('ask-once', phone);
  assert.deepEqual(second?.body, first?.body);
  assert.equal(second?.headers['idempotent-replayed'], 'true');
  assert.deepEqual(await kindsSent(world, ann, phone), ['consent_request']);
  const [refused, again] = await twice('ask-accepted', accepted);
  assert.deepEqual([refused?.status, again?.status], [400, 400]);
});

test('the firm’s own wording is sent, with its version as evidence', async () => {
  const person = await texter();
  const phone = newPhone();
  const text = '{advisor} ({firm}): may I text you? YES or STOP.';
  const { version } = await setWording(world.deps, person.advisor.firmId, { kind: 'consent_request', text });
  await request([phone], {}, person);
  const [asked] = await entries(world, person, phone, 'consent');
  const shown = `${person.advisor.name} (Test Wealth): may I text you? YES or STOP.`;
  const { wording } = JSON.parse(asked?.body ?? '{}');
  assert.deepEqual([wording?.text, wording?.version], [shown, version]);
  assert.equal((await outbox(world, person, phone))[0]?.text, shown);
});

test('a deleted contact’s number keeps its consent for a re-created contact', async () => {
  const phone = newPhone();
  const contactId = await addContact(ann, { phone });
  await say(world, ann, phone, 'STOP');
  await ann.call('DELETE', `/core/contact/contacts/${contactId}`);
  await addContact(ann, { phone });
  assert.equal((await request([phone])).body.failureDetails[0].code, 'opted_out');
});

test('without a carrier a request is 409, and nothing is done', async () => {
  const carrierless = await makeWorld({ carrier: null, dispatch: false });
  try {
    const phone = newPhone();
    const answer = await carrierless.ann.call('POST', consentRequestsPath, { phoneNumbers: [phone] });
    assertProblem(answer, 'conflict', /carrier/);
    await assert.rejects(memberOf(carrierless, carrierless.ann, phone), /Nobody knows/);
  } finally {
    await carrierless.close();
  }
});

testDoor(world, {
  method: 'POST',
  path: consentRequestsPath,
  scope: 'text.messaging.write',
  body: { phoneNumbers: ['+15005550012'] },
});

let texters = 0;

/** Another advisor, with a texting number. */
async function texter(): Promise<Person> {
  const person = await newcomer(world);
  texters += 1;
  const textingNumber = `+1500555${3_000 + texters}`;
  await setAdvisor(world.deps, person.advisor.advisorId, { textingNumber });
  return { ...person, advisor: { ...person.advisor, textingNumber } };
}

import assert from 'node:assert/strict';
import { after, suite, test } from 'node:test';
import fc from 'fast-check';
import { setAdvisor } from '../../src/domain/accounts/advisors.ts';
import { byOperator } from '../../src/domain/archive/archive.ts';
import { setFirm } from '../../src/domain/consent/firm-opt-outs.ts';
import { checkMessage, gateNames } from '../../src/domain/messages/message-checks.ts';
import { sandboxCarrierId } from '../../src/store/carriers/carriers.ts';
import type { ConsentState } from '../../src/store/consent/consents.ts';
import { assertInvalid, newcomer, testDoor } from '../address-book/address-book.ts';
import { say } from '../support/people.ts';
import { acceptedPhone, messagesPath, newPhone, send, setConsent } from '../support/texting.ts';
import { type Answer, makeWorld, type Person } from '../support/world.ts';

const world = await makeWorld({ dispatch: false });
after(() => world.close());
const { ann } = world;
const path = `${messagesPath}/check`;
const hourMs = 3_600_000;
const texts = {
  plain: 'Your annual review is due.',
  blocked: 'Your card 4111 1111 1111 1111 is on file',
  held: 'This fund has guaranteed returns',
};

const holdCodes = ['possible_opt_out', 'supervision'];

type Gate = { gate: string; passed: boolean; code: string | null; message: string | null };
type Settings = Parameters<typeof setAdvisor>[2];
let numbers = 0;

async function newAdvisor(settings: Settings = {}): Promise<Person> {
  const person = await newcomer(world);
  const textingNumber = `+1500559${String(++numbers).padStart(4, '0')}`;
  const all = { textingNumber, ...settings };
  await setAdvisor(world.deps, person.advisor.advisorId, all);
  return { ...person, advisor: { ...person.advisor, ...all } };
}

function check(person: Person, body: object, headers = {}): Promise<Answer> {
  return person.call('POST', path, body, headers);
}

function rulesOf({ body }: Answer): string[] {
  return body.details.map(({ path, rule }: { path: string; rule: string }) => `${path} ${rule}`);
}

function failed({ gates }: { gates: Gate[] }): Gate[] {
  return gates.filter(({ passed }) => !passed);
}

/** An advisor's clock moves on until it is this hour for them, in New York. */
async function moveTo(hour: number): Promise<void> {
  const there = Temporal.Instant.fromEpochMilliseconds(world.clock.now().getTime()).toZonedDateTimeISO(
    'America/New_York',
  );
  await world.clock.advance(((hour - there.hour + 24) % 24) * hourMs);
}

function counts(): Promise<object[]> {
  const tables = ['contacts', 'members', 'messages', 'scheduled_messages', 'archive_entries', 'reviews', 'crm_lookups'];
  const each = [...tables, 'idempotent_responses'].map((table) => `(select count(*) from ${table}) as ${table}`);
  return world.database.asOwner(`select ${each.join(', ')}`);
}

/** Checks, sees that nothing was done, sends the same, and compares the responses. */
async function assertKept(person: Person, body: object): Promise<{ codes: string[]; statuses: string[] }> {
  const before = await counts();
  const { status, body: answer } = await check(person, body);
  assert.equal(status, 200, JSON.stringify(answer));
  assert.deepEqual(await counts(), before);
  const sent = await send(person, body);
  const seen = { codes: [] as string[], statuses: [] as string[] };
  for (const each of answer.data) {
    assert.deepEqual(
      each.gates.map(({ gate }: Gate) => gate),
      gateNames,
    );
    const codes = failed(each).map(({ code }) => String(code));
    seen.codes.push(...codes);
    const what = JSON.stringify({ body, each, sent: sent.body });
    const holds = codes.filter((code) => holdCodes.includes(code));
    assert.equal(each.deliverable, codes.length === holds.length, what);
    if (each.deliverable) assert.equal(each.status === 'held', holds.length > 0, what);
    if (codes.includes('no_texting_number')) assert.equal(sent.status, 409, what);
    else if (sent.status === 409) assert.deepEqual(codes[0], 'not_consented', 'nobody can be asked');
    else if (each.deliverable) {
      const success = sent.body.successes.find(({ phone }: { phone: string }) => phone === each.phone);
      assert.equal(success?.status, each.status, what);
      if (each.memberId !== null) assert.equal(success.memberId, each.memberId);
      if (success.status === 'deferred') assert.equal(each.earliest, success.deliverAfter, what);
      seen.statuses.push(success.status);
    } else {
      assert.deepEqual([each.status, sent.body.failureDetails.length], [null, 1], what);
      const [failure] = sent.body.failureDetails;
      const gate = failed(each).find(({ code }) => code === failure.code);
      assert.equal(gate?.message, failure.message, what);
    }
  }
  return seen;
}

suite('a check', () => {
  test('of a person who can be texted passes every gate, now', async () => {
    const phone = await acceptedPhone(world, ann);
    await send(ann, { phone, text: texts.plain });
    const { status, body } = await check(ann, { phone, text: texts.plain });
    const [{ memberId, earliest }] = body.data;
    const gates = gateNames.map((gate) => ({ gate, passed: true, code: null, message: null }));
    const expected = { phone, memberId, deliverable: true, status: 'queued', gates, earliest };
    assert.deepEqual([status, body], [200, { data: [expected] }]);
    assert.ok(Math.abs(earliest - world.clock.now().getTime()) < 5_000);
    assert.ok(memberId > 0);
  });

  test('judges each gate by itself', async () => {
    await moveTo(3);
    const person = await newAdvisor({ quietHours: 'refuse', textingNumber: null });
    const { body } = await check(person, { phone: '+15005550033', text: texts.blocked });
    const codes = ['not_consented', 'landline', 'quiet_hours', 'text_blocked', 'no_texting_number'];
    assert.deepEqual(
      failed(body.data[0]).map(({ code }) => code),
      codes,
    );
    for (const { message } of failed(body.data[0])) assert.ok(message);
  });

  test('answers the recipients in the order given, without duplicates', async () => {
    const [one, two, three] = [newPhone(), newPhone(), newPhone()];
    const { body } = await check(ann, { phone: two, phoneNumbers: [one, two, three, one], text: texts.plain });
    assert.deepEqual(
      body.data.map(({ phone, memberId }: { phone: string; memberId: null }) => [phone, memberId]),
      [two, one, three].map((phone) => [phone, null]),
    );
  });

  test('of an opt-out never advises to ask again', async () => {
    const phone = newPhone();
    await setConsent(world, ann, phone, 'opted_out');
    const { body } = await check(ann, { phone, text: texts.plain });
    const [consent, optOut] = failed(body.data[0]);
    assert.deepEqual(
      [consent?.gate, consent?.code, optOut?.gate, optOut?.code],
      ['consent', 'not_consented', 'opt_out', 'opted_out'],
    );
    assert.doesNotMatch(String(consent?.message), /consent request/);
  });

  test('of an opt-out where no consent is needed fails one gate', async () => {
    const person = await newAdvisor({ consentRequired: false });
    const phone = newPhone();
    await setConsent(world, person, phone, 'opted_out');
    const { body } = await check(person, { phone, text: texts.plain });
    assert.deepEqual(
      failed(body.data[0]).map(({ gate }) => gate),
      ['opt_out'],
    );
  });

  test('names when quiet hours end, unless something else is in the way or a date was asked for', async () => {
    await moveTo(3);
    const person = await newAdvisor({ quietHours: 'refuse' });
    const [accepted, stranger] = [await acceptedPhone(world, person), newPhone()];
    const { body } = await check(person, { phoneNumbers: [accepted, stranger], text: texts.plain });
    const [first, second] = body.data;
    const opens = Temporal.Instant.fromEpochMilliseconds(first.earliest).toZonedDateTimeISO('America/New_York');
    assert.deepEqual([first.deliverable, opens.hour, opens.minute], [false, 8, 0]);
    assert.deepEqual([second.deliverable, second.earliest], [false, null]);
    const deliveryDate = world.clock.now().getTime() + hourMs;
    const scheduled = await check(person, { phone: accepted, text: texts.plain, scheduleDelivery: true, deliveryDate });
    assert.deepEqual([scheduled.body.data[0].deliverable, scheduled.body.data[0].earliest], [false, null]);
  });

  test('of a schedule is earliest at its date, and of a held text never by itself', async () => {
    const phone = await acceptedPhone(world, ann);
    const deliveryDate = world.clock.now().getTime() + hourMs;
    const scheduled = await check(ann, { phone, text: texts.held, scheduleDelivery: true, deliveryDate });
    const [{ status, earliest }] = scheduled.body.data;
    assert.deepEqual([status, earliest], ['scheduled', deliveryDate]);
    const [held] = (await check(ann, { phone, text: texts.held })).body.data;
    assert.deepEqual([held.deliverable, held.status, held.earliest], [true, 'held', null]);
  });

  test('of a person whose reply may mean stop is held by the gate for opt-outs, until START', async () => {
    const person = await newAdvisor();
    const phone = await acceptedPhone(world, person);
    await say(world, person, phone, 'wrong number');
    assert.deepEqual((await assertKept(person, { phone, text: texts.plain })).statuses, ['held']);
    const [held] = (await check(person, { phone, text: texts.plain })).body.data;
    const message = `${phone} has written something that may mean stop. Texts to them are held until a reviewer decides, or they text START to ${person.advisor.textingNumber}.`;
    assert.deepEqual(failed(held), [{ gate: 'opt_out', passed: false, code: 'possible_opt_out', message }]);
    assert.deepEqual([held.deliverable, held.status, held.earliest], [true, 'held', null]);
    await say(world, person, phone, 'START');
    const [free] = (await check(person, { phone, text: texts.plain })).body.data;
    assert.deepEqual([failed(free), free.status], [[], 'queued']);
  });

  test('of a text that the lexicon holds names the gate for supervision', async () => {
    const person = await newAdvisor();
    const phone = await acceptedPhone(world, person);
    const [held] = (await check(person, { phone, text: texts.held })).body.data;
    const [gate, ...others] = failed(held);
    assert.deepEqual([gate?.gate, gate?.code, others], ['supervision', 'supervision', []]);
    assert.match(String(gate?.message), /until a reviewer approves it/);
    assert.deepEqual([held.deliverable, held.status, held.earliest], [true, 'held', null]);
    await say(world, person, phone, 'wrong number');
    const [both] = (await check(person, { phone, text: texts.held })).body.data;
    assert.deepEqual(
      failed(both).map(({ code }) => code),
      ['possible_opt_out', 'supervision'],
    );
    assert.deepEqual([both.deliverable, both.status], [true, 'held']);
  });

  test('of a schedule or a text that awaits consent passes the gates that only hold: they judge it when it goes out', async () => {
    const person = await newAdvisor();
    const [phone, stranger] = [await acceptedPhone(world, person), newPhone()];
    for (const each of [phone, stranger]) await say(world, person, each, 'wrong number');
    const deliveryDate = world.clock.now().getTime() + hourMs;
    const bodies: [object, string][] = [
      [{ phone, text: texts.held, scheduleDelivery: true, deliveryDate }, 'scheduled'],
      [{ phone: stranger, text: texts.held, whenConsented: true }, 'awaiting_consent'],
    ];
    for (const [body, status] of bodies) {
      const [found] = (await check(person, body)).body.data;
      assert.deepEqual([failed(found), found.deliverable, found.status], [[], true, status]);
    }
  });

  test('of a held text that quiet hours refuse, too, has no earliest time', async () => {
    await moveTo(3);
    const person = await newAdvisor({ quietHours: 'refuse' });
    const phone = await acceptedPhone(world, person);
    const [found] = (await check(person, { phone, text: texts.held })).body.data;
    assert.deepEqual(
      failed(found).map(({ code }) => code),
      ['quiet_hours', 'supervision'],
    );
    assert.deepEqual([found.deliverable, found.status, found.earliest], [false, null, null]);
  });

  test('of an unknown number that has stopped the firm is opted out', async () => {
    const { firmId } = ann.advisor;
    await setFirm(world.deps, firmId, { optOutScope: 'firm' });
    try {
      const phone = await acceptedPhone(world, ann);
      await say(world, ann, phone, 'STOP');
      const person = await newAdvisor({ consentRequired: false });
      assert.deepEqual((await assertKept(person, { phone, text: texts.plain })).codes, ['opted_out']);
    } finally {
      await setFirm(world.deps, firmId, { optOutScope: 'advisor' });
    }
  });

  test('without a carrier for the number fails a gate, too', async () => {
    const phone = await acceptedPhone(world, ann);
    const { advisorId } = ann.advisor;
    await setAdvisor(world.deps, advisorId, { carrierId: null });
    const [found] = await checkMessage(world.deps, advisorId, { phone, text: texts.plain }, byOperator);
    await setAdvisor(world.deps, advisorId, { carrierId: sandboxCarrierId });
    assert.deepEqual([found?.deliverable, failed(found ?? assert.fail())[0]?.code], [false, 'no_carrier']);
  });

  test('has the same rules for its body as a send', async () => {
    const bodies: [object, string][] = [
      [{ phone: newPhone() }, '/text'],
      [{ text: 'Hello' }, '/phone'],
      [{ phone: '123', text: 'Hello' }, '/phone'],
      [{ phone: newPhone(), text: ' ' }, '/text'],
      [{ phone: newPhone(), text: 'Hello', deliveryDate: 1 }, '/deliveryDate'],
      [{ phone: newPhone(), text: 'Hello', scheduleDelivery: true }, '/deliveryDate'],
      [{ phone: newPhone(), text: 'Hello', scheduleDelivery: true, deliveryDate: 1 }, '/deliveryDate'],
    ];
    for (const [body, field] of bodies) {
      const [checked, sent] = [await check(ann, body), await send(ann, body)];
      assertInvalid(checked, field);
      assert.deepEqual(rulesOf(checked), rulesOf(sent));
    }
  });

  test('with whenConsented passes the consent gate, and nobody is asked', async () => {
    const phone = newPhone();
    const before = await counts();
    const { body } = await check(ann, { phone, text: texts.plain, whenConsented: true });
    const gates = gateNames.map((gate) => ({ gate, passed: true, code: null, message: null }));
    const waits = { deliverable: true, status: 'awaiting_consent', gates, earliest: null };
    assert.deepEqual(body, { data: [{ phone, memberId: null, ...waits }] });
    assert.deepEqual(await counts(), before);
  });

  test('with whenConsented says what the text can’t wait for', async () => {
    const phone = newPhone();
    for (let count = 0; count < 10; count++) await send(ann, { phone, text: texts.plain, whenConsented: true });
    const stopped = newPhone();
    await setConsent(world, ann, stopped, 'opted_out');
    const unable = await newAdvisor({ consentCollection: false });
    const checks = [
      await check(ann, { phone, text: texts.plain, whenConsented: true }),
      await check(ann, { phone: stopped, text: texts.plain, whenConsented: true }),
      await check(unable, { phone, text: texts.plain, whenConsented: true }),
    ];
    assert.deepEqual(
      checks.map(({ body: { data } }) => [
        data[0].deliverable,
        ...failed(data[0]).map(({ gate, code }) => [gate, code]),
      ]),
      [
        [false, ['consent', 'too_many_waiting']],
        [false, ['opt_out', 'opted_out']],
        [false, ['consent', 'not_consented']],
      ],
    );
  });

  test('spends no Idempotency-Key', async () => {
    const phone = newPhone();
    const key = { 'idempotency-key': 'check-1' };
    assert.equal((await check(ann, { phone, text: texts.plain }, key)).body.data[0].deliverable, false);
    await setConsent(world, ann, phone, 'accepted');
    assert.equal((await check(ann, { phone, text: texts.plain }, key)).body.data[0].deliverable, true);
    assert.equal((await check(ann, { phone: newPhone(), text: texts.plain }, key)).status, 200);
  });

  testDoor(world, {
    method: 'POST',
    path,
    scope: 'text.messaging.read',
    body: { phone: '+15005550006', text: texts.plain },
  });
});

const cases = fc.record({
  state: fc.constantFrom<ConsentState | 'unknown'>('unknown', 'none', 'pending', 'accepted', 'accepted', 'opted_out'),
  number: fc.constantFrom('plain', 'plain', '+15005550001', '+15005550003'),
  text: fc.constantFrom(...Object.values(texts), texts.plain),
  hour: fc.constantFrom(3, 12),
  scheduledIn: fc.constantFrom(null, null, 1, 12),
  whenConsented: fc.boolean(),
  settings: fc.record({
    consentRequired: fc.constantFrom(true, true, false),
    consentCollection: fc.constantFrom(true, true, false),
    quietHours: fc.constantFrom<'off' | 'defer' | 'refuse'>('off', 'defer', 'refuse'),
  }),
  hasNumber: fc.constantFrom(true, true, true, true, false),
});

test('a send answers what its check said, in every state and setting', async () => {
  const [codes, statuses] = [new Set<string>(), new Set<string>()];
  await fc.assert(
    fc.asyncProperty(cases, async ({ state, number, text, hour, scheduledIn, settings, hasNumber, ...given }) => {
      await moveTo(hour);
      const person = await newAdvisor({ ...settings, ...(hasNumber ? {} : { textingNumber: null }) });
      const phone = number === 'plain' ? newPhone() : number;
      if (state !== 'unknown') await setConsent(world, person, phone, state);
      const deliveryDate = world.clock.now().getTime() + (scheduledIn ?? 0) * hourMs;
      const when = scheduledIn === null ? given : { scheduleDelivery: true, deliveryDate };
      const seen = await assertKept(person, { phone, text, ...when });
      for (const code of seen.codes) codes.add(code);
      for (const status of seen.statuses) statuses.add(status);
    }),
    { numRuns: 120, seed: 28 },
  );
  assert.deepEqual([...statuses].sort(), ['awaiting_consent', 'deferred', 'held', 'queued', 'scheduled']);
  assert.deepEqual([...codes].sort(), [
    'consent_pending',
    'landline',
    'no_texting_number',
    'not_consented',
    'opted_out',
    'quiet_hours',
    'supervision',
    'text_blocked',
    'unreachable',
  ]);
});

import assert from 'node:assert/strict';
import { after, suite, test } from 'node:test';
import { setAdvisor } from '../../src/domain/accounts/advisors.ts';
import { sendDueMessages } from '../../src/domain/messages/due-messages.ts';
import type { ConsentState } from '../../src/store/consent/consents.ts';
import { assertInvalid, idMax, newcomer, search, testDoor, testIds } from '../address-book/address-book.ts';
import { entries, outbox } from '../support/people.ts';
import { assertProblem } from '../support/problem.ts';
import { acceptedPhone, scheduledMessagesPath as path, send, setConsent } from '../support/texting.ts';
import { type Answer, makeWorld, type Person } from '../support/world.ts';

const world = await makeWorld({ dispatch: false });
after(() => world.close());
const { ann, bob } = world;
const hourMs = 3_600_000;
const dayMs = 24 * hourMs;
const text = 'Your annual review is due.';
const card = 'Your card 4111 1111 1111 1111 is on file';

let numbers = 0;

async function newAdvisor(): Promise<Person> {
  const person = await newcomer(world);
  const textingNumber = `+1500556${String(++numbers).padStart(4, '0')}`;
  await setAdvisor(world.deps, person.advisor.advisorId, { textingNumber });
  return { ...person, advisor: { ...person.advisor, textingNumber } };
}

type ScheduledText = { id: number; phone: string; item: Answer['body'] };

async function schedule(person: Person, fields: object = {}): Promise<ScheduledText> {
  const phone = await acceptedPhone(world, person);
  const { body } = await send(person, { phone, text, scheduleDelivery: true, deliveryDate: soon(), ...fields });
  const id = body.successes[0].scheduledMessageId;
  return { id, phone, item: await get(person, id) };
}

function soon(ms = hourMs): number {
  return world.clock.now().getTime() + ms;
}

async function get(person: Person, id: number): Promise<Answer['body']> {
  return (await person.call('GET', `${path}/${id}`)).body;
}

function put(person: Person, id: number, body: object): Promise<Answer> {
  return person.call('PUT', `${path}/${id}`, body);
}

/** The actions archived about a phone's scheduled message, each with the message as it is from then on. */
async function changesOf(person: Person, phone: string) {
  const rows = await entries(world, person, phone, 'schedule');
  return rows.map(({ meta, actor, body }) => ({ action: meta.action, actor, body: JSON.parse(body) }));
}

async function textsTo(person: Person, phone: string): Promise<string[]> {
  return (await outbox(world, person, phone)).map((each) => each.text);
}

suite('an edit', () => {
  test('of the text answers the item, keeps the rest, and is what goes out', async () => {
    const person = await newAdvisor();
    const { id, phone, item } = await schedule(person);
    const { status, body } = await put(person, id, { text: 'Another text' });
    assert.deepEqual([status, body], [200, { ...item, text: 'Another text' }]);
    assert.deepEqual(await get(person, id), body);
    await world.clock.advance(hourMs);
    await sendDueMessages(world.deps);
    assert.deepEqual(await textsTo(person, phone), ['Another text']);
  });

  test('of the date moves it, in milliseconds or seconds', async () => {
    const person = await newAdvisor();
    const { id, phone, item } = await schedule(person);
    const later = Math.trunc(soon(2 * dayMs) / 1000) * 1000;
    for (const deliveryDate of [later, later / 1000]) {
      const { body } = await put(person, id, { deliveryDate });
      assert.deepEqual(body, { ...item, deliveryDate: later, nextDeliveryDates: [later] });
    }
    await world.clock.advance(hourMs);
    await sendDueMessages(world.deps);
    assert.deepEqual(await textsTo(person, phone), []);
  });

  test('of the frequency repeats it from its next date on', async () => {
    const person = await newAdvisor();
    const { id, item } = await schedule(person);
    const { deliveryDate } = item;
    const { body } = await put(person, id, { frequency: 1 });
    assert.deepEqual([body.frequency, body.deliveryDate, body.nextDeliveryDates.length], [1, deliveryDate, 5]);
    assert.equal(body.nextDeliveryDates[0], deliveryDate);
    assert.deepEqual((await put(person, id, { frequency: 0 })).body, item);
  });

  test('of the text alone keeps the day that a monthly one repeats on', async () => {
    const person = await newAdvisor();
    const january31 = Date.UTC(new Date(soon()).getUTCFullYear() + 1, 0, 31, 17);
    const { id, item } = await schedule(person, { deliveryDate: january31, frequency: 3 });
    const days = item.nextDeliveryDates.map((date: number) => new Date(date).getUTCDate());
    assert.deepEqual([days[0], days[2]], [31, 31]);
    const { body } = await put(person, id, { ...item, text: 'Another text' });
    assert.deepEqual(body, { ...item, text: 'Another text' });
  });

  test('of everything, with fields that it doesn’t know, which are ignored', async () => {
    const person = await newAdvisor();
    const { id, item } = await schedule(person);
    const change = { text: 'Another text', deliveryDate: soon(dayMs), frequency: 2 };
    const { status, body } = await put(person, id, { ...change, scheduleDelivery: true, phone: '+12125550000' });
    const { nextDeliveryDates, ...shown } = body;
    const { nextDeliveryDates: _, ...before } = item;
    assert.deepEqual([status, shown, nextDeliveryDates.length], [200, { ...before, ...change }, 5]);
  });

  test('that changes nothing is answered with the item, and leaves no entry', async () => {
    const person = await newAdvisor();
    const { id, phone, item } = await schedule(person, { frequency: 1 });
    for (const body of [{}, { text: null, deliveryDate: null, frequency: null }, item])
      assert.deepEqual((await put(person, id, body)).body, item);
    assert.deepEqual(
      (await changesOf(person, phone)).map(({ action }) => action),
      ['created'],
    );
  });

  test('is archived with the message as it is from then on, and who changed it', async () => {
    const person = await newAdvisor();
    const { id, phone } = await schedule(person);
    const deliveryDate = soon(dayMs);
    await put(person, id, { text: 'Another text', deliveryDate, frequency: 4 });
    const [, edited, ...more] = await changesOf(person, phone);
    assert.deepEqual([edited?.action, edited?.actor, more], ['edited', 'application:1', []]);
    const { firstDate, deliveryDate: archived, frequency, status } = edited?.body ?? {};
    const iso = new Date(deliveryDate).toISOString();
    assert.deepEqual(
      [edited?.body.text, firstDate, archived, frequency, status],
      ['Another text', iso, iso, 4, 'scheduled'],
    );
  });

  test('with a bad value is 400 and names it', async () => {
    const { id, item } = await schedule(ann);
    const bad: Record<string, unknown[]> = {
      text: ['', ' ', 'x'.repeat(1_601), 1, 'a\u0007b', '\ud83d'],
      deliveryDate: ['1', true, 1, soon(-1), soon(732 * dayMs)],
      frequency: [5, -1, '1', 0.5],
    };
    for (const [field, values] of Object.entries(bad))
      for (const value of values) assertInvalid(await put(ann, id, { [field]: value }), `/${field}`);
    assert.deepEqual(await get(ann, id), item);
  });

  test('of a text to a person who can’t be texted is 400 with the failure’s code, and changes nothing', async () => {
    const codes: [ConsentState, string][] = [
      ['opted_out', 'opted_out'],
      ['pending', 'consent_pending'],
      ['none', 'not_consented'],
    ];
    for (const [state, code] of codes) {
      const { id, phone, item } = await schedule(ann);
      await setConsent(world, ann, phone, state);
      const answer = await put(ann, id, { text: 'Another text' });
      assertProblem(answer, 'invalid_request');
      const [detail, ...more] = answer.body.details;
      assert.deepEqual([detail.path, detail.rule, more], ['/scheduledMessageId', code, []]);
      assert.ok(detail.message.includes(phone));
      assert.deepEqual(await get(ann, id), item);
    }
  });

  test('that the lexicon blocks is 400, and the firm sees the attempt', async () => {
    const { id, item } = await schedule(ann);
    const answer = await put(ann, id, { text: card });
    assertInvalid(answer, '/text');
    assert.equal(answer.body.details[0].rule, 'text_blocked');
    assert.deepEqual(await get(ann, id), item);
    const found = await world.database.asOwner(
      `select from reviews where kind = 'blocked' and archive_number is not null and member_id = $1`,
      [item.memberId],
    );
    assert.equal(found.length, 1);
  });

  test('to a date in quiet hours that are refused is 400', async () => {
    const person = await newAdvisor();
    const { id } = await schedule(person);
    await setAdvisor(world.deps, person.advisor.advisorId, { quietHours: 'refuse' });
    const night = Date.UTC(new Date(soon()).getUTCFullYear() + 1, 0, 31, 8);
    const answer = await put(person, id, { deliveryDate: night });
    assertInvalid(answer, '/deliveryDate');
    assert.equal(answer.body.details[0].rule, 'quiet_hours');
    assert.equal((await put(person, id, { deliveryDate: night + 8 * hourMs })).status, 200);
  });

  test('on an account without a texting number is 409', async () => {
    const person = await newAdvisor();
    const { id } = await schedule(person);
    await setAdvisor(world.deps, person.advisor.advisorId, { textingNumber: null });
    assertProblem(await put(person, id, { text: 'Another text' }), 'conflict', /texting number/);
  });

  test('of one that is no longer scheduled is 404 and says what became of it', async () => {
    const person = await newAdvisor();
    const [canceled, completed, skipped] = [await schedule(person), await schedule(person), await schedule(person)];
    await person.call('DELETE', `${path}/${canceled.id}`);
    await setConsent(world, person, skipped.phone, 'opted_out');
    await world.clock.advance(hourMs);
    await sendDueMessages(world.deps);
    const outcomes: [ScheduledText, RegExp][] = [
      [canceled, /was canceled/],
      [completed, /has gone out/],
      [skipped, /was skipped \(opted_out\)/],
    ];
    for (const [{ id }, says] of outcomes) {
      assertProblem(await put(person, id, { text: 'Another text' }), 'not_found', says);
      assertProblem(await person.call('DELETE', `${path}/${id}`), 'not_found', says);
    }
    assertProblem(await put(person, idMax, { text }), 'not_found', /no such scheduled message/);
    assertProblem(await put(bob, canceled.id, { text }), 'not_found', /no such scheduled message/);
  });

  test('that comes while it is due counts, or comes too late; never both', async () => {
    const person = await newAdvisor();
    const all = await Promise.all(Array.from({ length: 12 }, () => schedule(person)));
    await world.clock.advance(hourMs);
    const edits = Promise.all(all.map(({ id }) => put(person, id, { text: 'Another text' })));
    await Promise.all([sendDueMessages(world.deps), edits]);
    await sendDueMessages(world.deps);
    for (const [index, { status }] of (await edits).entries()) {
      const { phone } = all[index] ?? assert.fail();
      assert.deepEqual(await textsTo(person, phone), [status === 200 ? 'Another text' : text]);
      assert.ok(status === 200 || status === 404, String(status));
    }
  });

  test('of a repeating one counts from its next text on', async () => {
    const person = await newAdvisor();
    const { id, phone } = await schedule(person, { frequency: 1 });
    await world.clock.advance(hourMs);
    await sendDueMessages(world.deps);
    await put(person, id, { text: 'Another text' });
    await world.clock.advance(dayMs);
    await sendDueMessages(world.deps);
    assert.deepEqual(await textsTo(person, phone), [text, 'Another text']);
    assert.equal((await search(person, path)).data.length, 1);
  });

  testIds(world, 'PUT', (id) => `${path}/${id}`, { text });
  testDoor(world, { method: 'PUT', path: `${path}/1`, scope: 'text.messaging.write', body: { text } });
});

import assert from 'node:assert/strict';
import { after, suite, test } from 'node:test';
import { setAdvisor } from '../../src/domain/accounts/advisors.ts';
import { sendDueMessages } from '../../src/domain/messages/due-messages.ts';
import { values } from '../../src/domain/shared/enumerations.ts';
import {
  assertInvalid,
  assertNotFound,
  idMax,
  newcomer,
  pairs,
  search,
  testDoor,
  testIds,
} from '../address-book/address-book.ts';
import { assertProblem } from '../support/problem.ts';
import { acceptedPhone, messagesPath, scheduledMessagesPath as path, send } from '../support/texting.ts';
import { makeWorld, type Person } from '../support/world.ts';

const world = await makeWorld({ dispatch: false });
after(() => world.close());
const { ann, bob } = world;
const hourMs = 3_600_000;
const text = 'Your annual review is due.';

let numbers = 0;

async function newAdvisor(): Promise<Person> {
  const person = await newcomer(world);
  const textingNumber = `+1500557${String(++numbers).padStart(4, '0')}`;
  await setAdvisor(world.deps, person.advisor.advisorId, { textingNumber });
  return person;
}

async function schedule(person: Person, fields: object = {}): Promise<number> {
  const phone = await acceptedPhone(world, person);
  const { status, body } = await send(person, { phone, text, scheduleDelivery: true, deliveryDate: soon(), ...fields });
  assert.deepEqual([status, body.successes?.length], [200, 1], JSON.stringify(body));
  return body.successes[0].scheduledMessageId;
}

function soon(ms = hourMs): number {
  return world.clock.now().getTime() + ms;
}

type Query = Record<string, string | number>;

async function idsOf(person: Person, query: Query = {}): Promise<number[]> {
  const { data } = await search(person, path, query);
  return data.map((each: { scheduledMessageId: number }) => each.scheduledMessageId);
}

function find(query: Query) {
  return ann.call('GET', `${path}?${pairs(query)}`);
}

suite('the list', () => {
  test('is one empty page when nothing is scheduled', async () => {
    const answer = await (await newAdvisor()).call('GET', path);
    const pageInfo = { page: 1, pageSize: 25, totalRecord: 0, sortDirection: 'asc', sortBy: 'deliveryDate' };
    assert.deepEqual([answer.status, answer.body], [200, { data: [], pageInfo }]);
  });

  test('shows the scheduled message and no other fields', async () => {
    const person = await newAdvisor();
    const [phone, deliveryDate] = [await acceptedPhone(world, person), soon()];
    const { body } = await send(person, { phone, text, scheduleDelivery: true, deliveryDate });
    const [{ memberId, scheduledMessageId }] = body.successes;
    const { data, pageInfo } = await search(person, path);
    const rest = {
      frequency: 0,
      status: 'scheduled',
      reason: null,
      nextDeliveryDates: [deliveryDate],
      lastMessageId: null,
    };
    assert.deepEqual(data, [{ scheduledMessageId, memberId, phone, text, deliveryDate, ...rest }]);
    assert.equal(pageInfo.totalRecord, 1);
  });

  test('shows the next five dates of a repeating message, earliest first', async () => {
    for (const frequency of values('frequency')) {
      const person = await newAdvisor();
      const deliveryDate = soon();
      await schedule(person, { frequency, deliveryDate });
      const [{ nextDeliveryDates, ...shown }] = (await search(person, path)).data;
      assert.deepEqual([shown.frequency, nextDeliveryDates[0]], [frequency, deliveryDate]);
      assert.equal(nextDeliveryDates.length, frequency === 0 ? 1 : 5);
      assert.deepEqual(nextDeliveryDates, nextDeliveryDates.toSorted());
      assert.equal(new Set(nextDeliveryDates).size, nextDeliveryDates.length);
    }
  });

  test('is sorted by date, ties by id in either direction, and its pages contain every message', async () => {
    const person = await newAdvisor();
    const [early, late] = [soon(), soon(2 * hourMs)];
    const ids: number[] = [];
    for (const deliveryDate of [late, early, late, early, early]) ids.push(await schedule(person, { deliveryDate }));
    const orders = { asc: [1, 3, 4, 0, 2], desc: [0, 2, 1, 3, 4] };
    for (const [sortDirection, order] of Object.entries(orders)) {
      const expected = order.map((index) => ids[index]);
      assert.deepEqual(await idsOf(person, { sortDirection }), expected);
      for (const pageSize of [1, 2, 5]) {
        const walked: number[] = [];
        for (let page = 1; page <= Math.ceil(5 / pageSize); page++)
          walked.push(...(await idsOf(person, { sortDirection, page, pageSize, sortBy: 'deliveryDate' })));
        assert.deepEqual(walked, expected);
      }
    }
  });

  test('echoes the request, and shows the total even past the end', async () => {
    const person = await newAdvisor();
    await schedule(person);
    for (const page of [2, idMax]) {
      const asked = { page, pageSize: 7, sortBy: 'deliveryDate', sortDirection: 'desc' };
      const { data, pageInfo } = await search(person, path, asked);
      assert.deepEqual([data, pageInfo], [[], { ...asked, totalRecord: 1 }]);
    }
  });

  test('has one status, scheduled by default', async () => {
    const person = await newAdvisor();
    const [stays, goes] = [await schedule(person), await schedule(person)];
    await person.call('DELETE', `${path}/${goes}`);
    assert.deepEqual(await idsOf(person), [stays]);
    assert.deepEqual(await idsOf(person, { status: 'scheduled' }), [stays]);
    for (const status of ['skipped', 'completed']) assert.deepEqual(await idsOf(person, { status }), []);
    const [canceled] = (await search(person, path, { status: 'canceled' })).data;
    assert.equal(canceled.scheduledMessageId, goes);
    assert.deepEqual([canceled.status, canceled.reason, canceled.nextDeliveryDates], ['canceled', null, []]);
  });

  test('one that can no longer be canceled says what became of it', async () => {
    const person = await newAdvisor();
    const canceled = await schedule(person);
    await person.call('DELETE', `${path}/${canceled}`);
    assertProblem(await person.call('DELETE', `${path}/${canceled}`), 'not_found', /was canceled/);
    assertProblem(await person.call('DELETE', `${path}/999999`), 'not_found', /no such scheduled message/);
  });

  test('is 400 for a bad page, size, sort, direction or status', async () => {
    for (const page of ['0', '-1', '1.5', '01', 'abc', '', '9007199254740992'])
      assertInvalid(await find({ page }), '/page');
    for (const pageSize of ['0', '201', '', 'abc']) assertInvalid(await find({ pageSize }), '/pageSize');
    for (const sortBy of ['', 'text', 'DeliveryDate', '__proto__']) assertInvalid(await find({ sortBy }), '/sortBy');
    for (const sortDirection of ['', 'ASC', 'down']) assertInvalid(await find({ sortDirection }), '/sortDirection');
    for (const status of ['', 'all', 'Scheduled', 'cancelled']) assertInvalid(await find({ status }), '/status');
    assertInvalid(await ann.call('GET', `${path}?status=scheduled&status=skipped`), '/status');
  });

  testDoor(world, { method: 'GET', path, scope: 'text.messaging.read' });
});

suite('one', () => {
  test('is the item of the list, in any status', async () => {
    const person = await newAdvisor();
    const id = await schedule(person);
    const get = async () => (await person.call('GET', `${path}/${id}`)).body;
    assert.deepEqual(await get(), (await search(person, path)).data[0]);
    await person.call('DELETE', `${path}/${id}`);
    const canceled = await get();
    assert.deepEqual([canceled.status, canceled.nextDeliveryDates], ['canceled', []]);
    assert.deepEqual(canceled, (await search(person, path, { status: 'canceled' })).data[0]);
  });

  test('names the last text that it sent, null before the first', async () => {
    const person = await newAdvisor();
    const id = await schedule(person, { frequency: 1 });
    const once = await schedule(person);
    const get = async (scheduledMessageId = id) => (await person.call('GET', `${path}/${scheduledMessageId}`)).body;
    assert.equal((await get()).lastMessageId, null);
    const last: number[] = [];
    for (const ms of [hourMs, 24 * hourMs]) {
      await world.clock.advance(ms);
      await sendDueMessages(world.deps);
      last.push((await get()).lastMessageId);
      assert.equal((await search(person, path)).data[0].lastMessageId, last.at(-1));
    }
    assert.notEqual(last[0], last[1]);
    const { data } = await search(person, messagesPath, { scheduledMessageId: id });
    assert.deepEqual(data.map((each: { messageId: number }) => each.messageId).toReversed(), last);
    const completed = await get(once);
    assert.equal(completed.status, 'completed');
    assert.ok(completed.lastMessageId > 0 && completed.lastMessageId !== last[0]);
  });

  testIds(world, 'GET', (id) => `${path}/${id}`);
  testDoor(world, { method: 'GET', path: `${path}/1`, scope: 'text.messaging.read' });
});

suite('a cancel', () => {
  test('is a 204 without a body, and a 404 the second time', async () => {
    const id = await schedule(ann);
    const answer = await ann.call('DELETE', `${path}/${id}`);
    assert.deepEqual([answer.status, answer.body], [204, '']);
    assertNotFound(await ann.call('DELETE', `${path}/${id}`));
  });

  test('that many send at once is a 204 for one and a 404 for the others', async () => {
    const id = await schedule(ann);
    const cancels = Array.from({ length: 8 }, () => ann.call('DELETE', `${path}/${id}`));
    const statuses = (await Promise.all(cancels)).map(({ status }) => status).sort();
    assert.deepEqual(statuses, [204, ...Array(7).fill(404)]);
  });

  test('of another advisor’s message is the same 404 as for one that doesn’t exist, and changes nothing', async () => {
    const person = await newAdvisor();
    const id = await schedule(person);
    const [foreign, missing] = [
      await bob.call('DELETE', `${path}/${id}`),
      await bob.call('DELETE', `${path}/${idMax}`),
    ];
    assertNotFound(foreign);
    const { traceId: _, instance: __, ...said } = foreign.body;
    const { traceId: ___, instance: ____, ...expected } = missing.body;
    assert.deepEqual(said, expected);
    assert.deepEqual(await idsOf(person), [id]);
  });

  testIds(world, 'DELETE', (id) => `${path}/${id}`);
  testDoor(world, { method: 'DELETE', path: `${path}/1`, scope: 'text.messaging.write' });
});

import assert from 'node:assert/strict';
import { after, suite, test } from 'node:test';
import { setAdvisor } from '../../src/domain/accounts/advisors.ts';
import { listEvents, wakeReaders } from '../../src/domain/events/events.ts';
import { sendDueMessages } from '../../src/domain/messages/due-messages.ts';
import { cursorAt } from '../../src/domain/shared/feeds.ts';
import { insertEvents } from '../../src/store/events/new-events.ts';
import { testDoor } from '../address-book/address-book.ts';
import { monotonicTime } from '../support/monotonic-time.ts';
import { ask, memberOf, say } from '../support/people.ts';
import { acceptedPhone, newPhone, send, setConsent, statusOf } from '../support/texting.ts';
import { until } from '../support/waiting.ts';
import { makeWorld, type Person } from '../support/world.ts';

const eventsPath = '/text/messaging/events';

type Event = { id: string; type: string; dateTime: string; data: Record<string, unknown> };

const world = await makeWorld();
after(() => world.close());
const { ann, bob } = world;

const read = (person: Person, query = '') => person.call('GET', `${eventsPath}?${query}`);

/** The cursor after everything so far. */
async function now(person: Person): Promise<string> {
  let { cursor, more } = (await read(person, 'pageSize=200')).body;
  while (more) ({ cursor, more } = (await read(person, `pageSize=200&cursor=${cursor}`)).body);
  return cursor;
}

async function since(person: Person, cursor: string): Promise<Event[]> {
  const { status, body } = await read(person, `cursor=${cursor}`);
  assert.equal(status, 200, JSON.stringify(body));
  return body.data;
}

/** The events about a text that comes to rest, and their statuses. */
async function statusesOf(person: Person, cursor: string, messageId: number, last: string): Promise<Event[]> {
  const about = async () => (await since(person, cursor)).filter(({ data }) => data.messageId === messageId);
  await until(`${last} is told`, async () => (await about()).at(-1)?.data.status === last);
  return about();
}

testDoor(world, { method: 'GET', path: eventsPath, scope: 'text.messaging.read' });

suite('message.status', () => {
  test('every status after the one that the send answered is an event', async () => {
    const phone = await acceptedPhone(world, ann);
    const start = await now(ann);
    const { messageId, memberId } = (await send(ann, { text: 'Hello', phone })).body.successes[0];
    const told = await statusesOf(ann, start, messageId, 'delivered');
    assert.deepEqual(
      told.map(({ type, data }) => [type, data]),
      ['sent', 'delivered'].map((status) => [
        'message.status',
        { messageId, memberId, phone, status, failureCode: null, scheduledMessageId: null },
      ]),
    );
    for (const { id, dateTime } of told) {
      assert.match(id, /^evt_/);
      assert.match(dateTime, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
    }
    assert.notEqual(told[0]?.id, told[1]?.id);
  });

  test('a reader may stop between sent and a receipt that came with it', async () => {
    const phone = await acceptedPhone(world, ann);
    const start = await now(ann);
    const { messageId } = (await send(ann, { text: 'Hello', phone })).body.successes[0];
    const both = await statusesOf(ann, start, messageId, 'delivered');
    const first = (await read(ann, `pageSize=1&cursor=${start}`)).body;
    assert.deepEqual([first.data, first.more], [both.slice(0, 1), true]);
    const second = (await read(ann, `pageSize=1&cursor=${first.cursor}`)).body;
    assert.deepEqual([second.data, second.more], [both.slice(1), false]);
    assert.deepEqual(await since(ann, second.cursor), []);
  });

  test('a text that fails or stays in doubt says so, with the code that the lookup has', async () => {
    for (const [phone, statuses] of [
      ['+15005550007', ['sent', 'undelivered']],
      ['+15005550014', ['failed']],
      ['+15005550021', ['sent', 'delivered']],
      ['+15005550022', ['in_doubt']],
      ['+15005550009', ['sent']],
    ] as const) {
      await setConsent(world, ann, phone, 'accepted');
      const start = await now(ann);
      const { messageId } = (await send(ann, { text: 'Hello', phone })).body.successes[0];
      const told = await statusesOf(ann, start, messageId, statuses.at(-1) ?? '');
      assert.deepEqual(
        told.map(({ data }) => data.status),
        statuses,
        phone,
      );
      const { failureCode } = await statusOf(ann, messageId, statuses.at(-1) ?? '');
      assert.equal(told.at(-1)?.data.failureCode, failureCode, phone);
    }
  });

  test('a text that is released from a hold says so', async () => {
    const phone = await acceptedPhone(world, ann);
    await say(world, ann, phone, 'wrong number');
    const start = await now(ann);
    const { messageId, status } = (await send(ann, { text: 'Hello', phone })).body.successes[0];
    assert.equal(status, 'held');
    await say(world, ann, phone, 'START');
    const told = await statusesOf(ann, start, messageId, 'delivered');
    assert.deepEqual(
      told.map(({ data }) => data.status),
      ['queued', 'sent', 'delivered'],
    );
  });

  test('consent requests and confirmations are no messages of the partner', async () => {
    const phone = newPhone();
    const start = await now(ann);
    await ask(world, ann, phone);
    await say(world, ann, phone, 'YES');
    const { messageId } = (await send(ann, { text: 'Hello', phone })).body.successes[0];
    await statusesOf(ann, start, messageId, 'delivered');
    const told = await since(ann, start);
    assert.deepEqual([...new Set(told.flatMap(({ data }) => data.messageId ?? []))], [messageId]);
  });
});

suite('consent.changed and message.received', () => {
  test('a request, a text and the change that it makes come in that order, without the text', async () => {
    const phone = newPhone();
    const start = await now(ann);
    await ask(world, ann, phone);
    await ask(world, ann, phone);
    await say(world, ann, phone, 'YES');
    await say(world, ann, phone, 'thanks a lot');
    await say(world, ann, phone, 'STOP');
    const { memberId } = await memberOf(world, ann, phone);
    const told = await since(ann, start);
    const of = { memberId, phone };
    assert.deepEqual(
      told.map(({ type, data }) => [type, data]),
      [
        ['consent.changed', { ...of, state: 'pending', previousState: 'none' }],
        ['message.received', of],
        ['consent.changed', { ...of, state: 'accepted', previousState: 'pending' }],
        ['message.received', of],
        ['message.received', of],
        ['consent.changed', { ...of, state: 'opted_out', previousState: 'accepted' }],
      ],
    );
  });
});

suite('scheduled messages', () => {
  async function schedule(phone: string): Promise<{ scheduledMessageId: number; memberId: number }> {
    const deliveryDate = world.clock.now().getTime() + 60_000;
    const answer = await send(ann, { text: 'Hello', phone, scheduleDelivery: true, deliveryDate });
    return answer.body.successes[0];
  }
  async function fire(): Promise<void> {
    await world.clock.advance(61_000);
    await sendDueMessages(world.deps);
  }

  test('one that fires names its text, whose statuses follow', async () => {
    const phone = await acceptedPhone(world, ann);
    const { scheduledMessageId, memberId } = await schedule(phone);
    const start = await now(ann);
    await fire();
    const [fired] = await since(ann, start);
    assert.equal(fired?.type, 'scheduled_message.fired');
    const messageId = Number(fired?.data.messageId);
    assert.deepEqual(fired?.data, { scheduledMessageId, messageId, memberId, phone });
    const told = await statusesOf(ann, start, messageId, 'delivered');
    assert.deepEqual(
      told.slice(1).map(({ data }) => [data.status, data.scheduledMessageId]),
      ['queued', 'sent', 'delivered'].map((status) => [status, scheduledMessageId]),
    );
  });

  test('one that is skipped says why', async () => {
    const phone = await acceptedPhone(world, ann);
    const { scheduledMessageId, memberId } = await schedule(phone);
    await say(world, ann, phone, 'STOP');
    const start = await now(ann);
    await fire();
    assert.deepEqual(
      (await since(ann, start)).map(({ type, data }) => [type, data]),
      [['scheduled_message.skipped', { scheduledMessageId, memberId, phone, reason: 'opted_out' }]],
    );
  });
});

suite('cursors', () => {
  test('every page goes on where the one before ended, and the last has a cursor too', async () => {
    const phones = Array.from({ length: 7 }, newPhone);
    const start = await now(bob);
    for (const phone of phones) await setConsent(world, bob, phone, 'accepted');
    const seen: unknown[] = [];
    let answer = await read(bob, `cursor=${start}&pageSize=3`);
    for (; answer.body.more; answer = await read(bob, `cursor=${answer.body.cursor}&pageSize=3`)) {
      assert.equal(answer.body.data.length, 3);
      seen.push(...answer.body.data);
    }
    seen.push(...answer.body.data);
    assert.deepEqual(
      (seen as Event[]).map(({ data }) => data.phone),
      phones,
    );
    const { body } = await read(bob, `cursor=${answer.body.cursor}`);
    assert.deepEqual(body, { data: [], cursor: answer.body.cursor, more: false });
  });

  test('an empty, unknown, cut or altered cursor is 400, and so is another advisor’s', async () => {
    const own = await now(ann);
    const altered = `${own.slice(0, 5)}${own[5] === 'A' ? 'B' : 'A'}${own.slice(6)}`;
    for (const cursor of ['', 'x', 'null', '0', '12', own.slice(0, -2), `${own}A`, altered, await now(bob)]) {
      const { status, body } = await read(ann, `cursor=${cursor}`);
      assert.deepEqual([status, body.code, body.details?.[0].path], [400, 'invalid_request', '/cursor'], cursor);
    }
  });

  test('so is one that somebody made up with the right check', async () => {
    for (const number of ['NaN', '0.5', '1e300', 'x'])
      for (const [feed, path] of [
        ['events', '/text/messaging/events'],
        ['changes', '/core/contact/changes'],
      ] as const) {
        const cursor = cursorAt({ feed, advisorId: ann.advisor.advisorId }, [number as unknown as number]);
        assert.equal((await ann.call('GET', `${path}?cursor=${cursor}`)).status, 400, `${feed} ${number}`);
      }
  });

  test('a cursor from before what is kept is 400 and says to start again', async () => {
    const before = (await read(bob, 'pageSize=1')).body.cursor;
    const { advisorId } = bob.advisor;
    const keptFrom = (await read(bob, 'pageSize=3')).body;
    await world.database.asOwner('delete from events where advisor_id = $1 and number <= 3', [advisorId]);
    const { status, body } = await read(bob, `cursor=${before}`);
    assert.equal(status, 400);
    assert.match(body.detail, /start again/);
    assert.equal((await read(bob, `cursor=${keptFrom.cursor}`)).status, 200);
    assert.equal((await read(bob, 'pageSize=1')).body.data[0].id, `evt_${advisorId}_4`);
  });

  test('what only the app is told is passed in a few steps, and no event beside it is lost', async () => {
    const start = await now(ann);
    const { advisorId } = ann.advisor;
    const own = Array.from({ length: 250 }, () => ({ advisorId, type: 'book.changed' }) as const);
    const phones = [newPhone(), newPhone(), newPhone()];
    for (const phone of phones) {
      await insertEvents(world.deps.db, own, world.clock.now());
      await setConsent(world, ann, phone, 'accepted');
    }
    let queries = 0;
    const query = (...args: Parameters<typeof world.deps.db.query>) => {
      queries += 1;
      return world.deps.db.query(...args);
    };
    const deps = { ...world.deps, db: Object.assign(Object.create(world.deps.db), { query }) };
    const seen: unknown[] = [];
    let cursor = start;
    for (let more = true; more; ) {
      const page = await listEvents(deps, advisorId, { cursor, pageSize: 1 });
      seen.push(...page.data.map(({ data }) => (data as { phone?: string }).phone));
      ({ cursor, more } = page);
    }
    assert.deepEqual(seen, phones);
    assert.ok(queries <= 12, `${queries} queries for 753 rows`);
  });

  test('pageSize and wait out of range are 400, and so is a name that the route doesn’t know', async () => {
    for (const query of ['pageSize=0', 'pageSize=201', 'wait=31', 'wait=-1', 'page=1'])
      assert.equal((await read(ann, query)).status, 400, query);
  });

  test('that is waited for is told to nobody who lost their access meanwhile', async (t) => {
    const { eventAdded } = world.deps.signals;
    const waiting = read(bob, `wait=30&cursor=${await now(bob)}`);
    await until('it waits', () => eventAdded.awaited().length === 1);
    await setAdvisor(world.deps, bob.advisor.advisorId, { disabled: true });
    // So long a node may go by what it knew.
    monotonicTime(t).pass(1_000);
    await setConsent(world, bob, newPhone(), 'accepted');
    await wakeReaders(world.deps);
    assert.equal((await waiting).status, 401);
  });
});

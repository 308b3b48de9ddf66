import assert from 'node:assert/strict';
import { after, before, suite, test } from 'node:test';
import pg from 'pg';
import { setAdvisor } from '../../src/domain/accounts/advisors.ts';
import { sendDueMessages } from '../../src/domain/messages/due-messages.ts';
import type { Db } from '../../src/store/database/db.ts';
import { listMessages, type MessageFilter } from '../../src/store/messages/message-pages.ts';
import { assertInvalid, idMax, newcomer, pairs, search, testDoor } from '../address-book/address-book.ts';
import { moved } from '../support/database.ts';
import { ask, say } from '../support/people.ts';
import { acceptedPhone, messagesPath as path, send } from '../support/texting.ts';
import { type Answer, makeWorld, type Person } from '../support/world.ts';

const world = await makeWorld({ dispatch: false });
after(() => world.close());
const { ann, bob } = world;

type Query = Record<string, string | number | undefined>;
let numbers = 0;

async function newAdvisor(): Promise<Person> {
  const person = await newcomer(world);
  const textingNumber = `+1500558${String(++numbers).padStart(4, '0')}`;
  await setAdvisor(world.deps, person.advisor.advisorId, { textingNumber });
  return { ...person, advisor: { ...person.advisor, textingNumber } };
}

/** Sends a text a second after the one before. */
async function sent(person: Person, phone: string): Promise<{ messageId: number; memberId: number }> {
  await world.clock.advance(1_000);
  return (await send(person, { phone, text: 'Hello' })).body.successes[0];
}

async function idsOf(person: Person, query: Query = {}): Promise<number[]> {
  const { data, pageInfo } = await search(person, path, query);
  if (query.page === undefined) assert.equal(pageInfo.totalRecord, data.length);
  return data.map(({ messageId }: { messageId: number }) => messageId);
}

function find(query: Query, person: Person = ann): Promise<Answer> {
  return person.call('GET', `${path}?${pairs(query)}`);
}

suite('the list', () => {
  test('is one empty page when nothing was sent', async () => {
    const { status, body } = await find({}, await newAdvisor());
    const pageInfo = { page: 1, pageSize: 25, totalRecord: 0, sortDirection: 'desc', sortBy: 'dateTimeCreated' };
    assert.deepEqual([status, body], [200, { data: [], pageInfo }]);
  });

  test('shows each text as its own route does, and never its body', async () => {
    const person = await newAdvisor();
    const { messageId } = await sent(person, await acceptedPhone(world, person));
    const { data } = await search(person, path);
    assert.deepEqual(data, [(await person.call('GET', `${path}/${messageId}`)).body]);
    assert.ok(!JSON.stringify(data).includes('Hello'));
  });

  test('is newest first, and its pages contain every text once', async () => {
    const person = await newAdvisor();
    const phones = [await acceptedPhone(world, person), await acceptedPhone(world, person)];
    const ids: number[] = [];
    for (let index = 0; index < 5; index++) ids.push((await sent(person, phones[index % 2] ?? '')).messageId);
    // Two texts of one moment: the later id is the newer one.
    const { body } = await send(person, { phoneNumbers: phones, text: 'Hello' });
    ids.push(...body.successes.map((each: { messageId: number }) => each.messageId));
    assert.deepEqual(await idsOf(person), ids.toReversed());
    for (const pageSize of [1, 2, 7]) {
      const walked: number[] = [];
      for (let page = 1; page <= Math.ceil(7 / pageSize); page++)
        walked.push(...(await idsOf(person, { page, pageSize, sortBy: 'dateTimeCreated', sortDirection: 'desc' })));
      assert.deepEqual(walked, ids.toReversed());
    }
  });

  test('is in the order of times, even where ids were drawn in another', async () => {
    const person = await newAdvisor();
    const phone = await acceptedPhone(world, person);
    const [first, second] = [await sent(person, phone), await sent(person, phone)];
    await world.database.asOwner(
      `update messages set date_time_created = ${moved('date_time_created', "interval '1 minute'")} where message_id = $1`,
      [first.messageId],
    );
    assert.deepEqual(await idsOf(person), [first.messageId, second.messageId]);
  });

  test('echoes the request, and shows the total even past the end', async () => {
    const person = await newAdvisor();
    await sent(person, await acceptedPhone(world, person));
    for (const page of [2, idMax]) {
      const asked = { page, pageSize: 7, sortBy: 'dateTimeCreated', sortDirection: 'desc' };
      const { data, pageInfo } = await search(person, path, asked);
      assert.deepEqual([data, pageInfo], [[], { ...asked, totalRecord: 1 }]);
    }
  });

  test('has no consent requests, reminders or confirmations', async () => {
    const person = await newAdvisor();
    const phone = await acceptedPhone(world, person);
    const other = (await acceptedPhone(world, bob)) ?? '';
    await ask(world, person, other);
    for (const text of ['who is this?', 'YES', 'STOP', 'HELP']) await say(world, person, other, text);
    const { messageId } = await sent(person, phone);
    assert.deepEqual(await idsOf(person), [messageId]);
    assert.deepEqual(await idsOf(person, { phone: other }), []);
  });
});

suite('a filter', () => {
  test('by phone or memberId shows the texts to one person; if they disagree, none', async () => {
    const person = await newAdvisor();
    const [one, other] = [await acceptedPhone(world, person), await acceptedPhone(world, person)];
    const [first, theirs, second] = [await sent(person, one), await sent(person, other), await sent(person, one)];
    const expected = [second.messageId, first.messageId];
    const { memberId } = first;
    for (const query of [{ phone: one }, { memberId }, { phone: one, memberId }])
      assert.deepEqual(await idsOf(person, query), expected);
    assert.deepEqual(await idsOf(person, { phone: one, memberId: theirs.memberId }), []);
    assert.deepEqual(await idsOf(person, { phone: '+12125559999' }), []);
  });

  test('by status shows the texts that have it now', async () => {
    const person = await newAdvisor();
    const phone = await acceptedPhone(world, person);
    const [delivered, queued] = [await sent(person, phone), await sent(person, phone)];
    await world.database.asOwner(`update messages set status = 'delivered' where message_id = $1`, [
      delivered.messageId,
    ]);
    assert.deepEqual(await idsOf(person, { status: 'delivered' }), [delivered.messageId]);
    assert.deepEqual(await idsOf(person, { status: 'queued' }), [queued.messageId]);
    for (const status of ['sent', 'undelivered', 'failed', 'in_doubt', 'held'])
      assert.deepEqual(await idsOf(person, { status }), []);
  });

  test('by scheduledMessageId shows what a schedule sent', async () => {
    const person = await newAdvisor();
    const phone = await acceptedPhone(world, person);
    const deliveryDate = world.clock.now().getTime() + 3_600_000;
    const { body } = await send(person, { phone, text: 'Hello', scheduleDelivery: true, deliveryDate, frequency: 1 });
    const [{ scheduledMessageId }] = body.successes;
    assert.deepEqual(await idsOf(person, { scheduledMessageId }), []);
    for (const hours of [1, 24]) {
      await world.clock.advance(hours * 3_600_000);
      await sendDueMessages(world.deps);
    }
    const all = await idsOf(person);
    assert.equal(all.length, 2);
    await sent(person, phone);
    assert.deepEqual(await idsOf(person, { scheduledMessageId }), all);
  });

  test('by createdSince is inclusive, to the millisecond', async () => {
    const person = await newAdvisor();
    const phone = await acceptedPhone(world, person);
    const [first, second] = [await sent(person, phone), await sent(person, phone)];
    const [{ dateTimeCreated }] = (await search(person, path, { pageSize: 1 })).data;
    assert.deepEqual(await idsOf(person, { createdSince: dateTimeCreated }), [second.messageId]);
    const later = new Date(Date.parse(dateTimeCreated) + 1).toISOString();
    assert.deepEqual(await idsOf(person, { createdSince: later }), []);
    const hourAgo = new Date(Date.parse(dateTimeCreated) - 3_600_000).toISOString();
    assert.deepEqual(await idsOf(person, { createdSince: hourAgo }), [second.messageId, first.messageId]);
  });

  test('is combined with the others', async () => {
    const person = await newAdvisor();
    const phone = await acceptedPhone(world, person);
    const { messageId, memberId } = await sent(person, phone);
    const createdSince = new Date(world.clock.now().getTime() - 3_600_000).toISOString();
    const all = { phone, memberId, status: 'queued', createdSince };
    assert.deepEqual(await idsOf(person, all), [messageId]);
    for (const other of [{ status: 'sent' }, { memberId: 0 }, { scheduledMessageId: 1 }])
      assert.deepEqual(await idsOf(person, { ...all, ...other }), []);
  });

  test('with another advisor’s ids or number matches nothing', async () => {
    const phone = await acceptedPhone(world, bob);
    const { memberId } = await sent(bob, phone);
    assert.equal((await idsOf(bob, { memberId })).length, 1);
    for (const query of [{ memberId }, { phone }]) assert.deepEqual(await idsOf(ann, query), []);
  });

  test('with a bad value is 400 and names it', async () => {
    const bad: Record<string, (string | number)[]> = {
      page: ['0', '-1', '1.5', ''],
      pageSize: ['0', '201', ''],
      sortBy: ['', 'messageId', '__proto__'],
      sortDirection: ['', 'asc', 'down'],
      phone: ['', '15005550006', '+1500555'],
      memberId: ['', '-1', 'abc', '9007199254740992'],
      scheduledMessageId: ['', '1.5', '01'],
      status: ['', 'Queued', 'submitting', 'deferred'],
      createdSince: ['', '2026-03-01', 'yesterday', '2026-13-01T00:00:00Z'],
    };
    for (const [name, values] of Object.entries(bad))
      for (const value of values) assertInvalid(await find({ [name]: value }), `/${name}`);
    assertInvalid(await ann.call('GET', `${path}?phone=+15005550006`), '/phone');
    assertInvalid(await find({ page_size: 7 }), '/page_size');
  });
});

suite('with many texts', () => {
  const phone = '+12125550000';
  before(async () => {
    const [{ memberId } = assert.fail()] = await world.database.asOwner<{ memberId: number }>(
      `insert into members (advisor_id, phone, last_changed, date_time_created)
       values ($1, $2, now(), now()) returning member_id as "memberId"`,
      [bob.advisor.advisorId, phone],
    );
    await world.database.asOwner(
      `insert into messages (
         advisor_id, message_id, member_id, kind, archive_number, status, segments, encoding, scheduled_message_id,
         date_time_created
       )
       select
         $1, 1000000 + n, $2 + n % 500, case when n % 10 = 0 then 'consent_request' else 'text' end, n,
         case when n % 100 = 1 then 'failed' else 'delivered' end, 1, 'GSM-7', case when n % 50 = 1 then n % 7 end,
         '2026-01-01'::timestamptz + n * interval '1 second'
       from generate_series(1, 30000) as n`,
      [bob.advisor.advisorId, memberId],
    );
    await world.database.asOwner('vacuum analyze messages');
  });

  test('the total is exact before and after most of them are counted for later', async () => {
    const total = async () => (await search(bob, path, { pageSize: 1 })).pageInfo.totalRecord;
    const [{ texts } = assert.fail()] = await world.database.asOwner<{ texts: number }>(
      `select count(*)::integer as texts from messages where advisor_id = $1 and kind = 'text'`,
      [bob.advisor.advisorId],
    );
    const count = () => world.database.asOwner('select texts from text_counts');
    assert.deepEqual([await count(), await total(), await total()], [[], texts, texts]);
    assert.equal((await count()).length, 1);
    await sent(bob, await acceptedPhone(world, bob));
    assert.equal(await total(), texts + 1);
    assert.equal((await search(bob, path, { page: 28_000 })).pageInfo.totalRecord, texts + 1);
    assert.equal((await search(ann, path)).pageInfo.totalRecord, (await search(ann, path)).data.length);
  });

  const filters: [name: string, filter: MessageFilter, index: string, scan?: string][] = [
    ['no filter', {}, 'messages_list'],
    ['createdSince', { createdSince: new Date('2026-01-01T08:00:00Z') }, 'messages_list'],
    ['memberId', { memberId: 1 }, 'messages_member'],
    ['phone', { phone }, 'messages_member'],
    ['a rare status', { status: 'failed' }, 'messages_troubled'],
    ['a usual status', { status: 'delivered' }, 'messages_list', 'Index Scan'],
    ['scheduledMessageId', { scheduledMessageId: 1 }, 'messages_schedule'],
  ];
  for (const [name, filter, index, scan = 'Index Only Scan'] of filters)
    test(`${name} finds its page in ${index}, in order`, async () => {
      const plan = await planOf(filter);
      const inOrder = plan.filter((line) => line.includes('Scan Backward'));
      assert.equal(inOrder.length, 1, plan.join('\n'));
      assert.match(inOrder[0] ?? '', new RegExp(`${scan} Backward using ${index} `));
      assert.ok(!plan.some((line) => line.includes('Seq Scan')), plan.join('\n'));
    });

  async function planOf(filter: MessageFilter): Promise<string[]> {
    // A test has few texts, and only of one advisor: reading all of them would be cheaper than it is with many.
    const options = '-c enable_seqscan=off -c enable_bitmapscan=off';
    const client = new pg.Client({ connectionString: world.database.url, options });
    await client.connect();
    let rows: { 'QUERY PLAN': string }[] = [];
    const query: Db['query'] = async (text, values) => {
      rows = (await client.query(`explain ${text}`, values)).rows;
      return [];
    };
    await listMessages({ query } as Db, bob.advisor.advisorId, filter, { offset: 0n, limit: 25 });
    await client.end();
    return rows.map((row) => row['QUERY PLAN']);
  }
});

testDoor(world, { method: 'GET', path, scope: 'text.messaging.read' });

import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { inTransaction } from '../../src/deps.ts';
import { type Event, listEvents, wakeReaders } from '../../src/domain/events/events.ts';
import { forgetOld } from '../../src/domain/shared/feeds.ts';
import { makeSignals } from '../../src/domain/shared/signals.ts';
import type { Db } from '../../src/store/database/db.ts';
import { connect } from '../../src/store/database/pool.ts';
import { appRole } from '../../src/store/database/schema/migrate.ts';
import { insertEvents } from '../../src/store/events/new-events.ts';
import { anotherNode, credentials } from '../support/nodes.ts';
import { memberOf, say } from '../support/people.ts';
import { acceptedPhone, newPhone, send, setConsent } from '../support/texting.ts';
import { until } from '../support/waiting.ts';
import { inject, makeWorld } from '../support/world.ts';

const world = await makeWorld({ dispatch: false });
const otherNode = connect({ connectionString: world.database.url, size: 4, timeoutMs: 5_000, role: appRole });
after(async () => {
  await otherNode.end();
  await world.close();
});
const { ann, bob } = world;
const { advisorId } = ann.advisor;
const { memberId } = await (async () => {
  const phone = await acceptedPhone(world, ann);
  return memberOf(world, ann, phone);
})();

const received = { advisorId, type: 'message.received', memberId } as const;

/** Everything after a cursor, and the cursor after it. */
async function readAll(from?: string): Promise<{ data: Event[]; cursor: string }> {
  const { data, cursor, more } = await listEvents(world.deps, advisorId, { cursor: from, pageSize: 200 });
  if (!more) return { data, cursor };
  const rest = await readAll(cursor);
  return { data: [...data, ...rest.data], cursor: rest.cursor };
}

test('a transaction that took its number first commits first, so a reader can’t pass it', async () => {
  const { cursor: start } = await readAll();
  const order: string[] = [];
  const began = Promise.withResolvers<void>();
  const mayEnd = Promise.withResolvers<void>();
  const first = inTransaction(world.deps, async ({ db }) => {
    await insertEvents(db, [received], new Date(1));
    began.resolve();
    await mayEnd.promise;
    order.push('first');
  });
  await began.promise;
  const second = otherNode
    .transaction((db) => insertEvents(db, [received], new Date(2)))
    .then(() => order.push('second'));
  // Time enough for the second to commit if nothing held it up; a sequence would have let it, and a reader would skip one.
  await pause(200);
  const { data, cursor } = await readAll(start);
  assert.deepEqual([data, order], [[], []]);
  mayEnd.resolve();
  await Promise.all([first, second]);
  assert.deepEqual(order, ['first', 'second']);
  const told = (await readAll(cursor)).data.map(({ dateTime }) => dateTime.getTime());
  assert.deepEqual(told, [1, 2]);
});

test('a rolled back transaction leaves neither its event nor a gap', async () => {
  const { cursor } = await readAll();
  await assert.rejects(
    inTransaction(world.deps, async ({ db }) => {
      await insertEvents(db, [received, received], new Date());
      throw new Error('no');
    }),
  );
  await inTransaction(world.deps, ({ db }) => insertEvents(db, [received], new Date()));
  const numbers = await world.database.asOwner<{ gap: number }>(
    `select number - coalesce(was_sent, false)::integer - lag(number) over (order by number) as gap
     from events where advisor_id = $1`,
    [advisorId],
  );
  assert.ok(numbers.slice(1).every(({ gap }) => Number(gap) === 1));
  assert.equal((await readAll(cursor)).data.length, 1);
});

test('a text whose turn comes while the person’s texts are held says so', async () => {
  const phone = await acceptedPhone(world, bob);
  const { messageId, status } = (await send(bob, { text: 'Hello', phone })).body.successes[0];
  assert.equal(status, 'queued');
  await say(world, bob, phone, 'wrong number');
  await world.dispatcher.settled();
  const { data } = await listEvents(world.deps, bob.advisor.advisorId, { pageSize: 200 });
  const told = data.filter((event) => (event.data as { messageId?: number }).messageId === messageId);
  assert.deepEqual(
    told.map((event) => (event.data as { status: string }).status),
    ['held'],
  );
});

test('thousands of waiting readers cost one query, and only those with something to see are woken', async () => {
  const signals = makeSignals();
  const last = Number((await readAll()).data.at(-1)?.id.split('_').at(-1));
  const waits = Array.from({ length: 3_000 }, (_, index) =>
    signals.eventAdded.wait({ advisorId, after: index % 2 ? last - 1 : last + 1_000 }, 60_000, signals.stopping.signal),
  );
  let queries = 0;
  const query: Db['query'] = (...statement) => {
    queries += 1;
    return world.deps.db.query(...statement);
  };
  await wakeReaders({ db: { ...world.deps.db, query }, signals });
  assert.equal(queries, 1);
  signals.stopping.abort();
  assert.equal((await Promise.all(waits)).filter(Boolean).length, 1_500);
});

test('wait is answered at once if there is something, otherwise by the next event, of any node', async () => {
  const phone = newPhone();
  const { cursor } = await readAll();
  const signals = makeSignals();
  const node = await anotherNode(world, { signals });
  const read = (query: string) =>
    inject(node, {
      method: 'GET',
      url: `/v1/text/messaging/events?${query}`,
      headers: credentials(ann.token, world.apiKey),
    });
  const waiting = read(`cursor=${cursor}&wait=30`);
  await until('it waits', () => signals.eventAdded.awaited().length === 1);
  await wakeReaders({ db: world.deps.db, signals });
  assert.equal(signals.eventAdded.awaited().length, 1);
  await setConsent(world, ann, phone, 'accepted');
  await wakeReaders({ db: world.deps.db, signals });
  const { body } = await waiting;
  assert.deepEqual(
    body.data.map(({ data }: Event) => (data as { phone: string }).phone),
    [phone],
  );
  const startedMs = Date.now();
  assert.equal((await read(`cursor=${cursor}&wait=30`)).body.data.length, 1);
  assert.equal((await read(`cursor=${body.cursor}&wait=0`)).body.data.length, 0);
  assert.ok(Date.now() - startedMs < 29_000, 'it wasn’t the wait that ended');
  const unanswered = read(`cursor=${body.cursor}&wait=1`);
  assert.deepEqual((await unanswered).body, { data: [], cursor: body.cursor, more: false });
  await node.close();
});

test('events are kept for 30 days of real time, and then go from the oldest on', async () => {
  const age = (number: number, days: number) =>
    world.database.asOwner(
      `update events set recorded_at = now() - make_interval(secs => $3) where advisor_id = $1 and number = $2`,
      [advisorId, number, days * 86_400],
    );
  await forgetOld(world.deps, 'events');
  const { data } = await readAll();
  assert.equal(data[0]?.id, `evt_${advisorId}_1`);
  await Promise.all([age(1, 31), age(2, 30.1), age(3, 29.9), age(4, 31)]);
  await world.clock.advance(60 * 24 * 60 * 60 * 1000);
  await forgetOld(world.deps, 'events');
  assert.equal((await readAll()).data[0]?.id, `evt_${advisorId}_3`);
  await age(3, 31);
  await forgetOld(world.deps, 'events');
  assert.equal((await readAll()).data[0]?.id, `evt_${advisorId}_5`);
});

import assert from 'node:assert/strict';
import { after, before, beforeEach, suite, test } from 'node:test';
import { receiveReceipt } from '../../src/domain/delivery/receipts.ts';
import { forgetOldTraffic, type Range, readTraffic, writeTraffic } from '../../src/domain/operations/traffic.ts';
import { readTrafficNow } from '../../src/domain/operations/traffic-now.ts';
import { makeSignals } from '../../src/domain/shared/signals.ts';
import {
  latencyBound,
  latencyBucket,
  makeTrafficCounts,
  percentile,
  type TrafficCounts,
} from '../../src/domain/shared/traffic-counts.ts';
import { addTraffic, type Grain } from '../../src/store/operations/traffic.ts';
import { acceptedPhone, newPhone, send, statusOf } from '../support/texting.ts';
import { until } from '../support/waiting.ts';
import { makeWorld, type World } from '../support/world.ts';

const minuteMs = 60_000;
const dayMs = 24 * 60 * minuteMs;
const sum = (amounts: (number | null)[]) => amounts.reduce<number>((all, amount) => all + (amount ?? 0), 0);

suite('latencies in buckets', () => {
  test('a percentile is right to within a bucket', () => {
    const histogram: number[] = [];
    const latencies = Array.from({ length: 5_000 }, (_, index) => 0.3 * 1.002 ** index).filter((ms) => ms < 30_000);
    for (const ms of latencies) histogram[latencyBucket(ms)] = (histogram[latencyBucket(ms)] ?? 0) + 1;
    for (const share of [0.1, 0.5, 0.95, 0.99]) {
      const exact = latencies[Math.ceil(share * latencies.length) - 1] as number;
      const found =
        percentile(
          Array.from(histogram, (amount) => amount ?? 0),
          share,
        ) ?? 0;
      assert.ok(found / exact < Math.SQRT2 && exact / found < Math.SQRT2, `${share}: ${found} instead of ${exact}`);
    }
    assert.equal(percentile([], 0.99), null);
  });

  test('a bucket includes its bound, and the last one has everything else', () => {
    assert.deepEqual([0, 0.5, 0.51, 10 ** 9].map(latencyBucket), [0, 0, 1, 33]);
    for (const bucket of [1, 7, 32]) assert.equal(latencyBucket(latencyBound(bucket) * 0.999), bucket);
  });
});

suite('traffic', () => {
  let world: World;
  before(async () => {
    world = await makeWorld();
  });
  beforeEach(async () => {
    world.deps.signals.traffic.take();
    await world.database.asOwner('delete from traffic');
  });
  after(() => world.close());

  const node = (traffic: TrafficCounts = makeTrafficCounts()) => {
    return { ...world.deps, signals: { ...makeSignals(), traffic } };
  };
  const read = (range: Range, more: { until?: Date; keyId?: number } = {}) =>
    readTraffic(world.deps, { range, ...more });

  test('of two nodes adds up, and a restart keeps it', async () => {
    const [one, two] = [node(), node()];
    for (const { signals } of [one, one, two]) signals.traffic.request(7, 'ok', 10);
    two.signals.traffic.request(7, 'not_found', 2_000);
    two.signals.traffic.texts(1, 'sent', 3);
    await Promise.all([writeTraffic(one), writeTraffic(two)]);
    const restarted = node();
    restarted.signals.traffic.request(8, 'internal_error', 10);
    await writeTraffic(restarted);
    await writeTraffic(restarted);
    for (const range of ['hour', 'day', 'week', 'month', 'year'] as const) {
      const { requests, texts, totals, keys, problems, times } = await read(range);
      assert.deepEqual([sum(requests.ok), sum(requests.refused), sum(requests.failed)], [3, 1, 1], range);
      assert.equal(sum(texts.sent), 3);
      assert.equal(totals.requests.all, 5);
      assert.equal(requests.ok.length, times.length);
      const seven = keys.find(({ keyId }) => keyId === 7);
      assert.ok((seven?.p50 ?? 0) < 12 && (seven?.p99 ?? 0) > 1_400, 'its histogram is that of both nodes');
      assert.deepEqual(problems.map(({ code }) => code).sort(), ['internal_error', 'not_found']);
      assert.equal((await read(range, { keyId: 8 })).totals.requests.all, 1);
    }
  });

  test('that can’t be written is written later, and nothing twice', async () => {
    const broken = node();
    broken.signals.traffic.request(7, 'ok', 1);
    const db = { ...world.deps.db, query: () => Promise.reject(new Error('It is away.')) };
    await assert.rejects(writeTraffic({ ...broken, db }), /away/);
    broken.signals.traffic.request(7, 'ok', 1);
    await writeTraffic(broken);
    await writeTraffic(broken);
    assert.equal((await read('hour')).totals.requests.all, 2);
  });

  test('belongs to the minute in which it was', async () => {
    let now = Date.now() - 10 * minuteMs;
    const slow = node(makeTrafficCounts(() => now));
    slow.signals.traffic.request(7, 'ok', 1);
    now += 3 * minuteMs;
    slow.signals.traffic.request(7, 'ok', 1);
    await writeTraffic(slow);
    const { requests, times } = await read('hour');
    const counted = times.flatMap((time, step) => (requests.ok[step] === 1 ? time.getTime() : []));
    assert.deepEqual(
      counted,
      [now - 3 * minuteMs, now].map((at) => at - (at % minuteMs)),
    );
  });

  test('is read in the finest grain that is kept, without gaps', async () => {
    const shapes = await Promise.all(
      (['hour', 'day', 'week', 'month', 'year'] as const).map(async (range) => {
        const { grain, stepSeconds, times, latencies } = await read(range);
        assert.equal(latencies.p99.length, times.length);
        return [range, grain, stepSeconds / 60, times.length];
      }),
    );
    assert.deepEqual(shapes, [
      ['hour', 'minute', 1, 60],
      ['day', 'minute', 15, 96],
      ['week', 'hour', 60, 168],
      ['month', 'hour', 360, 120],
      ['year', 'day', 1440, 365],
    ]);
    const at = (days: number) => new Date(Date.now() - days * dayMs);
    assert.equal((await read('day', { until: at(3) })).grain, 'hour');
    assert.equal((await read('day', { until: at(100) })).grain, 'day');
    assert.equal((await read('month', { until: at(100) })).stepSeconds, 24 * 60 * 60);
  });

  test('is compared with the time before, a day with that of the week before', async () => {
    const about = { kind: 'text', subjectId: 1, outcome: 'sent', latencies: [] as number[] } as const;
    const hour = (daysAgo: number) => new Date(Math.floor(Date.now() / 3_600_000 - 2 - daysAgo * 24) * 3_600_000);
    await addTraffic(world.deps.db, [
      { ...about, grain: 'hour', dateTime: hour(7), amount: 50 },
      { ...about, grain: 'hour', dateTime: hour(1), amount: 9 },
      { ...about, grain: 'hour', dateTime: hour(0), amount: 54 },
    ]);
    const { totals, before } = await read('day');
    assert.deepEqual([totals.texts.sent, before.texts.sent], [54, 50]);
  });

  test('is deleted when it is old: minutes after 48 hours, hours after 90 days, days after two years', async () => {
    const kept: [Grain, number][] = [
      ['minute', 2],
      ['hour', 90],
      ['day', 731],
    ];
    for (const [grain, days] of kept)
      for (const [nth, ageDays] of [days - 0.1, days + 0.1].entries()) {
        const dateTime = new Date(Date.now() - ageDays * dayMs);
        await addTraffic(world.deps.db, [
          { grain, dateTime, kind: 'request', subjectId: nth, outcome: 'ok', amount: 1, latencies: [] },
        ]);
      }
    await forgetOldTraffic(world.deps);
    const left = await world.database.asOwner('select grain, subject_id::integer as nth from traffic order by grain');
    assert.deepEqual(
      left,
      ['day', 'hour', 'minute'].map((grain) => ({ grain, nth: 0 })),
    );
  });

  test('has each request by its key and its problem, and no page', async () => {
    const { ann, app, deps } = world;
    await ann.call('GET', '/core/contact/contacts/424242');
    await ann.call('GET', '/core/contact/contacts/424242', undefined, { 'x-api-key': 'wrong' });
    await app.inject('/healthz');
    await app.inject('/v1/nothing');
    await writeTraffic(deps);
    const { keys, requests, latencies } = await read('hour');
    const called = keys.filter(({ all }) => all > 0);
    assert.deepEqual(called.map(({ key, all }) => [key?.applicationName ?? '?', all]).sort(), [
      ['?', 1],
      ['Test CRM', 1],
    ]);
    assert.equal(sum(requests.refused), 2);
    assert.ok(latencies.p50.some((ms) => ms !== null && ms > 0));
  });

  test('has no latency of a request that waits', async () => {
    const { ann, deps } = world;
    const { body } = await ann.call('GET', '/text/messaging/events?pageSize=200');
    assert.equal((await ann.call('GET', `/text/messaging/events?cursor=${body.cursor}&wait=1`)).status, 200);
    await writeTraffic(deps);
    assert.equal((await read('hour')).totals.requests.all, 2);
    const [measured] = await world.database.asOwner<{ requests: number }>(
      `select sum(each)::integer as requests
       from traffic, unnest(latencies) as each
       where grain = 'minute' and kind = 'request'`,
    );
    assert.equal(measured?.requests, 1);
  });

  test('has texts by outcome and carrier, and those that lacked consent', async () => {
    const { ann, deps } = world;
    const phone = await acceptedPhone(world, ann);
    const { body } = await send(ann, { phone, text: 'Hello' });
    await send(ann, { phone: newPhone(), text: 'Hello' });
    await statusOf(ann, body.successes[0].messageId, 'delivered');
    await until('everything is counted', async () => {
      await writeTraffic(deps);
      const { accepted, sent, delivered } = (await read('hour')).totals.texts;
      return delivered > 0 && sent === accepted;
    });
    const { texts, carriers } = await read('hour');
    const accepted = sum(texts.accepted);
    assert.ok(accepted >= 1);
    assert.deepEqual([sum(texts.sent), sum(texts.failed), sum(texts.refused)], [accepted, 0, 1]);
    const [carrier] = carriers.filter(({ texts }) => texts.sent > 0);
    assert.equal(carrier?.carrierId, 1);
    assert.ok((carrier?.p99 ?? 0) > 0, 'how long the carrier took is known');

    const [{ id = '' } = {}] = await world.database.asOwner<{ id: string }>(
      'select carrier_message_id as id from messages where message_id = $1',
      [body.successes[0].messageId],
    );
    await receiveReceipt(deps, 1, { carrierMessageId: id, status: 'delivered' });
    await writeTraffic(deps);
    assert.equal(
      (await read('hour')).totals.texts.delivered,
      sum(texts.delivered),
      'a repeated receipt says nothing new',
    );
  });

  test('says when a backlog will be over, and since when a carrier has trouble', async () => {
    const now = Date.now();
    const minute = Math.floor(now / minuteMs) * minuteMs;
    const row = { grain: 'minute', kind: 'text', subjectId: 1, latencies: [] as number[] } as const;
    await addTraffic(world.deps.db, [
      { ...row, dateTime: new Date(minute - minuteMs), outcome: 'sent', amount: 600 },
      { ...row, dateTime: new Date(minute - 3 * minuteMs), outcome: 'not_taken', amount: 5 },
      { ...row, dateTime: new Date(minute - 7 * minuteMs), outcome: 'not_taken', amount: 5 },
      { ...row, dateTime: new Date(minute - 30 * minuteMs), outcome: 'not_taken', amount: 5 },
    ]);
    const [carrier] = (await readTrafficNow(world.deps)).carriers;
    assert.ok(carrier && carrier.perSecond > 600 / 181 && carrier.perSecond <= 5);
    assert.equal(carrier.clearsAt, null, 'nothing waits');
    assert.deepEqual(carrier.troubledSince, new Date(minute - 7 * minuteMs));
  });
});

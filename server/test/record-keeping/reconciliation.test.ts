import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { getFirm } from '../../src/domain/accounts/firms.ts';
import { byOperator, deployment } from '../../src/domain/archive/archive.ts';
import type { CarrierRecord } from '../../src/domain/ports.ts';
import { reconcile, reconcileDue } from '../../src/domain/record-keeping/reconciliation.ts';
import { makeSignals } from '../../src/domain/shared/signals.ts';
import { dayMs, dayOf, startOf } from '../../src/domain/shared/time.ts';
import { sandboxCarrierId } from '../../src/store/carriers/carriers.ts';
import { fixedCarriers } from '../support/carriers.ts';
import { acceptedPhone, newPhone, send, setConsent, statusOf } from '../support/texting.ts';
import { makeWorld } from '../support/world.ts';

const world = await makeWorld();
after(() => world.close());
const { deps, database, clock, ann } = world;
const { advisorId } = ann.advisor;
const minuteMs = 60_000;

/** Noon of the next day, so that no test runs into midnight. */
async function newDay(): Promise<string> {
  const now = clock.now().getTime();
  await clock.advance(startOf(dayOf(new Date(now + dayMs))).getTime() + dayMs / 2 - now);
  return dayOf(clock.now());
}

const compare = async (day: string, on = deps) => reconcile(on, { firstDay: day, lastDay: day }, byOperator);

/** A text to a phone that has accepted, once its status is one of these. */
async function sent(phone: string, ...statuses: string[]): Promise<number> {
  await setConsent(world, ann, phone, 'accepted');
  const { body } = await send(ann, { phone, text: `To ${phone}` });
  const [{ messageId }] = body.successes;
  await statusOf(ann, messageId, ...statuses);
  return messageId;
}

type WrittenEntry = { actor: string; meta: Record<string, unknown>; body: Record<string, unknown> };

async function written(): Promise<WrittenEntry[]> {
  const rows = await database.asOwner<{ actor: string; meta: string; body: string }>(
    `select actor, meta, convert_from(body, 'UTF8') as body
     from archive_entries
     join archive_bodies using (advisor_id, number)
     where advisor_id = $1 and kind = 'reconciliation'
     order by number`,
    [deployment],
  );
  return rows.map(({ actor, meta, body }) => ({ actor, meta: JSON.parse(meta), body: JSON.parse(body) }));
}

const staged = async () => (await database.asOwner('select from carrier_records')).length;

test('a normal day agrees, even with texts that are in doubt, undelivered, retried or still waiting', async () => {
  const day = await newDay();
  await sent(newPhone(), 'delivered');
  await sent('+15005550007', 'undelivered');
  await sent('+15005550021', 'delivered');
  const doubtful = await sent('+15005550022', 'in_doubt');
  await clock.advance(10 * minuteMs);
  const waiting = await acceptedPhone(world, ann);
  await send(ann, { phone: waiting, text: 'Just now' });
  const found = await compare(day);
  assert.deepEqual(found.first, []);
  assert.deepEqual([found.carrier, found.discrepancies], ['sandbox', 0]);
  assert.deepEqual(
    found.doubts.map(({ messageId, carrierRecord }) => [messageId, carrierRecord !== null]),
    [[doubtful, true]],
    'the carrier has it',
  );
  assert.deepEqual(found.counts, { attempts: 3, carrierRecords: 4, inDoubt: 1 });
  assert.deepEqual(found.advisors[advisorId], { compared: 7, discrepancies: 0 });
  const [entry] = (await written()).slice(-1);
  assert.deepEqual(
    [entry?.actor, entry?.meta.from, entry?.meta.to, entry?.meta.discrepancies],
    ['operator', day, day, 0],
  );
  assert.equal(await staged(), 0);
});

test('everything that is missing on one side or differs is found and named', async () => {
  const day = await newDay();
  const ids: number[] = [];
  for (let count = 0; count < 4; count += 1) ids.push(await sent(newPhone(), 'delivered'));
  const [lost, changed, attemptless, messageless] = ids as [number, number, number, number];
  await sent('+15005550022', 'in_doubt');
  const carrierId = async (messageId: number) => {
    const [row] = await database.asOwner<{ id: string }>(
      'select carrier_message_id as id from messages where message_id = $1',
      [messageId],
    );
    return row?.id ?? '';
  };
  const names = new Map(await Promise.all(ids.map(async (id) => [id, await carrierId(id)] as const)));
  await database.asOwner('delete from handset_messages where carrier_message_id = $1', [names.get(lost)]);
  await database.asOwner('update handset_messages set text = text || $2 where carrier_message_id = $1', [
    names.get(changed),
    '\u200b',
  ]);
  await database.asOwner('update messages set date_time_sent = null where message_id = $1', [attemptless]);
  await database.asOwner('delete from messages where message_id = $1', [messageless]);
  // A second record for the text in doubt, which explains only one; and a text that nobody here sent.
  await database.asOwner(
    `insert into handset_messages (phone, texting_number, text, carrier_message_id, date_time_created)
     select phone, texting_number, text, 'twice', date_time_created
     from handset_messages
     where phone = '+15005550022'
     order by handset_message_id desc
     limit 1`,
  );
  await database.asOwner(
    `insert into handset_messages (phone, texting_number, text, carrier_message_id, date_time_created)
     values ('+12125550199', '+19998887777', 'Off the books', 'stray', $1)`,
    [clock.now()],
  );
  await clock.advance(10 * minuteMs);
  const found = await compare(day);
  const discrepancies = found.first.map((each) => [each.kind, each.advisorId, each.what] as const);
  assert.deepEqual(
    discrepancies.toSorted(),
    [
      ['accepted attempt without a carrier record', advisorId, `message ${lost}`],
      ['carrier record that differs', advisorId, `carrier record ${names.get(changed)} of message ${changed}`],
      [
        'carrier record without an attempt',
        advisorId,
        `carrier record ${names.get(attemptless)} of message ${attemptless}`,
      ],
      ['carrier record without an attempt', advisorId, `carrier record ${names.get(messageless)}`],
      ['carrier record without an attempt', advisorId, 'carrier record twice'],
      ['carrier record without an attempt', null, 'carrier record stray'],
    ].toSorted(),
  );
  assert.equal(found.discrepancies, discrepancies.length);
  assert.deepEqual(found.advisors.nobody, { compared: 1, discrepancies: 1 });
  const [entry] = (await written()).slice(-1);
  assert.equal(entry?.meta.discrepancies, discrepancies.length);
  assert.deepEqual(entry?.body.first, found.first);
});

test('a text that is just being handed over explains the carrier’s record of it', async () => {
  const day = await newDay();
  const messageId = await sent(newPhone(), 'delivered');
  // As it was before the carrier's answer came.
  await database.asOwner(
    `update messages set attempt = 0, carrier_message_id = null, date_time_sent = null where message_id = $1`,
    [messageId],
  );
  await database.asOwner(
    `insert into claims (advisor_id, carrier_id, date_time_started, leased_until, advisor_ids, message_ids, attempts)
     values ($2, 1, $1, $1::timestamptz + interval '1 day', array[$2::bigint], array[$3::bigint], '{1}')`,
    [clock.now(), advisorId, messageId],
  );
  await clock.advance(10 * minuteMs);
  const { counts, discrepancies } = await compare(day);
  await database.asOwner('delete from claims');
  assert.deepEqual([counts.carrierRecords, counts.inDoubt, discrepancies], [1, 0, 0], 'it is not in doubt yet');
});

test('with a carrier that keeps no records, nothing is compared', async () => {
  const day = await newDay();
  await sent(newPhone(), 'delivered');
  await database.asOwner('delete from handset_messages');
  await clock.advance(10 * minuteMs);
  const { records: _, ...carrier } = deps.carriers.find(sandboxCarrierId)?.carrier ?? assert.fail();
  const { counts, discrepancies, carrier: name } = await compare(day, { ...deps, carriers: fixedCarriers(carrier) });
  assert.deepEqual([name, counts.attempts, counts.carrierRecords, discrepancies], [null, 0, 0, 0]);
});

test('many records are compared in batches, only the first are named, and none stays staged', async () => {
  const day = await newDay();
  const at = clock.now();
  const carrier = deps.carriers.find(sandboxCarrierId)?.carrier ?? assert.fail();
  async function* records(): AsyncGenerator<CarrierRecord> {
    for (let id = 0; id < 5_500; id += 1) {
      yield { carrierMessageId: `unknown ${id}`, from: '+15005552001', to: '+12125550100', dateTime: at };
    }
  }
  await clock.advance(10 * minuteMs);
  const found = await compare(day, { ...deps, carriers: fixedCarriers({ ...carrier, records }) });
  assert.deepEqual([found.counts.carrierRecords, found.discrepancies, found.first.length], [5_500, 5_500, 100]);
  assert.equal(await staged(), 0);
});

test('each day is compared once, on one of the nodes, and none is left out', async () => {
  await newDay();
  const before = (await written()).length;
  await Promise.all([reconcileDue(deps), reconcileDue(deps), reconcileDue(deps)]);
  await reconcileDue(deps);
  const yesterday = dayOf(new Date(clock.now().getTime() - dayMs));
  const daysSince = async () => (await written()).slice(before).map(({ actor, meta }) => [actor, meta.from, meta.to]);
  const first = dayOf((await getFirm(deps, ann.advisor.firmId)).dateTimeCreated);
  assert.deepEqual(await daysSince(), [['service', first, yesterday]]);
  const missed = await newDay();
  await newDay();
  const { records: _, ...carrier } = deps.carriers.find(sandboxCarrierId)?.carrier ?? assert.fail();
  async function* broken(): AsyncGenerator<CarrierRecord> {
    yield { carrierMessageId: 'x', from: 'x', to: 'x', dateTime: clock.now() };
    throw new Error('The carrier is unavailable.');
  }
  await assert.rejects(
    reconcileDue({ ...deps, carriers: fixedCarriers({ ...carrier, records: broken }) }),
    /is unavailable/,
  );
  assert.equal(await staged(), 0);
  await reconcileDue(deps);
  const afterIt = dayOf(new Date(startOf(yesterday).getTime() + dayMs));
  assert.deepEqual(await daysSince(), [
    ['service', first, yesterday],
    ['service', afterIt, missed],
  ]);
});

/** The node’s carrier, with a count of how often its records were asked for. */
function counting() {
  const carrier = deps.carriers.find(sandboxCarrierId)?.carrier ?? assert.fail();
  const counted = { periods: 0, onRecords: () => {} };
  const records = (from: Date, to: Date) => {
    counted.periods += 1;
    counted.onRecords();
    return carrier.records?.(from, to) ?? assert.fail();
  };
  return { counted, carriers: fixedCarriers({ ...carrier, records }) };
}

test('a node that is stopping ends between two steps, and the next one compares the same days', async () => {
  await sent(newPhone(), 'delivered');
  await clock.advance(100 * dayMs);
  await newDay();
  const before = (await written()).length;
  const { counted, carriers } = counting();
  const signals = makeSignals();
  counted.onRecords = () => signals.stopping.abort();
  const stopping = reconcileDue({ ...deps, carriers, signals });
  await assert.rejects(stopping, { name: 'AbortError' });
  assert.deepEqual([counted.periods, (await written()).length], [1, before]);
  await reconcileDue(deps);
  assert.equal((await written()).length, before + 1);
});

test('a jump of the clock by thousands of years is compared in a few steps, and nothing on either side is left out', async () => {
  await reconcileDue(deps);
  await sent(newPhone(), 'delivered');
  await clock.advance(4_000 * 365 * dayMs);
  await sent(newPhone(), 'delivered');
  // The carrier has one in the middle of the time in which we have nothing.
  await database.asOwner(
    `insert into handset_messages (phone, texting_number, text, carrier_message_id, date_time_created)
     values ('+12125550198', '+19998887777', 'Off the books', 'alone', $1)`,
    [new Date(clock.now().getTime() - 2_000 * 365 * dayMs)],
  );
  await clock.advance(Date.UTC(9999, 11, 30) - clock.now().getTime());
  const { counted, carriers } = counting();
  await reconcileDue({ ...deps, carriers });
  const [entry] = (await written()).slice(-1);
  assert.deepEqual([entry?.meta.to, entry?.meta.attempts, entry?.meta.carrierRecords], ['9999-12-28', 2, 3]);
  assert.deepEqual(entry?.body.kinds, { 'carrier record without an attempt': 1 });
  assert.ok(counted.periods < 100, `${counted.periods} steps`);
});

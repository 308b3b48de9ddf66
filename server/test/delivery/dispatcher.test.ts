import assert from 'node:assert/strict';
import { after, afterEach, before, suite, test } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import type { Deps } from '../../src/deps.ts';
import { type ClaimedText, claimTexts } from '../../src/domain/delivery/claims.ts';
import { type Dispatcher, dispatcher } from '../../src/domain/delivery/dispatcher.ts';
import { outcomeOf } from '../../src/domain/delivery/outcomes.ts';
import type { Carrier, OutgoingText, Submission } from '../../src/domain/ports.ts';
import { makeSignals } from '../../src/domain/shared/signals.ts';
import { beginWithinMs } from '../../src/domain/texting/claimed-texts.ts';
import { makeLog } from '../../src/log.ts';
import { sandboxCarrierId } from '../../src/store/carriers/carriers.ts';
import type { Pool } from '../../src/store/database/db.ts';
import { connect } from '../../src/store/database/pool.ts';
import { appRole } from '../../src/store/database/schema/migrate.ts';
import { startProxy } from '../support/database-proxy.ts';
import { acceptedPhone, handset, lookUp, messagesPath, send, statusOf } from '../support/texting.ts';
import { until } from '../support/waiting.ts';
import { inject, makeWorld, type World } from '../support/world.ts';

const hourMs = 3_600_000;
const log = makeLog('silent');

type Behavior = (text: OutgoingText, submission: number) => Promise<Submission> | Submission;

/** A carrier that does what the test says for a number, and otherwise takes everything. It remembers every submission. */
function makeCarrier() {
  const submitted: OutgoingText[] = [];
  const behaviors = new Map<string, Behavior>();
  let ids = 0;
  const carrier: Carrier = {
    name: 'test',
    check: () => null,
    async submit(text) {
      submitted.push(text);
      const behave = behaviors.get(text.to);
      return behave ? behave(text, to(text.to).length) : { accepted: `test-${++ids}` };
    },
    listen: () => async () => {},
  };
  const to = (phone: string) => submitted.filter((text) => text.to === phone);
  return { carrier, submitted, to, behave: (phone: string, how: Behavior) => void behaviors.set(phone, how) };
}

suite('handing texts to the carrier', () => {
  const { carrier, to, behave } = makeCarrier();
  let world: World;
  before(async () => {
    world = await makeWorld({ carrier });
  });
  after(() => world.close());

  async function sendTo(phone: string): Promise<number> {
    const { body } = await send(world.ann, { phone, text: 'Hello' });
    assert.equal(body.failures.length, 0);
    return body.successes[0].messageId;
  }

  test('a text that the carrier takes is sent', async () => {
    const phone = await acceptedPhone(world, world.ann);
    const messageId = await sendTo(phone);
    const { dateTimeSent, failureCode } = await statusOf(world.ann, messageId, 'sent');
    assert.ok(dateTimeSent);
    assert.equal(failureCode, null);
    const { textingNumber } = world.ann.advisor;
    const [{ beginBy, ...text } = assert.fail(), ...others] = to(phone);
    assert.deepEqual(
      [text, others],
      [{ from: textingNumber, to: phone, text: 'Hello', kind: 'text', reference: messageId }, []],
    );
    assert.ok(Number(beginBy) <= performance.now() + beginWithinMs);
  });

  test('a text that was definitely not taken is retried with backoff', async () => {
    const phone = await acceptedPhone(world, world.ann);
    const at: number[] = [];
    behave(phone, (_text, submission) => {
      at.push(Date.now());
      return submission < 3 ? { notTaken: 'busy' } : { accepted: `retried-${phone}` };
    });
    await statusOf(world.ann, await sendTo(phone), 'sent');
    const [first = 0, second = 0, third = 0] = at;
    assert.equal(at.length, 3);
    // 300 ms and 600 ms, less a fifth.
    assert.ok(second - first >= 235 && third - second >= 475, at.join());
  });

  test('a text that the carrier refuses fails with its reason, and isn’t retried', async () => {
    const phone = await acceptedPhone(world, world.ann);
    behave(phone, () => ({ refused: 'rejected' }));
    const { failureCode } = await statusOf(world.ann, await sendTo(phone), 'failed');
    assert.equal(failureCode, 'rejected');
    assert.equal(to(phone).length, 1);
  });

  test('"this person opted out" opts the person out', async () => {
    const phone = await acceptedPhone(world, world.ann);
    behave(phone, () => ({ refused: 'opted_out' }));
    const { failureCode } = await statusOf(world.ann, await sendTo(phone), 'failed');
    assert.equal(failureCode, 'opted_out');
    assert.equal((await lookUp(world.ann, phone)).body.state, 'opted_out');
    assert.equal((await send(world.ann, { phone, text: 'Again' })).body.failureDetails[0].code, 'opted_out');
    assert.equal(to(phone).length, 1);
  });

  test('when the carrier throws, the text is in doubt and never sent again', async () => {
    const phone = await acceptedPhone(world, world.ann);
    behave(phone, () => {
      throw new Error('The answer was lost.');
    });
    const messageId = await sendTo(phone);
    await statusOf(world.ann, messageId, 'in_doubt');
    await pause(700);
    await world.dispatcher.settled();
    assert.equal((await statusOf(world.ann, messageId, 'in_doubt')).dateTimeSent, null);
    assert.equal(to(phone).length, 1);
  });

  test('a slow text holds up no other', async () => {
    const slow = await acceptedPhone(world, world.ann);
    const { promise, resolve: answer } = Promise.withResolvers<Submission>();
    behave(slow, () => promise);
    const slowId = await sendTo(slow);
    await until('the slow text is with the carrier', () => to(slow).length === 1);
    for (let each = 0; each < 3; each++)
      await statusOf(world.ann, await sendTo(await acceptedPhone(world, world.ann)), 'sent');
    assert.equal((await world.ann.call('GET', `${messagesPath}/${slowId}`)).body.status, 'queued');
    answer({ accepted: 'after all' });
    await statusOf(world.ann, slowId, 'sent');
  });

  test('after the timeout a text is in doubt, until a late answer settles it', async () => {
    const slow = await acceptedPhone(world, world.ann);
    const { promise, resolve: answer } = Promise.withResolvers<Submission>();
    behave(slow, () => promise);
    const { carrierTimeoutMs } = world.config;
    Object.assign(world.config, { carrierTimeoutMs: 50 });
    const slowId = await sendTo(slow);
    await statusOf(world.ann, slowId, 'in_doubt');
    Object.assign(world.config, { carrierTimeoutMs });
    answer({ accepted: 'late after all' });
    await statusOf(world.ann, slowId, 'sent');
    assert.equal(to(slow).length, 1);
  });

  test('a node that dies after a claim leaves its text in doubt, and nobody sends it', async () => {
    const quiet = await makeWorld({ carrier, dispatch: false });
    try {
      const phone = await acceptedPhone(quiet, quiet.ann);
      const { messageId } = (await send(quiet.ann, { phone, text: 'Hello' })).body.successes[0];
      assert.equal((await claimTexts(quiet.deps, sandboxCarrierId, 10)).texts.length, 1);
      await quiet.database.asOwner(`update claims set leased_until = now() - interval '1 ms'`);
      quiet.dispatcher.start();
      await statusOf(quiet.ann, messageId, 'in_doubt');
      assert.equal(to(phone).length, 0);
    } finally {
      await quiet.close();
    }
  });

  test('a text that can’t begin soon after its claim goes back unsent: a STOP may have come', async () => {
    const quiet = await makeWorld({ carrier, dispatch: false });
    const late = dispatcher({ ...quiet.deps, db: { ...quiet.deps.db, transaction: outdated(quiet.deps.db) } }, log);
    try {
      const phone = await acceptedPhone(quiet, quiet.ann);
      const { messageId } = (await send(quiet.ann, { phone, text: 'Hello' })).body.successes[0];
      await late.settled();
      await late.stop();
      assert.equal(to(phone).length, 0);
      quiet.dispatcher.start();
      await statusOf(quiet.ann, messageId, 'sent');
      assert.equal(to(phone).length, 1);
      const attempts = await quiet.database.asOwner('select attempt, outcome, code from attempts');
      assert.deepEqual(attempts, [{ attempt: 1, outcome: 'not_taken', code: 'not_begun' }]);
    } finally {
      await quiet.close();
    }
  });

  /** A database whose first claim comes back late. */
  function outdated(db: Deps['db']): Deps['db']['transaction'] {
    let isLate = true;
    return async (work) => {
      const result = await db.transaction(work);
      const [first] = (result as { texts?: ClaimedText[] } | undefined)?.texts ?? [];
      if (first && isLate) first.claim.beginBy = performance.now() - 1;
      if (first) isLate = false;
      return result;
    };
  }

  test('the twelfth try is the last', () => {
    const text = (attempt: number) => ({ attempt, tries: attempt - 1, claim: {} }) as ClaimedText;
    for (let attempt = 1; attempt < 12; attempt++) {
      const before = Date.now();
      const { status, retryAt } = outcomeOf(text(attempt), { notTaken: 'busy' }, new Date());
      const after = Date.now();
      assert.equal(status, 'queued');
      const expected = Math.min(300 * 2 ** (attempt - 1), 60_000);
      assert.ok(Number(retryAt) - before >= expected * 0.8 - 1, `${attempt}: ${Number(retryAt) - before}`);
      assert.ok(Number(retryAt) - after <= expected * 1.2 + 1, `${attempt}: ${Number(retryAt) - after}`);
    }
    const { status, failureCode, retryAt, facts } = outcomeOf(text(12), { notTaken: 'busy' }, new Date());
    assert.deepEqual([status, failureCode, retryAt], ['failed', 'carrier_unavailable', null]);
    assert.deepEqual(facts, { carrierCode: 'busy' });
  });

  test('a carrier that is throttling or not there uses up no try', () => {
    const text = { attempt: 1_000, tries: 11, claim: {} } as ClaimedText;
    const { status, tries } = outcomeOf(text, { notTaken: 'throttled', unavailable: true }, new Date());
    assert.deepEqual([status, tries], ['queued', 11]);
  });
});

suite('a carrier that is down', () => {
  test('is left alone after failures for five people in a row, then probed with one text', async () => {
    const { carrier, submitted, behave } = makeCarrier();
    const world = await makeWorld({ carrier, dispatch: false });
    const { promise: isUp, resolve: comeUp } = Promise.withResolvers<void>();
    try {
      const phones = await Promise.all(Array.from({ length: 30 }, () => acceptedPhone(world, world.ann)));
      const triedAt: number[] = [];
      for (const phone of phones)
        behave(phone, async () => {
          triedAt.push(performance.now());
          if (triedAt.length <= phones.length) return { notTaken: 'down' };
          await isUp;
          return { accepted: `up ${phone}` };
        });
      await send(world.ann, { phoneNumbers: phones, text: 'Hello' });
      world.dispatcher.start();
      await until('all were tried once', () => submitted.length >= phones.length);
      await until('one more is tried', () => submitted.length > phones.length);
      await pause(300);
      assert.equal(submitted.length, phones.length + 1, 'one text is a probe');
      comeUp();
      await until('all are sent', async () => (await count(world, 'sent')) === phones.length);
      // By when they were tried, since this test may look much later: it is open for a second.
      const [fifth = 0, probe = 0] = [triedAt[4], triedAt[phones.length]];
      assert.ok(probe - fifth >= 995, `the probe came ${probe - fifth} ms after the fifth failure`);
    } finally {
      await world.close();
    }
  });
});

suite('many texts at once', () => {
  test('at most a thousand are with the carrier; stopping waits for those and claims no more', async () => {
    const { carrier, submitted } = makeCarrier();
    const { promise: released, resolve: release } = Promise.withResolvers<void>();
    let begun = 0;
    const slow: Carrier = {
      ...carrier,
      async submit(text) {
        begun += 1;
        await released;
        return carrier.submit(text);
      },
    };
    const world = await makeWorld({ carrier: slow, dispatch: false });
    try {
      const phones = await Promise.all(Array.from({ length: 100 }, () => acceptedPhone(world, world.ann)));
      for (let each = 0; each < 12; each++) await send(world.ann, { phoneNumbers: phones, text: `Hello ${each}` });
      world.dispatcher.start();
      await until('a thousand are with the carrier', () => begun === 1_000);
      await pause(600);
      assert.equal(begun, 1_000);
      const stopped = world.dispatcher.stop();
      release();
      await stopped;
      assert.deepEqual([submitted.length, await count(world, 'sent')], [1_000, 1_000]);
      assert.equal(await count(world, 'queued'), 200);
    } finally {
      await world.close();
    }
  });

  test('a number’s pace is kept, in order', async () => {
    const { carrier, submitted } = makeCarrier();
    const world = await makeWorld({ carrier });
    try {
      await world.database.asOwner('update advisors set texting_pace = 20');
      const phone = await acceptedPhone(world, world.ann);
      const startedAt = performance.now();
      for (let each = 0; each < 8; each++) await send(world.ann, { phone, text: `Text ${each}` });
      await until('all went out', () => submitted.length === 8);
      assert.ok(performance.now() - startedAt >= 7 * 50);
      assert.deepEqual(
        submitted.map(({ text }) => text),
        Array.from({ length: 8 }, (_, each) => `Text ${each}`),
      );
    } finally {
      await world.close();
    }
  });
});

suite('more than one node', () => {
  test('two dispatchers on one database never submit a text twice', async () => {
    const { carrier, submitted } = makeCarrier();
    const world = await makeWorld({ carrier, dispatch: false });
    const otherPool = connect({ connectionString: world.database.url, size: 5, timeoutMs: 5_000, role: appRole });
    const other = dispatcher({ ...world.deps, db: otherPool, signals: makeSignals() }, log);
    try {
      const phones = await Promise.all(Array.from({ length: 100 }, () => acceptedPhone(world, world.ann)));
      world.dispatcher.start();
      other.start();
      for (let each = 0; each < 10; each++) await send(world.ann, { phoneNumbers: phones, text: `Hello ${each}` });
      await until('all are sent', async () => (await count(world, 'sent')) === 1_000);
      const distinct = new Set(submitted.map(({ to, text }) => `${to} ${text}`));
      assert.deepEqual([submitted.length, distinct.size], [1_000, 1_000]);
    } finally {
      await other.stop();
      await otherPool.end();
      await world.close();
    }
  });

  test('one that has nothing to do looks without beginning a transaction, and finds what another one accepted', async () => {
    const { carrier, to } = makeCarrier();
    const world = await makeWorld({ carrier, dispatch: false });
    const phone = await acceptedPhone(world, world.ann);
    let begun = 0;
    const db: Deps['db'] = {
      ...world.deps.db,
      transaction(work) {
        begun += 1;
        return world.deps.db.transaction(work);
      },
    };
    const idle = dispatcher({ ...world.deps, db, signals: makeSignals() }, log);
    try {
      idle.start();
      await until('it has tried to claim', () => begun > 0);
      await pause(600);
      assert.equal(begun, 1);
      await send(world.ann, { phone, text: 'Hello' });
      await until('it is sent', () => to(phone).length === 1);
    } finally {
      await idle.stop();
      await world.close();
    }
  });
});

suite('the database is unavailable', () => {
  const { carrier, to, behave } = makeCarrier();
  let world: World;
  let proxy: Awaited<ReturnType<typeof startProxy>>;
  let pool: Pool;
  let node: Dispatcher;
  before(async () => {
    world = await makeWorld({ carrier, dispatch: false });
    proxy = await startProxy(world.database.url);
    pool = connect({ connectionString: proxy.url, size: 4, timeoutMs: 1_000, role: appRole, settleMs: 3_000 });
    node = dispatcher({ ...world.deps, db: pool }, log);
    node.start();
  });
  after(async () => {
    proxy.fate = 'pass';
    await node.stop();
    await pool.end();
    await proxy.close();
    await world.close();
  });
  afterEach(() => {
    proxy.fate = 'pass';
  });

  async function sendTo(phone: string): Promise<number> {
    return (await send(world.ann, { phone, text: 'Hello' })).body.successes[0].messageId;
  }

  test('after the carrier took a text: the outcome is written once the database is back', async () => {
    const phone = await acceptedPhone(world, world.ann);
    behave(phone, () => {
      proxy.fate = 'cut the cable';
      proxy.drop();
      return { accepted: 'during an outage' };
    });
    const messageId = await sendTo(phone);
    await until('it was submitted', () => to(phone).length === 1);
    await pause(500);
    assert.equal((await world.ann.call('GET', `${messagesPath}/${messageId}`)).body.status, 'queued');
    proxy.fate = 'pass';
    await statusOf(world.ann, messageId, 'sent');
    assert.equal(to(phone).length, 1);
  });

  test('during a claim: its commit is looked up, and the text goes out once', async () => {
    const phone = await acceptedPhone(world, world.ann);
    proxy.fate = 'lose the answer';
    const messageId = await sendTo(phone);
    await pause(300);
    proxy.fate = 'pass';
    await statusOf(world.ann, messageId, 'sent');
    assert.equal(to(phone).length, 1);
  });

  test('before a claim: the dispatcher recovers without help', async () => {
    proxy.fate = 'cut the cable';
    proxy.drop();
    const phone = await acceptedPhone(world, world.ann);
    const messageId = await sendTo(phone);
    await pause(600);
    proxy.fate = 'pass';
    await statusOf(world.ann, messageId, 'sent');
    assert.equal(to(phone).length, 1);
  });
});

suite('the recipient’s hours', () => {
  let world: World;
  before(async () => {
    world = await makeWorld();
    await moveTo(13);
  });
  after(() => world.close());

  /** Moves domain time on to that hour in New York, where these tests' phones are. */
  async function moveTo(hour: number): Promise<void> {
    const now = Temporal.Instant.fromEpochMilliseconds(world.clock.now().getTime()).toZonedDateTimeISO(
      'America/New_York',
    );
    const today = now.with({ hour, minute: 0, second: 0, millisecond: 0, microsecond: 0, nanosecond: 0 });
    const next = Temporal.ZonedDateTime.compare(today, now) > 0 ? today : today.add({ days: 1 });
    const headers = { 'x-api-key': world.apiKey };
    const payload = { advanceMs: next.epochMilliseconds - now.epochMilliseconds };
    const answer = await world.app.inject({ method: 'POST', url: '/sandbox/clock', headers, payload });
    assert.equal(answer.statusCode, 200);
  }

  /** With a pace, the next text of Ann's gets this slot. */
  async function setSlot(after: string): Promise<void> {
    const of = [world.ann.advisor.advisorId];
    await world.database.asOwner('update advisors set texting_pace = 1000 where advisor_id = $1', of);
    await world.database.asOwner(
      `update archive_heads set next_slot = now() + interval '${after}' where advisor_id = $1`,
      of,
    );
  }

  async function policy(quietHours: 'off' | 'defer' | 'refuse'): Promise<void> {
    await world.database.asOwner('update advisors set quiet_hours = $1', [quietHours]);
  }

  test('a text that waits for the day is on the phone once the clock has moved there', async () => {
    await policy('defer');
    await moveTo(23);
    const phones = [await acceptedPhone(world, world.ann), await acceptedPhone(world, world.ann)];
    const { body } = await send(world.ann, { phoneNumbers: phones, text: 'Good morning' });
    assert.equal(body.successes.length, 2);
    await world.dispatcher.settled();
    for (const phone of phones) assert.deepEqual(await handset(world, phone), []);
    await moveTo(8);
    for (const phone of phones) assert.equal((await handset(world, phone)).length, 1);
  });

  for (const [quietHours, status] of [
    ['defer', 'queued'],
    ['refuse', 'failed'],
  ] as const)
    test(`a text that is still in the outbox when the day ends is checked again: ${quietHours}`, async () => {
      await policy(quietHours);
      await moveTo(13);
      const phone = await acceptedPhone(world, world.ann);
      // A slot holds it back until the clock has moved, however long that takes.
      await setSlot('1 hour');
      const { messageId } = (await send(world.ann, { phone, text: 'Good day' })).body.successes[0];
      await moveTo(22);
      await setSlot('0 s');
      await world.database.asOwner('update dispatches set not_before = now() where message_id = $1', [messageId]);
      await world.dispatcher.settled();
      const message = await statusOf(world.ann, messageId, status);
      assert.equal(message.failureCode, status === 'failed' ? 'quiet_hours' : null);
      assert.deepEqual(await handset(world, phone), []);
      await moveTo(9);
      assert.equal((await handset(world, phone)).length, status === 'failed' ? 0 : 1);
    });

  test('moving the clock does not wait for texts that are not due', async () => {
    await policy('off');
    // One that waits for its slot on another day: if it were waited for, this would hang.
    await setSlot('1 day');
    const phone = await acceptedPhone(world, world.ann);
    const { messageId } = (await send(world.ann, { phone, text: 'Not due' })).body.successes[0];
    const headers = { 'x-api-key': world.apiKey };
    const move = { method: 'POST', url: '/sandbox/clock', headers, payload: { advanceMs: hourMs } } as const;
    assert.equal((await inject(world.app, move)).status, 200);
    await statusOf(world.ann, messageId, 'queued');
  });
});

async function count(world: World, status: string): Promise<number> {
  const [row] = await world.database.asOwner<{ count: string }>('select count(*) from messages where status = $1', [
    status,
  ]);
  return Number(row?.count);
}

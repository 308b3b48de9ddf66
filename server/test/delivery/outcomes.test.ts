import assert from 'node:assert/strict';
import { after, afterEach, before, suite, test } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { inTransaction } from '../../src/deps.ts';
import { type ClaimedText, claimTexts } from '../../src/domain/delivery/claims.ts';
import { maintainOutbox } from '../../src/domain/delivery/outbox-maintenance.ts';
import { recordOutcome, recordResponse } from '../../src/domain/delivery/outcomes.ts';
import { receiveReceipt, unreceiptedArchiver } from '../../src/domain/delivery/receipts.ts';
import type { SubmissionResult } from '../../src/domain/delivery/submissions.ts';
import { failTexts } from '../../src/domain/texting/held-texts.ts';
import { makeLog } from '../../src/log.ts';
import { sandboxCarrierId } from '../../src/store/carriers/carriers.ts';
import { hasUnmatchedReceipts } from '../../src/store/delivery/receipts.ts';
import { monotonicTime } from '../support/monotonic-time.ts';
import { stateOf } from '../support/people.ts';
import { acceptedPhone, reply, send } from '../support/texting.ts';
import { textsUnlikeEntries } from '../support/texts-and-entries.ts';
import { until } from '../support/waiting.ts';
import { makeWorld, type Person, type World } from '../support/world.ts';

const hourMs = 3_600_000;

type Entry = { outcome: string; reason: string | null; actor: string; attempt: number };

const log = makeLog('silent');
const { signal: abandoned } = new AbortController();

suite('the outcome of a text', () => {
  let world: World;
  before(async () => {
    world = await makeWorld({ dispatch: false });
  });
  after(() => world.close());
  afterEach(async () => {
    assert.deepEqual(await textsUnlikeEntries(world), [], 'each message is what its attempts and its last outcome say');
  });

  async function sendTo(person: Person, phone: string): Promise<number> {
    const { body } = await send(person, { phone, text: 'Hello' });
    return body.successes[0].messageId;
  }

  /** A text to a new number that is claimed and waits for the carrier's answer. */
  async function claimed(person = world.ann): Promise<ClaimedText & { phone: string }> {
    const messageId = await sendTo(person, await acceptedPhone(world, person));
    const { texts } = await claimTexts(world.deps, sandboxCarrierId, 100);
    const text = texts.find((each) => each.messageId === messageId);
    assert.ok(text);
    return text;
  }

  async function sent(id: string, person = world.ann): Promise<number> {
    const text = await claimed(person);
    await answer(text, { accepted: id });
    return text.messageId;
  }

  const node = () => ({ deps: world.deps, log, abandoned });
  const answer = (text: ClaimedText, result: SubmissionResult) => recordOutcome(node(), text, result);
  const receipt = (carrierMessageId: string, status: 'delivered' | 'undelivered', code?: string) =>
    receiveReceipt(world.deps, sandboxCarrierId, { carrierMessageId, status, ...(code ? { code } : {}) });

  /** The entries about a text, in order: without bodies, and about the right text, number and person. */
  async function outcomes(messageId: number): Promise<Entry[]> {
    const rows = await world.deps.db.query<Entry & { isSound: boolean }>(
      `select e.meta::json ->> 'outcome' as outcome, e.meta::json ->> 'reason' as reason, e.actor,
         (e.meta::json ->> 'attempt')::integer as attempt,
         (e.meta::json ->> 'text')::bigint = t.archive_number and e.member_id = t.member_id and b.body is null
           and e.commitment = decode(repeat('00', 32), 'hex')
           and (e.meta::json ->> 'carrierMessageId') is not distinct from t.carrier_message_id as "isSound"
       from archive_entries e
       join messages t using (advisor_id, message_id)
       left join archive_bodies b on b.advisor_id = e.advisor_id and b.number = e.number
       where e.kind = 'outcome' and e.message_id = $1
       order by e.number`,
      [messageId],
    );
    assert.ok(rows.at(-1)?.isSound ?? true);
    return rows.map(({ isSound, ...entry }) => entry);
  }

  const byCarrier = { actor: 'carrier', attempt: 1 };
  const byService = { actor: 'service', attempt: 1 };

  test('sent alone is none, and delivered is one, however often the receipt comes', async () => {
    const messageId = await sent('once');
    assert.deepEqual(await outcomes(messageId), []);
    for (const status of ['delivered', 'delivered', 'undelivered'] as const) await receipt('once', status);
    assert.deepEqual(await outcomes(messageId), [{ outcome: 'delivered', reason: null, ...byCarrier }]);
  });

  test('undelivered has our reason, and a later delivered is a second', async () => {
    const messageId = await sent('twice');
    await receipt('twice', 'undelivered', 'handset_off');
    await receipt('twice', 'delivered');
    assert.deepEqual(await outcomes(messageId), [
      { outcome: 'undelivered', reason: 'undelivered', ...byCarrier },
      { outcome: 'delivered', reason: null, ...byCarrier },
    ]);
  });

  test('receipts of several advisors in one batch are each in the right archive', async () => {
    const ids = [
      await sent('batch-1', world.bob),
      await sent('batch-2'),
      await sent('batch-3', world.bob),
      await sent('batch-4'),
    ];
    await Promise.all([1, 2, 3, 4].map((number) => receipt(`batch-${number}`, 'delivered')));
    for (const messageId of ids)
      assert.deepEqual(await outcomes(messageId), [{ outcome: 'delivered', reason: null, ...byCarrier }]);
  });

  test('a receipt that comes before the response is recorded with it, or a little later', async () => {
    const text = await claimed();
    await receipt('early', 'delivered');
    await answer(text, { accepted: 'early' });
    assert.deepEqual(await outcomes(text.messageId), [{ outcome: 'delivered', reason: null, ...byCarrier }]);

    const messageId = await sent('crossed');
    await world.deps.db.query(
      `insert into unmatched_receipts (carrier_id, carrier_message_id, status, date_time_created) values (1, 'crossed', 'undelivered', now())`,
    );
    await maintainOutbox(world.deps);
    assert.deepEqual(await outcomes(messageId), [{ outcome: 'undelivered', reason: 'undelivered', ...byCarrier }]);
  });

  test('a receipt that follows the response at once is recorded with it, by one change', async () => {
    const [text, other] = [await claimed(), await claimed()];
    const answered = [text, other].map((each) => recordResponse(node(), each, { accepted: `quick-${each.messageId}` }));
    await receipt(`quick-${text.messageId}`, 'undelivered', 'say "off"\n☎');
    await Promise.all(answered);
    const [row] = await world.deps.db.query<{ isOneChange: boolean; meta: string; number: number; sent: Date }>(
      `select t.xmin = e.xmin as "isOneChange", e.meta, t.archive_number as number, t.date_time_sent as sent
       from messages t
       join archive_entries e using (advisor_id, message_id)
       where message_id = $1 and e.kind = 'outcome'`,
      [text.messageId],
    );
    const facts = { outcome: 'undelivered', reason: 'undelivered', text: row?.number, attempt: 1 };
    const by = { carrierMessageId: `quick-${text.messageId}`, carrierId: sandboxCarrierId, carrier: 'sandbox' };
    assert.deepEqual(row?.sent, text.claim.dateTimeStarted);
    const handedOver = row?.sent.toISOString().replace('Z', '000Z');
    const meta = JSON.stringify({ ...facts, ...by, handedOver, carrierCode: 'say "off"\n☎' });
    assert.deepEqual([row?.isOneChange, row?.meta], [true, meta]);
    assert.deepEqual(await outcomes(other.messageId), [], 'the other one is only sent');
  });

  test('when a text was handed over is a fact of its outcome, however late its receipt; without one for a day, of an entry `sent`', async () => {
    const [late, never] = [await sent('heard-late'), await sent('never-heard')];
    const handedOver = async (messageId: number) =>
      (
        await world.deps.db.query<{ outcome: string; isRight: boolean }>(
          `select e.meta::json ->> 'outcome' as outcome, (e.meta::json ->> 'handedOver')::timestamptz = t.date_time_sent as "isRight"
           from archive_entries e
           join messages t using (advisor_id, message_id)
           where e.kind = 'outcome' and e.message_id = $1
           order by e.number`,
          [messageId],
        )
      ).map(({ outcome, isRight }) => (isRight ? outcome : 'wrong'));
    const archiveUnreceipted = unreceiptedArchiver(world.deps);
    await world.clock.advance(hourMs);
    await receipt('heard-late', 'delivered');
    await archiveUnreceipted();
    assert.deepEqual([await handedOver(late), await handedOver(never)], [['delivered'], []]);
    await world.clock.advance(24 * hourMs);
    await Promise.all([archiveUnreceipted(), unreceiptedArchiver(world.deps)()]);
    await archiveUnreceipted();
    assert.deepEqual([await handedOver(late), await handedOver(never)], [['delivered'], ['sent']]);
    assert.deepEqual(await textsUnlikeEntries(world), []);
    await receipt('never-heard', 'delivered');
    assert.deepEqual(await handedOver(never), ['sent', 'delivered']);
  });

  test('the last one ends its claim', async () => {
    const phone = await acceptedPhone(world, world.ann);
    for (let each = 0; each < 3; each++) await sendTo(world.ann, phone);
    const { texts } = await claimTexts(world.deps, sandboxCarrierId, 100);
    const [one, two, three] = texts as [ClaimedText, ClaimedText, ClaimedText];
    const isOpen = async () =>
      (await world.deps.db.query('select from claims where claim_id = $1', [one.claim.claimId])).length > 0;
    await answer(one, { accepted: 'of three' });
    await answer(two, { unknown: 'timeout' });
    await answer(two, { refused: 'rejected' });
    assert.ok(await isOpen(), 'the third has no outcome');
    await answer(three, { notTaken: 'busy' });
    assert.equal(await isOpen(), false);
  });

  test('a refusal by the carrier is a failure with its reason', async () => {
    const text = await claimed();
    await answer(text, { refused: 'rejected' });
    assert.deepEqual(await outcomes(text.messageId), [{ outcome: 'failed', reason: 'rejected', ...byCarrier }]);
  });

  test('an opt-out that the carrier told is written however long the database is away; other answers are given up', async (t) => {
    const [text, other] = [await claimed(), await claimed()];
    let isAway = true;
    const real = world.deps.db;
    const reached = <Args extends unknown[], Answer>(call: (...args: Args) => Promise<Answer>) => {
      return async (...args: Args) => {
        if (isAway) throw new Error('The database is away.');
        return call(...args);
      };
    };
    const db = Object.assign(Object.create(real), {
      transaction: reached(real.transaction.bind(real)),
      batch: reached(real.batch.bind(real)),
    });
    const time = monotonicTime(t);
    const settled: string[] = [];
    const record = (name: string, of: ClaimedText, result: SubmissionResult) =>
      recordOutcome({ deps: { ...world.deps, db }, log, abandoned }, of, result).then((isWritten) => {
        settled.push(`${name} ${isWritten}`);
      });
    const recording = Promise.all([
      record('opted out', text, { refused: 'opted_out' }),
      record('accepted', other, { accepted: 'lost' }),
    ]);
    time.pass(10 * 60_000);
    while (settled.length === 0) await pause(10);
    // The next try of the other comes a moment later.
    await pause(500);
    const settledAway = [...settled];
    time.reset();
    isAway = false;
    await recording;
    assert.deepEqual([settledAway, settled], [['accepted false'], ['accepted false', 'opted out true']]);
    assert.equal(await stateOf(world, world.ann, text.phone), 'opted_out');
    assert.deepEqual(await outcomes(text.messageId), [{ outcome: 'failed', reason: 'opted_out', ...byCarrier }]);
    await answer(other, { accepted: 'lost' });
  });

  test('a node that stops tries once more to write an opt-out that the carrier told', async () => {
    const text = await claimed();
    const stopping = new AbortController();
    let attempts = 0;
    const real = world.deps.db;
    const failingUntilLast = async (...args: Parameters<typeof real.transaction>) => {
      attempts += 1;
      if (!stopping.signal.aborted) throw new Error('The database is away.');
      return real.transaction(...args);
    };
    const db = Object.assign(Object.create(real), { transaction: failingUntilLast, batch: real.batch.bind(real) });
    const node = { deps: { ...world.deps, db }, log, abandoned: stopping.signal };
    const recording = recordOutcome(node, text, { refused: 'opted_out' });
    await until('it waits a while', () => attempts >= 4);
    stopping.abort();
    assert.equal(await recording, true);
    assert.equal(attempts, 5, 'it didn’t wait for its next turn');
    assert.equal(await stateOf(world, world.ann, text.phone), 'opted_out');
  });

  test('the carrier’s own code is beside ours, and so is how much of a long text was sent', async () => {
    const factsOf = async ({ messageId }: ClaimedText) => {
      const [row] = await world.deps.db.query<{ meta: string }>(
        `select meta from archive_entries where kind = 'outcome' and message_id = $1`,
        [messageId],
      );
      const { outcome, reason, carrierCode, partsSent, parts } = JSON.parse(row?.meta ?? '{}');
      return { outcome, reason, carrierCode, partsSent, parts };
    };
    const none = { partsSent: undefined, parts: undefined };
    const refused = await claimed();
    await answer(refused, { refused: 'rejected', code: '21606' });
    assert.deepEqual(await factsOf(refused), { outcome: 'failed', reason: 'rejected', carrierCode: '21606', ...none });
    const partly = await claimed();
    const cutShort = { reason: 'expired', code: 'ESME_RTHROTTLED', partsSent: 1, parts: 2 } as const;
    await answer(partly, { accepted: 'partly/2', cutShort });
    const { reason, code: carrierCode, ...counts } = cutShort;
    assert.deepEqual(await factsOf(partly), { outcome: 'undelivered', reason, carrierCode, ...counts });
    const stopped = await claimed();
    await answer(stopped, { accepted: 'stopped/2', cutShort: { reason: 'opted_out', partsSent: 1, parts: 2 } });
    assert.equal(await stateOf(world, world.ann, stopped.phone), 'opted_out');
  });

  test('a receipt that opts the person out counts even if it comes before the response', async () => {
    for (const isEarly of [true, false]) {
      const text = await claimed();
      const carrierMessageId = `blocked ${isEarly}`;
      const blocked = { carrierMessageId, status: 'undelivered', reason: 'opted_out' } as const;
      if (isEarly) await receiveReceipt(world.deps, sandboxCarrierId, blocked);
      await answer(text, { accepted: carrierMessageId });
      if (!isEarly)
        await world.deps.db.query(
          `insert into unmatched_receipts (carrier_id, carrier_message_id, status, failure_code, date_time_created)
           values (1, $1, 'undelivered', 'opted_out', now())`,
          [carrierMessageId],
        );
      await maintainOutbox(world.deps);
      assert.deepEqual(
        (await outcomes(text.messageId)).map(({ outcome, reason }) => [outcome, reason]),
        [['undelivered', 'opted_out']],
      );
      assert.equal(await stateOf(world, world.ann, text.phone), 'opted_out');
      assert.equal(await hasUnmatchedReceipts(world.deps.db), false);
    }
  });

  test('a text that is tried again has none until its last attempt', async () => {
    const text = await claimed();
    await answer(text, { notTaken: 'busy' });
    assert.deepEqual(await outcomes(text.messageId), []);
    await world.database.asOwner(
      `insert into attempts (advisor_id, message_id, attempt, date_time_started, outcome)
       select advisor_id, message_id, number, date_time_started, 'not_taken'
       from attempts
       cross join generate_series(2, 11) as number
       where message_id = $1`,
      [text.messageId],
    );
    await world.database.asOwner('update messages set attempt = 11 where message_id = $1', [text.messageId]);
    await answer({ ...text, attempt: 12, tries: 11 }, { notTaken: 'busy' });
    assert.deepEqual(await outcomes(text.messageId), [
      { outcome: 'failed', reason: 'carrier_unavailable', actor: 'service', attempt: 12 },
    ]);
  });

  const results: [SubmissionResult, string, Entry[]][] = [
    [{ accepted: 'written twice' }, 'sent', []],
    [{ refused: 'rejected' }, 'failed', [{ outcome: 'failed', reason: 'rejected', ...byCarrier }]],
    [{ notTaken: 'busy' }, 'queued', []],
    [{ unknown: 'timeout' }, 'in_doubt', [{ outcome: 'in_doubt', reason: 'timeout', ...byService }]],
  ];
  for (const [result, status, entries] of results)
    test(`written twice, since the database’s answer was lost, counts once: ${status}`, async () => {
      const text = await claimed();
      await answer(text, result);
      await answer(text, result);
      const [row] = await world.deps.db.query<{ status: string; attempt: number; waiting: number }>(
        `select t.status, t.attempt, count(d.message_id) as waiting
         from messages t
         left join dispatches d using (advisor_id, message_id)
         where message_id = $1
         group by t.status, t.attempt`,
        [text.messageId],
      );
      assert.deepEqual(row, { status, attempt: 1, waiting: status === 'queued' ? 1 : 0 });
      assert.deepEqual(await outcomes(text.messageId), entries);
    });

  test('in doubt is one; a late answer is a second, and its receipt a third', async () => {
    const text = await claimed();
    await answer(text, { unknown: 'timeout' });
    const doubt = { outcome: 'in_doubt', reason: 'timeout', ...byService };
    assert.deepEqual(await outcomes(text.messageId), [doubt]);
    await answer(text, { unknown: 'timeout' });
    await answer(text, { accepted: 'late' });
    const settled = { outcome: 'sent', reason: null, ...byCarrier };
    assert.deepEqual(await outcomes(text.messageId), [doubt, settled]);
    await receipt('late', 'delivered');
    assert.deepEqual((await outcomes(text.messageId)).at(-1), { outcome: 'delivered', reason: null, ...byCarrier });
  });

  test('in doubt for good stays one', async () => {
    const text = await claimed();
    await answer(text, { unknown: 'error' });
    assert.deepEqual(await outcomes(text.messageId), [{ outcome: 'in_doubt', reason: 'error', ...byService }]);
  });

  test('a lease that expires is in doubt, and a late receipt settles it', async () => {
    const text = await claimed();
    await world.deps.db.query(`update claims set leased_until = now() - interval '1 minute'`);
    await maintainOutbox(world.deps);
    await maintainOutbox(world.deps);
    await receipt('expired', 'delivered');
    await answer(text, { accepted: 'expired' });
    assert.deepEqual(await outcomes(text.messageId), [
      { outcome: 'in_doubt', reason: 'lease_expired', ...byService },
      { outcome: 'delivered', reason: null, ...byCarrier },
    ]);
  });

  test('a text that is no longer allowed fails when its turn comes', async () => {
    const phone = await acceptedPhone(world, world.ann);
    const messageId = await sendTo(world.ann, phone);
    await reply(world, phone, String(world.ann.advisor.textingNumber), 'STOP');
    await claimTexts(world.deps, sandboxCarrierId, 100);
    const failed = { outcome: 'failed', reason: 'opted_out', actor: 'service', attempt: 0 };
    assert.deepEqual(await outcomes(messageId), [failed]);
  });

  test('held texts fail when the person stops, or the text is rejected', async () => {
    const phone = await acceptedPhone(world, world.ann);
    await reply(world, phone, String(world.ann.advisor.textingNumber), 'Sorry, wrong number.');
    const held = await sendTo(world.ann, phone);
    const rejected = await sendTo(world.ann, phone);
    await inTransaction(world.deps, (deps) => failTexts(deps, world.ann.advisor.advisorId, [rejected], 'text_blocked'));
    await reply(world, phone, String(world.ann.advisor.textingNumber), 'STOP');
    const failed = { outcome: 'failed', actor: 'service', attempt: 0 };
    assert.deepEqual(await outcomes(held), [{ ...failed, reason: 'opted_out' }]);
    assert.deepEqual(await outcomes(rejected), [{ ...failed, reason: 'text_blocked' }]);
  });

  test('is recorded with its entry or not at all', async () => {
    const messageId = await sent('undone');
    const undone = new Error('rolled back');
    const work = inTransaction(world.deps, async (deps) => {
      await receiveReceipt(deps, sandboxCarrierId, { carrierMessageId: 'undone', status: 'delivered' });
      throw undone;
    });
    await assert.rejects(work, undone);
    assert.deepEqual(await outcomes(messageId), []);
    // Without the right to add entries, the receipt isn't recorded either.
    await world.database.asOwner('revoke insert on archive_entries from assent_app');
    await assert.rejects(receipt('undone', 'delivered'));
    await world.database.asOwner('grant insert on archive_entries to assent_app');
    assert.deepEqual(await outcomes(messageId), []);
    await receipt('undone', 'delivered');
    assert.equal((await outcomes(messageId)).length, 1);
  });
});

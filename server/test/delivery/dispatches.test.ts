import assert from 'node:assert/strict';
import { after, before, beforeEach, suite, test } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { byPerson } from '../../src/domain/archive/archive.ts';
import { consentEntry } from '../../src/domain/archive/consent-entries.ts';
import { insertEntries } from '../../src/store/archive/archive.ts';
import { sandboxCarrierId } from '../../src/store/carriers/carriers.ts';
import { updateConsent, updateHeldSince } from '../../src/store/consent/consents.ts';
import type { Db } from '../../src/store/database/db.ts';
import { type ClaimedRow, claimDispatches } from '../../src/store/delivery/claims.ts';
import { failDispatches, listExpired, releaseDeferred, updateHours } from '../../src/store/delivery/dispatches.ts';
import { expireClaims } from '../../src/store/delivery/expired-claims.ts';
import { noDetails, type OutcomeRow, recordOutcomes, settleDoubts } from '../../src/store/delivery/outcomes.ts';
import { applyEarlyReceipts, deleteUnmatchedReceipts, recordReceipts } from '../../src/store/delivery/receipts.ts';
import { lockMembers } from '../../src/store/members/members.ts';
import { drawMessageIds, insertTexts, type NewText } from '../../src/store/texting/texts.ts';
import { isWaiting, moved } from '../support/database.ts';
import { newPhone, setConsent } from '../support/texting.ts';
import { until } from '../support/waiting.ts';
import { makeWorld, type World } from '../support/world.ts';
import { atAnyTime } from '../support/wrong-clock.ts';

const allowed = ['text:true:accepted', 'opt_out:true:opted_out'];
const heldKinds = ['text'] as const;
const owedKinds = ['opt_out', 'help'] as const;
const secondMs = 1_000;
const hourMs = 3_600_000;
/** The tests' time zero, the only time that leases and slots are compared with. */
const start = new Date('2026-03-02T15:00:00.000Z');
const at = (ms: number) => new Date(start.getTime() + ms);
const times = { now: start, realNow: start };

type Message = {
  status: string;
  attempt: number;
  failureCode: string | null;
  carrierMessageId: string | null;
  sent: Date | null;
  delivered: Date | null;
};
type QueuedText = { messageId: number; memberId: number; phone: string };

suite('dispatches', () => {
  let world: World;
  let advisorId: number;
  before(async () => {
    world = await makeWorld({ dispatch: false });
    advisorId = world.ann.advisor.advisorId;
    await world.database.asOwner(atAnyTime);
  });
  after(() => world.close());
  beforeEach(async () => {
    for (const table of ['dispatches', 'claims', 'unmatched_receipts'])
      await world.database.asOwner(`delete from ${table}`);
    await world.database.asOwner(`update archive_heads set next_slot = '-infinity'`);
  });

  async function addMember(state: 'none' | 'pending' | 'accepted' | 'opted_out') {
    const phone = newPhone();
    await setConsent(world, world.ann, phone, state);
    const [member] = await world.database.asOwner<{ memberId: string }>(
      'select member_id as "memberId" from members where advisor_id = $1 and phone = $2',
      [advisorId, phone],
    );
    return { phone, memberId: Number(member?.memberId) };
  }

  function textFor({ memberId, phone }: { memberId: number; phone: string }, change: Partial<NewText>): NewText {
    const { kind = 'text' } = change;
    return {
      advisorId,
      memberId,
      kind,
      text: 'Hello ☎',
      meta: { kind, from: world.ann.advisor.textingNumber, to: phone },
      actor: 'test',
      traceId: null,
      segments: 1,
      encoding: 'UCS-2',
      scheduledMessageId: null,
      pace: null,
      carrierId: sandboxCarrierId,
      deferredUntil: null,
      openUntil: null,
      expiresAt: null,
      ...change,
    };
  }

  async function insert(texts: NewText[], moments = times): Promise<number[]> {
    const messageIds = await drawMessageIds(world.deps.db, texts.length);
    await insertTexts(world.deps.db, texts, { messageIds, ...moments });
    return messageIds;
  }

  async function queue(
    change: Partial<NewText> = {},
    state: 'none' | 'pending' | 'accepted' | 'opted_out' = 'accepted',
  ): Promise<QueuedText> {
    const member = await addMember(state);
    const [messageId = -1] = await insert([textFor(member, change)]);
    return { ...member, messageId };
  }

  function claim(change: { limit?: number; realNow?: Date; now?: Date } = {}): Promise<ClaimedRow[]> {
    const asked = {
      carrierId: sandboxCarrierId,
      limit: 200,
      ...times,
      leasedUntil: at(15 * secondMs),
      allowed,
      heldKinds,
      owedKinds,
      ...change,
    };
    return world.deps.db.transaction(async (db) => (await claimDispatches(db, asked)).rows);
  }

  async function claimed(): Promise<QueuedText> {
    const queued = await queue();
    const [row] = await claim();
    assert.equal(row?.decision, 'go');
    return queued;
  }

  async function find(messageId: number): Promise<Message> {
    const [row] = await world.deps.db.query<Message>(
      `select status, attempt, failure_code as "failureCode", carrier_message_id as "carrierMessageId",
         date_time_sent as sent, date_time_delivered as delivered
       from messages where advisor_id = $1 and message_id = $2`,
      [advisorId, messageId],
    );
    assert.ok(row);
    return row;
  }

  async function attempts(messageId: number) {
    return world.deps.db.query<{ attempt: number; outcome: string | null; code: string | null; ended: Date | null }>(
      `select attempt, outcome, code, date_time_ended as ended from attempts
       where advisor_id = $1 and message_id = $2 order by attempt`,
      [advisorId, messageId],
    );
  }

  async function dispatch(messageId: number) {
    const [row] = await world.deps.db.query<Record<'notBefore' | 'deferred' | 'open' | 'expires', Date | null>>(
      `select not_before as "notBefore", deferred_until as deferred, open_until as open, expires_at as expires
       from dispatches where advisor_id = $1 and message_id = $2`,
      [advisorId, messageId],
    );
    return row ?? null;
  }

  type ClaimRow = { started: Date; leased: Date; messageIds: number[]; attempts: number[] };
  const claims = () =>
    world.deps.db.query<ClaimRow>(
      `select date_time_started as started, leased_until as leased, message_ids::integer[] as "messageIds", attempts
       from claims
       order by claim_id`,
    );
  /** The attempts that have begun and have no outcome, as a claim lists them. */
  async function begun(messageId: number): Promise<number[]> {
    return (await claims()).flatMap(({ messageIds, attempts: each }) =>
      messageIds.flatMap((id, index) => (id === messageId ? (each[index] ?? []) : [])),
    );
  }

  function outcome(messageId: number, change: Partial<OutcomeRow>): OutcomeRow {
    const of = { advisorId, messageId, attempt: 1, carrierId: sandboxCarrierId, dateTimeStarted: start };
    return { ...noDetails, ...of, outcome: 'accepted', status: 'sent', ...change };
  }
  const record = async (...outcomes: OutcomeRow[]) => {
    const rows = await recordOutcomes(world.deps.db, outcomes, { now: start, endedClaims: [] });
    return rows.reduce((sum, { counted }) => sum + counted, 0);
  };
  const settle = (...outcomes: OutcomeRow[]) => settleDoubts(world.deps.db, outcomes, start);
  const accepted = (messageId: number, carrierMessageId = `c${messageId}`, attempt = 1) =>
    record(outcome(messageId, { carrierMessageId, attempt }));
  const refusal = (messageId: number, retryAt: Date | null, attempt = 1) =>
    outcome(messageId, {
      attempt,
      outcome: 'not_taken',
      code: 'busy',
      status: retryAt ? 'queued' : 'failed',
      failureCode: 'carrier_unavailable',
      retryAt,
    });
  const notTaken = (messageId: number, retryAt: Date | null, attempt = 1) =>
    record(refusal(messageId, retryAt, attempt));
  const receipt = (carrierMessageId: string, status: 'delivered' | 'undelivered', reason?: string) =>
    recordReceipts(world.deps.db, [{ carrierId: sandboxCarrierId, carrierMessageId, status, reason }], times);

  suite('claiming', () => {
    test('takes the text out of the outbox, lists its attempt and returns what the carrier needs', async () => {
      const { messageId, memberId, phone } = await queue({ openUntil: at(hourMs), expiresAt: at(secondMs) });
      const [{ claimId, archiveNumber, ...row } = assert.fail(), ...others] = await claim();
      assert.ok(claimId && archiveNumber);
      assert.deepEqual(others, []);
      assert.deepEqual(row, {
        advisorId,
        messageId,
        memberId,
        kind: 'text',
        phone,
        textingNumber: world.ann.advisor.textingNumber,
        text: 'Hello ☎',
        attempt: 1,
        state: 'accepted',
        openUntil: at(hourMs),
        expiresAt: at(secondMs),
        notBefore: start,
        tries: 0,
        decision: 'go',
      });
      assert.deepEqual(await claims(), [
        { started: start, leased: at(15 * secondMs), messageIds: [messageId], attempts: [1] },
      ]);
      const { status, attempt } = await find(messageId);
      assert.deepEqual({ status, attempt }, { status: 'queued', attempt: 0 }, 'the message is as it was');
      assert.equal(await dispatch(messageId), null);
      assert.deepEqual(await claim(), [], 'a claimed text is not claimed again');
    });

    test('takes the oldest first, up to the limit, and nothing before its time', async () => {
      const early = await queue();
      const late = await queue();
      await world.database.asOwner('update dispatches set not_before = $2 where message_id = $1', [
        early.messageId,
        at(-1),
      ]);
      const first = await claim({ limit: 1 });
      assert.deepEqual(
        first.map(({ messageId }) => messageId),
        [early.messageId],
      );
      assert.deepEqual(await claim({ realNow: at(-1) }), []);
      assert.equal((await claim())[0]?.messageId, late.messageId);
    });

    const refusals = [
      { name: 'without consent', state: 'none', change: {}, decision: 'refused' },
      { name: 'with consent pending', state: 'pending', change: {}, decision: 'refused' },
      { name: 'after a STOP', state: 'opted_out', change: {}, decision: 'refused' },
      { name: 'of a kind for another state', state: 'accepted', change: { kind: 'opt_out' }, decision: 'refused' },
      { name: 'that has expired', state: 'accepted', change: { expiresAt: at(-1) }, decision: 'expired' },
      { name: 'outside the hours', state: 'accepted', change: { openUntil: start }, decision: 'closed' },
    ] as const;
    for (const { name, state, change, decision } of refusals)
      test(`starts no attempt for a text ${name}`, async () => {
        const { messageId } = await queue(change, state);
        const [row] = await claim({ realNow: at(10 * secondMs) });
        assert.equal(row?.decision, decision);
        assert.equal(row?.state, state);
        assert.deepEqual(await claims(), []);
        const { status, attempt } = await find(messageId);
        assert.deepEqual({ status, attempt }, { status: 'queued', attempt: 0 });
        assert.ok(await dispatch(messageId), 'it stays in the outbox until it is decided on');
      });

    test('starts no attempt for an advisor without a number, or for a message that is no longer queued', async () => {
      const numberless = await queue();
      await world.database.asOwner('update advisors set texting_number = null where advisor_id = $1', [advisorId]);
      assert.equal((await claim())[0]?.decision, 'numberless');
      const { textingNumber } = world.ann.advisor;
      await world.database.asOwner('update advisors set texting_number = $2 where advisor_id = $1', [
        advisorId,
        textingNumber,
      ]);
      await world.database.asOwner(`update messages set status = 'failed' where message_id = $1`, [
        numberless.messageId,
      ]);
      assert.equal((await claim())[0]?.decision, 'gone');
      assert.deepEqual(await claims(), []);
    });

    test('moves a text out of the outbox if it is to be held, but not one of another kind, nor without consent', async () => {
      const rows = [await queue(), await queue({ kind: 'opt_out' }, 'opted_out'), await queue({}, 'opted_out')];
      for (const { memberId } of rows) await updateHeldSince(world.deps.db, advisorId, memberId, start);
      assert.deepEqual(
        (await claim()).map(({ decision }) => decision),
        ['held', 'go', 'refused'],
      );
      const { messageId } = rows[0] as QueuedText;
      assert.equal((await find(messageId)).status, 'held');
      assert.equal(await dispatch(messageId), null);
      assert.deepEqual(await begun(messageId), []);
    });

    test('decides on each row separately', async () => {
      const rows = [await queue(), await queue({}, 'opted_out'), await queue(), await queue({ expiresAt: at(-1) })];
      assert.deepEqual(
        (await claim({ realNow: at(10 * secondMs) })).map(({ messageId, decision }) => [messageId, decision]),
        rows.map(({ messageId }, index) => [messageId, ['go', 'refused', 'go', 'expired'][index]]),
      );
    });

    test('a clock that was moved past a text’s life ends none that no carrier has had a chance to take', async () => {
      const { messageId } = await queue({ expiresAt: at(-1) });
      const moments = (realNow: Date) => ({ now: start, realNow });
      assert.deepEqual(await listExpired(world.deps.db, moments(start)), []);
      assert.deepEqual(await listExpired(world.deps.db, moments(at(10 * secondMs))), [
        { advisorId, messageId, carrierId: sandboxCarrierId },
      ]);
      assert.deepEqual(
        (await claim()).map(({ decision }) => decision),
        ['go'],
      );
      await notTaken(messageId, start);
      await world.database.asOwner('update dispatches set expires_at = $2 where message_id = $1', [messageId, at(-1)]);
      assert.deepEqual(await listExpired(world.deps.db, moments(start)), [
        { advisorId, messageId, carrierId: sandboxCarrierId },
      ]);
    });

    test('divides the rows among concurrent claims', async () => {
      for (let round = 0; round < 5; round++) {
        const wanted = await Promise.all(Array.from({ length: 20 }, () => queue()));
        const batches = await Promise.all(Array.from({ length: 4 }, () => claim({ limit: 10 })));
        const got = [...batches.flat(), ...(await claim())].map(({ messageId }) => messageId);
        assert.deepEqual(
          got.sort((a, b) => a - b),
          wanted.map(({ messageId }) => messageId).sort((a, b) => a - b),
        );
      }
    });
  });

  suite('a STOP and a claim', () => {
    async function optOut(db: Db, { memberId, phone }: Pick<QueuedText, 'memberId' | 'phone'>): Promise<void> {
      await updateConsent(db, advisorId, memberId, { state: 'opted_out' });
      const move = { to: 'opted_out', reason: 'opt_out', channel: 'text' } as const;
      const act = { advisorId, by: byPerson, now: start };
      await insertEntries(db, [consentEntry(act, { member: { memberId, phone, state: 'accepted' }, ...move })], start);
    }

    test('a claim that meets a STOP being written waits for it and sees it', async () => {
      const { messageId, memberId, phone } = await queue();
      let claiming: Promise<ClaimedRow[]> | undefined;
      await world.deps.db.transaction(async (db) => {
        await lockMembers(db, advisorId, [phone]);
        claiming = claim();
        await until('the claim waits', () => isWaiting(world.database));
        await optOut(db, { memberId, phone });
      });
      const [row] = (await claiming) ?? [];
      assert.deepEqual([row?.decision, row?.state], ['refused', 'opted_out']);
      assert.deepEqual(await begun(messageId), []);
    });

    test('a claim that began before the STOP was locked sees it too, although its snapshot does not', async () => {
      const first = await queue();
      const second = await queue();
      let claiming: Promise<ClaimedRow[]> | undefined;
      // The claim waits at the first person while the second one's STOP is written and committed.
      await world.deps.db.transaction(async (db) => {
        await lockMembers(db, advisorId, [first.phone]);
        claiming = claim();
        await until('the claim waits', () => isWaiting(world.database));
        await world.deps.db.transaction((other) => optOut(other, second));
      });
      assert.deepEqual(
        (await claiming)?.map(({ decision, state }) => [decision, state]),
        [
          ['go', 'accepted'],
          ['refused', 'opted_out'],
        ],
      );
      assert.deepEqual(await begun(second.messageId), []);
    });

    test('a claim that meets a hold being written waits for it and sees it', async () => {
      const { messageId, memberId, phone } = await queue();
      let claiming: Promise<ClaimedRow[]> | undefined;
      await world.deps.db.transaction(async (db) => {
        await lockMembers(db, advisorId, [phone]);
        claiming = claim();
        await until('the claim waits', () => isWaiting(world.database));
        await updateHeldSince(db, advisorId, memberId, start);
      });
      assert.deepEqual(
        (await claiming)?.map(({ decision }) => decision),
        ['held'],
      );
      assert.equal((await find(messageId)).status, 'held');
      assert.deepEqual(await begun(messageId), []);
    });

    test('a STOP that meets a claim waits until its attempt is written', async () => {
      const { messageId, memberId, phone } = await queue();
      let stopping: Promise<number> | undefined;
      await world.deps.db.transaction(async (db) => {
        await claimDispatches(db, {
          carrierId: sandboxCarrierId,
          limit: 1,
          ...times,
          leasedUntil: at(secondMs),
          allowed,
          heldKinds,
          owedKinds,
        });
        stopping = stopAndCount({ messageId, memberId, phone });
        await until('the STOP waits', () => isWaiting(world.database));
      });
      assert.equal(await stopping, 1);
    });

    test('at random instants: a person who stops first is not texted, and a person who was texted had not stopped', async () => {
      for (let round = 0; round < 40; round++) {
        const queued = await queue();
        const [rows, attemptsSeen] = await Promise.all([
          pause(Math.random() * 4).then(() => claim()),
          pause(Math.random() * 4).then(() => stopAndCount(queued)),
        ]);
        const decision = rows.find(({ messageId }) => messageId === queued.messageId)?.decision;
        assert.equal(attemptsSeen, decision === 'go' ? 1 : 0, `${decision} in round ${round}`);
      }
    });

    /** Writes a person's STOP. Returns how many attempts had started when it took the lock. */
    function stopAndCount({ memberId, phone, messageId }: QueuedText): Promise<number> {
      return world.deps.db.transaction(async (db) => {
        await lockMembers(db, advisorId, [phone]);
        const started = await db.query('select from claims where $1 = any (message_ids)', [messageId]);
        await optOut(db, { memberId, phone });
        return started.length;
      });
    }
  });

  suite('outcomes', () => {
    test('accepted: sent, with the carrier’s id, and out of the outbox', async () => {
      const { messageId } = await claimed();
      await accepted(messageId, 'carrier-1');
      const { status, carrierMessageId, sent, failureCode } = await find(messageId);
      assert.deepEqual(
        { status, carrierMessageId, sent, failureCode },
        { status: 'sent', carrierMessageId: 'carrier-1', sent: start, failureCode: null },
      );
      assert.deepEqual(await attempts(messageId), [], 'the message itself says so');
      assert.equal(await dispatch(messageId), null);
    });

    test('refused: failed for good, with the reason', async () => {
      const { messageId } = await claimed();
      const refused = { outcome: 'refused', status: 'failed', code: 'landline', failureCode: 'landline' } as const;
      await record(outcome(messageId, refused));
      const { status, failureCode, sent } = await find(messageId);
      assert.deepEqual({ status, failureCode, sent }, { status: 'failed', failureCode: 'landline', sent: null });
      assert.equal(await dispatch(messageId), null);
    });

    test('not taken: queued again for later, as another attempt', async () => {
      const { messageId } = await claimed();
      await notTaken(messageId, at(300));
      const { status, failureCode } = await find(messageId);
      assert.deepEqual({ status, failureCode }, { status: 'queued', failureCode: null });
      assert.deepEqual(await dispatch(messageId), { notBefore: at(300), deferred: null, open: null, expires: null });
      assert.deepEqual(await claim(), []);
      assert.equal((await claim({ realNow: at(300) }))[0]?.attempt, 2);
      assert.deepEqual(await attempts(messageId), [{ attempt: 1, outcome: 'not_taken', code: 'busy', ended: start }]);
    });

    test('not taken: its hours stay', async () => {
      const { messageId } = await queue({ openUntil: at(hourMs), expiresAt: at(secondMs) });
      const [row] = await claim();
      await record({
        ...refusal(messageId, at(300)),
        openUntil: row?.openUntil ?? null,
        expiresAt: row?.expiresAt ?? null,
      });
      const { open, expires } = (await dispatch(messageId)) ?? {};
      assert.deepEqual({ open, expires }, { open: at(hourMs), expires: at(secondMs) });
    });

    test('not taken for the last time: failed', async () => {
      const { messageId } = await claimed();
      await notTaken(messageId, null);
      const { status, failureCode } = await find(messageId);
      assert.deepEqual({ status, failureCode }, { status: 'failed', failureCode: 'carrier_unavailable' });
      assert.equal(await dispatch(messageId), null);
    });

    test('unknown: in doubt, and never claimed again', async () => {
      const { messageId } = await claimed();
      await record(outcome(messageId, { outcome: 'unknown', status: 'in_doubt', code: 'timeout' }));
      assert.equal((await find(messageId)).status, 'in_doubt');
      assert.equal(await dispatch(messageId), null);
      assert.deepEqual(await claim({ realNow: at(hourMs) }), []);
    });

    test('many at once, each on its own', async () => {
      const [one, two, three] = [await queue(), await queue(), await queue()];
      await claim();
      await record(
        outcome(one.messageId, { carrierMessageId: 'many-1' }),
        outcome(two.messageId, { outcome: 'unknown', status: 'in_doubt' }),
        outcome(three.messageId, { outcome: 'not_taken', status: 'queued', retryAt: at(1) }),
      );
      const statuses = await Promise.all([one, two, three].map(async (each) => (await find(each.messageId)).status));
      assert.deepEqual(statuses, ['sent', 'in_doubt', 'queued']);
    });

    test('of an earlier attempt no longer count', async () => {
      const { messageId } = await claimed();
      await notTaken(messageId, start);
      await claim();
      assert.equal(await accepted(messageId, 'of the first', 1), 0);
      assert.equal((await find(messageId)).status, 'queued');
      assert.equal(await accepted(messageId, 'of the second', 2), 1);
      assert.equal(await notTaken(messageId, at(1), 2), 0);
      const { status, carrierMessageId } = await find(messageId);
      assert.deepEqual({ status, carrierMessageId }, { status: 'sent', carrierMessageId: 'of the second' });
      assert.equal(await dispatch(messageId), null);
    });

    test('of a text that waits for its turn don’t count', async () => {
      const { messageId } = await claimed();
      await notTaken(messageId, at(300));
      await settle(outcome(messageId, { carrierMessageId: 'settled' }));
      assert.equal(await accepted(messageId, 'again', 1), 0);
      assert.equal((await find(messageId)).status, 'queued');
    });

    test('of an earlier attempt don’t settle the doubt of the last', async () => {
      const { messageId } = await claimed();
      await notTaken(messageId, start);
      await claim();
      await record(outcome(messageId, { attempt: 2, outcome: 'unknown', status: 'in_doubt', code: 'timeout' }));
      await settle(outcome(messageId, { carrierMessageId: 'of the first' }));
      assert.equal((await find(messageId)).status, 'in_doubt');
    });

    test('the last ones end their claim', async () => {
      const [one, two] = [await queue(), await queue()];
      const [row] = await claim();
      assert.ok(row?.claimId);
      await accepted(one.messageId);
      assert.equal((await claims()).length, 1);
      const last = outcome(two.messageId, { carrierMessageId: 'the last' });
      await recordOutcomes(world.deps.db, [last], { now: start, endedClaims: [row.claimId] });
      assert.deepEqual(await claims(), []);
    });
  });

  suite('an expired claim', () => {
    const expire = (realMs: number) => expireClaims(world.deps.db, { now: at(hourMs), realNow: at(realMs) });

    async function lost(): Promise<QueuedText> {
      const queued = await claimed();
      assert.equal(await expire(15 * secondMs), 0, 'not yet');
      assert.equal(await expire(15 * secondMs + 1), 1);
      assert.deepEqual(await claims(), []);
      return queued;
    }

    test('leaves the text in doubt, and nobody sends it again', async () => {
      const { messageId } = await lost();
      const { status, attempt } = await find(messageId);
      assert.deepEqual({ status, attempt }, { status: 'in_doubt', attempt: 1 });
      assert.deepEqual(await attempts(messageId), [
        { attempt: 1, outcome: 'unknown', code: 'lease_expired', ended: at(hourMs) },
      ]);
      assert.equal(await dispatch(messageId), null);
      assert.deepEqual(await claim({ realNow: at(hourMs) }), []);
    });

    test('leaves alone what has an outcome, or was claimed again', async () => {
      const [sent, failed, retried, silent] = [await queue(), await queue(), await queue(), await queue()];
      await claim();
      await accepted(sent.messageId);
      await notTaken(failed.messageId, null);
      await notTaken(retried.messageId, start);
      await claim({ realNow: at(secondMs) });
      await world.database.asOwner(
        `update claims set leased_until = ${moved('leased_until', `interval '-1 hour'`)} where $1 = any (message_ids)`,
        [silent.messageId],
      );
      await expire(0);
      const statuses = await Promise.all(
        [sent, failed, retried, silent].map(async ({ messageId }) => (await find(messageId)).status),
      );
      assert.deepEqual(statuses, ['sent', 'failed', 'queued', 'in_doubt']);
      assert.deepEqual(
        (await claims()).map(({ messageIds }) => messageIds),
        [[retried.messageId]],
      );
    });

    test('and a definite answer that comes late: the doubt is settled', async () => {
      const { messageId } = await lost();
      await settle(outcome(messageId, { outcome: 'unknown', status: 'in_doubt', code: 'timeout' }));
      assert.equal((await attempts(messageId))[0]?.code, 'lease_expired', 'a second doubt changes nothing');
      const late = outcome(messageId, { carrierMessageId: 'late' });
      assert.equal(await record(late), 0);
      await settle(late);
      const { status, carrierMessageId } = await find(messageId);
      assert.deepEqual({ status, carrierMessageId }, { status: 'sent', carrierMessageId: 'late' });
      assert.equal((await attempts(messageId))[0]?.outcome, 'accepted');
    });

    test('and a late answer that the text was not taken: it fails, and is not queued behind the sender’s back', async () => {
      const { messageId } = await lost();
      await settle(refusal(messageId, at(300)));
      const { status, failureCode } = await find(messageId);
      assert.deepEqual({ status, failureCode }, { status: 'failed', failureCode: 'carrier_unavailable' });
      assert.equal(await dispatch(messageId), null);
    });

    test('waits while an outcome of one of its texts is being written', async () => {
      const [one, two] = [await queue(), await queue()];
      await claim();
      await world.deps.db.transaction(async (db) => {
        // The first thing that writing an outcome locks; the advisor's head comes last.
        await db.query('select from messages where advisor_id = $1 and message_id = $2 for no key update', [
          advisorId,
          one.messageId,
        ]);
        assert.equal(await expire(hourMs), 1);
        assert.equal((await claims()).length, 1, 'somebody must look at the first text again');
        const answered = outcome(one.messageId, { carrierMessageId: 'just now' });
        await recordOutcomes(db, [answered], { now: start, endedClaims: [] });
      });
      assert.deepEqual([(await find(one.messageId)).status, (await find(two.messageId)).status], ['sent', 'in_doubt']);
      assert.equal(await expire(hourMs), 1);
      assert.deepEqual(await claims(), []);
      assert.equal((await find(one.messageId)).status, 'sent');
    });
  });

  suite('receipts', () => {
    async function sent(): Promise<{ messageId: number; id: string }> {
      const { messageId } = await claimed();
      await accepted(messageId);
      return { messageId, id: `c${messageId}` };
    }
    const early = () => world.database.asOwner('select from unmatched_receipts');

    test('delivered is final, whatever comes after it', async () => {
      const { messageId, id } = await sent();
      for (const status of ['delivered', 'delivered', 'undelivered'] as const) await receipt(id, status);
      const { status, delivered, failureCode } = await find(messageId);
      assert.deepEqual(
        { status, delivered, failureCode },
        { status: 'delivered', delivered: start, failureCode: null },
      );
    });

    test('undelivered has our code, and a later delivered still counts', async () => {
      const { messageId, id } = await sent();
      await receipt(id, 'undelivered', 'filtered');
      const { status, failureCode, delivered } = await find(messageId);
      assert.deepEqual(
        { status, failureCode, delivered },
        { status: 'undelivered', failureCode: 'filtered', delivered: null },
      );
      await receipt(id, 'undelivered', 'landline');
      assert.equal((await find(messageId)).failureCode, 'filtered');
      await receipt(id, 'delivered');
      const after = await find(messageId);
      assert.deepEqual([after.status, after.failureCode, after.delivered], ['delivered', null, start]);
    });

    test('undelivered without a code gets one', async () => {
      const { messageId, id } = await sent();
      await receipt(id, 'undelivered');
      assert.equal((await find(messageId)).failureCode, 'undelivered');
    });

    test('both in one batch mean delivered', async () => {
      const { messageId, id } = await sent();
      const both = (['undelivered', 'delivered'] as const).map((status) => ({
        carrierId: sandboxCarrierId,
        carrierMessageId: id,
        status,
      }));
      await recordReceipts(world.deps.db, [...both, ...both], times);
      assert.equal((await find(messageId)).status, 'delivered');
    });

    test('a receipt that comes before the answer is applied with it', async () => {
      const [one, two] = [await queue(), await queue()];
      await claim();
      await receipt('early-1', 'undelivered', 'filtered');
      await receipt('early-1', 'delivered');
      await receipt('early-1', 'undelivered');
      await receipt('early-2', 'undelivered', 'filtered');
      assert.equal((await early()).length, 2);
      await accepted(one.messageId, 'early-1');
      await accepted(two.messageId, 'early-2');
      const [first, second] = [await find(one.messageId), await find(two.messageId)];
      assert.deepEqual(
        [first.status, first.failureCode, first.sent, first.delivered],
        ['delivered', null, start, start],
      );
      assert.deepEqual(
        [second.status, second.failureCode, second.sent, second.delivered],
        ['undelivered', 'filtered', start, null],
      );
      assert.equal((await early()).length, 0);
    });

    test('a receipt that comes with the answer is applied with it, and delivered wins over an earlier one', async () => {
      const [one, two, three] = [await queue(), await queue(), await queue()];
      await claim();
      await receipt('brought-2', 'undelivered', 'filtered');
      await receipt('brought-3', 'delivered');
      const delivered = { status: 'delivered' } as const;
      const undelivered = { status: 'undelivered', reason: 'landline' } as const;
      await record(
        outcome(one.messageId, { carrierMessageId: 'brought-1', receipt: undelivered }),
        outcome(two.messageId, { carrierMessageId: 'brought-2', receipt: delivered }),
        outcome(three.messageId, { carrierMessageId: 'brought-3', receipt: undelivered }),
      );
      const found = await Promise.all([one, two, three].map(({ messageId }) => find(messageId)));
      assert.deepEqual(
        found.map(({ status, failureCode, delivered: at }) => [status, failureCode, at]),
        [
          ['undelivered', 'landline', null],
          ['delivered', null, start],
          ['delivered', null, start],
        ],
      );
      assert.equal((await early()).length, 0);
    });

    test('a receipt for a text whose answer doesn’t count is kept', async () => {
      const { messageId } = await claimed();
      await notTaken(messageId, at(300));
      await receipt('stale', 'delivered');
      await accepted(messageId, 'stale');
      await settle(outcome(messageId, { carrierMessageId: 'stale' }));
      assert.equal((await early()).length, 1);
    });

    test('a receipt that is written at the same moment as the answer is found a little later', async () => {
      const { messageId } = await claimed();
      await world.deps.db.transaction(async (db) => {
        await recordOutcomes(db, [outcome(messageId, { carrierMessageId: 'crossing' })], {
          now: start,
          endedClaims: [],
        });
        await receipt('crossing', 'delivered');
      });
      assert.equal((await find(messageId)).status, 'sent');
      assert.equal((await applyEarlyReceipts(world.deps.db, at(1))).matched.length, 1);
      const { status, delivered } = await find(messageId);
      assert.deepEqual({ status, delivered }, { status: 'delivered', delivered: at(1) });
      assert.equal((await early()).length, 0);
    });

    test('a receipt that matches no message is kept for a while', async () => {
      await receipt('nobody’s', 'delivered');
      assert.equal((await applyEarlyReceipts(world.deps.db, start)).matched.length, 0);
      await deleteUnmatchedReceipts(world.deps.db, start);
      assert.equal((await early()).length, 1);
      await deleteUnmatchedReceipts(world.deps.db, at(1));
      assert.equal((await early()).length, 0);
    });
  });

  suite('a waiting text', () => {
    test('takes a slot in the pace when its day has begun, in order and between earlier and later texts', async () => {
      await world.database.asOwner('update advisors set texting_pace = 4 where advisor_id = $1', [advisorId]);
      const member = await addMember('accepted');
      const deferred = (ms: number) => textFor(member, { pace: 4, deferredUntil: at(ms) });
      const at8 = [deferred(2), deferred(1), deferred(2), deferred(hourMs)];
      const [b = 0, a = 0, c = 0, later = 0] = await insert(at8);
      const paced = [textFor(member, { pace: 4 }), textFor(member, { pace: 4 })];
      const [x = 0, y = 0] = await insert(paced, { now: start, realNow: at(hourMs) });
      assert.equal(await releaseDeferred(world.deps.db, { now: at(2), realNow: at(hourMs) }), 3);
      const [z = 0] = await insert(paced.slice(1), { now: start, realNow: at(hourMs) });
      const slots = await Promise.all([x, y, a, b, c, z].map(async (id) => (await dispatch(id))?.notBefore?.getTime()));
      assert.deepEqual(
        slots,
        [0, 250, 500, 750, 1_000, 1_250].map((ms) => at(hourMs + ms).getTime()),
      );
      assert.equal((await dispatch(later))?.deferred?.getTime(), at(hourMs).getTime());
      const rows = await claim({ now: at(2), realNow: at(hourMs + 600) });
      assert.deepEqual(
        rows.map(({ messageId, decision }) => [messageId, decision]),
        [
          [x, 'go'],
          [y, 'go'],
          [a, 'closed'],
        ],
        'its hours are checked again',
      );
      await world.database.asOwner('update advisors set texting_pace = null where advisor_id = $1', [advisorId]);
    });

    test('can get new hours, or fail', async () => {
      const [one, two] = [await queue({ openUntil: start }), await queue({ openUntil: start })];
      await updateHours(world.deps.db, [
        { advisorId, messageId: one.messageId, deferredUntil: at(hourMs), openUntil: null, expiresAt: null },
        { advisorId, messageId: two.messageId, deferredUntil: null, openUntil: at(1), expiresAt: null },
      ]);
      assert.deepEqual(
        (await claim()).map(({ messageId, decision }) => [messageId, decision]),
        [[two.messageId, 'go']],
      );
      const failed = [one, two].map(({ messageId }) => ({ advisorId, messageId, failureCode: 'quiet_hours' }));
      await failDispatches(world.deps.db, failed, start);
      const { status, failureCode } = await find(one.messageId);
      assert.deepEqual({ status, failureCode }, { status: 'failed', failureCode: 'quiet_hours' });
      assert.equal((await find(two.messageId)).status, 'queued', 'a claimed text doesn’t fail');
      assert.equal(await dispatch(one.messageId), null);
    });
  });
});

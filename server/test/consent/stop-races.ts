import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import type { Deps } from '../../src/deps.ts';
import { addStaff } from '../../src/domain/accounts/staff.ts';
import { byOperator } from '../../src/domain/archive/archive.ts';
import { requestConsent } from '../../src/domain/consent/consent-requests.ts';
import { setFirm } from '../../src/domain/consent/firm-opt-outs.ts';
import { receiveReply } from '../../src/domain/consent/replies.ts';
import { decideReview } from '../../src/domain/consent/reviews.ts';
import { dispatcher } from '../../src/domain/delivery/dispatcher.ts';
import { sendDueMessages } from '../../src/domain/messages/due-messages.ts';
import { sendMessage } from '../../src/domain/messages/messages.ts';
import type { Carrier, IncomingReply } from '../../src/domain/ports.ts';
import { makeSignals } from '../../src/domain/shared/signals.ts';
import { listReviews } from '../../src/domain/supervision/reviews.ts';
import { makeLog } from '../../src/log.ts';
import { connect } from '../../src/store/database/pool.ts';
import { appRole } from '../../src/store/database/schema/migrate.ts';
import { LedgerCarrier } from '../delivery/ledger-carrier.ts';
import { bySandbox } from '../support/carriers.ts';
import { assertConsented, drawInstants } from '../support/instants.ts';
import { newPhone } from '../support/texting.ts';
import { hasBegun, type RecordedMessage, type Records, readRecords } from '../support/texting-records.ts';
import { until } from '../support/waiting.ts';
import { makeWorld, type World } from '../support/world.ts';

/** People's rounds run at once, in waves, so that each claim has many people's texts, as under load. */
const roundsPerWave = 30;
/** How long a round's texts keep coming; the STOP comes at a random moment until all of them have been retried. */
const swingMs = 200;
const stopWithinMs = 500;
/** On a busy machine, or in a distributed database, this many at once wait long for a connection. */
const timeoutMs = 120_000;
/** So many, at least, must come between two texts to them: the others came too early or too late to prove anything. */
const provingMin = 10;
/** A machine can be so busy that a wave proves nothing. */
const wavesMax = 10;
/** Often, so that a STOP comes between two texts. */
const watchMs = 20;
/** How often each node sends what is due, ten times while texts keep coming. */
const dueEveryMs = 20;

/** Two running nodes that share only the database, and a carrier that keeps a ledger. */
export type Stage = {
  world: World;
  advisorId: number;
  textingNumber: string;
  nodes: Deps[];
  ledger: LedgerCarrier;
  /** How many more texts a person gets before they have opted out with the carrier. */
  unwilling: Map<string, number>;
  /** Which part of its people a wave has. */
  share: number;
  close(): Promise<void>;
};

/** Each promise with the race that tests it; more waves make the race longer. */
export const stopRaces: Record<string, (stage: Stage, waves: number) => Promise<void>> = {
  'a STOP at any moment: texts not attempted before it never are': stopAtAnyInstant,
  'a reply that may mean stop at any moment: texts not attempted before it wait for the decision': doubtAtAnyInstant,
  'STOP and START in the same millisecond, in either order or at once: opted out, and no more texts':
    stopAndStartAtOnce,
  'people who keep changing their mind get texts only while opted in': changeTheirMinds,
  'one STOP delivered five times at once: one entry, one change, one confirmation on the phone': deliverOneStopOften,
  'a STOP to a colleague at any moment, where it counts for the firm: texts not attempted before it never are':
    stopColleague,
  'an opt-out with the carrier during a burst: texts not attempted before it never are': optOutWithTheCarrier,
};

export async function openStage(share = 1): Promise<Stage> {
  const ledger = new LedgerCarrier('race');
  const unwilling = new Map<string, number>();
  // One text in four is retried.
  ledger.decide = ({ to, text, kind }) => {
    const left = unwilling.get(to);
    if (left !== undefined) unwilling.set(to, left - 1);
    if (left !== undefined && left <= 0) return 'says opted out';
    const isFirst = !ledger.handed.some((each) => each.to === to && each.text === text);
    return kind === 'text' && isFirst && Math.random() < 0.25 ? 'does not take it' : 'takes it';
  };
  const carrier: Carrier = {
    name: 'ledger',
    check: () => null,
    listen: () => async () => {},
    async submit(text) {
      await pause(Math.random() * 5);
      return ledger.submit(text);
    },
  };
  const world = await makeWorld({ carrier, dispatch: false, database: { timeoutMs } });
  await drawInstants(world.database);
  const { advisorId, textingNumber } = world.ann.advisor;
  const otherPool = connect({ connectionString: world.database.url, size: 10, timeoutMs, role: appRole });
  const nodes: Deps[] = [world.deps, { ...world.deps, db: otherPool, signals: makeSignals() }];
  const dispatchers = nodes.map((deps) => dispatcher(deps, makeLog('silent')));
  const stopping = new AbortController();
  for (const each of dispatchers) each.start();
  const firing = nodes.map(async (deps) => {
    for (; !stopping.signal.aborted; await pause(dueEveryMs)) await sendDueMessages(deps);
  });
  return {
    world,
    advisorId,
    textingNumber: textingNumber ?? '',
    nodes,
    ledger,
    unwilling,
    share,
    async close() {
      stopping.abort();
      await Promise.all([...firing, ...dispatchers.map((each) => each.stop())]);
      await otherPool.end();
      await world.close();
    },
  };
}

async function stopAtAnyInstant(stage: Stage, waves: number): Promise<void> {
  await untilProven(stage, waves, async () => {
    const people = peopleOf(stage, roundsPerWave).map((phone, index) => ({ phone, isAccepted: index % 3 > 0 }));
    await Promise.all(
      people.map(({ phone, isAccepted }) => (isAccepted ? textUntilStop(stage, phone) : askUntilStop(stage, phone))),
    );
    const records = await settledRecords(stage);
    let undecided = 0;
    for (const { phone } of people) {
      const { messages, consents } = recordsOf(records, phone);
      const stops = consents.filter(({ to }) => to === 'opted_out');
      assert.equal(stops.length, 1);
      const begun = messages.filter(({ kind }) => kind !== 'opt_out');
      for (const { instant } of begun.flatMap(({ attempts }) => attempts))
        assert.ok(instant < Number(stops[0]?.instant), `${phone} was texted after the STOP`);
      assert.equal(messages.length - begun.length, 1, 'one confirmation');
      const refused = begun.filter(({ failureCode }) => failureCode === 'opted_out').length;
      if (refused > 0 && refused < begun.length) undecided += 1;
    }
    assertRecords(stage, records);
    return undecided;
  });
}

async function doubtAtAnyInstant(stage: Stage): Promise<void> {
  const { deps, ann } = stage.world;
  const { firmId } = ann.advisor;
  const staff = await addStaff(deps, { firmId, name: 'Sue', email: `${randomUUID()}@test.example` });
  await untilProven(stage, 1, async () => {
    const people = peopleOf(stage, 40).map((phone, index) => ({ phone, isStop: index % 2 === 0 }));
    await Promise.all(
      people.map(async ({ phone, isStop }) => {
        await say(stage, phone, 'START');
        const sending = [texts(stage, phone, 6), scheduled(stage, phone, 3)];
        await pause(Math.random() * swingMs);
        await say(stage, phone, 'wrong number');
        await pause(Math.random() * swingMs);
        const reviews = await listReviews(deps, { firmId, status: 'open', kind: 'possible_opt_out' });
        const { reviewId = -1 } = reviews.find((review) => review.phone === phone) ?? {};
        await decideReview(anyNode(stage), reviewId, { decision: isStop ? 'rejected' : 'approved', staff });
        await Promise.all(sending);
      }),
    );
    const records = await settledRecords(stage);
    let held = 0;
    for (const { phone, isStop } of people) {
      const { messages, inbound } = recordsOf(records, phone);
      const from = inbound.find(({ text }) => text === 'wrong number')?.instant ?? 0;
      const to = records.decisions.find((each) => each.phone === phone)?.instant ?? 0;
      const own = messages.filter(({ kind }) => kind === 'text');
      for (const { instant } of own.flatMap(({ attempts }) => attempts))
        assert.ok(instant < from || (!isStop && instant > to), `${phone} was texted while in doubt`);
      if (own.some(({ attempts }) => attempts.every(({ instant }) => instant > from))) held += 1;
      assert.equal(messages.filter(({ kind }) => kind === 'opt_out').length, isStop ? 1 : 0);
    }
    assertRecords(stage, records);
    return held;
  });
}

async function stopAndStartAtOnce(stage: Stage): Promise<void> {
  const people = peopleOf(stage, roundsPerWave).map((phone, index) => ({ phone, order: index % 3 }));
  await Promise.all(
    people.map(async ({ phone, order }) => {
      await say(stage, phone, 'START');
      await pause(5);
      const sentAt = stage.world.clock.now();
      const sending = texts(stage, phone, 4);
      await pause(Math.random() * swingMs);
      const words = order === 0 ? ['STOP', 'START'] : ['START', 'STOP'];
      if (order === 2) await Promise.all(words.map((text) => say(stage, phone, text, { sentAt })));
      else for (const text of words) await say(stage, phone, text, { sentAt });
      await sending;
    }),
  );
  const records = await settledRecords(stage);
  for (const { phone } of people) {
    const { member, messages } = recordsOf(records, phone);
    assert.equal(member?.state, 'opted_out');
    assert.equal(messages.filter(({ kind }) => kind === 'opt_out').length, 1);
  }
  assertRecords(stage, records);
}

async function changeTheirMinds(stage: Stage): Promise<void> {
  const people = peopleOf(stage, roundsPerWave);
  await Promise.all(
    people.map(async (phone) => {
      await say(stage, phone, 'START');
      const sending = [texts(stage, phone, 8), scheduled(stage, phone, 3)];
      for (const text of ['STOP', 'START', 'please stop texting me', 'START', 'STOP']) {
        await pause(Math.random() * 100);
        await say(stage, phone, text);
      }
      await Promise.all(sending);
    }),
  );
  const records = await settledRecords(stage);
  for (const phone of people) assert.equal(recordsOf(records, phone).member?.state, 'opted_out');
  assertRecords(stage, records);
}

async function deliverOneStopOften(stage: Stage): Promise<void> {
  const people = peopleOf(stage, roundsPerWave);
  await Promise.all(people.map((phone) => say(stage, phone, 'START')));
  await Promise.all(
    people.map(async (phone) => {
      const carrierMessageId = randomUUID();
      const sentAt = stage.world.clock.now();
      await Promise.all(Array.from({ length: 5 }, () => say(stage, phone, 'STOP', { carrierMessageId, sentAt })));
    }),
  );
  const records = await settledRecords(stage);
  for (const phone of people) {
    const { inbound, consents, messages } = recordsOf(records, phone);
    assert.equal(inbound.filter(({ text }) => text === 'STOP').length, 1);
    assert.equal(consents.filter(({ to }) => to === 'opted_out').length, 1);
    assert.equal(messages.filter(({ kind }) => kind === 'opt_out').length, 1);
    assert.equal(stage.ledger.ledger.filter(({ to, kind }) => to === phone && kind === 'opt_out').length, 1);
  }
  assertRecords(stage, records);
}

async function stopColleague(stage: Stage): Promise<void> {
  const { deps, ann, bob } = stage.world;
  const { firmId } = ann.advisor;
  const colleague = { ...stage, advisorId: bob.advisor.advisorId, textingNumber: bob.advisor.textingNumber ?? '' };
  await untilProven(stage, 1, async () => {
    const people = peopleOf(stage, 40).map((phone, index) => ({ phone, isTwice: index % 4 === 0 }));
    await setFirm(deps, firmId, { optOutScope: 'firm' });
    try {
      await Promise.all(
        people.map(async ({ phone, isTwice }) => {
          for (const each of [stage, colleague]) await say(each, phone, 'START');
          const sending = [texts(stage, phone, 6), texts(colleague, phone, 6)];
          const stopping = isTwice ? [stop(stage, phone), stop(colleague, phone)] : [stopAmidTexts(colleague, phone)];
          await Promise.all([...sending, ...stopping]);
        }),
      );
    } finally {
      await setFirm(deps, firmId, { optOutScope: 'advisor' });
    }
    const both = [await settledRecords(stage), await settledRecords(colleague)];
    let undecided = 0;
    for (const { phone } of people) {
      const own = both.map((records) => recordsOf(records, phone));
      for (const { member, messages, consents } of own) {
        assert.equal(member?.state, 'opted_out');
        const [stopped, ...more] = consents.filter(({ to }) => to === 'opted_out');
        assert.equal(more.length, 0);
        const begun = messages.filter(({ kind }) => kind === 'text');
        for (const { instant } of begun.flatMap(({ attempts }) => attempts))
          assert.ok(instant < Number(stopped?.instant), `${phone} was texted after the STOP`);
        const refused = begun.filter(({ failureCode }) => failureCode === 'opted_out').length;
        if (refused > 0 && refused < begun.length) undecided += 1;
      }
      const confirmations = own.flatMap(({ messages }) => messages.filter(({ kind }) => kind === 'opt_out'));
      assert.equal(confirmations.length, 1, 'one confirmation');
    }
    assertRecords(stage, both[0] ?? assert.fail());
    assertRecords(colleague, both[1] ?? assert.fail());
    return undecided;
  });
}

async function optOutWithTheCarrier(stage: Stage): Promise<void> {
  await untilProven(stage, 1, () => optOutInABurst(stage), 1);
}

/** Returns how many texts were waiting at the opt-outs: on a busy machine, texts may come no faster than they go. */
async function optOutInABurst(stage: Stage): Promise<number> {
  const people = peopleOf(stage, 12);
  await Promise.all(
    people.map(async (phone) => {
      await say(stage, phone, 'START');
      stage.unwilling.set(phone, 2 + Math.floor(Math.random() * 10));
      await texts(stage, phone, 30);
    }),
  );
  const records = await settledRecords(stage);
  let unattempted = 0;
  for (const phone of people) {
    const { member, consents, messages } = recordsOf(records, phone);
    assert.equal(member?.state, 'opted_out');
    const [optOut, ...more] = consents.filter(({ to }) => to === 'opted_out');
    assert.equal(more.length, 0);
    for (const { instant } of messages.flatMap(({ attempts }) => attempts))
      assert.ok(instant < Number(optOut?.instant));
    assert.ok(
      messages.every(({ kind }) => kind !== 'opt_out'),
      'the carrier confirms it itself',
    );
    unattempted += messages.filter(({ attempts }) => attempts.length === 0).length;
  }
  assertRecords(stage, records);
  return unattempted;
}

/** Runs the waves asked for, and more until enough replies came in the middle. */
async function untilProven(
  { share }: Stage,
  waves: number,
  runWave: () => Promise<number>,
  atLeast = Math.ceil(provingMin * share),
): Promise<void> {
  let proving = 0;
  for (let wave = 0; wave < waves || (proving < atLeast && wave < wavesMax); wave++) proving += await runWave();
  assert.ok(proving >= atLeast, `only ${proving} replies came in the middle`);
}

function peopleOf({ share }: Stage, most: number): string[] {
  return Array.from({ length: Math.ceil(most * share) }, newPhone);
}

/** A STOP amid texts, schedules and retries. */
async function textUntilStop(stage: Stage, phone: string): Promise<void> {
  await say(stage, phone, 'START');
  await Promise.all([texts(stage, phone, 6), scheduled(stage, phone, 3), stopAmidTexts(stage, phone)]);
}

/** A STOP amid consent requests, and reminders for unclear replies. */
async function askUntilStop(stage: Stage, phone: string): Promise<void> {
  const asking = Array.from({ length: 4 }, async () => {
    await pause(Math.random() * swingMs);
    await requestConsent(anyNode(stage), stage.advisorId, [phone], byOperator);
    await say(stage, phone, 'Who is this?');
  });
  await Promise.all([...asking, stop(stage, phone)]);
}

async function stop(stage: Stage, phone: string): Promise<void> {
  await pause(Math.random() * stopWithinMs);
  await say(stage, phone, 'STOP');
}

/** At a random moment, which on a busy machine is mostly too early, or else after some of the texts. */
function stopAmidTexts(stage: Stage, phone: string): Promise<void> {
  return Math.random() < 0.5 ? stop(stage, phone) : stopAfterTexts(stage, phone, 1 + Math.floor(Math.random() * 5));
}

async function stopAfterTexts(stage: Stage, phone: string, count: number): Promise<void> {
  const handed = () => stage.ledger.handed.filter(({ to }) => to === phone).length;
  await until(`the carrier has ${count} texts`, async () => handed() >= count, timeoutMs, watchMs);
  await say(stage, phone, 'STOP');
}

async function texts(stage: Stage, phone: string, count: number): Promise<void> {
  const sending = Array.from({ length: count }, async (_, index) => {
    await pause(Math.random() * swingMs);
    await sendMessage(anyNode(stage), stage.advisorId, { phone, text: `Text ${index} to ${phone}` }, byOperator);
  });
  await Promise.all(sending);
}

async function scheduled(stage: Stage, phone: string, count: number): Promise<void> {
  const scheduling = Array.from({ length: count }, (_, index) => {
    const deliveryDate = stage.world.clock.now().getTime() + 20 + Math.floor(Math.random() * swingMs);
    const text = `Scheduled ${index} to ${phone}`;
    return sendMessage(
      anyNode(stage),
      stage.advisorId,
      { phone, text, scheduleDelivery: true, deliveryDate },
      byOperator,
    );
  });
  await Promise.all(scheduling);
}

async function say(stage: Stage, phone: string, text: string, more: Partial<IncomingReply> = {}): Promise<void> {
  const sentAt = stage.world.clock.now();
  const reply = { carrierMessageId: randomUUID(), from: phone, to: stage.textingNumber, text, sentAt, ...more };
  await receiveReply(anyNode(stage), bySandbox, reply);
}

function anyNode({ nodes }: Stage): Deps {
  return nodes[Math.floor(Math.random() * nodes.length)] as Deps;
}

/** All records, once nothing is waiting. */
async function settledRecords({ world, advisorId }: Stage): Promise<Records> {
  await until(
    'nothing waits',
    async () => {
      const rows = await world.deps.db.query<{ waits: boolean }>(
        `select exists (select 1 from dispatches)
           or exists (select 1 from claims)
           or exists (select 1 from scheduled_messages where status = 'scheduled') as waits`,
      );
      return !rows[0]?.waits;
    },
    timeoutMs,
  );
  return readRecords(world.database, advisorId);
}

function recordsOf({ members, messages, consents, inbound }: Records, phone: string) {
  const isTheirs = (each: { phone: string }) => each.phone === phone;
  return {
    member: members.find(isTheirs),
    messages: messages.filter(isTheirs),
    consents: consents.filter(isTheirs),
    inbound: inbound.filter(isTheirs),
  };
}

/** Each of the advisor's attempts had consent and matches one call of the carrier, and no text went out twice. */
function assertRecords({ ledger, textingNumber }: Stage, { messages, consents }: Records): void {
  const isTheirs = ({ from }: { from: string }) => from === textingNumber;
  const attempts = messages.flatMap(({ phone, kind, attempts }) => attempts.map((each) => ({ ...each, phone, kind })));
  assertConsented(attempts, consents, true);
  assert.equal(ledger.handed.filter(isTheirs).length, attempts.filter(hasBegun).length);
  const ids = messages.flatMap(({ carrierMessageId }) => carrierMessageId ?? []);
  const taken = ledger.ledger.filter(isTheirs).map(({ id }) => id);
  assert.deepEqual(ids.toSorted(), taken.toSorted());
  for (const message of messages) assert.ok(hasEnded(message), JSON.stringify(message));
}

function hasEnded({ status, failureCode }: RecordedMessage): boolean {
  return status === 'sent' || (status === 'failed' && failureCode !== null);
}

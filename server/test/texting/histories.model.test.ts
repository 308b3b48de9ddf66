import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import fc from 'fast-check';
import { readConfig } from '../../src/config.ts';
import type { Deps } from '../../src/deps.ts';
import { type Advisor, addAdvisor } from '../../src/domain/accounts/advisors.ts';
import { addFirm } from '../../src/domain/accounts/firms.ts';
import { addStaff, type Staff } from '../../src/domain/accounts/staff.ts';
import { deleteContact, updateContact } from '../../src/domain/address-book/contacts.ts';
import { byOperator } from '../../src/domain/archive/archive.ts';
import { requestConsent } from '../../src/domain/consent/consent-requests.ts';
import { recordConsent } from '../../src/domain/consent/consents.ts';
import { receiveReply } from '../../src/domain/consent/replies.ts';
import { claimTexts } from '../../src/domain/delivery/claims.ts';
import { dispatcher } from '../../src/domain/delivery/dispatcher.ts';
import { receiveReceipt } from '../../src/domain/delivery/receipts.ts';
import { sendDueMessages } from '../../src/domain/messages/due-messages.ts';
import { type MessageInput, sendMessage } from '../../src/domain/messages/messages.ts';
import { cancelScheduled } from '../../src/domain/messages/scheduled-messages.ts';
import type { IncomingReply } from '../../src/domain/ports.ts';
import { Problem } from '../../src/domain/problems.ts';
import { numberOf } from '../../src/domain/shared/enumerations.ts';
import { makeSignals } from '../../src/domain/shared/signals.ts';
import { makeJudges } from '../../src/domain/supervision/judges.ts';
import { makeLog } from '../../src/log.ts';
import { type Behavior, behaviors, LedgerCarrier } from '../delivery/ledger-carrier.ts';
import { failing, mortal, tracked } from '../support/crashes.ts';
import { makeDatabase, type TestDatabase } from '../support/database.ts';
import { drawInstants } from '../support/instants.ts';
import {
  type Abandoned,
  assertAccounted,
  assertArchived,
  assertAsModelled,
  assertAttemptsAllowed,
  assertEnded,
  type Records,
  readRecords,
} from '../support/texting-records.ts';
import {
  allWords,
  type ModelReply,
  type ModelSchedule,
  type Settings,
  TextingModel,
  type Words,
} from './texting-model.ts';

/** Histories of a lane follow each other, and those of several go on at once: claims and schedules are a database's. */
const lanesMax = 4;
/** As HISTORIES says, for a longer hunt. */
const historiesMax = Number(process.env.HISTORIES ?? 500);
const commandsMax = 30;

const config = readConfig({ LOG_LEVEL: 'silent' });
/** For a carrier that answers late: what answers at once does so before any timer. */
const impatient = { ...config, carrierTimeoutMs: 5 };
const log = makeLog('silent');
const phones = ['+12125550101', '+12125550102', '+12125550103'];
const hourMs = 3_600_000;
const claimMax = 200;

type Lane = { database: TestDatabase; firmId: number; staff: Staff };

/** What really happens: an advisor of its own, with a carrier and a clock of its own. */
type History = {
  deps: Deps;
  database: TestDatabase;
  advisor: Advisor;
  staff: Staff;
  carrier: LedgerCarrier;
  abandoned: Abandoned[];
  /** Once all that a late answer set off has been written. */
  idle(): Promise<void>;
};
type Command = fc.AsyncCommand<TextingModel, History>;

const lanes = await Promise.all(Array.from({ length: lanesMax }, openLane));
after(() => Promise.all(lanes.map(({ database }) => database.drop())));
let advisors = 0;

async function openLane(): Promise<Lane> {
  const database = await makeDatabase({ size: 3, timeoutMs: 30_000 });
  await drawInstants(database);
  const deps = {
    db: database.pool,
    clock: { now: () => new Date() },
    config,
    carrier: null,
    signals: makeSignals(),
    judges: makeJudges(),
  };
  const { firmId } = await addFirm(deps, 'Test Wealth');
  return { database, firmId, staff: await addStaff(deps, { firmId, name: 'Sam', email: 'sam@test.example' }) };
}

async function beginHistory({ database, firmId, staff }: Lane, model: TextingModel): Promise<History> {
  const number = ++advisors;
  const carrier = new LedgerCarrier(String(number));
  const { pool: db, idle } = tracked(database.pool);
  const deps = {
    db,
    clock: { now: () => new Date(model.nowMs) },
    config,
    carrier,
    signals: makeSignals(),
    judges: makeJudges(),
  };
  const advisor = await addAdvisor(deps, {
    firmId,
    name: 'Ann',
    email: `ann-${number}@test.example`,
    textingNumber: `+1500${String(number).padStart(7, '0')}`,
    timeZone: 'UTC',
    ...model.settings,
  });
  return { deps, database, advisor, staff, carrier, abandoned: [], idle };
}

const settings = fc.record<Settings>({
  quietHours: fc.constantFrom('off', 'off', 'off', 'defer', 'refuse'),
  consentRequired: fc.constantFrom(true, true, true, false),
});
const phone = fc.constantFrom(...phones);
const recipients = fc.oneof(
  phone.map((each) => [each]),
  fc.uniqueArray(phone, { minLength: 2, maxLength: 3 }),
);
const words = fc.constantFrom<Words>('STOP', 'START', 'ACCEPT', 'ACCEPT', ...allWords);
/** When a reply was written, before it came; now and then by a clock that is ahead. */
const age = fc.constantFrom(0, 0, 0, 0, 1_000, 60_000, hourMs, -120_000, -24 * hourMs);
const seconds = fc.constantFrom(1, 1, 30, 61, 301, 3_600, 7 * 3_600, 26 * 3_600);
const deeds = fc.array(
  fc.constantFrom<Behavior>('takes it', 'takes it', 'says opted out', 'does not take it', ...behaviors),
  { maxLength: 4 },
);
const doomed = ['a send', 'a request', 'a reply', 'what is due', 'a claim'] as const;

/** Several times what should come up often. */
const commands: fc.Arbitrary<Command>[] = [
  ...Array(4).fill(recipients.map((to) => command(`send to ${to}`, (model, real) => send(model, real, to)))),
  ...Array(3).fill(recipients.map((to) => command(`ask ${to}`, (model, real) => ask(model, real, to)))),
  ...Array(6).fill(
    fc.tuple(phone, words, age).map(([from, text, ageMs]) =>
      command(`${from} says "${text}", written ${ageMs} ms ago`, async (model, real) => {
        await receive(model, real, newReply(model, { phone: from, text, sentMs: model.nowMs - ageMs }));
      }),
    ),
  ),
  fc.nat().map((which) => ({
    ...command(`reply #${which} is brought again`, async (model, real) => {
      await receive(model, real, pick(model.replies, which));
    }),
    check: (model) => model.replies.length > 0,
  })),
  ...Array(2).fill(
    fc.tuple(recipients, seconds, fc.boolean()).map(([to, inSeconds, isDaily]) =>
      command(`schedule ${isDaily ? 'daily ' : ''}to ${to} in ${inSeconds} s`, async (model, real) => {
        await schedule(model, real, { to, atMs: model.nowMs + inSeconds * 1_000, isDaily });
      }),
    ),
  ),
  fc.nat().map((which) => ({
    ...command(`cancel #${which}`, async (model, { deps, advisor }) => {
      const chosen = pick(waiting(model), which);
      await cancelScheduled(deps, advisor.advisorId, chosen.scheduledMessageId, byOperator);
      model.cancel(chosen);
    }),
    check: (model) => waiting(model).length > 0,
  })),
  ...Array(2).fill(
    fc.constant(
      command('fire what is due', async (model, { deps }) => {
        await sendDueMessages(deps);
        model.fire();
      }),
    ),
  ),
  phone.map((from) =>
    command(`${from} agrees on paper`, async (model, { deps, advisor, staff }) => {
      const recorded = recordConsent(deps, { advisorId: advisor.advisorId, phone: from, proof: 'Form 7', staff });
      await (model.record(from) ? recorded : assert.rejects(recorded, Problem));
    }),
  ),
  fc.nat().map((which) =>
    contactCommand(`delete contact #${which}`, async (model, real) => {
      const index = which % model.contacts.length;
      await deleteContact(real.deps, real.advisor.advisorId, await contactIdAt(real, index));
      model.deleteContact(index);
    }),
  ),
  fc.tuple(fc.nat(), phone).map(([which, to]) =>
    contactCommand(`contact #${which} has a new number, ${to}`, async (model, real) => {
      const index = which % model.contacts.length;
      await updateContact(real.deps, real.advisor.advisorId, await contactIdAt(real, index), { phone: to });
      model.editContact(index, to);
    }),
  ),
  ...Array(3).fill(
    seconds.map((moved) =>
      command(`${moved} s pass`, async (model) => {
        model.nowMs += moved * 1_000;
      }),
    ),
  ),
  ...Array(6).fill(
    deeds.map((next) =>
      command(`a node hands over; the carrier ${next.join(', ') || 'takes all'}`, (model, real) =>
        handOver(model, real, next),
      ),
    ),
  ),
  fc.constant(command('leases run out and tries come round', (_model, real) => letRealTimePass(real))),
  fc.constant(
    command('late answers come', async (_model, { carrier, idle }) => {
      carrier.answerLate();
      await idle();
    }),
  ),
  ...Array(2).fill(
    fc.tuple(fc.nat(), fc.constantFrom('delivered', 'undelivered')).map(([which, status]) =>
      command(`receipt #${which}: ${status}`, async (_model, { deps, carrier }) => {
        // The last of them is of what will be handed over next: receipts may come before the answer.
        const carrierMessageId = pick([...carrier.ledger.map(({ id }) => id), carrier.nextId], which);
        await receiveReceipt(deps, { carrierMessageId, status });
        const receipts = carrier.receipts.get(carrierMessageId) ?? new Set();
        carrier.receipts.set(carrierMessageId, receipts.add(status));
      }),
    ),
  ),
  fc.integer({ min: 1, max: 3 }).map((limit) =>
    command(`a node claims ${limit} and dies`, async (_model, { deps, abandoned }) => {
      const { texts } = await claimTexts(deps, limit);
      abandoned.push(...texts.map((text) => ({ to: text.phone, text: text.text })));
    }),
  ),
  deeds.map((next) =>
    command(`a node dies while it hands over; the carrier ${next.join(', ') || 'takes all'}`, (_model, real) =>
      dieHandingOver(real, next),
    ),
  ),
  ...Array(3).fill(
    fc
      .record({ what: fc.constantFrom(...doomed), to: recipients, text: words, statements: fc.nat({ max: 12 }) })
      .map((each) =>
        command(`dies before its commit: ${JSON.stringify(each)}`, (model, real) => die(model, real, each)),
      ),
  ),
];

/** What came up at least once; else the histories would prove less than they seem to. */
const seen = new Set<string>();

test('any history of texts, replies and crashes goes as the rules say, and all of it is accounted for', async () => {
  const sequence = fc.commands(commands, { maxCommands: commandsMax, size: 'max' });
  const property = (lane: Lane) =>
    fc.asyncProperty(settings, sequence, async (chosen, history) => {
      const model = new TextingModel(chosen);
      const real = await beginHistory(lane, model);
      try {
        await fc.asyncModelRun(() => ({ model, real }), history);
        await check(model, real);
        await letRealTimePass(real);
        await handOver(model, real, []);
        assertEnded(await check(model, real), model.nowMs);
      } finally {
        await tidyUp(lane);
      }
    });
  const runs = await Promise.allSettled(
    lanes.map((lane) => fc.assert(property(lane), { numRuns: historiesMax / lanesMax })),
  );
  for (const run of runs) if (run.status === 'rejected') throw run.reason;
  const statuses = ['queued', 'submitting', 'sent', 'delivered', 'undelivered', 'in_doubt'];
  const failures = ['rejected', 'opted_out', 'not_consented', 'expired', 'carrier_unavailable'];
  for (const each of [...statuses, ...failures]) assert.ok(seen.has(each), `no message was ever ${each}`);
});

async function check(model: TextingModel, { database, advisor, carrier, abandoned }: History): Promise<Records> {
  const records = await readRecords(database, advisor.advisorId);
  assertAsModelled(records, model);
  assertArchived(records);
  assertAttemptsAllowed(records, model);
  assertAccounted(records, carrier, abandoned, model);
  for (const { status, failureCode } of records.messages) seen.add(failureCode ?? status);
  return records;
}

let texts = 0;

async function send(model: TextingModel, { deps, advisor }: History, to: string[]): Promise<void> {
  const text = `Text ${++texts}`;
  const { successes, failures } = await sendMessage(deps, advisor.advisorId, { phoneNumbers: to, text }, byOperator);
  const refusals = model.send(to, text);
  assertRefused(to, refusals, failures);
  assert.equal(successes.length, to.length - failures.length);
}

type Later = { to: string[]; atMs: number; isDaily: boolean };

async function schedule(model: TextingModel, { deps, advisor }: History, { to, atMs, isDaily }: Later): Promise<void> {
  const text = `Text ${++texts}`;
  const frequency = numberOf('frequency', isDaily ? 'daily' : 'once');
  const input: MessageInput = { phoneNumbers: to, text, scheduleDelivery: true, deliveryDate: atMs, frequency };
  const { successes, failures } = await sendMessage(deps, advisor.advisorId, input, byOperator);
  const refusals = model.refusalsOfSchedule(to, atMs);
  assertRefused(to, refusals, failures);
  const scheduled = to.filter((_, index) => refusals[index] === null);
  for (const [index, { scheduledMessageId = 0 }] of successes.entries())
    model.schedule({ scheduledMessageId, phone: scheduled[index] ?? '', text, dueMs: atMs, isDaily });
}

async function ask(model: TextingModel, { deps, advisor }: History, to: string[]): Promise<void> {
  const asked = requestConsent(deps, advisor.advisorId, to, byOperator);
  const refusals = model.request(to);
  if (!refusals) return assert.rejects(asked, Problem);
  const { successes, failures } = await asked;
  assertRefused(to, refusals, failures);
  assert.equal(successes.length, to.length - failures.length);
}

function assertRefused(to: string[], refusals: (string | null)[], failures: { phone: string; code: string }[]): void {
  const expected = to.flatMap((phone, index) => (refusals[index] ? { phone, code: refusals[index] } : []));
  assert.deepEqual(
    failures.map(({ phone, code }) => ({ phone, code })),
    expected,
  );
}

function newReply({ replies }: TextingModel, reply: Omit<ModelReply, 'carrierMessageId'>): ModelReply {
  return { ...reply, carrierMessageId: `reply-${replies.length}` };
}

async function receive(model: TextingModel, { deps, advisor }: History, reply: ModelReply): Promise<void> {
  await receiveReply(deps, incoming(advisor, reply));
  model.receive(reply);
}

function incoming({ textingNumber }: Advisor, { carrierMessageId, phone, text, sentMs }: ModelReply): IncomingReply {
  return { carrierMessageId, from: phone, to: textingNumber ?? '', text, sentAt: new Date(sentMs) };
}

/** A node hands over what is ready. */
async function handOver(model: TextingModel, { deps, carrier }: History, next: Behavior[]): Promise<void> {
  const before = carrier.handed.length;
  carrier.next = [...next];
  const node = dispatcher({ ...deps, config: next.some((each) => /late/.test(each)) ? impatient : config }, log);
  await node.settled();
  await node.stop();
  for (const { to, behavior } of carrier.handed.slice(before))
    if (behavior === 'says opted out') model.optOutByCarrier(to);
}

/** A node that dies when the carrier has what it claimed: whatever the carrier answers, nobody hears it. */
async function dieHandingOver({ deps, database, carrier }: History, next: Behavior[]): Promise<void> {
  const { pool: db, die } = mortal(database.pool);
  const node = dispatcher({ ...deps, db }, log);
  const { promise: died, resolve } = Promise.withResolvers<void>();
  // Whose answer would come late has none to give.
  carrier.next = next.filter((each) => !/late/.test(each));
  carrier.isHeard = () => false;
  carrier.onSubmit = () => {
    die();
    resolve();
  };
  await Promise.race([node.settled(), died]);
  carrier.isHeard = () => true;
  carrier.onSubmit = () => {};
}

type Doomed = { what: (typeof doomed)[number]; to: string[]; text: Words; statements: number };

/** What dies before its commit has done nothing. */
async function die(model: TextingModel, real: History, { what, to, text, statements }: Doomed): Promise<void> {
  const { advisor, database } = real;
  const { advisorId } = advisor;
  const deps = { ...real.deps, db: failing(database.pool, statements) };
  const reply = newReply(model, { phone: to[0] ?? '', text, sentMs: model.nowMs });
  const calls: Record<typeof what, () => Promise<unknown>> = {
    'a send': () => sendMessage(deps, advisorId, { phoneNumbers: to, text: 'Never' }, byOperator),
    'a request': () => requestConsent(deps, advisorId, to, byOperator),
    'a reply': () => receiveReply(deps, incoming(advisor, reply)),
    'what is due': () => sendDueMessages(deps),
    'a claim': () => claimTexts(deps, claimMax),
  };
  await assert.rejects(calls[what]());
}

/** As if an hour had passed for leases and tries, which count in real time; and a node sees to what others left behind. */
async function letRealTimePass({ deps, database }: History): Promise<void> {
  await database.pool.query(
    `update dispatches
     set not_before = not_before - interval '1 hour', leased_until = leased_until - interval '1 hour'`,
  );
  const node = dispatcher(deps, log);
  // It recovers first of all, and when it is stopped at once it does nothing else.
  node.start();
  await node.stop();
}

/** What a history leaves in the outbox and among the schedules would be the next one's. */
async function tidyUp({ database }: Lane): Promise<void> {
  await database.pool.query(
    `with emptied as (delete from dispatches), forgotten as (delete from early_receipts)
     update scheduled_messages set status = 'canceled' where status = 'scheduled'`,
  );
}

async function contactIdAt({ database, advisor }: History, index: number): Promise<number> {
  const [row] = await database.pool.query<{ contactId: number }>(
    'select contact_id as "contactId" from contacts where advisor_id = $1 order by contact_id offset $2 limit 1',
    [advisor.advisorId, index],
  );
  return row?.contactId ?? 0;
}

function waiting({ schedules }: Readonly<TextingModel>): ModelSchedule[] {
  return schedules.filter(({ status }) => status === 'scheduled');
}

function command(says: string, run: Command['run']): Command {
  return { check: () => true, run, toString: () => says };
}

function contactCommand(says: string, run: Command['run']): Command {
  return { ...command(says, run), check: (model) => model.contacts.length > 0 };
}

function pick<Item>(items: readonly Item[], which: number): Item {
  return items[which % items.length] as Item;
}

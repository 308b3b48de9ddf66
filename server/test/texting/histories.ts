import assert from 'node:assert/strict';
import fc from 'fast-check';
import { deleteContact, updateContact } from '../../src/domain/address-book/contacts.ts';
import { byOperator } from '../../src/domain/archive/archive.ts';
import { recordConsent } from '../../src/domain/consent/consents.ts';
import { claimTexts } from '../../src/domain/delivery/claims.ts';
import { receiveReceipt } from '../../src/domain/delivery/receipts.ts';
import { sendDueMessages } from '../../src/domain/messages/due-messages.ts';
import { cancelScheduled } from '../../src/domain/messages/scheduled-messages.ts';
import { Problem } from '../../src/domain/problems.ts';
import { sandboxCarrierId } from '../../src/store/carriers/carriers.ts';
import { type Behavior, behaviors } from '../delivery/ledger-carrier.ts';
import {
  assertAccounted,
  assertArchived,
  assertAsModelled,
  assertAttemptsAllowed,
  assertEnded,
  type Records,
  readRecords,
} from '../support/texting-records.ts';
import {
  ask,
  beginHistory,
  contactIdAt,
  decide,
  die,
  dieHandingOver,
  doomed,
  type History,
  handOver,
  type Lane,
  letRealTimePass,
  newReply,
  openLane,
  receive,
  schedule,
  send,
  sendWhenConsented,
  tidyUp,
} from './history.ts';
import {
  allWords,
  type ModelReview,
  type ModelSchedule,
  type Scope,
  type Settings,
  TextingModel,
  type Words,
} from './texting-model.ts';

const commandsMax = 30;
const phones = ['+12125550101', '+12125550102', '+12125550103'];
const hourMs = 3_600_000;

type Command = fc.AsyncCommand<TextingModel, History>;

type Histories = { histories: number; seeds: number[] };

/** Plays histories, those of each seed in a lane of its own, and returns every outcome that a message or a review had. */
export async function playHistories({ histories, seeds }: Histories): Promise<Set<string>> {
  const seen = new Set<string>();
  const lanes = await Promise.all(seeds.map(openLane));
  try {
    const runs = await Promise.allSettled(
      lanes.map((lane, index) =>
        fc.assert(propertyOf(lane, seen), { numRuns: Math.ceil(histories / seeds.length), seed: seeds[index] }),
      ),
    );
    for (const run of runs) if (run.status === 'rejected') throw run.reason;
    return seen;
  } finally {
    await Promise.all(lanes.map(({ database }) => database.drop()));
  }
}

function propertyOf(lane: Lane, seen: Set<string>) {
  const sequence = fc.commands(commands, { maxCommands: commandsMax, size: 'max' });
  return fc.asyncProperty(settings, scope, sequence, async (chosen, counts, history) => {
    const model = new TextingModel(chosen, counts);
    const real = await beginHistory(lane, model);
    try {
      await fc.asyncModelRun(() => ({ model, real }), history);
      await checkBoth(model, real, seen);
      await letRealTimePass(real);
      await handOver(model, real, []);
      for (const records of await checkBoth(model, real, seen)) assertEnded(records, model.nowMs);
    } finally {
      await tidyUp(lane);
    }
  });
}

async function checkBoth(model: TextingModel, real: History, seen: Set<string>): Promise<Records[]> {
  return [await check(model, real, seen), await check(model.colleague, real.colleague, seen)];
}

async function check(model: TextingModel, real: History, seen: Set<string>): Promise<Records> {
  const { database, advisor, carrier } = real;
  const isTheirs = ({ from }: { from: string }) => from === advisor.textingNumber;
  const { receipts } = carrier;
  const theirs = { ledger: carrier.ledger.filter(isTheirs), handed: carrier.handed.filter(isTheirs), receipts };
  const records = await readRecords(database, advisor.advisorId);
  assertAsModelled(records, model);
  assertArchived(records);
  assertAttemptsAllowed(records, model);
  assertAccounted(records, theirs, real.abandoned.filter(isTheirs), model);
  for (const { reason } of records.consents) seen.add(`consent ${reason}`);
  for (const { status, failureCode, isClaimed } of records.messages)
    seen.add(failureCode ?? (isClaimed ? 'claimed' : status));
  for (const { kind, decision, outcome } of records.decisions) seen.add(`${kind} ${decision} ${outcome}`);
  return records;
}

const settings = fc.record<Settings>({
  quietHours: fc.constantFrom('off', 'off', 'off', 'defer', 'refuse'),
  consentRequired: fc.constantFrom(true, true, true, false),
});
const scope = fc.constantFrom<Scope>('advisor', 'firm');
const phone = fc.constantFrom(...phones);
/** Whose command it is: sometimes the colleague's. */
const isColleague = fc.constantFrom(false, false, false, true);
const recipients = fc.oneof(
  phone.map((each) => [each]),
  fc.uniqueArray(phone, { minLength: 2, maxLength: 3 }),
);
const words = fc.constantFrom<Words>('STOP', 'START', 'ACCEPT', 'ACCEPT', 'Sorry, wrong number.', ...allWords);
/** How long before its arrival a reply was written; negative by a clock that is ahead. */
const age = fc.constantFrom(0, 0, 0, 0, 1_000, 30_000, 60_000, hourMs, 26 * hourMs, -1, -120_000, -24 * hourMs);
const seconds = fc.constantFrom(1, 1, 30, 61, 301, 3_600, 7 * 3_600, 26 * 3_600);
const deeds = fc.array(
  fc.constantFrom<Behavior>('takes it', 'takes it', 'says opted out', 'does not take it', ...behaviors),
  { maxLength: 4 },
);
/** Frequent commands are listed several times. */
const commands: fc.Arbitrary<Command>[] = [
  ...Array(4).fill(
    fc
      .tuple(recipients, isColleague)
      .map(([to, other]) => either(`send to ${to}`, other, (model, real) => send(model, real, to))),
  ),
  ...Array(2).fill(
    fc
      .tuple(recipients, isColleague)
      .map(([to, other]) =>
        either(`send to ${to} when they have consented`, other, (model, real) => sendWhenConsented(model, real, to)),
      ),
  ),
  ...Array(3).fill(
    fc
      .tuple(recipients, isColleague)
      .map(([to, other]) => either(`ask ${to}`, other, (model, real) => ask(model, real, to))),
  ),
  ...Array(6).fill(
    fc.tuple(phone, words, age, isColleague).map(([from, text, ageMs, other]) =>
      either(`${from} says "${text}", written ${ageMs} ms ago`, other, async (model, real) => {
        await receive(model, real, newReply(model, { phone: from, text, sentMs: model.nowMs - ageMs }));
      }),
    ),
  ),
  ...Array(2).fill(
    fc.tuple(fc.nat(), phone, words, fc.boolean()).map(([which, from, text, isSameId]) => ({
      ...command(`${from} says "${text}" with the ${isSameId ? 'id' : 'stamp'} of reply #${which}`, (model, real) => {
        const { carrierMessageId, sentMs } = pick(model.replies, which);
        const reply = newReply(model, { phone: from, text, sentMs: isSameId ? model.nowMs : sentMs });
        return receive(model, real, isSameId ? { ...reply, carrierMessageId } : reply);
      }),
      check: (model: Readonly<TextingModel>) => model.replies.length > 0,
    })),
  ),
  ...Array(4).fill(
    fc.tuple(fc.nat(), fc.constantFrom('approved', 'rejected')).map(([which, decision]) => ({
      ...command(`review #${which} is ${decision}`, (model, real) => {
        const review = pick(openReviews(model), which);
        return decide(model, real, review, decision);
      }),
      check: (model: Readonly<TextingModel>) => openReviews(model).length > 0,
    })),
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
        // The last id is the next text's: a receipt may come before the carrier's answer.
        const carrierMessageId = pick([...carrier.ledger.map(({ id }) => id), carrier.nextId], which);
        await receiveReceipt(deps, sandboxCarrierId, { carrierMessageId, status });
        const receipts = carrier.receipts.get(carrierMessageId) ?? new Set();
        carrier.receipts.set(carrierMessageId, receipts.add(status));
      }),
    ),
  ),
  fc.integer({ min: 1, max: 3 }).map((limit) =>
    command(`a node claims ${limit} and dies`, async (_model, { deps, abandoned }) => {
      const { texts } = await claimTexts(deps, sandboxCarrierId, limit);
      abandoned.push(...texts.map(({ textingNumber: from, phone: to, text }) => ({ from, to, text })));
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

function waiting({ schedules }: Readonly<TextingModel>): ModelSchedule[] {
  return schedules.filter(({ status }) => status === 'scheduled');
}

function openReviews({ reviews }: Readonly<TextingModel>): ModelReview[] {
  return reviews.filter(({ status }) => status === 'open');
}

function command(says: string, run: Command['run']): Command {
  return { check: () => true, run, toString: () => says };
}

/** A command of the advisor, or the same of their colleague. */
function either(says: string, isColleague: boolean, run: Command['run']): Command {
  if (!isColleague) return command(says, run);
  return command(`the colleague: ${says}`, (model, real) => run(model.colleague, real.colleague));
}

function contactCommand(says: string, run: Command['run']): Command {
  return { ...command(says, run), check: (model) => model.contacts.length > 0 };
}

function pick<Item>(items: readonly Item[], which: number): Item {
  return items[which % items.length] as Item;
}

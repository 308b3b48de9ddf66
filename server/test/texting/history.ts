import assert from 'node:assert/strict';
import { readConfig } from '../../src/config.ts';
import type { Deps } from '../../src/deps.ts';
import { type Advisor, addAdvisor } from '../../src/domain/accounts/advisors.ts';
import { addFirm } from '../../src/domain/accounts/firms.ts';
import { addStaff, type Staff } from '../../src/domain/accounts/staff.ts';
import { byOperator } from '../../src/domain/archive/archive.ts';
import { requestConsent } from '../../src/domain/consent/consent-requests.ts';
import { setFirm } from '../../src/domain/consent/firm-opt-outs.ts';
import { receiveReply } from '../../src/domain/consent/replies.ts';
import { decideReview } from '../../src/domain/consent/reviews.ts';
import { claimTexts } from '../../src/domain/delivery/claims.ts';
import { dispatcher } from '../../src/domain/delivery/dispatcher.ts';
import { receiveReceipt } from '../../src/domain/delivery/receipts.ts';
import { sendDueMessages } from '../../src/domain/messages/due-messages.ts';
import type { MessageInput } from '../../src/domain/messages/message-input.ts';
import { sendMessage } from '../../src/domain/messages/messages.ts';
import type { IncomingReply } from '../../src/domain/ports.ts';
import { Problem } from '../../src/domain/problems.ts';
import { numberOf } from '../../src/domain/shared/enumerations.ts';
import { makeSignals } from '../../src/domain/shared/signals.ts';
import { makeLog } from '../../src/log.ts';
import { sandboxCarrierId } from '../../src/store/carriers/carriers.ts';
import { hasDue } from '../../src/store/messages/due-messages.ts';
import { type Behavior, LedgerCarrier } from '../delivery/ledger-carrier.ts';
import { bySandbox, fixedCarriers } from '../support/carriers.ts';
import { failing, mortal, tracked } from '../support/crashes.ts';
import { makeDatabase, moved, type TestDatabase } from '../support/database.ts';
import { depsOn } from '../support/deps.ts';
import { drawInstants } from '../support/instants.ts';
import { type AbandonedText, readRecords } from '../support/texting-records.ts';
import { atAnyTime } from '../support/wrong-clock.ts';
import type { ModelReply, ModelReview, TextingModel, Words } from './texting-model.ts';

const config = readConfig({ LOG_LEVEL: 'silent' });
/** For a carrier that answers late; an immediate answer comes before any timer. */
const impatient = { ...config, carrierTimeoutMs: 5 };
const log = makeLog('silent');
const claimMax = 200;

/** A database on which histories run one after another, since claims and schedules span a database. */
export type Lane = { database: TestDatabase };

/** The real side of a history: its own firm with two advisors, carrier and clock. */
export type History = {
  deps: Deps;
  database: TestDatabase;
  advisor: Advisor;
  /** The same for the other advisor of the firm. */
  colleague: History;
  staff: Staff;
  carrier: LedgerCarrier;
  abandoned: AbandonedText[];
  /** Resolves once everything that a late answer started has been written. */
  idle(): Promise<void>;
};

let advisors = 0;

export async function openLane(): Promise<Lane> {
  const database = await makeDatabase({ size: 3, timeoutMs: 30_000 });
  await drawInstants(database);
  await database.asOwner(atAnyTime);
  return { database };
}

export async function beginHistory({ database }: Lane, model: TextingModel): Promise<History> {
  const number = ++advisors;
  const carrier = new LedgerCarrier(String(number));
  const { pool: db, idle } = tracked(database.pool);
  const clock = { now: () => new Date(model.nowMs) };
  const deps = depsOn(db, { clock, config, carriers: fixedCarriers(carrier) });
  carrier.deliver = (receipt) => receiveReceipt(deps, sandboxCarrierId, receipt);
  // The phones are the same in every history, so each needs its own firm.
  const { firmId } = await addFirm(deps, 'Test Wealth');
  await setFirm(deps, firmId, { optOutScope: model.scope });
  const staff = await addStaff(deps, { firmId, name: 'Sam', email: `sam-${number}@test.example` });
  const add = (name: string, prefix: string) =>
    addAdvisor(deps, {
      firmId,
      name,
      email: `${name}-${number}@test.example`,
      textingNumber: `${prefix}${String(number).padStart(7, '0')}`,
      timeZone: 'UTC',
      ...model.settings,
    });
  const shared = { deps, database, staff, carrier, abandoned: [], idle };
  const [ann, bob] = [await add('Ann', '+1500'), await add('Bob', '+1501')];
  const own: History = {
    ...shared,
    advisor: ann,
    get colleague() {
      return other;
    },
  };
  const other: History = { ...shared, advisor: bob, colleague: own };
  return own;
}

let texts = 0;

export async function send(model: TextingModel, { deps, advisor }: History, to: string[]): Promise<void> {
  const text = `Text ${++texts}`;
  const { successes, failures } = await sendMessage(deps, advisor.advisorId, { phoneNumbers: to, text }, byOperator);
  const refusals = model.send(to, text);
  assertRefused(to, refusals, failures);
  assert.equal(successes.length, to.length - failures.length);
}

export async function sendWhenConsented(model: TextingModel, { deps, advisor }: History, to: string[]): Promise<void> {
  const text = `Text ${++texts}`;
  const input: MessageInput = { phoneNumbers: to, text, whenConsented: true };
  const { successes, failures } = await sendMessage(deps, advisor.advisorId, input, byOperator);
  const refusals = model.sendWhenConsented(to, text);
  assertRefused(to, refusals, failures);
  const waits = to.filter((phone) => model.waits.some((wait) => wait.phone === phone && wait.text === text));
  assert.deepEqual(
    successes.filter(({ status }) => status === 'awaiting_consent').map(({ phone }) => phone),
    waits,
  );
  assert.equal(successes.length, to.length - failures.length);
}

export type Later = { to: string[]; atMs: number; isDaily: boolean };

export async function schedule(
  model: TextingModel,
  { deps, advisor }: History,
  { to, atMs, isDaily }: Later,
): Promise<void> {
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

export async function ask(model: TextingModel, { deps, advisor }: History, to: string[]): Promise<void> {
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

export function newReply({ replies }: TextingModel, reply: Omit<ModelReply, 'carrierMessageId'>): ModelReply {
  return { ...reply, carrierMessageId: `reply-${replies.length}` };
}

export async function receive(model: TextingModel, { deps, advisor }: History, reply: ModelReply): Promise<void> {
  await receiveReply(deps, bySandbox, incoming(advisor, reply));
  model.receive(reply);
}

function incoming({ textingNumber }: Advisor, { carrierMessageId, phone, text, sentMs }: ModelReply): IncomingReply {
  return { carrierMessageId, from: phone, to: textingNumber ?? '', text, sentAt: new Date(sentMs) };
}

/** An approval is refused if held texts can't go out now, but could later. */
export async function decide(
  model: TextingModel,
  { deps, database, advisor, staff }: History,
  review: ModelReview,
  decision: 'approved' | 'rejected',
): Promise<void> {
  const { reviews } = await readRecords(database, advisor.advisorId);
  const { reviewId = -1 } = reviews[model.reviews.indexOf(review)] ?? {};
  try {
    const { outcome } = await decideReview(deps, reviewId, { decision, staff });
    assert.equal(outcome, model.decide(review, decision));
  } catch (error) {
    if (!(error instanceof Problem)) throw error;
    assert.ok(decision === 'approved' && model.settings.quietHours === 'refuse' && !model.isOpen(model.nowMs));
  }
}

async function openReviewId({ database, advisor }: History): Promise<number> {
  const { reviews } = await readRecords(database, advisor.advisorId);
  return reviews.findLast(({ status }) => status === 'open')?.reviewId ?? -1;
}

/** A node hands over the texts that are ready. */
export async function handOver(
  model: TextingModel,
  { deps, advisor, carrier }: History,
  next: Behavior[],
): Promise<void> {
  const before = carrier.handed.length;
  carrier.next = [...next];
  const node = dispatcher({ ...deps, config: next.some((each) => /late/.test(each)) ? impatient : config }, log);
  await node.settled();
  await node.stop();
  await carrier.delivered();
  for (const { from, to, behavior } of carrier.handed.slice(before))
    if (behavior === 'says opted out') (from === advisor.textingNumber ? model : model.colleague).optOutByCarrier(to);
}

/** A node dies once the carrier has a claimed text: nobody hears the carrier's answers. */
export async function dieHandingOver({ deps, database, carrier }: History, next: Behavior[]): Promise<void> {
  const { pool: db, die } = mortal(database.pool);
  const node = dispatcher({ ...deps, db, signals: makeSignals() }, log);
  const { promise: died, resolve } = Promise.withResolvers<void>();
  // A dead node waits for no late answers.
  carrier.next = next.filter((each) => !/late/.test(each));
  carrier.isHeard = () => false;
  carrier.onSubmit = () => {
    die();
    resolve();
  };
  await Promise.race([node.settled(), died]);
  await carrier.delivered();
  carrier.isHeard = () => true;
  carrier.onSubmit = () => {};
}

export const doomed = [
  'a send',
  'a send that waits',
  'a request',
  'a reply',
  'a decision',
  'what is due',
  'a claim',
] as const;
export type DoomedCall = { what: (typeof doomed)[number]; to: string[]; text: Words; statements: number };

/** A call that dies before its commit has no effect. */
export async function die(
  model: TextingModel,
  real: History,
  { what, to, text, statements }: DoomedCall,
): Promise<void> {
  const { advisor, database } = real;
  const { advisorId } = advisor;
  const deps = { ...real.deps, db: failing(database.pool, statements) };
  const reply = newReply(model, { phone: to[0] ?? '', text, sentMs: model.nowMs });
  const calls: Record<typeof what, () => Promise<unknown>> = {
    'a send': () => sendMessage(deps, advisorId, { phoneNumbers: to, text: 'Never' }, byOperator),
    'a send that waits': () =>
      sendMessage(deps, advisorId, { phoneNumbers: to, text: 'Never', whenConsented: true }, byOperator),
    'a request': () => requestConsent(deps, advisorId, to, byOperator),
    'a reply': () => receiveReply(deps, bySandbox, incoming(advisor, reply)),
    'a decision': async () => {
      const decision = statements % 2 ? 'approved' : 'rejected';
      await decideReview(deps, await openReviewId(real), { decision, staff: real.staff });
    },
    'what is due': async () => {
      await sendDueMessages(deps);
      if (!(await hasDue(database.pool, deps.clock.now()))) throw new Error('Nothing was due, so nothing began.');
    },
    'a claim': () => claimTexts(deps, sandboxCarrierId, claimMax),
  };
  await assert.rejects(calls[what]());
}

/** As if an hour had passed for leases and retries, which use real time; then a node recovers what others left behind. */
export async function letRealTimePass({ deps, database }: History): Promise<void> {
  const [readied, expired] = ['not_before', 'leased_until'].map((time) => moved(time, "interval '-1 hour'"));
  await database.pool.query(`update dispatches set not_before = ${readied}`);
  await database.pool.query(`update claims set leased_until = ${expired}`);
  const node = dispatcher(deps, log);
  // Recovery comes first, and a node that is stopped at once does nothing else.
  node.start();
  await node.stop();
}

/** Clears the outbox and the schedules, which the next history would find. */
export async function tidyUp({ database }: Lane): Promise<void> {
  for (const table of ['dispatches', 'claims', 'unmatched_receipts']) await database.pool.query(`delete from ${table}`);
  await database.pool.query(`update scheduled_messages set status = 'canceled' where status = 'scheduled'`);
}

export async function contactIdAt({ database, advisor }: History, index: number): Promise<number> {
  const [row] = await database.pool.query<{ contactId: number }>(
    'select contact_id as "contactId" from contacts where advisor_id = $1 order by contact_id offset $2 limit 1',
    [advisor.advisorId, index],
  );
  return row?.contactId ?? 0;
}

import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { inTransaction } from '../../src/deps.ts';
import { addStaff } from '../../src/domain/accounts/staff.ts';
import { byOperator } from '../../src/domain/archive/archive.ts';
import { startBroadcast } from '../../src/domain/broadcasts/broadcasts.ts';
import { checkBroadcast } from '../../src/domain/broadcasts/previews.ts';
import { sendBroadcasts } from '../../src/domain/broadcasts/sending.ts';
import { endHold } from '../../src/domain/consent/possible-opt-outs.ts';
import { decideReview } from '../../src/domain/consent/reviews.ts';
import { claimTexts } from '../../src/domain/delivery/claims.ts';
import { dispatcher } from '../../src/domain/delivery/dispatcher.ts';
import { freeWaiting } from '../../src/domain/delivery/freeing.ts';
import { followClock } from '../../src/domain/delivery/outbox-maintenance.ts';
import { sendDueMessages } from '../../src/domain/messages/due-messages.ts';
import { checkMessage } from '../../src/domain/messages/message-checks.ts';
import type { MessageInput } from '../../src/domain/messages/message-input.ts';
import { getMessage, sendMessage } from '../../src/domain/messages/messages.ts';
import type { Carrier } from '../../src/domain/ports.ts';
import { listReviews } from '../../src/domain/supervision/reviews.ts';
import { areaCodesByZones } from '../../src/domain/texting/area-codes.ts';
import { sandboxCarrierId } from '../../src/store/carriers/carriers.ts';
import { insertReviews } from '../../src/store/supervision/reviews.ts';
import { addContact, addGroup, putInGroups } from '../address-book/address-book.ts';
import { fixedCarriers } from '../support/carriers.ts';
import { memberOf } from '../support/people.ts';
import { makeWorld } from '../support/world.ts';
import { atAnyTime } from '../support/wrong-clock.ts';

const hourMs = 3_600_000;
const stepMs = hourMs / 3;
/** From Saturday evening in New York until daytime in Hawaii, and a little longer. */
const watchedMs = 20 * hourMs;

const zonesOfPhone = new Map(
  Object.entries(areaCodesByZones).flatMap(([zones, codes]) =>
    codes
      .trim()
      .split(/\s+/)
      .map((code): [string, string[]] => [`+1${code}5550100`, zones.split(' ')]),
  ),
);
const phones = [...zonesOfPhone.keys()];

/** Every text that was submitted to the carrier, with the time by the domain's clock. */
const submitted: { phone: string; text: string; at: Date }[] = [];
let now = new Date(0);
const clock = { now: () => now };
const carrier: Carrier = {
  name: 'ledger',
  check: () => null,
  listen: () => async () => {},
  async submit({ to, text }) {
    submitted.push({ phone: to, text, at: now });
    return { accepted: `${to} ${text}` };
  },
};

const world = await makeWorld({ dispatch: false });
await world.database.asOwner(atAnyTime);
after(() => world.close());
const { advisorId } = world.ann.advisor;
const deps = { ...world.deps, clock, carriers: fixedCarriers(carrier) };
const texting = dispatcher(deps, world.app.log);
await world.database.asOwner(`update advisors set quiet_hours = 'defer', consent_required = false`);

/** The evenings before the clock changes, on the second Sunday of March and the first Sunday of November. */
const evenings = [2026, 2027].flatMap((year) =>
  [Temporal.PlainDate.from({ year, month: 3, day: 8 }), Temporal.PlainDate.from({ year, month: 11, day: 1 })].map(
    (first) =>
      first
        .add({ days: (7 - first.dayOfWeek) % 7 })
        .subtract({ days: 1 })
        .toZonedDateTime({ timeZone: 'America/New_York', plainTime: '20:40' }),
  ),
);

const hours = new Map<string, Intl.DateTimeFormat>();
function hourIn(zone: string, at: Date): number {
  const format =
    hours.get(zone) ?? new Intl.DateTimeFormat('en-US', { hour: 'numeric', hourCycle: 'h23', timeZone: zone });
  hours.set(zone, format);
  return Number(format.format(at));
}

test('for every area code, over two years of clock changes: no text outside the hours, none lost, no duplicates', async () => {
  for (const evening of evenings) {
    const began = evening.epochMilliseconds;
    now = new Date(began);
    const text = `sent at ${evening}`;
    const { successes } = await sendMessage(deps, advisorId, { text, phoneNumbers: phones }, byOperator);
    assert.equal(successes.length, phones.length);
    for (; now.getTime() <= began + watchedMs; now = new Date(now.getTime() + stepMs)) await texting.settled();
  }
  const outside = submitted.filter(({ phone, at }) =>
    zonesOfPhone.get(phone)?.some((zone) => hourIn(zone, at) < 8 || hourIn(zone, at) >= 21),
  );
  assert.deepEqual(outside, []);
  assert.equal(new Set(submitted.map(({ phone, text }) => `${phone} ${text}`)).size, submitted.length, 'no duplicates');
  assert.equal(submitted.length, phones.length * evenings.length, 'none lost');
  const immediate = submitted.filter(
    ({ text, at }) => text === `sent at ${evenings[0]}` && at.getTime() === evenings[0]?.epochMilliseconds,
  );
  assert.ok(immediate.length > 0 && immediate.length < phones.length, 'some go out at once, some wait');
});

test('a text that no carrier takes for days expires, however many nights it has waited for', async () => {
  const noon = Temporal.ZonedDateTime.from('2028-05-02T12:00[America/New_York]');
  const moveTo = (day: number, hour: number) => {
    now = new Date(noon.add({ days: day }).with({ hour }).epochMilliseconds);
  };
  moveTo(0, 12);
  const { successes } = await sendMessage(deps, advisorId, { text: 'Today', phone: '+12125550100' }, byOperator);
  const messageId = successes[0]?.messageId ?? -1;
  const left: string[] = [];
  for (let day = 0; day < 4; day++) {
    // Its turn comes when the day is over: until then, others were tried.
    moveTo(day, 22);
    await claimTexts(deps, sandboxCarrierId, 10);
    moveTo(day + 1, 9);
    await followClock(deps);
    // Long enough ago that a carrier had a chance.
    await world.database.asOwner(`update dispatches set not_before = not_before - interval '1 minute'`);
    await followClock(deps);
    const { status, failureCode } = await getMessage(deps, advisorId, messageId);
    left.push(failureCode ?? status);
  }
  assert.deepEqual(left, ['queued', 'expired', 'expired', 'expired']);
});

test('a text to a group is no reply: it waits for the morning also if the person has just written', async () => {
  const evening = Temporal.ZonedDateTime.from('2028-06-06T20:30[America/New_York]');
  const moveTo = (minutes: number) => {
    now = new Date(evening.add({ minutes }).epochMilliseconds);
  };
  const reaches = async (text: string) =>
    (await claimTexts(deps, sandboxCarrierId, 10)).texts.some((each) => each.text === text);
  moveTo(0);
  const [alone, grouped] = ['+12125550111', '+12125550112'];
  const groupId = await addGroup(world.ann, 'Evening');
  await putInGroups(world.ann, await addContact(world.ann, { phone: grouped }), [groupId]);
  const asked = { groupId, text: 'To all' };
  const { version } = await checkBroadcast(deps, advisorId, asked, byOperator);
  await startBroadcast(deps, advisorId, { ...asked, version }, byOperator);
  await sendBroadcasts(deps);
  await sendMessage(deps, advisorId, { text: 'Before', phone: alone }, byOperator);
  await world.database.asOwner('update members set last_reply_at = $1 where phone = any ($2)', [now, [alone, grouped]]);
  await sendMessage(deps, advisorId, { text: 'To one', phone: alone }, byOperator);
  // All are still in the outbox when the day is over. Only what was sent after the person wrote is an answer.
  moveTo(60);
  const claimed = (await claimTexts(deps, sandboxCarrierId, 10)).texts.map(({ text }) => text);
  assert.deepEqual(claimed, ['To one']);
  const morning = evening.add({ days: 1 }).with({ hour: 8, minute: 0 }).epochMilliseconds;
  const waiting = await world.database.asOwner<{ until: Date }>('select deferred_until as until from dispatches');
  assert.deepEqual(
    waiting.map(({ until }) => until.getTime()),
    [morning, morning],
  );
  // Nor does one that a reviewer agrees to now, or that the person's replies no longer hold.
  const member = await memberOf(world, world.ann, grouped);
  const hold = async (reason: string) => {
    const [held] = await world.database.asOwner<{ messageId: number }>(
      `update messages
       set status = 'held', held_reason = $1
       from dispatches d
       where messages.message_id = d.message_id and messages.member_id = $2
       returning messages.message_id::integer as "messageId"`,
      [reason, member.memberId],
    );
    await world.database.asOwner('delete from dispatches');
    assert.ok(held);
    return held.messageId;
  };
  await hold('possible_opt_out');
  await inTransaction(deps, (deps) => endHold(deps, advisorId, member));
  assert.equal(await reaches('To all'), false);
  const messageId = await hold('supervision');
  const review = { kind: 'held', memberId: member.memberId, messageId, lexiconVersion: 0 } as const;
  const { firmId } = world.ann.advisor;
  await insertReviews(deps.db, [{ ...review, advisorId, firmId, archiveNumber: null, rules: ['promises'] }], now);
  const [open] = await listReviews(deps, { firmId, status: 'open', kind: 'held' });
  const staff = await addStaff(deps, { firmId, name: 'Sue', email: 'sue@test.example' });
  await decideReview(deps, open?.reviewId ?? -1, { decision: 'approved', staff });
  assert.equal(await reaches('To all'), false);
  // Nor does another one go.
  const check = await checkBroadcast(deps, advisorId, asked, byOperator);
  assert.deepEqual([check.now, check.later], [0, 1]);
  await startBroadcast(deps, advisorId, { ...asked, version: check.version }, byOperator);
  await sendBroadcasts(deps);
  assert.equal(await reaches('To all'), false);
});

test('only a text that names one person and goes at once is an answer', async () => {
  const evening = Temporal.ZonedDateTime.from('2028-07-06T20:30[America/New_York]');
  const at = (hour: number, minute = 0) => evening.with({ hour, minute }).epochMilliseconds;
  now = new Date(evening.epochMilliseconds);
  await world.database.asOwner('delete from dispatches');
  const [one, two] = ['+12125550121', '+12125550122'];
  const daily = { scheduleDelivery: true, deliveryDate: at(22, 30), frequency: 1 as const };
  await sendMessage(deps, advisorId, { text: 'Daily', phone: one, ...daily }, byOperator);
  await sendMessage(deps, advisorId, { text: 'Before', phoneNumbers: [one, two] }, byOperator);
  await world.database.asOwner('delete from dispatches');
  await world.database.asOwner('update members set last_reply_at = $1 where phone = any ($2)', [now, [one, two]]);
  now = new Date(at(22, 30));
  const answered = await sendMessage(deps, advisorId, { text: 'You’re welcome', phoneNumbers: [one, one] }, byOperator);
  assert.deepEqual(
    answered.successes.map(({ status }) => status),
    ['queued'],
  );
  const several = await sendMessage(deps, advisorId, { text: 'To two', phoneNumbers: [one, two] }, byOperator);
  const morning = evening.add({ days: 1 }).with({ hour: 8, minute: 0 }).epochMilliseconds;
  assert.deepEqual(
    several.successes.map(({ deliverAfter }) => deliverAfter),
    [morning, morning],
  );
  const earliest = async (input: MessageInput) =>
    (await checkMessage(deps, advisorId, input, byOperator)).map((each) => each.earliest?.getTime());
  assert.deepEqual(await earliest({ text: 'Hi', phone: one }), [now.getTime()]);
  assert.deepEqual(await earliest({ text: 'Hi', phoneNumbers: [one, two] }), [morning, morning]);
  await sendDueMessages(deps);
  const going = await claimTexts(deps, sandboxCarrierId, 10);
  assert.deepEqual(
    going.texts.map(({ text }) => text),
    ['You’re welcome'],
  );
  const [scheduled] = await world.database.asOwner<{ until: Date }>(
    `select deferred_until as until
     from dispatches
     join messages using (message_id)
     where scheduled_message_id is not null`,
  );
  assert.equal(scheduled?.until.getTime(), morning);
});

test('texts that stand still are freed: in their order and at the pace, through the gate again, and for no longer', async () => {
  const noon = Temporal.ZonedDateTime.from('2028-08-01T12:00[America/New_York]');
  const at = (day: number, hour: number) => new Date(noon.add({ days: day }).with({ hour }).epochMilliseconds);
  const { asOwner } = world.database;
  const waiting = () =>
    asOwner<{ messageId: number; notBefore: Date; deferredUntil: Date | null; expiresAt: Date }>(
      `select message_id::integer as "messageId", not_before as "notBefore", deferred_until as "deferredUntil",
         expires_at as "expiresAt"
       from dispatches
       order by message_id`,
    );
  const claim = async () => {
    await asOwner('update dispatches set not_before = now() where not_before > now()');
    return (await claimTexts(deps, sandboxCarrierId, 10)).texts.map(({ text }) => text);
  };
  await asOwner('delete from dispatches');
  now = at(0, 12);
  const phone = '+12125550113';
  for (const text of ['one', 'two']) await sendMessage(deps, advisorId, { text, phone }, byOperator);
  // What a clock that is a day ahead leaves behind.
  await asOwner(`update dispatches set not_before = not_before + interval '1 day'`);
  await asOwner(`update archive_heads set next_slot = now() + interval '1 day' where advisor_id = $1`, [advisorId]);
  await asOwner('update advisors set texting_pace = 1 where advisor_id = $1', [advisorId]);
  await sendMessage(deps, advisorId, { text: 'three', phone }, byOperator);
  assert.deepEqual((await claimTexts(deps, sandboxCarrierId, 10)).texts, []);
  now = at(0, 22);
  const before = await waiting();
  const began = Date.now();
  assert.equal(await freeWaiting(deps), 3);
  const freed = await waiting();
  const [first = 0, ...others] = freed.map(({ notBefore }) => notBefore.getTime());
  assert.ok(first >= began && first <= Date.now());
  assert.deepEqual(others, [first + 1_000, first + 2_000]);
  await asOwner('update advisors set texting_pace = null where advisor_id = $1', [advisorId]);
  assert.deepEqual(await claim(), [], 'it is night');
  const night = await waiting();
  assert.deepEqual(
    night.map(({ deferredUntil, expiresAt }) => [deferredUntil?.getTime(), expiresAt.getTime()]),
    before.map(({ expiresAt }) => [at(1, 8).getTime(), expiresAt.getTime() + 10 * hourMs]),
  );
  assert.equal(await freeWaiting(deps), 3);
  await followClock(deps);
  assert.deepEqual(await claim(), []);
  assert.deepEqual(
    (await waiting()).map(({ expiresAt }) => expiresAt),
    night.map(({ expiresAt }) => expiresAt),
    'freed and deferred again, they live as long',
  );
  await asOwner(`update dispatches set deferred_until = deferred_until + interval '1 day'`);
  now = at(1, 9);
  assert.equal(await freeWaiting(deps), 3);
  await followClock(deps);
  assert.deepEqual([await claim(), await claim()], [[], ['one', 'two', 'three']]);
  const entries = await asOwner<{ texts: string }>(
    `select meta::json ->> 'texts' as texts from archive_entries where advisor_id = $1 and meta like '%texts freed%'`,
    [advisorId],
  );
  assert.deepEqual(
    entries.map(({ texts }) => texts),
    ['3', '3', '3'],
  );
});

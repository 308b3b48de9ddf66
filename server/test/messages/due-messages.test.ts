import assert from 'node:assert/strict';
import { after, before, suite, test } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import type { Deps } from '../../src/deps.ts';
import { setAdvisor } from '../../src/domain/accounts/advisors.ts';
import { sendDueMessages } from '../../src/domain/messages/due-messages.ts';
import { numberOf } from '../../src/domain/shared/enumerations.ts';
import { makeSignals } from '../../src/domain/shared/signals.ts';
import { startJobs } from '../../src/jobs/start.ts';
import { sandboxCarrierId } from '../../src/store/carriers/carriers.ts';
import type { ConsentState } from '../../src/store/consent/consents.ts';
import { DatabaseUnavailable } from '../../src/store/database/errors.ts';
import { connect } from '../../src/store/database/pool.ts';
import { appRole } from '../../src/store/database/schema/migrate.ts';
import { findMemberOfContact } from '../../src/store/members/members.ts';
import { type Frequency, insertScheduledMessages } from '../../src/store/messages/scheduled-messages.ts';
import { addContact, assertNotFound, contactsPath, findIds, newcomer, search } from '../address-book/address-book.ts';
import { say } from '../support/people.ts';
import { rounds } from '../support/rounds.ts';
import { withinTransactions } from '../support/statements.ts';
import {
  acceptedPhone,
  handset,
  newPhone,
  received,
  scheduledMessagesPath,
  send,
  setConsent,
} from '../support/texting.ts';
import { inject, makeWorld, type Person, type World } from '../support/world.ts';
import { atAnyTime } from '../support/wrong-clock.ts';

const once = numberOf('frequency', 'once');
const daily = numberOf('frequency', 'daily');
const monthly = numberOf('frequency', 'monthly');
const hourMs = 3_600_000;
const dayMs = 24 * hourMs;

const world = await makeWorld({ dispatch: false });
await world.database.asOwner(atAnyTime);
const { database } = world;
/** Another node shares only the database with the first. */
const otherPool = connect({ connectionString: database.url, size: 10, timeoutMs: 5_000, role: appRole });
const otherDeps: Deps = { ...world.deps, db: otherPool };
after(async () => {
  await otherPool.end();
  await world.close();
});

type Member = { memberId: number; phone: string };
type ScheduleFields = { at?: Date; text?: string; frequency?: Frequency; timeZone?: string };
type SentText = {
  scheduledMessageId: number;
  text: string;
  actor: string;
  deferredUntil: Date | null;
  openUntil: Date | null;
};

let people = 0;

/** An advisor with a texting number and an empty address book. */
async function newAdvisor(): Promise<Person> {
  const person = await newcomer(world);
  const textingNumber = `+1500556${String(++people).padStart(4, '0')}`;
  await setAdvisor(world.deps, person.advisor.advisorId, { textingNumber });
  return { ...person, advisor: { ...person.advisor, textingNumber } };
}

/** Somebody in New York, with a contact. */
async function newMember(person: Person, state: ConsentState = 'accepted'): Promise<Member> {
  const phone = newPhone();
  await setConsent(world, person, phone, state);
  await addContact(person, { phone });
  const member = await findMemberOfContact(world.deps.db, person.advisor.advisorId, { phone });
  assert.ok(member);
  return { memberId: member.memberId, phone };
}

async function schedule(person: Person, { memberId }: Member, ...wanted: ScheduleFields[]): Promise<number[]> {
  const { advisorId, timeZone } = person.advisor;
  const rows = wanted.map(({ at = soon(), text = 'Hello', frequency = once, ...zone }) => {
    const by = { actor: 'application:1', traceId: null };
    return { advisorId, memberId, text, firstDate: at, timeZone: zone.timeZone ?? timeZone, frequency, ...by };
  });
  return insertScheduledMessages(world.deps.db, rows, world.clock.now());
}

function soon(ms = hourMs): Date {
  return new Date(world.clock.now().getTime() + ms);
}

/** Sends due messages as of that moment, since the world's clock can't go back. */
function sendDueAt(at: Date, deps: Deps = world.deps): Promise<void> {
  return sendDueMessages({ ...deps, clock: { now: () => at } });
}

/** Texts from schedules, in the order in which they will reach the carrier. */
async function sent({ advisor }: Person): Promise<SentText[]> {
  return database.asOwner<SentText>(
    `select scheduled_message_id::integer as "scheduledMessageId", convert_from(body, 'UTF8') as text, actor,
       deferred_until as "deferredUntil", open_until as "openUntil"
     from messages t
     join archive_entries e on e.advisor_id = t.advisor_id and e.number = t.archive_number
     join archive_bodies b on b.advisor_id = t.advisor_id and b.number = t.archive_number
     join dispatches d on d.advisor_id = t.advisor_id and d.message_id = t.message_id
     where t.advisor_id = $1
     order by d.not_before, t.message_id`,
    [advisor.advisorId],
  );
}

async function textsTo(person: Person): Promise<string[]> {
  return (await sent(person)).map(({ text }) => text);
}

async function list(person: Person, status = 'scheduled') {
  return (await search(person, scheduledMessagesPath, { status, pageSize: 200 })).data;
}

async function only(person: Person, status = 'scheduled') {
  const found = await list(person, status);
  assert.equal(found.length, 1, JSON.stringify(found));
  return found[0];
}

async function set(person: Person, assignment: string): Promise<void> {
  await database.asOwner(`update advisors set ${assignment} where advisor_id = $1`, [person.advisor.advisorId]);
}

suite('a message that is due', () => {
  test('goes out once, when it is due and not before', async () => {
    const person = await newAdvisor();
    const member = await newMember(person);
    const at = soon();
    const [scheduledMessageId] = await schedule(person, member, { at });
    await sendDueAt(new Date(at.getTime() - 1));
    assert.deepEqual(await sent(person), []);
    await world.clock.advance(hourMs);
    for (let count = 0; count < 3; count++) await sendDueMessages(world.deps);
    const expected = {
      scheduledMessageId,
      text: 'Hello',
      actor: 'application:1',
      deferredUntil: null,
      openUntil: null,
    };
    assert.deepEqual(await sent(person), [expected]);
    assert.deepEqual(await list(person), []);
    const { lastMessageId, ...completed } = await only(person, 'completed');
    assert.ok(lastMessageId > 0);
    assert.deepEqual(completed, {
      scheduledMessageId,
      ...member,
      text: 'Hello',
      deliveryDate: at.getTime(),
      frequency: once,
      status: 'completed',
      reason: null,
      nextDeliveryDates: [],
    });
  });

  test('goes out in order of dates after downtime, ties as they were scheduled', async () => {
    const person = await newAdvisor();
    const member = await newMember(person);
    const [first, second, third] = [1, 2, 3].map((hours) => soon(hours * hourMs)) as [Date, Date, Date];
    await schedule(person, member, { at: third, text: 'third' }, { at: first, text: 'first' });
    await schedule(person, member, { at: second, text: 'second' }, { at: second, text: 'second, later' });
    await world.clock.advance(dayMs);
    await sendDueMessages(world.deps);
    assert.deepEqual(await textsTo(person), ['first', 'second', 'second, later', 'third']);
  });

  test('goes out in transactions of 16,000 characters', async () => {
    const person = await newAdvisor();
    const at = soon();
    const long = Array.from({ length: 12 }, () => ({ at, text: 'a'.repeat(1_600) }));
    await schedule(person, await newMember(person), ...long);
    let transactions = 0;
    const counted = withinTransactions(database.pool, async (statement) => {
      if (statement.startsWith('update scheduled_messages')) transactions += 1;
    });
    await sendDueAt(at, { ...world.deps, db: counted });
    assert.deepEqual([(await textsTo(person)).length, transactions], [12, 2]);
  });

  test('goes out even when there are more than fit in a batch', async () => {
    const person = await newAdvisor();
    const member = await newMember(person);
    const texts = Array.from({ length: 1_101 }, (_, index) => `${index}`);
    const at = soon();
    await schedule(person, member, ...texts.map((text) => ({ at, text })));
    await sendDueAt(at);
    assert.deepEqual(await textsTo(person), texts);
  });

  test('stays due if the node is stopping: it finishes a batch, and the next node sends the rest', async () => {
    const person = await newAdvisor();
    const member = await newMember(person);
    const at = soon();
    const count = 1_700;
    await schedule(person, member, ...Array.from({ length: count }, (_, index) => ({ at, text: `Text ${index}` })));
    const signals = makeSignals();
    signals.stopping.abort();
    await sendDueAt(at, { ...world.deps, signals });
    const done = (await sent(person)).length;
    assert.ok(done > 0 && done < count, `${done} were sent`);
    await sendDueAt(at);
    assert.equal((await sent(person)).length, count);
  });

  test('stays due while the number has no carrier', async () => {
    const person = await newAdvisor();
    const at = soon();
    await schedule(person, await newMember(person), { at });
    await setAdvisor(world.deps, person.advisor.advisorId, { carrierId: null });
    await sendDueAt(at);
    assert.equal((await only(person)).deliveryDate, at.getTime());
    await setAdvisor(world.deps, person.advisor.advisorId, { carrierId: sandboxCarrierId });
    await sendDueAt(at);
    assert.deepEqual(await textsTo(person), ['Hello']);
  });

  test('has the first-text line once, if the firm wants it', async () => {
    const person = await newAdvisor();
    const member = await newMember(person);
    const at = soon();
    await schedule(person, member, { at, text: 'one' }, { at, text: 'two' });
    const { firmId } = person.advisor;
    await database.asOwner('update firms set first_text_line = true where firm_id = $1', [firmId]);
    await sendDueAt(at);
    await database.asOwner('update firms set first_text_line = null where firm_id = $1', [firmId]);
    const [one, two] = await textsTo(person);
    assert.match(one ?? '', /^one\n.*STOP/s);
    assert.equal(two, 'two');
  });
});

suite('a repeating message', () => {
  test('moves on to its next date, and shows five', async () => {
    const person = await newAdvisor();
    const at = soon();
    await schedule(person, await newMember(person), { at, frequency: daily, timeZone: 'UTC' });
    for (const day of [0, 1, 2]) await sendDueAt(new Date(at.getTime() + day * dayMs));
    assert.deepEqual(await textsTo(person), ['Hello', 'Hello', 'Hello']);
    const { deliveryDate, status, reason, nextDeliveryDates } = await only(person);
    const days = [3, 4, 5, 6, 7].map((day) => at.getTime() + day * dayMs);
    assert.deepEqual([deliveryDate, status, reason, nextDeliveryDates], [days[0], 'scheduled', null, days]);
  });

  test('keeps its wall-clock time when clocks change', async () => {
    const person = await newAdvisor();
    const at = new Date('2027-03-13T02:30:00-05:00');
    const zone = { frequency: daily, timeZone: 'America/New_York' };
    await schedule(person, await newMember(person), { at, ...zone });
    // On the 14th there is no 2:30: clocks go from 2:00 to 3:00.
    const dates = ['13T02:30:00-05:00', '14T03:00:00-04:00', '15T02:30:00-04:00', '16T02:30:00-04:00'];
    for (const date of dates) {
      const due = new Date(`2027-03-${date}`);
      assert.equal((await only(person)).deliveryDate, due.getTime(), date);
      await sendDueAt(due);
    }
    assert.equal((await sent(person)).length, dates.length);
  });

  test('on the 31st goes out on the last day of shorter months', async () => {
    const person = await newAdvisor();
    const at = new Date('2027-01-31T09:00:00Z');
    await schedule(person, await newMember(person), { at, frequency: monthly, timeZone: 'UTC' });
    const dates = ['2027-01-31', '2027-02-28', '2027-03-31', '2027-04-30', '2027-05-31', '2027-06-30'];
    const expected = dates.map((date) => Date.parse(`${date}T09:00:00Z`));
    assert.deepEqual((await only(person)).nextDeliveryDates, expected.slice(0, 5));
    await sendDueAt(at);
    assert.deepEqual((await only(person)).nextDeliveryDates, expected.slice(1));
  });

  test('sends one text for all missed occurrences, and the next one is in the future', async () => {
    const person = await newAdvisor();
    const at = soon();
    await schedule(person, await newMember(person), { at, frequency: daily, timeZone: 'UTC' });
    await sendDueAt(new Date(at.getTime() + 10 * dayMs));
    assert.deepEqual(await textsTo(person), ['Hello']);
    assert.equal((await only(person)).deliveryDate, at.getTime() + 11 * dayMs);
  });

  test('continues past the year 9999, where the sandbox’s clock ends', async () => {
    const person = await newAdvisor();
    const at = new Date('9999-12-30T09:00:00Z');
    await schedule(person, await newMember(person), { at, frequency: monthly, timeZone: 'UTC' });
    await sendDueAt(at);
    assert.deepEqual(await textsTo(person), ['Hello']);
    assert.equal((await only(person)).deliveryDate, Date.UTC(10_000, 0, 30, 9));
  });

  test('can be canceled after it has gone out', async () => {
    const person = await newAdvisor();
    const at = soon();
    const [id] = await schedule(person, await newMember(person), { at, frequency: daily, timeZone: 'UTC' });
    await sendDueAt(at);
    assert.equal((await person.call('DELETE', `${scheduledMessagesPath}/${id}`)).status, 204);
    await sendDueAt(new Date(at.getTime() + dayMs));
    assert.equal((await sent(person)).length, 1);
    assert.equal((await only(person, 'canceled')).deliveryDate, at.getTime() + dayMs);
  });
});

suite('the gate, when it is due', () => {
  test('skips a text that is no longer allowed, and says why', async () => {
    const reasons = { none: 'not_consented', pending: 'consent_pending', opted_out: 'opted_out' } as const;
    for (const [state, reason] of Object.entries(reasons)) {
      const person = await newAdvisor();
      const member = await newMember(person);
      const at = soon();
      await schedule(person, member, { at });
      await setConsent(world, person, member.phone, state as ConsentState);
      await sendDueAt(at);
      assert.deepEqual(await sent(person), []);
      const { status, reason: said, deliveryDate, nextDeliveryDates } = await only(person, 'skipped');
      assert.deepEqual([status, said, deliveryDate, nextDeliveryDates], ['skipped', reason, at.getTime(), []]);
    }
  });

  test('skips one occurrence of a repeating message, which continues', async () => {
    const person = await newAdvisor();
    const member = await newMember(person, 'opted_out');
    const at = soon();
    await schedule(person, member, { at, frequency: daily, timeZone: 'UTC' });
    await sendDueAt(at);
    const skipped = await only(person);
    assert.deepEqual([skipped.status, skipped.reason], ['scheduled', 'opted_out']);
    await setConsent(world, person, member.phone, 'accepted');
    await sendDueAt(new Date(at.getTime() + dayMs));
    assert.deepEqual(await textsTo(person), ['Hello']);
    assert.equal((await only(person)).reason, null);
  });

  test('holds one text of a repeating message at a time, which goes out alone when the hold ends', async () => {
    const person = await newAdvisor();
    const member = await newMember(person);
    const at = soon();
    const nextDay = new Date(at.getTime() + dayMs);
    const [id] = await schedule(
      person,
      member,
      { at, frequency: daily, timeZone: 'UTC' },
      { at: nextDay, text: 'Once' },
    );
    const reason = async () => (await person.call('GET', `${scheduledMessagesPath}/${id}`)).body.reason;
    const texts = async () => (await textsTo(person)).filter((text) => ['Hello', 'Once'].includes(text));
    await say(world, person, member.phone, 'wrong number');
    await sendDueAt(at);
    assert.equal(await reason(), null);
    await sendDueAt(nextDay);
    assert.equal(await reason(), 'still_held');
    assert.equal((await only(person, 'completed')).reason, null, 'another schedule’s text is held, too');
    assert.deepEqual(await texts(), []);
    await say(world, person, member.phone, 'START');
    assert.deepEqual(await texts(), ['Hello', 'Once']);
    await sendDueAt(new Date(at.getTime() + 2 * dayMs));
    assert.deepEqual(await texts(), ['Hello', 'Once', 'Hello']);
    assert.equal(await reason(), null);
  });

  test('stops one text and lets the others through', async () => {
    const person = await newAdvisor();
    const [good, bad] = [await newMember(person), await newMember(person, 'opted_out')];
    const at = soon();
    await schedule(person, bad, { at, text: 'never' });
    await schedule(person, good, { at, text: 'sent' });
    await sendDueAt(at);
    assert.deepEqual(await textsTo(person), ['sent']);
  });

  test('skips texts of an account that is disabled or has lost its number, and creates no contact', async () => {
    const cases = { account_disabled: 'disabled = true', no_texting_number: 'texting_number = null' };
    for (const [reason, assignment] of Object.entries(cases)) {
      const person = await newAdvisor();
      const member = await newMember(person);
      const at = soon();
      await schedule(person, member, { at });
      await person.call('DELETE', `${contactsPath}/${(await findIds(person))[0]}`);
      await set(person, assignment);
      await sendDueAt(at);
      await set(person, 'disabled = false');
      assert.equal((await only(person, 'skipped')).reason, reason);
      assert.deepEqual([await sent(person), await findIds(person)], [[], []]);
    }
  });

  test('defers a text at night or refuses it, depending on the advisor’s quiet hours', async () => {
    const night = new Date('2027-06-10T03:00:00-04:00');
    const morning = new Date('2027-06-10T08:00:00-04:00');
    const person = await newAdvisor();
    const member = await newMember(person);
    await set(person, `quiet_hours = 'defer'`);
    await schedule(person, member, { at: night, text: 'in the morning' });
    await sendDueAt(night);
    await schedule(person, member, { at: morning, text: 'by day' });
    await sendDueAt(morning);
    const hours = (await sent(person)).map(({ text, deferredUntil, openUntil }) => [text, deferredUntil, openUntil]);
    assert.deepEqual(hours.toSorted(), [
      ['by day', null, new Date('2027-06-10T21:00:00-04:00')],
      ['in the morning', morning, null],
    ]);
    await set(person, `quiet_hours = 'refuse'`);
    await schedule(person, member, { at: night, text: 'never' });
    await sendDueAt(night);
    assert.equal((await only(person, 'skipped')).reason, 'quiet_hours');
    assert.equal((await sent(person)).length, 2);
  });
});

test('a contact that was deleted meanwhile is created again, and its number keeps its consent', async () => {
  const person = await newAdvisor();
  const member = await newMember(person);
  const at = soon();
  await schedule(person, member, { at });
  const [contactId] = await findIds(person, { phone: member.phone });
  assert.equal((await person.call('DELETE', `${contactsPath}/${contactId}`)).status, 204);
  await addContact(person, { phone: '+12125559999' });
  await sendDueAt(at);
  assert.deepEqual(await textsTo(person), ['Hello']);
  const found = await findIds(person, { phone: member.phone });
  assert.equal(found.length, 1);
  assert.notEqual(found[0], contactId);
});

test('another advisor’s scheduled message can’t be seen or canceled', async () => {
  const [person, other] = [await newAdvisor(), await newAdvisor()];
  const [id] = await schedule(person, await newMember(person), {});
  assert.deepEqual(await list(other), []);
  assertNotFound(await other.call('DELETE', `${scheduledMessagesPath}/${id}`));
  assert.equal((await only(person)).scheduledMessageId, id);
});

suite('a node', () => {
  let texting: World;
  let jobs: ReturnType<typeof startJobs>;
  before(async () => {
    texting = await makeWorld({ dispatch: false });
    await texting.database.asOwner(atAnyTime);
    jobs = startJobs({ ...texting.deps, sandboxClock: texting.clock }, texting.app.log, texting.dispatcher);
  });
  after(async () => {
    await jobs.stop();
    await texting.close();
  });

  async function scheduleBySend(deliveryDate: number): Promise<string> {
    const phone = await acceptedPhone(texting, texting.ann);
    const { body } = await send(texting.ann, { phone, text: 'Hello', scheduleDelivery: true, deliveryDate });
    assert.equal(body.successes.length, 1);
    return phone;
  }

  test('has delivered due messages by the time the sandbox answers that the clock has moved', async () => {
    const phone = await scheduleBySend(texting.clock.now().getTime() + hourMs);
    const headers = { 'x-api-key': texting.apiKey };
    const payload = { advanceMs: hourMs };
    const moved = await inject(texting.app, { method: 'POST', url: '/sandbox/clock', headers, payload });
    assert.equal(moved.status, 200);
    assert.deepEqual(
      (await handset(texting, phone)).map(({ text }) => text),
      ['Hello'],
    );
  });

  test('sends when it is due, without being asked', async () => {
    const dueMs = texting.clock.now().getTime() + 1_200;
    const [{ dateTime } = { dateTime: '' }] = await received(texting, await scheduleBySend(dueMs));
    const lateMs = Date.parse(dateTime) - dueMs;
    assert.ok(lateMs >= 0, `${lateMs} ms late`);
  });
});

suite('races and faults', () => {
  const nodes = [world.deps, otherDeps];

  test('two nodes that send at the same time send each text once', async () => {
    const persons = [await newAdvisor(), await newAdvisor(), await newAdvisor()];
    const at = soon();
    for (const person of persons) {
      const member = await newMember(person);
      await schedule(person, member, ...Array.from({ length: 700 }, () => ({ at })));
      await schedule(person, member, ...Array.from({ length: 50 }, () => ({ at, frequency: daily })));
    }
    await Promise.all([0, 1, 2, 3, 4, 5, 6, 7].map((index) => sendDueAt(at, nodes[index % 2])));
    for (const person of persons) {
      const ids = (await sent(person)).map(({ scheduledMessageId }) => scheduledMessageId);
      assert.deepEqual([ids.length, new Set(ids).size], [750, 750]);
      assert.equal((await list(person)).length, 50);
    }
  });

  test('a node is not done before the other node is', async () => {
    const person = await newAdvisor();
    const at = soon();
    await schedule(person, await newMember(person), { at });
    const held = Promise.withResolvers<void>();
    const reached = Promise.withResolvers<void>();
    const slow = withinTransactions(database.pool, async (statement) => {
      if (!statement.startsWith('update scheduled_messages')) return;
      reached.resolve();
      await held.promise;
    });
    const first = sendDueAt(at, { ...world.deps, db: slow });
    await reached.promise;
    let done = false;
    const second = sendDueAt(at, otherDeps).then(() => {
      done = true;
    });
    await pause(200);
    assert.equal(done, false);
    held.resolve();
    await Promise.all([first, second]);
    assert.deepEqual(await textsTo(person), ['Hello']);
  });

  test('a message that is canceled while it is being sent is either canceled or goes out', async () => {
    const person = await newAdvisor();
    const member = await newMember(person);
    const outcomes = new Set<number>();
    for (let round = 0; round < rounds(20); round++) {
      const at = soon();
      const ids = await schedule(person, member, ...Array.from({ length: 10 }, () => ({ at })));
      const cancels = Promise.all(
        ids.map(async (id, index) => {
          await pause(index);
          return (await person.call('DELETE', `${scheduledMessagesPath}/${id}`)).status;
        }),
      );
      await pause((round * 3) % 10);
      await Promise.all(nodes.map((deps) => sendDueAt(at, deps)));
      const went = new Set((await sent(person)).map(({ scheduledMessageId }) => scheduledMessageId));
      for (const [index, status] of (await cancels).entries()) {
        assert.equal(status, went.has(ids[index] as number) ? 404 : 204);
        outcomes.add(status);
      }
    }
    assert.deepEqual([...outcomes].sort(), [204, 404], 'both happened');
  });

  test('a failure at any statement leaves nothing half-done', async () => {
    const person = await newAdvisor();
    const member = await newMember(person);
    await person.call('DELETE', `${contactsPath}/${(await findIds(person))[0]}`);
    const at = soon();
    await schedule(person, member, { at }, { at, frequency: daily, text: 'daily' });
    for (const failing of [/insert into contacts/, /insert into archive_bodies/, /update scheduled_messages/]) {
      const breaking = withinTransactions(database.pool, async (statement) => {
        if (failing.test(statement)) throw new DatabaseUnavailable('It broke.');
      });
      await assert.rejects(sendDueAt(at, { ...world.deps, db: breaking }), DatabaseUnavailable);
      const left = [(await list(person)).length, await sent(person), await findIds(person)];
      assert.deepEqual(left, [2, [], []], String(failing));
    }
    await sendDueAt(at);
    assert.deepEqual(await textsTo(person), ['Hello', 'daily']);
    assert.equal((await findIds(person)).length, 1);
  });

  test('a row that can’t be sent is skipped and holds up no other', async () => {
    await database.asOwner(`
      create function refuse_poison() returns trigger language plpgsql as $$
      begin
        if convert_from(new.body, 'UTF8') = 'poison' then raise check_violation; end if;
        return new;
      end $$`);
    await database.asOwner(
      'create trigger poison before insert on archive_bodies for each row execute function refuse_poison()',
    );
    const person = await newAdvisor();
    const member = await newMember(person);
    const at = soon();
    const utc = { at, timeZone: 'UTC', frequency: daily };
    await schedule(person, member, { at, text: 'one' }, { at, text: 'poison' }, { ...utc, text: 'two' });
    await schedule(person, member, { ...utc, text: 'nowhere', timeZone: 'Nowhere/Never' }, { ...utc, text: 'poison' });
    await schedule(person, member, { at, text: 'three' });
    const faults: unknown[] = [];
    await sendDueMessages({ ...world.deps, clock: { now: () => at } }, (fault) => faults.push(fault));
    assert.equal(faults.length, 3);
    assert.deepEqual(await textsTo(person), ['one', 'two', 'three']);
    const shown = async (status: string) =>
      (await list(person, status)).map((each: Record<string, unknown>) => [each.text, each.reason]);
    assert.deepEqual(await shown('skipped'), [
      ['poison', 'internal_error'],
      ['nowhere', 'internal_error'],
    ]);
    assert.deepEqual(await shown('scheduled'), [
      ['two', null],
      ['poison', 'internal_error'],
    ]);
  });
});

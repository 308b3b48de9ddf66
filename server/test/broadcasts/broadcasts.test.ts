import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { after, suite, test } from 'node:test';
import type { Deps } from '../../src/deps.ts';
import { setAdvisor } from '../../src/domain/accounts/advisors.ts';
import { byOperator } from '../../src/domain/archive/archive.ts';
import { checkBroadcast } from '../../src/domain/broadcasts/previews.ts';
import { sendBroadcasts } from '../../src/domain/broadcasts/sending.ts';
import { freeWaiting } from '../../src/domain/delivery/freeing.ts';
import { addContact, addGroup, putInGroups } from '../address-book/address-book.ts';
import { failing } from '../support/crashes.ts';
import { isWaiting } from '../support/database.ts';
import { acceptedPhone, handset, newPhone, received, reply, setConsent } from '../support/texting.ts';
import { until } from '../support/waiting.ts';
import { makeBroadcasts } from './setup.ts';

const night = '+15005550042';
const { world, signIn, call, broadcast, recipients, outcomes, textsTo, onOther, close } = await makeBroadcasts();
after(close);

type Somebody = { firstName?: string; lastName?: string; nickname?: string; phone?: string | null };

async function groupOf(...people: Somebody[]): Promise<number> {
  const groupId = await addGroup(world.ann, `Group ${randomUUID()}`);
  // One after the other: a busy machine would turn a hundred at once away.
  for (const person of people) await putInGroups(world.ann, await addContact(world.ann, person), [groupId]);
  return groupId;
}

/** So many people who have accepted, and what they are called. */
async function groupOfSize(size: number): Promise<{ groupId: number; phones: string[] }> {
  const phones = await Promise.all(Array.from({ length: size }, () => acceptedPhone(world, world.ann)));
  const names = phones.map((phone, index) => ({ firstName: `Person${String(index).padStart(3, '0')}`, phone }));
  return { groupId: await groupOf(...names), phones };
}

async function check(groupId: number, text: string) {
  const { status, body } = await call('POST', '/broadcasts/check', { groupId, text });
  assert.equal(status, 200, JSON.stringify(body));
  return body;
}

async function start(groupId: number, text: string): Promise<number> {
  const { version } = await check(groupId, text);
  const { status, body } = await call('POST', '/broadcasts', { groupId, text, version }, randomUUID());
  assert.equal(status, 200, JSON.stringify(body));
  return body.broadcastId;
}

suite('a text to a group', () => {
  test('is shown person by person before, with what would be refused and why', async () => {
    const [ada, cy, stopped] = [await acceptedPhone(world, world.ann), newPhone(), newPhone()];
    await setConsent(world, world.ann, stopped, 'opted_out');
    await setConsent(world, world.ann, night, 'accepted');
    const groupId = await groupOf(
      { firstName: 'Ada', lastName: 'A', nickname: 'Ada', phone: ada },
      { firstName: 'Ada', lastName: 'Twin', nickname: 'Ada', phone: ada },
      { firstName: 'Bea', lastName: 'B', nickname: 'Bea', phone: null },
      { firstName: 'Cy', lastName: 'C', nickname: 'Cy', phone: cy },
      { firstName: 'Dan', lastName: 'D', nickname: 'Dan', phone: stopped },
      { firstName: 'Eve', lastName: 'E', nickname: 'Eve', phone: night },
      { firstName: 'Fay', lastName: 'F', phone: newPhone() },
    );
    const text = 'Hi {nickname}, see you';
    const page = (await call('POST', '/broadcasts/preview', { groupId, text })).body;
    assert.equal(page.next, null);
    assert.deepEqual(
      page.data.map(({ name, text, status, code }: Record<string, unknown>) => [name, text, status, code]),
      [
        ['Ada A', 'Hi Ada, see you', 'queued', null],
        ['Ada Twin', 'Hi Ada, see you', null, 'same_number'],
        ['Bea B', 'Hi Bea, see you', null, 'no_phone'],
        ['Cy C', 'Hi Cy, see you', null, 'not_consented'],
        ['Dan D', 'Hi Dan, see you', null, 'opted_out'],
        ['Eve E', 'Hi Eve, see you', 'deferred', null],
        ['Fay F', 'Hi {nickname}, see you', null, 'missing_field'],
      ],
    );
    assert.deepEqual(page.data.at(-1).missing, ['nickname']);
    const { version, earliest, refused, ...totals } = await check(groupId, text);
    assert.deepEqual(totals, {
      people: 7,
      now: 1,
      later: 1,
      held: 0,
      refusals: [
        { code: 'same_number', people: 1 },
        { code: 'no_phone', people: 1 },
        { code: 'not_consented', people: 1 },
        { code: 'opted_out', people: 1 },
        { code: 'missing_field', people: 1 },
      ],
      segments: 1,
    });
    assert.ok(earliest > world.clock.now().getTime());
    assert.equal(refused.length, 5);
    assert.notEqual((await check(groupId, 'Hi {nickname|there}')).version, version);
    const { body } = await call('POST', '/v1/text/messaging/messages/check', { phone: cy, text: 'Hi Cy, see you' });
    assert.equal(body.data[0].deliverable, false, 'the same verdict as for one text');
  });

  test('reaches each person once with their own text, also if it is started twice with one key', async () => {
    const { groupId, phones } = await groupOfSize(3);
    const text = 'Hello {firstName}!';
    const { version } = await check(groupId, text);
    const key = randomUUID();
    const [one, other] = await Promise.all(
      [1, 2].map(() => call('POST', '/broadcasts', { groupId, text, version }, key)),
    );
    assert.equal(one?.status, 200);
    assert.deepEqual(other?.body, one?.body);
    const { broadcastId } = one?.body ?? {};
    await sendBroadcasts(world.deps);
    await Promise.all(phones.map((phone) => received(world, phone)));
    const [first] = await handset(world, phones[0] ?? '');
    assert.equal(first?.text, 'Hello Person000!');
    await until('all are delivered', async () => (await broadcast(broadcastId)).counts.delivered === 3);
    const ended = await broadcast(broadcastId);
    assert.deepEqual([ended.status, ended.people, ended.accepted, ended.refused], ['done', 3, 3, 0]);
    assert.ok((await recipients(broadcastId)).every(({ memberId, outcome }) => memberId && outcome === 'delivered'));
    assert.deepEqual(await textsTo(phones), [1, 1, 1]);
    const { data } = (await call('GET', '/broadcasts')).body;
    assert.equal(data[0].broadcastId, broadcastId);
    const entries = await world.database.asOwner(
      `select meta::json ->> 'action' as action, actor
       from archive_entries
       where kind = 'broadcast' and meta::json ->> 'broadcastId' = $1
       order by number`,
      [String(broadcastId)],
    );
    assert.deepEqual(entries, [
      { action: 'started', actor: `advisor:${world.ann.advisor.advisorId}` },
      { action: 'completed', actor: 'service' },
    ]);
  });

  test('is not sent if the group is no longer as it was shown, or nobody could get it', async () => {
    const { groupId } = await groupOfSize(1);
    const text = 'Hello';
    const { version } = await check(groupId, text);
    const joined = await addContact(world.ann, { firstName: 'Late', phone: await acceptedPhone(world, world.ann) });
    await putInGroups(world.ann, joined, [groupId]);
    const refused = await call('POST', '/broadcasts', { groupId, text, version }, randomUUID());
    assert.deepEqual([refused.status, refused.body.code], [409, 'conflict']);
    const nobody = await groupOf({ firstName: 'Bea', phone: null });
    const none = await call('POST', '/broadcasts', {
      groupId: nobody,
      text,
      version: (await check(nobody, text)).version,
    });
    assert.equal(none.status, 409);
    assert.equal((await call('POST', '/broadcasts/check', { groupId: 999_999, text })).status, 404);
    assert.equal((await call('POST', '/broadcasts/check', { groupId, text: ' ' })).status, 400);
  });

  test('nobody who is being deleted is texted, until that is undone', async () => {
    const { groupId } = await groupOfSize(2);
    const [first] = (await call('POST', '/broadcasts/preview', { groupId, text: 'Hi' })).body.data;
    const { actionId } = (await call('POST', '/deletes', { contactIds: [first.contactId] })).body;
    assert.equal((await check(groupId, 'Hi')).people, 1);
    await call('POST', `/deletes/${actionId}/undo`, {});
    assert.equal((await check(groupId, 'Hi')).people, 2);
  });

  test('is checked with a turn after at most fifty texts', async () => {
    const { groupId } = await groupOfSize(102);
    let [read, readAtOnce] = [0, 0];
    const screener = () => {
      read += 1;
      return null;
    };
    const screeners: Deps['screeners'] = {
      ...world.deps.screeners,
      of: async (_, firmIds) => new Map(firmIds.map((firmId) => [firmId, screener])),
    };
    const turn = async () => {
      readAtOnce = Math.max(readAtOnce, read);
      read = 0;
    };
    const deps = { ...world.deps, screeners, turn };
    const { now } = await checkBroadcast(
      deps,
      world.ann.advisor.advisorId,
      { groupId, text: 'Hello {firstName}' },
      byOperator,
    );
    assert.equal(now, 102);
    assert.ok(readAtOnce > 0 && readAtOnce <= 50, `${readAtOnce} texts`);
  });

  test('a transaction accepts 16,000 characters of it', async () => {
    const { groupId } = await groupOfSize(12);
    const broadcastId = await start(groupId, 'Hello {firstName}, '.padEnd(1_590, 'a'));
    const now = world.clock.now();
    await sendBroadcasts({ ...world.deps, clock: { now: () => now } });
    const { counts } = await broadcast(broadcastId);
    assert.equal(counts.waiting, 2, JSON.stringify(counts));
    await call('POST', `/broadcasts/${broadcastId}/stop`, {});
  });

  test('a crash at any moment texts nobody twice and forgets nobody', async () => {
    const { groupId, phones } = await groupOfSize(4);
    const broadcastId = await start(groupId, 'Once {firstName}');
    for (let statements = 0; statements < 20; statements++) {
      const dying: Deps = { ...world.deps, db: failing(world.database.pool, statements) };
      await assert.rejects(sendBroadcasts(dying), /The node died/);
    }
    assert.deepEqual(await textsTo(phones), [0, 0, 0, 0]);
    await sendBroadcasts(world.deps);
    await Promise.all(phones.map((phone) => received(world, phone)));
    await sendBroadcasts(world.deps);
    await until('all are delivered', async () => (await broadcast(broadcastId)).counts.delivered === 4);
    assert.deepEqual(await textsTo(phones), [1, 1, 1, 1]);
  });

  test('two nodes share it, one dies between two batches, and everybody is texted once', async () => {
    const { groupId, phones } = await groupOfSize(102);
    const broadcastId = await start(groupId, 'Both {firstName}');
    const leaving = new AbortController();
    const dying: Deps = {
      ...world.deps,
      signals: { ...world.deps.signals, stopping: leaving },
      db: {
        ...world.database.pool,
        async transaction(work) {
          const done = await world.database.pool.transaction(work);
          leaving.abort();
          return done;
        },
      },
    };
    await sendBroadcasts(dying);
    const { accepted, status } = await broadcast(broadcastId);
    assert.deepEqual([accepted, status], [50, 'sending']);
    for (let batches = 0; batches < 3; batches++) {
      await world.clock.advance(1_000);
      await Promise.all([sendBroadcasts(world.deps), sendBroadcasts(onOther()), sendBroadcasts(onOther())]);
    }
    await until('all are delivered', async () => (await broadcast(broadcastId)).counts.delivered === 102);
    assert.deepEqual(new Set(await textsTo(phones)), new Set([1]));
    const texts = await world.database.asOwner(
      `select count(*)::integer as texts from archive_entries where meta::json ->> 'broadcastId' = $1 and kind = 'text_out'`,
      [String(broadcastId)],
    );
    assert.deepEqual(texts, [{ texts: 102 }]);
  });

  test('a text that the database rejects is refused alone, also if another group has its turn by then', async () => {
    await world.database.asOwner(`
      create function refuse_poison() returns trigger language plpgsql as $$
      begin
        if convert_from(new.body, 'UTF8') = 'poison' then raise check_violation; end if;
        return new;
      end $$`);
    await world.database.asOwner(
      'create trigger poison before insert on archive_bodies for each row execute function refuse_poison()',
    );
    const [poisoned, healthy] = [await groupOfSize(2), await groupOfSize(1)];
    const poison = await start(poisoned.groupId, 'poison');
    const hello = await start(healthy.groupId, 'Hello');
    const { pool } = world.database;
    let transactions = 0;
    /** Before the third transaction, which refuses the text, another node takes the group's next turn. */
    const overtaken: Deps = {
      ...world.deps,
      db: {
        ...pool,
        async transaction(work) {
          if (++transactions === 3)
            await world.database.asOwner(`update broadcasts set due_at = 'infinity' where broadcast_id = $1`, [poison]);
          return pool.transaction(work);
        },
      },
    };
    const faults: unknown[] = [];
    const report = (fault: unknown) => faults.push(fault);
    await sendBroadcasts(overtaken, report);
    assert.equal(faults.length, 1);
    assert.equal((await broadcast(hello)).accepted, 1);
    await world.database.asOwner(`update broadcasts set due_at = date_time_created where broadcast_id = $1`, [poison]);
    await sendBroadcasts(world.deps, report);
    assert.deepEqual(await outcomes(poison), [
      ['refused', 'internal_error'],
      ['refused', 'internal_error'],
    ]);
    await world.database.asOwner('drop trigger poison on archive_bodies');
  });

  test('an advisor whose time zone no calendar knows holds up no other', async () => {
    const { advisorId } = world.ann.advisor;
    const tollFree = '+18885550100';
    await setConsent(world, world.ann, tollFree, 'accepted');
    const broadcastId = await start(await groupOf({ phone: tollFree }), 'Nowhere');
    const set = (zone: string, quietHours: string) =>
      world.database.asOwner('update advisors set time_zone = $2, quiet_hours = $3 where advisor_id = $1', [
        advisorId,
        zone,
        quietHours,
      ]);
    await set('Nowhere/Never', 'defer');
    await sendBroadcasts(world.deps);
    await set('America/New_York', 'off');
    assert.deepEqual(await outcomes(broadcastId), [['refused', 'internal_error']]);
  });

  test('a stop counts for everybody whose text was not accepted before, also for those who wait for the morning', async () => {
    await setConsent(world, world.ann, night, 'accepted');
    const { groupId, phones } = await groupOfSize(2);
    const eve = await addContact(world.ann, { firstName: 'Zoe', phone: night });
    await putInGroups(world.ann, eve, [groupId]);
    const broadcastId = await start(groupId, 'Stop {firstName}');
    await sendBroadcasts(world.deps);
    await Promise.all(phones.map((phone) => received(world, phone)));
    await until('both are delivered', async () => (await broadcast(broadcastId)).counts.delivered === 2);
    assert.deepEqual((await broadcast(broadcastId)).counts, { delivered: 2, deferred: 1 });
    assert.equal((await broadcast(broadcastId)).status, 'sending');
    assert.ok((await recipients(broadcastId))[2].deliverAfter > world.clock.now().getTime());
    const before = (await handset(world, night)).length;
    assert.equal((await call('POST', `/broadcasts/${broadcastId}/stop`, {})).status, 204);
    assert.equal((await call('POST', `/broadcasts/${broadcastId}/stop`, {})).status, 204);
    await world.clock.advance(9 * 3_600_000);
    await sendBroadcasts(world.deps);
    assert.deepEqual(await outcomes(broadcastId), [
      ['delivered', null],
      ['delivered', null],
      ['stopped', null],
    ]);
    assert.equal((await broadcast(broadcastId)).status, 'stopped');
    assert.equal((await handset(world, night)).length, before);
    assert.equal((await call('POST', '/broadcasts/999999/stop', {})).status, 404);
  });

  test('who waits for the morning gets it then', async () => {
    await setConsent(world, world.ann, night, 'accepted');
    const before = (await handset(world, night)).length;
    const broadcastId = await start(await groupOf({ firstName: 'Eve', phone: night }), 'Morning {firstName}');
    await sendBroadcasts(world.deps);
    assert.deepEqual(await outcomes(broadcastId), [['deferred', null]]);
    assert.equal((await broadcast(broadcastId)).isDeferred, true);
    assert.equal((await call('GET', '/broadcasts')).body.data[0].isDeferred, true);
    await world.clock.advance(9 * 3_600_000);
    assert.equal((await call('GET', '/broadcasts')).body.data[0].isDeferred, false);
    await sendBroadcasts(onOther());
    await received(world, night, before + 1);
    assert.equal((await broadcast(broadcastId)).status, 'done');
  });

  test('whose next batch a wrong clock put off goes on once texts are freed', async () => {
    const { groupId, phones } = await groupOfSize(1);
    const broadcastId = await start(groupId, 'Late {firstName}');
    await world.database.asOwner(`update broadcasts set due_at = due_at + interval '1 hour' where status = 'sending'`);
    await sendBroadcasts(world.deps);
    assert.deepEqual(await outcomes(broadcastId), [['waiting', null]]);
    await freeWaiting(world.deps);
    await sendBroadcasts(world.deps);
    await received(world, phones[0] ?? '');
  });

  test('the gate decides when each text is sent, and the outcome says so', async () => {
    const { groupId, phones } = await groupOfSize(2);
    const broadcastId = await start(groupId, 'Gate {firstName}');
    await setConsent(world, world.ann, phones[0] ?? '', 'opted_out');
    await sendBroadcasts(world.deps);
    await until('one is delivered', async () => (await broadcast(broadcastId)).counts.delivered === 1);
    assert.deepEqual(await outcomes(broadcastId), [
      ['refused', 'opted_out'],
      ['delivered', null],
    ]);
    const trouble = await recipients(broadcastId, '?only=trouble');
    assert.deepEqual(
      trouble.map(({ phone }) => phone),
      [phones[0]],
    );

    const disabled = await start(groupId, 'Disabled {firstName}');
    const { advisorId } = world.ann.advisor;
    await setAdvisor(world.deps, advisorId, { disabled: true });
    await sendBroadcasts(world.deps);
    await setAdvisor(world.deps, advisorId, { disabled: false });
    await signIn();
    assert.deepEqual(await outcomes(disabled), [
      ['refused', 'account_disabled'],
      ['refused', 'account_disabled'],
    ]);
  });

  test('a text that is held says so before and afterwards', async () => {
    const { groupId, phones } = await groupOfSize(1);
    const [phone = ''] = phones;
    await reply(world, phone, world.ann.advisor.textingNumber ?? '', 'wrong number');
    await until('texts to them are held', async () => (await check(groupId, 'Hi')).held === 1);
    const [shown] = (await call('POST', '/broadcasts/preview', { groupId, text: 'Hi' })).body.data;
    assert.deepEqual([shown.status, shown.code], ['held', 'possible_opt_out']);
    const broadcastId = await start(groupId, 'Hi');
    await sendBroadcasts(world.deps);
    const [recipient] = await recipients(broadcastId);
    assert.deepEqual([recipient.outcome, recipient.heldReason], ['held', 'possible_opt_out']);
    assert.deepEqual(await recipients(broadcastId, '?only=trouble'), []);
  });

  test('is invisible to other advisors, and partners get no event', async () => {
    const { cursor } = (await call('GET', '/session')).body;
    const { groupId, phones } = await groupOfSize(1);
    const broadcastId = await start(groupId, 'Private {firstName}');
    await sendBroadcasts(world.deps);
    await received(world, phones[0] ?? '');
    const types = await world.database.asOwner<{ type: string }>(
      `select distinct type from events where broadcast_id = $1`,
      [broadcastId],
    );
    assert.deepEqual(types, [{ type: 'broadcast.changed' }]);
    const feed = (await world.ann.call('GET', `/text/messaging/events?cursor=${cursor}`)).body.data;
    assert.ok(feed.length > 0);
    assert.ok(feed.every(({ type }: { type: string }) => !type.startsWith('broadcast')));
    assert.equal((await world.ann.call('GET', `/broadcasts/${broadcastId}`)).status, 404);
  });

  test('a stop waits for the batch that is being sent, and then nothing more is accepted', async () => {
    const { advisorId } = world.ann.advisor;
    await setAdvisor(world.deps, advisorId, { textingPace: 1 });
    const { groupId } = await groupOfSize(6);
    const broadcastId = await start(groupId, 'Stop now {firstName}');
    const [sent, committing] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    const { pool } = world.database;
    const slow: Deps = {
      ...world.deps,
      db: {
        ...pool,
        transaction: (work) =>
          pool.transaction(async (db) => {
            const done = await work(db);
            sent.resolve();
            await committing.promise;
            return done;
          }),
      },
    };
    const sending = sendBroadcasts(slow);
    await sent.promise;
    let isStopped = false;
    const stopping = call('POST', `/broadcasts/${broadcastId}/stop`, {}).finally(() => {
      isStopped = true;
    });
    await until('the stop waits', () => isWaiting(world.database));
    assert.equal(isStopped, false);
    committing.resolve();
    assert.equal((await stopping).status, 204);
    const { counts } = await broadcast(broadcastId);
    assert.equal(counts.stopped, 1);
    await sending;
    await world.clock.advance(60_000);
    await sendBroadcasts(world.deps);
    assert.deepEqual([(await broadcast(broadcastId)).accepted, (await broadcast(broadcastId)).status], [5, 'stopped']);
  });

  test('a number with a pace gets no more than that at a time', async () => {
    const { advisorId } = world.ann.advisor;
    await setAdvisor(world.deps, advisorId, { textingPace: 1 });
    const { groupId } = await groupOfSize(7);
    const broadcastId = await start(groupId, 'Slowly {firstName}');
    await sendBroadcasts(world.deps);
    assert.equal((await broadcast(broadcastId)).accepted, 5);
    await world.clock.advance(6_000);
    await sendBroadcasts(world.deps);
    assert.deepEqual([(await broadcast(broadcastId)).accepted, (await broadcast(broadcastId)).status], [7, 'done']);
    await setAdvisor(world.deps, advisorId, { textingPace: null });
  });
});

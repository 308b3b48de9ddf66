import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { after, suite, test } from 'node:test';
import type { Deps } from '../../src/deps.ts';
import { setAdvisor } from '../../src/domain/accounts/advisors.ts';
import { createContacts } from '../../src/domain/address-book/contacts.ts';
import { sendBroadcasts } from '../../src/domain/broadcasts/sending.ts';
import { numberOf } from '../../src/domain/shared/enumerations.ts';
import { setWording } from '../../src/domain/texting/wordings.ts';
import { addContact, addGroup } from '../address-book/address-book.ts';
import { failing } from '../support/crashes.ts';
import {
  acceptedPhone,
  consentRequestsPath,
  lookUp,
  newPhone,
  received,
  reply,
  setConsent,
} from '../support/texting.ts';
import { until } from '../support/waiting.ts';
import { makeBroadcasts } from './setup.ts';

const night = '+15005550042';
const landline = '+15005550003';
const hourMs = 3_600_000;
const { world, call, broadcast, outcomes, textsTo, onOther, close } = await makeBroadcasts();
after(close);

async function groupOf(...phones: (string | null)[]): Promise<number> {
  const groupId = await addGroup(world.ann, `Group ${randomUUID()}`);
  const people = phones.map((phone, index) => ({ firstName: `P${1_000 + index}`, phone }));
  const contactIds = await createContacts(world.deps, world.ann.advisor.advisorId, people, numberOf('source', 'API'));
  const { status } = await call('POST', `/groups/${groupId}/members`, { contactIds, isMember: true });
  assert.equal(status, 200);
  return groupId;
}

/** So many people whom nobody has asked. */
async function strangers(size: number): Promise<{ groupId: number; phones: string[] }> {
  const phones = Array.from({ length: size }, newPhone);
  return { groupId: await groupOf(...phones), phones };
}

async function check(whom: object) {
  const { status, body } = await call('POST', '/broadcasts/consent/check', { whom });
  assert.equal(status, 200, JSON.stringify(body));
  return body;
}

async function start(whom: object, key = randomUUID()): Promise<number> {
  const { version } = await check(whom);
  const { status, body } = await call('POST', '/broadcasts/consent', { whom, version }, key);
  assert.equal(status, 200, JSON.stringify(body));
  return body.broadcastId;
}

/** The requests of a job in the archive: their texts, and what they changed. */
async function entriesOf(broadcastId: number, phones: string[]) {
  const [found] = await world.database.asOwner<{ texts: number; changes: number }>(
    `select
       count(*) filter (where kind = 'text_out' and meta::json ->> 'broadcastId' = $1)::integer as texts,
       count(*) filter (where kind = 'consent' and meta::json ->> 'reason' = 'requested')::integer as changes
     from archive_entries
     where meta::json ->> 'to' = any ($2) or meta::json ->> 'phone' = any ($2)`,
    [String(broadcastId), phones],
  );
  return found;
}

suite('a consent request to many people', () => {
  test('says before whom it asks, in which words, and who is left out and why', async () => {
    const [twin, accepted, stopped, asked, long] = [newPhone(), await acceptedPhone(world, world.ann)].concat(
      Array.from({ length: 3 }, newPhone),
    ) as [string, string, string, string, string];
    await setConsent(world, world.ann, stopped, 'opted_out');
    await world.ann.call('POST', consentRequestsPath, { phoneNumbers: [long] });
    await world.clock.advance(25 * hourMs);
    await world.ann.call('POST', consentRequestsPath, { phoneNumbers: [asked] });
    const groupId = await groupOf(twin, twin, accepted, stopped, asked, long, landline, night, null);
    const found = await check({ groupId });
    const { version, earliest, text, leftOut, ...totals } = found;
    assert.deepEqual(totals, { people: 9, asked: 3, later: 1, again: 1 });
    assert.deepEqual(leftOut, [
      { code: 'same_number', people: 1 },
      { code: 'accepted', people: 1 },
      { code: 'opted_out', people: 1 },
      { code: 'asked_lately', people: 1 },
      { code: 'landline', people: 1 },
      { code: 'no_phone', people: 1 },
    ]);
    assert.ok(earliest > world.clock.now().getTime());
    const before = await textsTo([twin, accepted, stopped, asked, long, landline]);
    assert.deepEqual(before, [0, 0, 0, 1, 1, 0], 'nothing is done');
    const broadcastId = await start({ groupId });
    assert.deepEqual((await check({ groupId })).leftOut.at(0), { code: 'being_asked', people: 4 });
    await sendBroadcasts(world.deps);
    assert.equal((await received(world, twin)).at(-1)?.text, text);
    await received(world, long, 2);
    assert.deepEqual(await textsTo([twin, accepted, stopped, asked, long, landline]), [1, 0, 0, 1, 2, 0]);
    assert.equal((await broadcast(broadcastId)).people, 3);
    await call('POST', `/broadcasts/${broadcastId}/stop`, {});
  });

  test('asks everybody once, of a group, a selection or a filter, with an entry each, and shows their answers', async () => {
    const { groupId, phones } = await strangers(203);
    const key = randomUUID();
    const { version, asked } = await check({ groupId, consent: 'none' });
    assert.equal(asked, 203);
    const body = { whom: { groupId, consent: 'none' }, version };
    const [one, other] = await Promise.all([1, 2].map(() => call('POST', '/broadcasts/consent', body, key)));
    assert.deepEqual([one?.status, other?.body], [200, one?.body]);
    const { broadcastId } = one?.body ?? {};
    for (let batches = 0; batches < 6; batches++) {
      await sendBroadcasts(world.deps);
      await world.clock.advance(1_000);
    }
    await until('all are delivered', async () => (await broadcast(broadcastId)).counts.delivered === 203);
    assert.deepEqual(new Set(await textsTo(phones)), new Set([1]));
    assert.deepEqual(await entriesOf(broadcastId, phones), { texts: 203, changes: 203 });
    const [first = '', second = ''] = phones;
    await reply(world, first, world.ann.advisor.textingNumber ?? '', 'ACCEPT');
    await reply(world, second, world.ann.advisor.textingNumber ?? '', 'STOP');
    await until('both answered', async () => (await broadcast(broadcastId)).answers.opted_out === 1);
    const ended = await broadcast(broadcastId);
    assert.deepEqual(ended.answers, { pending: 201, accepted: 1, opted_out: 1 });
    assert.deepEqual([ended.status, ended.accepted, ended.refused], ['done', 203, 0]);
    const [entry] = await world.database.asOwner<{ meta: string }>(
      `select meta from archive_entries where kind = 'broadcast' and meta::json ->> 'broadcastId' = $1 order by number`,
      [String(broadcastId)],
    );
    const { action, people, asksForConsent, wordingVersion } = JSON.parse(entry?.meta ?? '');
    assert.deepEqual([action, people, asksForConsent, wordingVersion], ['started', 203, true, 0]);

    const chosen = await addContact(world.ann, { firstName: 'Chosen', phone: newPhone() });
    const selected = await check({ contactIds: [chosen] });
    assert.deepEqual([selected.people, selected.asked], [1, 1]);
    await sendBroadcasts(onOther());
    assert.equal((await call('POST', '/broadcasts/consent/check', { whom: { contactIds: [] } })).status, 400);
  });

  test('a crash at any moment asks nobody twice and forgets nobody', async () => {
    const { groupId, phones } = await strangers(102);
    const broadcastId = await start({ groupId });
    for (let statements = 0; statements < 24; statements++)
      await assert.rejects(
        sendBroadcasts({ ...world.deps, db: failing(world.database.pool, statements) }),
        /The node died/,
      );
    assert.deepEqual(new Set(await textsTo(phones)), new Set([0]));
    // One node dies between two batches, and others go on.
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
    assert.equal((await broadcast(broadcastId)).accepted, 50);
    for (let batches = 0; batches < 4; batches++) {
      await world.clock.advance(1_000);
      await Promise.all([sendBroadcasts(world.deps), sendBroadcasts(onOther())]);
    }
    await until('all are delivered', async () => (await broadcast(broadcastId)).counts.delivered === 102);
    assert.deepEqual(new Set(await textsTo(phones)), new Set([1]));
    assert.deepEqual(await entriesOf(broadcastId, phones), { texts: 102, changes: 102 });
  });

  test('a stop counts for everybody who was not asked before, also for those who wait for the morning', async () => {
    await setConsent(world, world.ann, night, 'none');
    const [phone] = [newPhone()];
    const broadcastId = await start({ groupId: await groupOf(phone, night) });
    await sendBroadcasts(world.deps);
    await received(world, phone);
    await until('one is delivered', async () => (await broadcast(broadcastId)).counts.delivered === 1);
    const [before] = await textsTo([night]);
    assert.deepEqual(await outcomes(broadcastId), [
      ['delivered', null],
      ['deferred', null],
    ]);
    assert.equal((await lookUp(world.ann, night)).body.state, 'none', 'a request that waits is none yet');
    assert.equal((await call('POST', `/broadcasts/${broadcastId}/stop`, {})).status, 204);
    await world.clock.advance(12 * hourMs);
    await sendBroadcasts(world.deps);
    assert.deepEqual(await textsTo([night]), [before]);
    assert.deepEqual((await outcomes(broadcastId))[1], ['stopped', null]);
  });

  test('who accepts, opts out or is asked by somebody else meanwhile isn’t asked by it', async () => {
    const { groupId, phones } = await strangers(4);
    const [accepts = '', stops = '', asked = '', last = ''] = phones;
    const broadcastId = await start({ groupId });
    await setConsent(world, world.ann, accepts, 'accepted');
    await setConsent(world, world.ann, stops, 'opted_out');
    await world.ann.call('POST', consentRequestsPath, { phoneNumbers: [asked] });
    await received(world, asked);
    await sendBroadcasts(world.deps);
    await received(world, last);
    assert.deepEqual(
      (await outcomes(broadcastId)).slice(0, 3),
      ['accepted', 'opted_out', 'asked_lately'].map((code) => ['refused', code]),
    );
    assert.deepEqual(await textsTo(phones), [0, 0, 1, 1]);
  });

  test('asks in the words that were shown, and in no others', async () => {
    const { groupId, phones } = await strangers(1);
    const { firmId } = world.ann.advisor;
    const shown = await check({ groupId });
    const text = '{firm} would like to text you. Reply ACCEPT to agree, STOP to opt out.';
    await setWording(world.deps, firmId, { kind: 'consent_request', text });
    const body = { whom: { groupId }, version: shown.version };
    assert.equal((await call('POST', '/broadcasts/consent', body)).status, 409);
    const broadcastId = await start({ groupId });
    await setWording(world.deps, firmId, { kind: 'consent_request', text: `${text} Thanks.` });
    await sendBroadcasts(world.deps);
    const [request] = await received(world, phones[0] ?? '');
    assert.equal(request?.text, (await broadcast(broadcastId)).text);
    assert.ok(!request?.text.endsWith('Thanks.'));
    const { memberId } = (await lookUp(world.ann, phones[0] ?? '')).body;
    const { data } = (await call('GET', `/conversations/${memberId}/evidence`)).body;
    assert.match(JSON.stringify(data), new RegExp(request?.text.slice(-30) ?? 'none'));
  });

  test('an account that isn’t set up for it asks nobody: 409, and nothing is made', async () => {
    const { advisorId } = world.ann.advisor;
    const { groupId, phones } = await strangers(2);
    const { version } = await check({ groupId });
    const begun = await start({ groupId: await groupOf(newPhone()) });
    await setAdvisor(world.deps, advisorId, { consentCollection: false });
    const body = { whom: { groupId }, version };
    for (const path of ['/broadcasts/consent/check', '/broadcasts/consent'])
      assert.equal((await call('POST', path, body)).status, 409, path);
    await sendBroadcasts(world.deps);
    assert.deepEqual(await outcomes(begun), [['refused', 'no_collection']]);
    await setAdvisor(world.deps, advisorId, { consentCollection: true });
    assert.deepEqual(await textsTo(phones), [0, 0]);
  });

  test('is refused at night where the account refuses texts then, as any request is', async () => {
    const { advisorId } = world.ann.advisor;
    const { groupId } = await strangers(1);
    await setAdvisor(world.deps, advisorId, { quietHours: 'refuse' });
    const hour = world.clock.now().getUTCHours();
    // 3 AM in New York.
    await world.clock.advance(((31 - hour) % 24) * hourMs + hourMs);
    assert.deepEqual((await check({ groupId })).leftOut, [{ code: 'quiet_hours', people: 1 }]);
    await setAdvisor(world.deps, advisorId, { quietHours: 'off' });
  });
});

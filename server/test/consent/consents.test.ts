import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { after, suite, test } from 'node:test';
import { addAdvisor } from '../../src/domain/accounts/advisors.ts';
import { addFirm } from '../../src/domain/accounts/firms.ts';
import { addStaff, getStaff, setStaff } from '../../src/domain/accounts/staff.ts';
import { getConsent, listConsentHistory, wakeWaiting } from '../../src/domain/consent/consent-lookups.ts';
import { optOutByCarrier, recordConsent } from '../../src/domain/consent/consents.ts';
import { insertMembers } from '../../src/store/members/members.ts';
import { ask, entries, kindsSent, memberOf, say, stateOf } from '../support/people.ts';
import { newPhone, setConsent } from '../support/texting.ts';
import { until } from '../support/waiting.ts';
import { makeWorld } from '../support/world.ts';

const world = await makeWorld({ dispatch: false });
after(() => world.close());
const { ann, deps } = world;
const { advisorId, firmId } = ann.advisor;

suite('an opt-out reported by the carrier', () => {
  test('opts the person out without a text from us, with the carrier as evidence', async () => {
    const phone = newPhone();
    await setConsent(world, ann, phone, 'accepted');
    const { memberId } = await memberOf(world, ann, phone);
    await optOutByCarrier(deps, advisorId, memberId);
    await optOutByCarrier(deps, advisorId, memberId);
    assert.equal(await stateOf(world, ann, phone), 'opted_out');
    assert.deepEqual(await kindsSent(world, ann, phone), []);
    const events = await entries(world, ann, phone, 'consent');
    assert.deepEqual(
      events.slice(1).map(({ actor, meta }) => [actor, meta]),
      [['carrier', { from: 'accepted', to: 'opted_out', reason: 'carrier', channel: 'carrier', phone }]],
    );
  });

  test('isn’t undone by a START that was sent before it, but by a later one', async () => {
    const phone = newPhone();
    await setConsent(world, ann, phone, 'accepted');
    const sentAt = world.clock.now();
    await world.clock.advance(1_000);
    await optOutByCarrier(deps, advisorId, (await memberOf(world, ann, phone)).memberId);
    await say(world, ann, phone, 'START', { sentAt });
    assert.equal(await stateOf(world, ann, phone), 'opted_out');
    await world.clock.advance(1_000);
    await say(world, ann, phone, 'START');
    assert.equal(await stateOf(world, ann, phone), 'accepted');
  });

  test('changes nothing if the member doesn’t exist', async () => {
    const counts = () =>
      world.database.asOwner(
        `select
           (select count(*) from members) as members,
           (select count(*) from members where state = 'opted_out') as "optedOut",
           (select count(*) from archive_entries) as entries`,
      );
    const before = await counts();
    await optOutByCarrier(deps, advisorId, 999_999);
    assert.deepEqual(await counts(), before);
  });
});

suite('consent given on paper', async () => {
  const staff = await addStaff(deps, { firmId, name: 'Sue Pervisor', email: 'sue@test.example' });
  const proof = 'Form signed 2026-01-05, cabinet 3';

  test('makes the number accepted and known, with the proof and the staff member as evidence', async () => {
    const phone = newPhone();
    const { state } = await recordConsent(deps, { advisorId, phone, proof, staff });
    assert.equal(state, 'accepted');
    assert.equal((await getConsent(deps, advisorId, { phone })).state, 'accepted');
    const [entry] = await entries(world, ann, phone, 'consent');
    const facts = { from: 'none', to: 'accepted', reason: 'recorded', channel: 'paper', phone };
    assert.deepEqual(entry?.meta, { ...facts, via: 'command' });
    const { who, proof: kept } = JSON.parse(entry?.body ?? '');
    assert.deepEqual([who, kept, entry?.actor], [`staff:${staff.staffId}`, proof, `staff:${staff.staffId}`]);
  });

  test('adds the proof to an accepted number and changes nothing else', async () => {
    const phone = newPhone();
    await say(world, ann, phone, 'START');
    const before = await memberOf(world, ann, phone);
    await world.clock.advance(1_000);
    await recordConsent(deps, { advisorId, phone, proof, staff });
    assert.deepEqual(await memberOf(world, ann, phone), before);
    assert.equal((await entries(world, ann, phone, 'consent')).length, 2);
  });

  test('doesn’t undo a STOP, and a STOP that arrives late still counts', async () => {
    const [stopped, late] = [newPhone(), newPhone()];
    await say(world, ann, stopped, 'STOP');
    const record = (phone: string) => recordConsent(deps, { advisorId, phone, proof, staff });
    await assert.rejects(record(stopped), /has opted out .*START/);
    assert.equal(await stateOf(world, ann, stopped), 'opted_out');
    const sentAt = world.clock.now();
    await world.clock.advance(1_000);
    await record(late);
    await say(world, ann, late, 'STOP', { sentAt });
    assert.equal(await stateOf(world, ann, late), 'opted_out');
  });

  test('is refused from another firm’s or disabled staff, without proof, and for an invalid number', async () => {
    const phone = newPhone();
    const other = await addFirm(deps, 'Other Firm');
    const stranger = await addStaff(deps, { firmId: other.firmId, name: 'Stan', email: 'stan@other.example' });
    const former = await addStaff(deps, { firmId, name: 'Fay', email: 'fay@test.example' });
    await setStaff(deps, former.staffId, { disabled: true });
    const refused = [
      { phone, proof, staff: stranger },
      { phone, proof, staff: await getStaff(deps, 'FAY@test.example') },
      { phone, proof: ' \u200b ', staff },
      { phone: '555-1234', proof, staff },
    ];
    for (const each of refused) await assert.rejects(recordConsent(deps, { advisorId, ...each }), { name: 'Error' });
    await assert.rejects(memberOf(world, ann, phone), /Nobody knows/);
  });
});

suite('the history', () => {
  test('lists everything that happened, oldest first, with its evidence', async () => {
    const phone = newPhone();
    await ask(world, ann, phone);
    await ask(world, ann, phone);
    await say(world, ann, phone, 'Yes');
    await say(world, ann, phone, 'STOP');
    const history = await listConsentHistory(deps, advisorId, phone);
    assert.ok(history);
    assert.deepEqual([history.state, history.consentRequests], ['opted_out', 2]);
    assert.deepEqual(
      history.events.map(({ from, to, reason, evidence }) => [from, to, reason, evidence?.reply?.text]),
      [
        ['none', 'pending', 'requested', undefined],
        ['pending', 'pending', 'requested', undefined],
        ['pending', 'accepted', 'accepted', 'Yes'],
        ['accepted', 'opted_out', 'opt_out', 'STOP'],
      ],
    );
  });

  test('is null for a number that the advisor doesn’t know', async () => {
    assert.equal(await listConsentHistory(deps, advisorId, newPhone()), null);
  });
});

suite('waiting', () => {
  test('holds no database connection', async () => {
    const phone = newPhone();
    await ask(world, ann, phone);
    // Four times the number of connections.
    const waiting = Array.from({ length: 40 }, () => getConsent(deps, advisorId, { phone, waitSeconds: 20 }));
    await until('they wait', () => deps.signals.consentChanged.awaited().length > 0);
    await say(world, ann, phone, 'START');
    await wakeWaiting(deps);
    const answers = await Promise.all(waiting);
    assert.deepEqual(new Set(answers.map(({ state }) => state)), new Set(['accepted']));
  });

  test('doesn’t find a member without a contact, by number or by id', async () => {
    const phone = newPhone();
    await insertMembers(deps.db, [{ advisorId, phone }], world.clock.now());
    const { memberId } = await memberOf(world, ann, phone);
    await assert.rejects(getConsent(deps, advisorId, { phone }), /No contact owns/);
    await assert.rejects(getConsent(deps, advisorId, { memberId }), /belongs to that memberId/);
  });
});

test('an advisor without a texting number can’t request consent', async () => {
  const advisor = await addAdvisor(deps, { firmId, name: 'No Number', email: `${randomUUID()}@test.example` });
  const phone = newPhone();
  await assert.rejects(ask(world, { ...ann, advisor }, phone), { code: 'conflict' });
  await assert.rejects(memberOf(world, { ...ann, advisor }, phone), /Nobody knows/);
});

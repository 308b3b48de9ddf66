import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { after, suite, test } from 'node:test';
import { addAdvisor } from '../../src/domain/accounts/advisors.ts';
import { addFirm } from '../../src/domain/accounts/firms.ts';
import { addStaff, getStaff, setStaff } from '../../src/domain/accounts/staff.ts';
import {
  getConsent,
  listConsentHistory,
  optOutByCarrier,
  recordConsent,
  setInitialConsent,
} from '../../src/domain/consent/consents.ts';
import { makeSandbox } from '../../src/sandbox/sandbox.ts';
import { insertMembers } from '../../src/store/texting/members.ts';
import { findIds } from '../address-book/address-book.ts';
import { ask, entries, kindsSent, memberOf, say, stateOf } from '../support/people.ts';
import { newPhone, setConsent } from '../support/texting.ts';
import { makeWorld } from '../support/world.ts';

const world = await makeWorld({ dispatch: false });
after(() => world.close());
const { ann, deps } = world;
const { advisorId, firmId } = ann.advisor;

suite('what the carrier says', () => {
  test('opts the person out, without a text of ours, with the carrier as evidence', async () => {
    const phone = newPhone();
    await setConsent(world, ann, phone, 'accepted');
    const { memberId } = await memberOf(world, ann, phone);
    await optOutByCarrier(deps, advisorId, memberId);
    await optOutByCarrier(deps, advisorId, memberId);
    assert.equal(await stateOf(world, ann, phone), 'opted_out');
    assert.deepEqual(await kindsSent(world, ann, phone), []);
    const events = await entries(world, ann, phone, 'consent');
    assert.deepEqual(
      events.map(({ actor, meta }) => [actor, meta]),
      [['carrier', { from: 'accepted', to: 'opted_out', reason: 'carrier', channel: 'carrier' }]],
    );
  });

  test('a START that was sent before it doesn’t undo it, a later one does', async () => {
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

  test('about a member that nobody has changes nothing', async () => {
    await optOutByCarrier(deps, advisorId, 999_999);
  });
});

suite('consent given on paper', async () => {
  const staff = await addStaff(deps, { firmId, name: 'Sue Pervisor', email: 'sue@test.example' });
  const proof = 'Form signed 2026-01-05, cabinet 3';

  test('makes the number accepted and known, with the proof and who recorded it as evidence', async () => {
    const phone = newPhone();
    const { state } = await recordConsent(deps, { advisorId, phone, proof, staff });
    assert.equal(state, 'accepted');
    assert.equal((await getConsent(deps, advisorId, { phone })).state, 'accepted');
    const [entry] = await entries(world, ann, phone, 'consent');
    assert.deepEqual(entry?.meta, { from: 'none', to: 'accepted', reason: 'recorded', channel: 'paper' });
    const { who, proof: kept } = JSON.parse(entry?.body ?? '');
    assert.deepEqual([who, kept, entry?.actor], [`staff:${staff.staffId}`, proof, `staff:${staff.staffId}`]);
  });

  test('of an accepted number adds the proof and changes nothing else', async () => {
    const phone = newPhone();
    await say(world, ann, phone, 'START');
    const before = await memberOf(world, ann, phone);
    await world.clock.advance(1_000);
    await recordConsent(deps, { advisorId, phone, proof, staff });
    assert.deepEqual(await memberOf(world, ann, phone), before);
    assert.equal((await entries(world, ann, phone, 'consent')).length, 2);
  });

  test('doesn’t undo a STOP, and a STOP that comes late still counts', async () => {
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

  test('is refused from other firms’ and disabled staff, without proof, and for what is no number', async () => {
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

suite('the states that the sandbox begins with', () => {
  test('are set where nothing has happened yet, without contacts', async () => {
    const [fresh, asked, stopped] = [newPhone(), newPhone(), newPhone()];
    await ask(world, ann, asked);
    await say(world, ann, stopped, 'STOP');
    for (let start = 0; start < 2; start++)
      await setInitialConsent(deps, advisorId, [fresh, asked, stopped], 'accepted');
    assert.equal(await stateOf(world, ann, fresh), 'accepted');
    assert.equal(await stateOf(world, ann, asked), 'pending');
    assert.equal(await stateOf(world, ann, stopped), 'opted_out');
    assert.equal((await entries(world, ann, fresh, 'consent')).length, 1);
    assert.deepEqual(await findIds(ann, { phone: fresh }), []);
  });

  test('give way to what the person says', async () => {
    const [accepted, stopped] = [newPhone(), newPhone()];
    await setInitialConsent(deps, advisorId, [accepted], 'accepted');
    await setInitialConsent(deps, advisorId, [stopped], 'opted_out');
    await say(world, ann, accepted, 'STOP');
    await say(world, ann, stopped, 'START');
    assert.equal(await stateOf(world, ann, accepted), 'opted_out');
    assert.equal(await stateOf(world, ann, stopped), 'accepted');
  });
});

test('the sandbox has the consent of its numbers for every advisor, and each start leaves what happened', async () => {
  const statesOf = async (id: number) =>
    world.database.asOwner<{ digits: string; state: string }>(
      `select right(phone, 4) as digits, state from members where advisor_id = $1 and state <> 'none' order by 1`,
      [id],
    );
  const sandbox = await makeSandbox(deps, null);
  const accepted = ['0001', '0003', '0006', '0007', '0008', '0009', '0014', '0021', '0022'];
  for (const { id, name } of sandbox.advisors) {
    const states = await statesOf(id);
    const of = (state: string) => states.filter((each) => each.state === state).map(({ digits }) => digits);
    assert.deepEqual([of('accepted'), of('opted_out'), states.length], [accepted, ['0004'], 10], name);
  }
  const [avery, , , devon] = sandbox.advisors;
  const count = 'select count(*)::integer as contacts from contacts where advisor_id = $1';
  assert.deepEqual(await world.database.asOwner(count, [devon?.id]), [{ contacts: 0 }]);

  const { textingNumber = '', id = 0 } = avery ?? {};
  await say(world, ann, '+15005550006', 'STOP', { to: textingNumber });
  await say(world, ann, '+15005550004', 'START', { to: textingNumber });
  const before = await statesOf(id);
  await makeSandbox(deps, sandbox);
  assert.deepEqual(await statesOf(id), before);
});

suite('the history', () => {
  test('is all that happened, oldest first, with its evidence', async () => {
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

  test('of a number that the advisor doesn’t know is null', async () => {
    assert.equal(await listConsentHistory(deps, advisorId, newPhone()), null);
  });
});

suite('waiting', () => {
  test('holds no database connection', async () => {
    const phone = newPhone();
    await say(world, ann, phone, 'Hello');
    const waiting = Array.from({ length: 40 }, () => getConsent(deps, advisorId, { phone, waitSeconds: 5 }));
    // Four times the connections that there are.
    await say(world, ann, phone, 'START');
    const answers = await Promise.all(waiting);
    assert.deepEqual(new Set(answers.map(({ state }) => state)), new Set(['accepted']));
  });

  test('ends at once for a change on this node, and within the poll for one elsewhere', async () => {
    const phone = newPhone();
    await say(world, ann, phone, 'Hello');
    const startedMs = Date.now();
    const waiting = getConsent(deps, advisorId, { phone, waitSeconds: 10 });
    await setConsent(world, ann, phone, 'pending');
    assert.equal((await waiting).state, 'pending');
    assert.ok(Date.now() - startedMs < 3_000);
  });

  test('a member that has no contact any more is not found, by number or by id', async () => {
    const phone = newPhone();
    await insertMembers(deps.db, [{ advisorId, phone }], world.clock.now());
    const { memberId } = await memberOf(world, ann, phone);
    await assert.rejects(getConsent(deps, advisorId, { phone }), /No contact owns/);
    await assert.rejects(getConsent(deps, advisorId, { memberId }), /No contact owns/);
  });
});

test('an advisor without a texting number, or without collection, asks nobody', async () => {
  const advisor = await addAdvisor(deps, { firmId, name: 'No Number', email: `${randomUUID()}@test.example` });
  const phone = newPhone();
  await assert.rejects(ask(world, { ...ann, advisor }, phone), { code: 'conflict' });
  await assert.rejects(memberOf(world, { ...ann, advisor }, phone), /Nobody knows/);
});

import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { addAdvisor } from '../../src/domain/accounts/advisors.ts';
import { listSharedPhones, mergeContacts } from '../../src/domain/address-book/contact-merges.ts';
import {
  createContact,
  deleteContact,
  getContact,
  replaceMemberships,
  searchContacts,
  updateContact,
} from '../../src/domain/address-book/contacts.ts';
import { connectCrm, disconnectCrm, getCrmConnection } from '../../src/domain/address-book/crm-connections.ts';
import { listFindings, listSyncs, syncCrm, syncDue } from '../../src/domain/address-book/crm-syncs.ts';
import { createGroup } from '../../src/domain/address-book/groups.ts';
import { byOperator } from '../../src/domain/archive/archive.ts';
import { numberOf } from '../../src/domain/shared/enumerations.ts';
import { makeSignals } from '../../src/domain/shared/signals.ts';
import { type FakeCrm, fakeCrm } from '../adapters/crm/fake-crm.ts';
import { newPhone, setConsent } from '../support/texting.ts';
import { until } from '../support/waiting.ts';
import { makeWorld } from '../support/world.ts';

const crms = new Map<string, FakeCrm>();
const world = await makeWorld({
  dispatch: false,
  openCrm: (access) => {
    const found = crms.get(access.kind === 'file' ? '' : access.url);
    if (!found) throw new Error('The test has no such CRM.');
    return found.crm;
  },
});
const { deps, database, clock } = world;
after(() => world.close());

let made = 0;

/** An advisor with their own CRM. */
async function newAdvisor({ daily = false, batchSize = 100 } = {}) {
  made += 1;
  const { firmId } = world.ann.advisor;
  const { advisorId } = await addAdvisor(deps, { firmId, name: `Advisor ${made}`, email: `crm${made}@test.example` });
  const crm = fakeCrm({ batchSize });
  const url = `https://crm${made}.example`;
  crms.set(url, crm);
  const access = { kind: 'carddav', url, username: 'x', secret: `secret ${made}`, region: 'US' } as const;
  await connectCrm(deps, advisorId, access, { daily, check: false });
  return { advisorId, crm, sync: () => syncCrm(deps, advisorId, 'operator') };
}

async function book(advisorId: number) {
  const page = { page: 1, pageSize: 200, sortBy: 'fullName', sortDirection: 'asc' } as const;
  const { data } = await searchContacts(deps, advisorId, page);
  return Promise.all(data.map(({ contactId }) => getContact(deps, advisorId, contactId)));
}

const ada = { firstName: 'Ada', lastName: 'Byron', emailAddress: 'ada@example.org', city: 'London' };

test('a first sync adds every contact, linked to the CRM', async () => {
  const { advisorId, crm, sync } = await newAdvisor();
  const phone = newPhone();
  crm.hold('a', { ...ada, phone, address1: '1 Main Street', postalCode: '62701' });
  crm.hold('b', { lastName: 'Bond' });
  const { status, added, updated, unchanged } = await sync();
  assert.deepEqual({ status, added, updated, unchanged }, { status: 'succeeded', added: 2, updated: 0, unchanged: 0 });
  const [found] = await book(advisorId);
  assert.equal(found?.fullName, 'Ada Byron');
  assert.equal(found?.phone, phone);
  assert.equal(found?.postalCode, '62701');
  assert.equal(found?.remoteContactId, 'a');
  assert.equal(found?.remoteContactUrl, 'https://crm.example/a');
  assert.equal(found?.source, numberOf('source', 'CardDAV'));
});

test('a second sync reads and changes only contacts that changed', async () => {
  const { advisorId, crm, sync } = await newAdvisor();
  crm.hold('a', ada);
  crm.hold('b', { lastName: 'Bond' });
  await sync();
  const [before] = await book(advisorId);
  crm.asked.length = 0;
  crm.hold('b', { lastName: 'Bond', nickname: 'James' });
  const { added, updated, unchanged } = await sync();
  assert.deepEqual({ added, updated, unchanged }, { added: 0, updated: 1, unchanged: 1 });
  assert.deepEqual(crm.asked, ['b']);
  const [first, second] = await book(advisorId);
  assert.deepEqual(first, before);
  assert.equal(second?.nickname, 'James');
});

test('fields that the advisor edited stay, others are updated, and a field that both changed is one conflict', async () => {
  const { advisorId, crm, sync } = await newAdvisor();
  crm.hold('a', { ...ada, nickname: 'Addie' });
  await sync();
  const [contact] = await book(advisorId);
  const contactId = contact?.contactId ?? -1;
  await updateContact(deps, advisorId, contactId, { city: 'Paris', nickname: null });
  crm.hold('a', { ...ada, nickname: 'Addie', city: 'Berlin', emailAddress: 'new@example.org' });
  const { updated, conflicts, syncId } = await sync();
  assert.deepEqual({ updated, conflicts }, { updated: 1, conflicts: 1 });
  const after = await getContact(deps, advisorId, contactId);
  assert.equal(after.city, 'Paris');
  assert.equal(after.nickname, null);
  assert.equal(after.emailAddress, 'new@example.org');
  const [finding] = await listFindings(deps, advisorId, syncId);
  assert.equal(finding?.kind, 'conflict');
  assert.match(finding?.detail ?? '', /: city$/);

  crm.hold('a', { ...ada, nickname: 'Addie', city: 'Berlin', emailAddress: 'newer@example.org' });
  const again = await sync();
  assert.deepEqual({ updated: again.updated, conflicts: again.conflicts }, { updated: 1, conflicts: 0 });
  assert.equal((await getContact(deps, advisorId, contactId)).city, 'Paris');
});

test('a field that the CRM cleared is cleared here, but a name is kept', async () => {
  const { advisorId, crm, sync } = await newAdvisor();
  crm.hold('a', ada);
  await sync();
  crm.hold('a', { emailAddress: 'ada@example.org' });
  await sync();
  const [contact] = await book(advisorId);
  assert.equal(contact?.fullName, 'Ada Byron');
  assert.equal(contact?.city, null);
});

test('a contact that is missing from the CRM stays and is reported once; if it returns, it is updated again', async () => {
  const { advisorId, crm, sync } = await newAdvisor();
  crm.hold('a', ada);
  crm.hold('b', { lastName: 'Bond' });
  await sync();
  crm.drop('a');
  const gone = await sync();
  assert.equal(gone.missing, 1);
  const findings = await listFindings(deps, advisorId, gone.syncId);
  assert.deepEqual(
    findings.map(({ kind, remoteContactId }) => ({ kind, remoteContactId })),
    [{ kind: 'missing', remoteContactId: 'a' }],
  );
  assert.equal((await book(advisorId)).length, 2);
  assert.equal((await sync()).missing, 0);
  crm.hold('a', { ...ada, city: 'Rome' });
  assert.equal((await sync()).updated, 1);
  crm.drop('a');
  assert.equal((await sync()).missing, 1);
});

test('a contact that the advisor deleted is not added again', async () => {
  const { advisorId, crm, sync } = await newAdvisor();
  crm.hold('a', ada);
  await sync();
  const [contact] = await book(advisorId);
  await deleteContact(deps, advisorId, contact?.contactId ?? -1);
  crm.hold('a', { ...ada, city: 'Oslo' });
  assert.equal((await sync()).added, 0);
  assert.deepEqual(await book(advisorId), []);
});

test('a contact with a known number is reported as a duplicate, and not merged', async () => {
  const { advisorId, crm, sync } = await newAdvisor();
  const phone = newPhone();
  const mine = await createContact(deps, advisorId, { firstName: 'Mine', lastName: 'Own', phone }, 2);
  crm.hold('a', { ...ada, phone });
  crm.hold('b', { lastName: 'Twin', phone });
  const { added, duplicates, syncId } = await sync();
  assert.deepEqual({ added, duplicates }, { added: 2, duplicates: 2 });
  const [finding] = await listFindings(deps, advisorId, syncId);
  assert.match(finding?.detail ?? '', new RegExp(`contact ${mine}\\b`));
  const [shared] = await listSharedPhones(deps, advisorId);
  assert.equal(shared?.phone, phone);
  assert.equal(shared?.contactIds.length, 3);
  assert.equal((await getContact(deps, advisorId, mine)).firstName, 'Mine');
});

test('a contact that texting created is filled in by only one of the CRM’s contacts', async () => {
  const { advisorId, crm, sync } = await newAdvisor();
  const phone = newPhone();
  const texted = await createContact(deps, advisorId, { phone }, numberOf('source', 'Texting'));
  crm.hold('a', { ...ada, phone });
  crm.hold('b', { lastName: 'Twin', phone });
  const { added, updated } = await sync();
  assert.deepEqual({ added, updated }, { added: 1, updated: 1 });
  const contact = await getContact(deps, advisorId, texted);
  assert.equal(contact.fullName, 'Ada Byron');
  assert.equal(contact.remoteContactId, 'a');
  assert.equal(contact.source, numberOf('source', 'CardDAV'));
});

test('a sync never changes consent', async () => {
  const { advisorId, crm, sync } = await newAdvisor();
  const phones = [newPhone(), newPhone(), newPhone()];
  const person = { ...world.ann, advisor: { ...world.ann.advisor, advisorId } };
  await setConsent(world, person, phones[0] ?? '', 'opted_out');
  await setConsent(world, person, phones[1] ?? '', 'accepted');
  const states = () =>
    database.asOwner(
      'select phone, state, last_changed, stopped_at, started_at, held_since from members where advisor_id = $1 and phone = any ($2) order by phone',
      [advisorId, phones.slice(0, 2)],
    );
  const before = await states();
  for (const [index, phone] of phones.entries()) crm.hold(`c${index}`, { lastName: 'Changing', phone });
  await sync();
  crm.hold('c0', { lastName: 'Changing', phone: phones[1] ?? null });
  crm.drop('c1');
  await sync();
  assert.deepEqual(await states(), before);
  const [fresh] = await database.asOwner<{ state: string }>(
    'select state from members where advisor_id = $1 and phone = $2',
    [advisorId, phones[2]],
  );
  assert.equal(fresh?.state, 'none');
});

test('a failed sync keeps its reason and what it saved, and is retried in an hour', async () => {
  const { advisorId, crm, sync } = await newAdvisor({ daily: true, batchSize: 1 });
  crm.hold('a', ada);
  crm.hold('b', { lastName: 'Bond' });
  let answers = 0;
  crm.before(async () => {
    answers += 1;
    if (answers === 3) crm.fail('It is on fire.');
  });
  const failed = await sync();
  assert.deepEqual(
    { status: failed.status, reason: failed.reason, added: failed.added },
    {
      status: 'failed',
      reason: 'It is on fire.',
      added: 1,
    },
  );
  assert.equal((await book(advisorId)).length, 1);
  const { nextSyncAt } = await getCrmConnection(deps, advisorId);
  const aheadMs = (nextSyncAt?.getTime() ?? 0) - clock.now().getTime();
  assert.ok(aheadMs > 59 * 60_000 && aheadMs <= 60 * 60_000, `${aheadMs}`);
  crm.fail(null);
  assert.equal((await sync()).added, 1);
  assert.deepEqual(
    (await listSyncs(deps, advisorId)).map(({ status }) => status),
    ['succeeded', 'failed'],
  );
});

test('cards that break a rule or can’t be read cost only themselves, and are reported', async () => {
  const { advisorId, crm, sync } = await newAdvisor();
  crm.hold('a', ada, { leftOut: ['phone: must be a phone number'] });
  crm.refuse('card 7', 'it is not a vCard');
  const { status, added, refused, syncId } = await sync();
  assert.deepEqual({ status, added, refused }, { status: 'succeeded', added: 1, refused: 1 });
  const findings = await listFindings(deps, advisorId, syncId);
  assert.deepEqual(findings.map(({ kind, detail }) => `${kind} ${detail}`).sort(), [
    'left_out phone: must be a phone number',
    'refused card 7: it is not a vCard',
  ]);
});

test('only one sync runs at a time; a node that stops interrupts it, and the next one continues', async () => {
  const { advisorId, crm, sync } = await newAdvisor({ batchSize: 1 });
  for (const id of ['a', 'b', 'c']) crm.hold(id, { lastName: id });
  const node = { ...deps, signals: makeSignals() };
  let answers = 0;
  crm.before(async () => {
    answers += 1;
    if (answers !== 3) return;
    await assert.rejects(sync(), /is already running/);
    node.signals.stopping.abort();
  });
  const cut = await syncCrm(node, advisorId, 'operator');
  assert.deepEqual({ status: cut.status, added: cut.added }, { status: 'interrupted', added: 1 });
  crm.asked.length = 0;
  assert.equal((await sync()).added, 2);
  assert.deepEqual(crm.asked, ['b', 'c']);
});

test('a sync whose node seems dead is fenced off: it can’t change anything anymore', async () => {
  const { advisorId, crm, sync } = await newAdvisor({ batchSize: 1 });
  crm.hold('a', ada);
  crm.hold('b', { lastName: 'Bond' });
  let answers = 0;
  crm.before(async () => {
    answers += 1;
    if (answers !== 2) return;
    await database.asOwner("update crm_connections set syncing_until = '-infinity' where advisor_id = $1", [advisorId]);
    assert.equal((await sync()).added, 2);
  });
  const late = await sync();
  assert.deepEqual({ status: late.status, added: late.added }, { status: 'interrupted', added: 0 });
  assert.equal((await book(advisorId)).length, 2);
});

test('a daily sync runs when it is due by the domain’s clock', async () => {
  const { advisorId, crm } = await newAdvisor({ daily: true });
  crm.hold('a', ada);
  await syncDue(deps, () => {});
  assert.equal((await book(advisorId)).length, 1);
  crm.hold('b', { lastName: 'Bond' });
  await syncDue(deps, () => {});
  assert.equal((await book(advisorId)).length, 1);
  await clock.advance(24 * 60 * 60 * 1000);
  const reported: string[] = [];
  crm.fail('It is asleep.');
  await syncDue(deps, ({ reason }) => reported.push(reason ?? ''));
  assert.deepEqual(reported, ['It is asleep.']);
  crm.fail(null);
  await clock.advance(60 * 60 * 1000);
  await syncDue(deps, () => {});
  assert.equal((await book(advisorId)).length, 2);
  await disconnectCrm(deps, advisorId);
});

test('a CRM that answers slowly holds up nobody else’s daily sync', async () => {
  const slow = await newAdvisor({ daily: true });
  const { promise: answered, resolve: answer } = Promise.withResolvers<void>();
  const { promise: asked, resolve: ask } = Promise.withResolvers<void>();
  slow.crm.before(() => {
    ask();
    return answered;
  });
  const syncing = syncDue(deps, () => {});
  await asked;
  const other = await newAdvisor({ daily: true });
  other.crm.hold('a', ada);
  try {
    await until('the other’s book is there', async () => (await book(other.advisorId)).length === 1);
  } finally {
    answer();
    await syncing;
  }
  for (const { advisorId } of [slow, other]) await disconnectCrm(deps, advisorId);
});

test('a secret is stored sealed, and a connection doesn’t show it', async () => {
  const { advisorId } = await newAdvisor();
  const [row] = await database.asOwner<{ sealed: Buffer; settings: object }>(
    'select sealed_secret as sealed, settings from crm_connections where advisor_id = $1',
    [advisorId],
  );
  assert.ok(row && !row.sealed.includes('secret '));
  assert.ok(!JSON.stringify(row.settings).includes('secret'));
  assert.ok(!JSON.stringify(await getCrmConnection(deps, advisorId)).includes('secret'));
  // Copied to a different advisor's row, it can't be opened.
  const other = await newAdvisor();
  await database.asOwner('update crm_connections set sealed_secret = $2 where advisor_id = $1', [
    other.advisorId,
    row.sealed,
  ]);
  await assert.rejects(other.sync());
});

test('a merge fills in what the kept contact lacks, and doesn’t change consent', async () => {
  const { advisorId, crm, sync } = await newAdvisor();
  const [phone, otherPhone] = [newPhone(), newPhone()];
  const groups = [
    await createGroup(deps, advisorId, { name: 'One' }, 0),
    await createGroup(deps, advisorId, { name: 'Two' }, 0),
  ];
  const keep = await createContact(deps, advisorId, { firstName: 'Keep', lastName: 'Me', phone }, 0);
  crm.hold('a', { ...ada, phone: otherPhone, gender: 2 });
  await sync();
  const merge = (await book(advisorId)).find(({ remoteContactId }) => remoteContactId === 'a')?.contactId ?? -1;
  await replaceMemberships(deps, advisorId, keep, { groupIds: groups.slice(0, 1) });
  await replaceMemberships(deps, advisorId, merge, { groupIds: groups });
  const members = () => database.asOwner('select * from members where advisor_id = $1 order by phone', [advisorId]);
  const before = await members();

  const contact = await mergeContacts(deps, advisorId, { keep, merge }, byOperator);
  assert.deepEqual(
    [contact.firstName, contact.phone, contact.emailAddress, contact.gender, contact.remoteContactId],
    ['Keep', phone, 'ada@example.org', 2, 'a'],
  );
  assert.deepEqual(contact.groupIds, groups);
  assert.deepEqual(await members(), before);
  assert.equal((await book(advisorId)).length, 1);
  const [entry] = await database.asOwner<{ meta: string; body: Buffer; phone: string }>(
    `select meta, body, phone
     from archive_entries join archive_bodies using (advisor_id, number) join members using (advisor_id, member_id)
     where advisor_id = $1 and kind = 'merge'`,
    [advisorId],
  );
  assert.equal(entry?.phone, otherPhone, 'a hold on the person keeps it');
  assert.deepEqual(JSON.parse(entry?.meta ?? ''), { keep, merge });
  assert.equal(JSON.parse(String(entry?.body)).firstName, 'Ada');

  // The CRM now updates the contact that was kept, except for its own fields.
  crm.hold('a', { ...ada, phone: otherPhone, gender: 2, city: 'Turin', firstName: 'Augusta' });
  await sync();
  const after = await getContact(deps, advisorId, keep);
  assert.deepEqual([after.city, after.firstName], ['Turin', 'Keep']);
  await assert.rejects(mergeContacts(deps, advisorId, { keep, merge }, byOperator), /no such contact/);
  await assert.rejects(mergeContacts(deps, advisorId, { keep, merge: keep }, byOperator), /itself/);
});

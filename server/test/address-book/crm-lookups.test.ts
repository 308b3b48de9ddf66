import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { connectCrm, getCrmConnection, openConnection } from '../../src/domain/address-book/crm-connections.ts';
import { lookUpDue } from '../../src/domain/address-book/crm-lookups.ts';
import { numberOf } from '../../src/domain/shared/enumerations.ts';
import { makeSignals } from '../../src/domain/shared/signals.ts';
import { fakeCrm } from '../adapters/crm/fake-crm.ts';
import { messagesPath, newPhone, setConsent } from '../support/texting.ts';
import { makeWorld } from '../support/world.ts';

const crm = fakeCrm();
const world = await makeWorld({ dispatch: false, openCrm: () => crm.crm });
const { deps, ann, bob, database } = world;
after(() => world.close());
await connectCrm(deps, ann.advisor.advisorId, crm.access, { check: false });

const ada = { firstName: 'Ada', lastName: 'Byron', emailAddress: 'ada@example.org', city: 'London' };
const noReport = () => {};

async function contactsOf(phone: string) {
  const { body } = await ann.call('GET', `/core/contact/contacts?phone=${encodeURIComponent(phone)}`);
  return Promise.all(
    body.data.map(
      async ({ contactId }: { contactId: number }) =>
        (await ann.call('GET', `/core/contact/contacts/${contactId}`)).body,
    ),
  );
}

async function waiting(): Promise<number> {
  return (await getCrmConnection(deps, ann.advisor.advisorId)).waitingLookups;
}

async function retryNow(): Promise<void> {
  await database.asOwner("update crm_lookups set not_before = '-infinity', leased_until = null");
  await database.asOwner("update crm_connections set lookups_after = '-infinity'");
}

test('a send to an unknown number creates the contact at once; the CRM’s fields follow', async () => {
  const phone = newPhone();
  crm.hold('a', { ...ada, phone });
  crm.asked.length = 0;
  const { status } = await ann.call('POST', messagesPath, { phone, text: 'Hello' });
  assert.equal(status, 200);
  const [bare] = await contactsOf(phone);
  assert.equal(bare.sourceText, 'Texting');
  assert.equal(bare.isCrmLinkedContact, false);
  assert.deepEqual(crm.asked, []);

  await lookUpDue(deps, noReport);
  const [contact, ...others] = await contactsOf(phone);
  assert.deepEqual(others, []);
  assert.equal(contact.contactId, bare.contactId);
  assert.deepEqual(
    [contact.firstName, contact.lastName, contact.emailAddress, contact.city, contact.phone],
    ['Ada', 'Byron', 'ada@example.org', 'London', phone],
  );
  assert.deepEqual(
    [contact.remoteContactId, contact.remoteContactUrl, contact.isCrmLinkedContact, contact.source],
    ['a', 'https://crm.example/a', true, numberOf('source', 'HTTPS lookup')],
  );
  assert.equal(await waiting(), 0);
});

test('a number that the CRM doesn’t know is looked up only once', async () => {
  const phone = newPhone();
  await ann.call('POST', messagesPath, { phone, text: 'Hello' });
  await lookUpDue(deps, noReport);
  crm.asked.length = 0;
  await lookUpDue(deps, noReport);
  await ann.call('POST', messagesPath, { phone, text: 'Hello again' });
  await lookUpDue(deps, noReport);
  assert.deepEqual(crm.asked, []);
});

test('a contact that was edited in the meantime is not changed', async () => {
  const phone = newPhone();
  crm.hold('edited', { ...ada, phone });
  await ann.call('POST', messagesPath, { phone, text: 'Hello' });
  const [bare] = await contactsOf(phone);
  await ann.call('PUT', `/core/contact/contacts/${bare.contactId}`, { firstName: 'Given', lastName: 'Here' });
  await lookUpDue(deps, noReport);
  const [contact, ...others] = await contactsOf(phone);
  assert.deepEqual(others, []);
  assert.deepEqual([contact.firstName, contact.sourceText], ['Given', 'Texting']);
});

test('a CRM contact that is already in the book is not added again', async () => {
  const [phone, newer] = [newPhone(), newPhone()];
  crm.hold('moved', { ...ada, phone });
  await ann.call('POST', messagesPath, { phone, text: 'Hello' });
  await lookUpDue(deps, noReport);
  crm.hold('moved', { ...ada, phone: newer });
  await ann.call('POST', messagesPath, { phone: newer, text: 'Hello' });
  await lookUpDue(deps, noReport);
  const [contact] = await contactsOf(newer);
  assert.equal(contact.isCrmLinkedContact, false);
  assert.equal((await contactsOf(phone))[0].isCrmLinkedContact, true);
});

test('a deleted contact is filled in again when its number is texted again', async () => {
  const phone = newPhone();
  crm.hold('again', { ...ada, phone });
  await ann.call('POST', messagesPath, { phone, text: 'Hello' });
  await lookUpDue(deps, noReport);
  const [contact] = await contactsOf(phone);
  await ann.call('DELETE', `/core/contact/contacts/${contact.contactId}`);
  await ann.call('POST', messagesPath, { phone, text: 'Hello again' });
  await lookUpDue(deps, noReport);
  const [filled] = await contactsOf(phone);
  assert.notEqual(filled.contactId, contact.contactId);
  assert.deepEqual([filled.firstName, filled.remoteContactId], ['Ada', 'again']);
});

test('a CRM that is down delays no send; the lookup is retried later, and the connection shows the fault', async () => {
  const phone = newPhone();
  crm.hold('late', { ...ada, phone });
  crm.fail('It can’t be reached.');
  const { body } = await ann.call('POST', messagesPath, { phoneNumbers: [phone, newPhone()], text: 'Hello' });
  assert.equal(body.failureDetails.length, 2);
  const reported: string[] = [];
  await lookUpDue(deps, ({ message }) => reported.push(message));
  assert.deepEqual(new Set(reported), new Set(['It can’t be reached.']));
  const { lookupFault } = await getCrmConnection(deps, ann.advisor.advisorId);
  assert.equal(lookupFault, 'It can’t be reached.');
  assert.equal(await waiting(), 2);

  crm.fail(null);
  await lookUpDue(deps, noReport);
  assert.equal(await waiting(), 2, 'it waits for its backoff');
  await retryNow();
  await lookUpDue(deps, noReport);
  assert.equal(await waiting(), 0);
  assert.equal((await contactsOf(phone))[0].firstName, 'Ada');
  assert.equal((await getCrmConnection(deps, ann.advisor.advisorId)).lookupFault, null);
});

test('a number whose lookup failed eight times is no longer looked up, and its contact stays', async () => {
  const phone = newPhone();
  await ann.call('POST', messagesPath, { phone, text: 'Hello' });
  crm.fail('It can’t be reached.');
  for (let tries = 0; tries < 8; tries += 1) {
    assert.equal(await waiting(), 1);
    await retryNow();
    await lookUpDue(deps, noReport);
  }
  crm.fail(null);
  assert.equal(await waiting(), 0);
  assert.equal((await contactsOf(phone))[0].sourceText, 'Texting');
});

test('a node that stops releases its lookups', async () => {
  await retryNow();
  const phone = newPhone();
  crm.hold('stopped', { ...ada, phone });
  await ann.call('POST', messagesPath, { phone, text: 'Hello' });
  const node = { ...deps, signals: makeSignals() };
  crm.before(async () => node.signals.stopping.abort());
  await lookUpDue(node, () => assert.fail('a stop is not a CRM fault'));
  crm.before(async () => {});
  await lookUpDue(deps, noReport);
  assert.equal((await contactsOf(phone))[0].firstName, 'Ada');
});

test('an advisor without a CRM has nothing looked up', async () => {
  const phone = newPhone();
  crm.asked.length = 0;
  await bob.call('POST', messagesPath, { phone, text: 'Hello' });
  await lookUpDue(deps, noReport);
  assert.deepEqual(crm.asked, []);
});

test('a lookup never changes consent', async () => {
  const phone = newPhone();
  await setConsent(world, ann, phone, 'opted_out');
  crm.hold('stopped texts', { ...ada, phone });
  await ann.call('POST', messagesPath, { phone, text: 'Hello' });
  const member = () =>
    database.asOwner('select * from members where advisor_id = $1 and phone = $2', [ann.advisor.advisorId, phone]);
  const before = await member();
  await lookUpDue(deps, noReport);
  assert.equal((await contactsOf(phone))[0].firstName, 'Ada');
  assert.deepEqual(await member(), before);
});

test('a secret is stored sealed, a connection doesn’t show it, and another advisor’s can’t be opened', async () => {
  const advisorId = bob.advisor.advisorId;
  await connectCrm(deps, advisorId, { ...crm.access, secret: 'hunter2 hunter2' }, { check: false });
  const [row] = await database.asOwner<{ sealed: Buffer }>(
    'select sealed_secret as sealed from crm_connections where advisor_id = $1',
    [advisorId],
  );
  assert.ok(row && !row.sealed.includes('hunter2'));
  assert.ok(!JSON.stringify(await getCrmConnection(deps, advisorId)).includes('hunter2'));
  await database.asOwner('update crm_connections set sealed_secret = $2 where advisor_id = $1', [
    ann.advisor.advisorId,
    row.sealed,
  ]);
  await assert.rejects(openConnection(deps, ann.advisor.advisorId));
});

import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { createContact } from '../../src/domain/address-book/contacts.ts';
import { makeWorld } from '../support/world.ts';
import {
  addContact,
  addGroup,
  assertInvalid,
  assertNotFound,
  contactsPath,
  dateTime,
  getContact,
  putInGroups,
  search,
  testDoor,
  testIds,
  uuid,
} from './address-book.ts';

const world = await makeWorld();
after(() => world.close());
const { ann } = world;

/** Sets fields that partners can't set, such as email events and CRM links. */
async function set(contactId: number, assignments: string): Promise<void> {
  await world.database.asOwner(`update contacts set ${assignments} where contact_id = $1`, [contactId]);
}

test('NUL in a query is 400 on every route, even one without parameters', async () => {
  const contactId = await addContact(ann);
  const answer = await ann.call('GET', `${contactsPath}/${contactId}?x=%00`);
  assertInvalid(answer, '/x');
});

test('a get is 200 with every field that is set', async () => {
  const fields = {
    firstName: 'Zoë',
    lastName: 'O’Neil',
    emailAddress: 'zoe@example.org',
    nickname: 'Zo',
    birthDate: '1961-07-14',
    phone: '+12125550123',
    clientAnniversary: '2019-03-01',
    gender: 2,
    maritalStatus: 1,
    address1: '1 Main Street',
    address2: 'Apt 4',
    city: 'Springfield',
    state: 'IL',
    postalCode: '62701',
  };
  const contactId = await addContact(ann, fields);
  const groupIds = [await addGroup(ann, 'B'), await addGroup(ann, 'A')];
  await putInGroups(ann, contactId, groupIds.toReversed());
  const answer = await ann.call('GET', `${contactsPath}/${contactId}`);
  assert.equal(answer.status, 200);
  const { identifier, dateTimeCreated, dateTimeModified, ...rest } = answer.body;
  assert.match(identifier, uuid);
  assert.match(dateTimeCreated, dateTime);
  assert.match(dateTimeModified, dateTime);
  assert.deepEqual(rest, {
    ...fields,
    contactId,
    source: 2,
    sourceText: 'API',
    isCrmLinkedContact: false,
    emailStatus: 0,
    disableEmailStatus: false,
    groupIds,
    customFields: [],
  });
});

test('a contact that texting created has no names and the source Texting', async () => {
  const contactId = await createContact(world.deps, ann.advisor.advisorId, { phone: '+12125550199' }, 3);
  const kept = await getContact(ann, contactId);
  assert.deepEqual([kept.source, kept.sourceText, kept.phone], [3, 'Texting', '+12125550199']);
  for (const field of ['firstName', 'lastName', 'fullName']) assert.ok(!(field in kept), field);
});

test('the source comes with its word', async () => {
  for (const [source, sourceText] of Object.entries(['Manual', 'Import', 'API', 'Texting', 'Form'])) {
    const contactId = await createContact(
      world.deps,
      ann.advisor.advisorId,
      { firstName: 'A', lastName: 'B' },
      +source,
    );
    const kept = await getContact(ann, contactId);
    assert.deepEqual([kept.source, kept.sourceText], [+source, sourceText]);
  }
});

test('a contact is linked to a CRM if its source is 10 or more and it has a remote id', async () => {
  const contactId = await addContact(ann);
  const linked = async () => (await getContact(ann, contactId)).isCrmLinkedContact;
  await set(contactId, 'source = 10');
  assert.equal(await linked(), false);
  await set(contactId, `remote_contact_id = 'crm-7', remote_contact_url = 'https://crm.example/7'`);
  assert.equal(await linked(), true);
  const { remoteContactId, remoteContactUrl } = await getContact(ann, contactId);
  assert.deepEqual([remoteContactId, remoteContactUrl], ['crm-7', 'https://crm.example/7']);
  await set(contactId, 'source = 4');
  assert.equal(await linked(), false);
});

test('the email status is a number here and a word in searches', async () => {
  const contactId = await addContact(ann, { firstName: 'Statusful', emailAddress: 'status@example.org' });
  const words = ['None', 'Subscribed', 'Unsubscribed', 'Bounced', 'Complained', 'Disabled'];
  for (const [number, word] of words.entries()) {
    await set(contactId, `email_status = '${word}'`);
    assert.equal((await getContact(ann, contactId)).emailStatus, number);
    const { data } = await search(ann, contactsPath, { search: 'statusful' });
    assert.equal(data[0].emailStatus, word);
  }
});

test('times are in UTC with milliseconds', async () => {
  const contactId = await addContact(ann);
  await set(contactId, `date_time_unsubscribed = '2026-03-01 17:05:00+02'`);
  assert.equal((await getContact(ann, contactId)).dateTimeUnsubscribed, '2026-03-01T15:05:00.000Z');
});

test('it has no query parameters', async () => {
  const contactId = await addContact(ann);
  assertInvalid(await ann.call('GET', `${contactsPath}/${contactId}?page=1`), '/page');
});

test('a deleted contact is 404', async () => {
  const contactId = await addContact(ann);
  await ann.call('DELETE', `${contactsPath}/${contactId}`);
  assertNotFound(await ann.call('GET', `${contactsPath}/${contactId}`));
});

const existing = await addContact(ann);
testIds(world, 'GET', (id) => `${contactsPath}/${id}`);
testDoor(world, { method: 'GET', path: `${contactsPath}/${existing}`, scope: 'core.contacts.read' });

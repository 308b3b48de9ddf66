import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { listSharedPhones, mergeContacts } from '../../src/domain/address-book/contact-merges.ts';
import { getContact } from '../../src/domain/address-book/contacts.ts';
import { byOperator } from '../../src/domain/archive/archive.ts';
import { newPhone } from '../support/texting.ts';
import { makeWorld } from '../support/world.ts';
import { addContact, addGroup, newcomer, putInGroups } from './address-book.ts';

const world = await makeWorld();
after(() => world.close());
const { deps, database } = world;

test('contacts with one number are listed, the oldest first', async () => {
  const person = await newcomer(world);
  const phone = newPhone();
  const contactIds = [await addContact(person, { phone }), await addContact(person, { phone })];
  await addContact(person, { phone: newPhone() });
  const shared = await listSharedPhones(deps, person.advisor.advisorId);
  assert.deepEqual(
    shared.map(({ names, ...rest }) => rest),
    [{ phone, contactIds }],
  );
});

test('a merge fills in what the kept contact lacks, also its link to a CRM, and doesn’t change consent', async () => {
  const person = await newcomer(world);
  const { advisorId } = person.advisor;
  const [phone, otherPhone] = [newPhone(), newPhone()];
  const groups = [await addGroup(person, 'One'), await addGroup(person, 'Two')];
  const keep = await addContact(person, { firstName: 'Keep', lastName: 'Me', phone });
  const merge = await addContact(person, {
    firstName: 'Ada',
    lastName: 'Byron',
    emailAddress: 'ada@example.org',
    phone: otherPhone,
    gender: 2,
  });
  await database.asOwner(`update contacts set source = 12, remote_contact_id = 'a' where contact_id = $1`, [merge]);
  await putInGroups(person, keep, groups.slice(0, 1));
  await putInGroups(person, merge, groups);
  const members = () => database.asOwner('select * from members where advisor_id = $1 order by phone', [advisorId]);
  const before = await members();

  const contact = await mergeContacts(deps, advisorId, { keep, merge }, byOperator);
  assert.deepEqual(
    [contact.firstName, contact.phone, contact.emailAddress, contact.gender, contact.remoteContactId, contact.source],
    ['Keep', phone, 'ada@example.org', 2, 'a', 12],
  );
  assert.deepEqual(contact.groupIds, groups);
  assert.deepEqual(await members(), before);
  await assert.rejects(getContact(deps, advisorId, merge), /no such contact/);
  const [entry] = await database.asOwner<{ meta: string; body: Buffer; phone: string }>(
    `select meta, body, phone
     from archive_entries join archive_bodies using (advisor_id, number) join members using (advisor_id, member_id)
     where advisor_id = $1 and kind = 'merge'`,
    [advisorId],
  );
  assert.equal(entry?.phone, otherPhone, 'a hold on the person keeps it');
  assert.deepEqual(JSON.parse(entry?.meta ?? ''), { keep, merge });
  assert.equal(JSON.parse(String(entry?.body)).firstName, 'Ada');

  await assert.rejects(mergeContacts(deps, advisorId, { keep, merge }, byOperator), /no such contact/);
  await assert.rejects(mergeContacts(deps, advisorId, { keep, merge: keep }, byOperator), /itself/);
});

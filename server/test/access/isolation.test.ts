import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { routes } from '../../src/http/partner/routes.ts';
import {
  addContact,
  addGroup,
  assertInvalid,
  assertNotFound,
  contactsPath,
  findGroups,
  findIds,
  getContact,
  groupsPath,
  idMax,
  putInGroups,
  search,
} from '../address-book/address-book.ts';
import { scheduledMessagesPath, send, setConsent } from '../support/texting.ts';
import { type Answer, makeWorld } from '../support/world.ts';

const world = await makeWorld();
after(() => world.close());
const { ann, bob } = world;

const secret = { firstName: 'Secret', lastName: 'Client', emailAddress: 'secret@example.org', phone: '+12125550123' };
await setConsent(world, bob, secret.phone, 'accepted');
const bobs = {
  contactId: await addContact(bob, secret),
  groupId: await addGroup(bob, 'Secret group', 'crm-1'),
  messageId: (await send(bob, { phone: secret.phone, text: 'Secret text' })).body.successes[0].messageId,
  scheduledMessageId: (await send(bob, { phone: secret.phone, text: 'Secret text', ...inAnHour() })).body.successes[0]
    .scheduledMessageId,
};
await putInGroups(bob, bobs.contactId, [bobs.groupId]);
const anns = { contactId: await addContact(ann), groupId: await addGroup(ann, 'Own group') };

/** A body that every route accepts: unknown fields are ignored. */
const anyBody = { firstName: 'Eve', lastName: 'Eve', name: 'Eve', groupIds: [] };

function inAnHour() {
  return { scheduleDelivery: true, deliveryDate: world.clock.now().getTime() + 3_600_000 };
}

async function everythingOfBobs() {
  const { data: contacts } = await search(bob, contactsPath);
  const { data: scheduled } = await search(bob, scheduledMessagesPath);
  return { contacts, scheduled, groups: await findGroups(bob), contact: await getContact(bob, bobs.contactId) };
}

/** An answer without the parts that name the request itself. */
function said({ status, headers, body }: Answer) {
  const { instance, traceId, ...rest } = body;
  return { status, type: headers['content-type'], body: rest };
}

for (const { method, path, body } of routes.filter((row) => row.path.includes(':'))) {
  test(`${method} ${path} with another advisor’s id gets the same answer as with an unknown one`, async () => {
    const to = (ids: Record<string, number>) => path.replace(/:(\w+)/g, (_, name) => idNamed(ids, name));
    const nobodys = Object.fromEntries(Object.keys(bobs).map((name) => [name, idMax]));
    const before = await everythingOfBobs();
    const call = (ids: Record<string, number>) => ann.call(method, to(ids), body && anyBody);
    const [others, unknown] = [await call(bobs), await call(nobodys)];
    assertNotFound(others);
    assert.deepEqual(said(others), said(unknown));
    assert.deepEqual(await everythingOfBobs(), before);
  });
}

function idNamed(ids: Record<string, number>, name: string): string {
  const id = ids[name];
  assert.notEqual(id, undefined, `Give the other advisor a ${name} at the top of this file.`);
  return String(id);
}

test('another advisor’s group can’t be joined, and gets the same answer as an unknown one', async () => {
  const join = (groupId: number) =>
    ann.call('PUT', `${contactsPath}/${anns.contactId}/groups`, { groupIds: [anns.groupId, groupId] });
  const [others, unknown] = [await join(bobs.groupId), await join(idMax)];
  assertInvalid(others, '/groupIds/1');
  assert.deepEqual(said(others), said(unknown));
  assert.deepEqual((await getContact(ann, anns.contactId)).groupIds, []);
  assert.equal((await findGroups(bob))[0].contactCount, 1);
});

test('every group means all of the advisor’s own groups', async () => {
  await ann.call('PUT', `${contactsPath}/${anns.contactId}/groups`, { isSelectAllGroup: true });
  assert.deepEqual((await getContact(ann, anns.contactId)).groupIds, [anns.groupId]);
  assert.equal((await findGroups(bob))[0].contactCount, 1);
});

test('searches see only the advisor’s own book, with any filter', async () => {
  assert.deepEqual(await findIds(ann), [anns.contactId]);
  assert.deepEqual(await findIds(bob), [bobs.contactId]);
  assert.equal((await search(ann, contactsPath)).pageInfo.totalRecord, 1);
  const filters = [
    { search: 'secret' },
    { search: '0123' },
    { phone: secret.phone },
    { email: secret.emailAddress },
    { groupId: bobs.groupId },
    { remoteContactId: 'crm-1' },
  ];
  await world.database.asOwner(`update contacts set remote_contact_id = 'crm-1' where contact_id = $1`, [
    bobs.contactId,
  ]);
  for (const filter of filters) {
    const { data, pageInfo } = await search(ann, contactsPath, filter);
    assert.deepEqual([data, pageInfo.totalRecord], [[], 0], JSON.stringify(filter));
    assert.deepEqual(await findIds(bob, filter), [bobs.contactId]);
  }
});

test('another advisor’s group id as a filter gets the same answer as an unknown one', async () => {
  const find = (groupId: number) => ann.call('GET', `${contactsPath}?groupId=${groupId}`);
  assert.deepEqual(said(await find(bobs.groupId)), said(await find(idMax)));
});

test('group searches see only the advisor’s own groups', async () => {
  const names = async (query: { search?: string }) => (await findGroups(ann, query)).map((group) => group.name);
  assert.deepEqual(await names({}), ['Own group']);
  assert.deepEqual(await names({ search: 'secret' }), []);
  assert.deepEqual(await names({ search: 'group' }), ['Own group']);
});

test('another advisor’s external group id makes a group of the advisor’s own', async () => {
  const groupId = await addGroup(ann, 'Mine', 'crm-1');
  assert.notEqual(groupId, bobs.groupId);
  assert.equal((await findGroups(bob))[0].name, 'Secret group');
  await ann.call('DELETE', `${groupsPath}/${groupId}`);
});

import assert from 'node:assert/strict';
import { after, suite, test } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { inTransaction } from '../../src/deps.ts';
import { type ContactChange, listChanges } from '../../src/domain/address-book/contact-changes.ts';
import { startImport } from '../../src/domain/address-book/contact-imports.ts';
import { mergeContacts } from '../../src/domain/address-book/contact-merges.ts';
import { createContact, deleteContact, updateContact } from '../../src/domain/address-book/contacts.ts';
import { clearDeletedGroups } from '../../src/domain/address-book/groups.ts';
import { byOperator } from '../../src/domain/archive/archive.ts';
import { forgetOld } from '../../src/domain/shared/feeds.ts';
import { deleteContact as deleteRow } from '../../src/store/address-book/contacts.ts';
import { newPhone, send } from '../support/texting.ts';
import { type Answer, makeWorld, type Person } from '../support/world.ts';
import {
  addContact,
  addGroup,
  contactsPath,
  getContact,
  groupsPath,
  newcomer,
  putInGroups,
  testDoor,
} from './address-book.ts';

const changesPath = '/core/contact/changes';

const world = await makeWorld({ dispatch: false });
after(() => world.close());
const { ann } = world;

const read = (person: Person, query = ''): Promise<Answer> => person.call('GET', `${changesPath}?${query}`);

/** Everything after a cursor, with the cursor after it. */
async function readAll(person: Person, pageSize = 200, from = ''): Promise<{ data: Change[]; cursor: string }> {
  const data: Change[] = [];
  for (let cursor = from; ; ) {
    const { status, body } = await read(person, `pageSize=${pageSize}${cursor && `&cursor=${cursor}`}`);
    assert.equal(status, 200, JSON.stringify(body));
    data.push(...body.data);
    cursor = body.cursor;
    if (!body.more) return { data, cursor };
  }
}

type Change = { contactId: number; change: string; dateTime: string; contact?: { contactId: number } };

/** What changed since, as `created 7`. */
async function since(person: Person, cursor: string): Promise<string[]> {
  const { data } = await readAll(person, 200, cursor);
  return data.map(({ change, contactId }) => `${change} ${contactId}`);
}

const idOf = ({ advisor }: Person) => advisor.advisorId;

suite('contact changes', () => {
  testDoor(world, { method: 'GET', path: changesPath, scope: 'core.contacts.read' });

  test('a create, an update and a delete, oldest first, with the contact as it is now', async () => {
    const person = await newcomer(world);
    assert.deepEqual((await read(person)).body.data, []);
    const one = await addContact(person);
    const two = await addContact(person, { firstName: 'Bo' });
    await person.call('PUT', `${contactsPath}/${one}`, { city: 'Chicago' });
    const { data, cursor } = await readAll(person);
    assert.deepEqual(
      data.map(({ contactId, change, contact }) => ({ contactId, change, contact })),
      [
        { contactId: one, change: 'created', contact: await getContact(person, one) },
        { contactId: two, change: 'created', contact: await getContact(person, two) },
        { contactId: one, change: 'updated', contact: await getContact(person, one) },
      ],
    );
    await person.call('DELETE', `${contactsPath}/${one}`);
    const later = (await readAll(person, 200, cursor)).data;
    assert.deepEqual(later, [{ contactId: one, change: 'deleted', dateTime: later[0]?.dateTime }]);
    // Overtaken by the deletion.
    assert.deepEqual(await since(person, ''), [`created ${two}`, `deleted ${one}`]);
  });

  test('memberships are changes of the contact; a write that changes nothing and a deleted group are not', async () => {
    const person = await newcomer(world);
    const contactId = await addContact(person);
    const groups = [await addGroup(person, 'One'), await addGroup(person, 'Two')];
    const { cursor } = await readAll(person);
    await person.call('PUT', `${contactsPath}/${contactId}`, { firstName: 'Ann' });
    await putInGroups(person, contactId, []);
    assert.deepEqual(await since(person, cursor), []);
    await putInGroups(person, contactId, groups);
    assert.deepEqual(await since(person, cursor), [`updated ${contactId}`]);
    const { cursor: joined } = await readAll(person);
    assert.equal((await person.call('DELETE', `${groupsPath}/${groups[0]}`)).status, 204);
    await clearDeletedGroups(world.deps);
    assert.deepEqual(await since(person, joined), []);
    const left = await world.database.asOwner('select from memberships where advisor_id = $1', [idOf(person)]);
    assert.equal(left.length, 1);
    // Nor does clearing a group silence what comes after it on the same connection.
    await putInGroups(person, contactId, []);
    assert.deepEqual(await since(person, joined), [`updated ${contactId}`]);
  });

  test('a number that is texted becomes a contact, which is a change', async () => {
    const phone = newPhone();
    const { cursor } = await readAll(ann);
    await send(ann, { text: 'Hello', phone });
    const { data } = await readAll(ann, 200, cursor);
    assert.deepEqual(
      data.map(({ change, contact }) => [change, (contact as { phone?: string } | undefined)?.phone]),
      [['created', phone]],
    );
  });

  test('a merge updates one and deletes the other', async () => {
    const person = await newcomer(world);
    const keep = await addContact(person, { phone: '+12125559001' });
    const merge = await addContact(person, { phone: '+12125559001', city: 'Chicago' });
    const { cursor } = await readAll(person);
    await mergeContacts(world.deps, idOf(person), { keep, merge }, byOperator);
    assert.deepEqual(new Set(await since(person, cursor)), new Set([`updated ${keep}`, `deleted ${merge}`]));
  });

  test('an import is a row for each batch, and every contact of it is read, page by page', async () => {
    const person = await newcomer(world);
    const contacts = startImport(world.deps, idOf(person), { dryRun: false });
    const before = await addContact(person);
    await contacts.save(people(1_500));
    await contacts.save(people(700, 1_500));
    const gone = await world.database.asOwner<{ contact_id: number }>(
      'select contact_id::double precision as contact_id from contacts where advisor_id = $1 order by contact_id offset 1 limit 250',
      [idOf(person)],
    );
    await world.deps.db.transaction(async (db) => {
      for (const { contact_id: contactId } of gone) await deleteRow(db, idOf(person), contactId, new Date());
    });
    const rows = await world.database.asOwner('select from contact_changes where advisor_id = $1', [idOf(person)]);
    assert.ok(rows.length <= 4 + gone.length, `${rows.length}`);
    for (const pageSize of [200, 7]) {
      const { data } = await readAll(person, pageSize);
      const created = data.filter(({ change }) => change === 'created').map(({ contactId }) => contactId);
      assert.equal(created[0], before);
      assert.equal(created.length, 1 + 2_200 - gone.length);
      assert.equal(new Set(created).size, created.length);
      assert.equal(data.filter(({ change }) => change === 'deleted').length, gone.length);
      assert.ok(
        data.every(({ change, contact, contactId }) => change === 'deleted' || contact?.contactId === contactId),
      );
    }
  });

  test('what was written and deleted long ago costs a reader nothing but pages', async () => {
    const person = await newcomer(world);
    await world.database.asOwner(
      `insert into contact_changes (advisor_id, number, change, first_contact_id, last_contact_id, date_time)
       select $1, n, 'created', 900000000 + n * 2, 900000000 + n * 2, now()
       from generate_series(1, 25000) as n`,
      [idOf(person)],
    );
    await world.database.asOwner(
      'insert into contact_books (advisor_id, last_change) values ($1, 25000) on conflict (advisor_id) do update set last_change = 25000',
      [idOf(person)],
    );
    const contactId = await addContact(person);
    const first = await read(person);
    assert.deepEqual([first.body.data, first.body.more], [[], true]);
    assert.deepEqual(await since(person, first.body.cursor), [`created ${contactId}`]);
  });
});

suite('cursors of contact changes', () => {
  test('an empty, unknown or altered cursor is 400, and so is another advisor’s or the other feed’s', async () => {
    const [own, others] = [(await readAll(ann)).cursor, (await readAll(await newcomer(world))).cursor];
    const events = (await ann.call('GET', '/text/messaging/events')).body.cursor;
    for (const cursor of ['', 'x', own.slice(1), own.toUpperCase(), others, events]) {
      const { status, body } = await read(ann, `cursor=${cursor}`);
      assert.deepEqual([status, body.code, body.details?.[0].path], [400, 'invalid_request', '/cursor'], cursor);
    }
    for (const query of ['pageSize=0', 'pageSize=201', 'wait=1', 'since=1'])
      assert.equal((await read(ann, query)).status, 400, query);
  });

  test('changes are kept for 30 days of real time; a cursor from before is 400 and says to start again', async () => {
    const person = await newcomer(world);
    const ids: number[] = [];
    for (let count = 0; count < 4; count++) ids.push(await addContact(person));
    const cursors: string[] = [];
    for (let size = 1; size <= 4; size++) cursors.push((await read(person, `pageSize=${size}`)).body.cursor);
    await world.clock.advance(60 * 24 * 60 * 60 * 1000);
    await forgetOld(world.deps, 'contact_changes');
    assert.equal((await readAll(person)).data.length, 4);
    const age = (number: number, days: number) =>
      world.database.asOwner(
        'update contact_changes set recorded_at = now() - make_interval(days => $3) where advisor_id = $1 and number = $2',
        [idOf(person), number, days],
      );
    await Promise.all([age(1, 31), age(2, 31), age(3, 29)]);
    await forgetOld(world.deps, 'contact_changes');
    assert.deepEqual(await since(person, ''), [`created ${ids[2]}`, `created ${ids[3]}`]);
    const { status, body } = await read(person, `cursor=${cursors[0]}`);
    assert.equal(status, 400);
    assert.match(body.detail, /start again/);
    assert.deepEqual(await since(person, cursors[1] ?? ''), [`created ${ids[2]}`, `created ${ids[3]}`]);
    await Promise.all([age(3, 31), age(4, 31)]);
    await forgetOld(world.deps, 'contact_changes');
    assert.deepEqual(await since(person, cursors[3] ?? ''), []);
    assert.equal((await read(person, `cursor=${cursors[2]}`)).status, 400);
  });

  test('a change whose transaction began first and commits last is not skipped', async () => {
    const person = await newcomer(world);
    const [one, two] = [await addContact(person), await addContact(person)];
    const { cursor } = await readAll(person);
    const began = Promise.withResolvers<void>();
    const mayEnd = Promise.withResolvers<void>();
    const first = inTransaction(world.deps, async (deps) => {
      await updateContact(deps, idOf(person), one, { city: 'Chicago' });
      began.resolve();
      await mayEnd.promise;
    });
    await began.promise;
    const second = createContact(world.deps, idOf(person), { firstName: 'Cy', lastName: 'Young' }, 2);
    // Time enough for the second to commit if nothing held it up.
    await pause(200);
    const early = await readAll(person, 200, cursor);
    assert.deepEqual(early.data, []);
    mayEnd.resolve();
    const [, three] = await Promise.all([first, second]);
    assert.deepEqual(await since(person, early.cursor), [`updated ${one}`, `created ${three}`]);
    assert.ok(two > one);
  });

  test('readers see the last change of every contact, whatever commits at the same time', async () => {
    const person = await newcomer(world);
    const advisorId = idOf(person);
    let writing = 6;
    const write = async () => {
      for (let count = 0; count < 12; count++) {
        const contactId = await inTransaction(world.deps, async (deps) => {
          const id = await createContact(deps, advisorId, { firstName: 'Di', lastName: `${count}` }, 2);
          await pause(Math.random() * 5);
          return id;
        });
        await updateContact(world.deps, advisorId, contactId, { city: 'Chicago' });
        if (count % 3 === 0) await deleteContact(world.deps, advisorId, contactId);
      }
      writing -= 1;
    };
    const follow = async (pageSize: number) => {
      const seen = new Map<number, ContactChange['change']>();
      for (let cursor: string | undefined; ; ) {
        const isLast = writing === 0;
        const page = await listChanges(world.deps, advisorId, { cursor, pageSize });
        for (const { contactId, change } of page.data) seen.set(contactId, change);
        cursor = page.cursor;
        if (isLast && !page.more) return seen;
      }
    };
    const following = [1, 3, 200].map(follow);
    await Promise.all(Array.from({ length: writing }, write));
    for (const seen of await Promise.all(following)) {
      const changes = Map.groupBy(seen.values(), (change) => change);
      assert.equal(changes.get('deleted')?.length, 24);
      assert.equal(changes.get('updated')?.length, 48);
    }
  });
});

function people(count: number, from = 0) {
  return Array.from({ length: count }, (_, index) => ({
    line: from + index + 1,
    fields: { firstName: 'Eve', lastName: `Import${from + index}` },
    groups: [],
  }));
}

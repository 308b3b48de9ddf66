import assert from 'node:assert/strict';
import { after, suite, test } from 'node:test';
import { type ImportResult, type ImportRow, startImport } from '../../src/domain/address-book/contact-imports.ts';
import { deleteGroup } from '../../src/domain/address-book/groups.ts';
import { insertMembers } from '../../src/store/members/members.ts';
import { failing } from '../support/crashes.ts';
import { withinTransactions } from '../support/statements.ts';
import { makeWorld, type Person } from '../support/world.ts';
import {
  addContact,
  addGroup,
  contactsPath,
  findGroups,
  getContact,
  newcomer,
  putInGroups,
  search,
} from './address-book.ts';
import { assertCounted } from './book-counts.ts';

const world = await makeWorld();
after(() => world.close());

suite('an import', () => {
  test('keeps counts right, whatever else happens to the book', async () => {
    const person = await newcomer(world);
    const contacts = importOf(person);
    const batches = [1_200, 700, 499, 500, 2_300].map((size, batch) => people(size, batch));
    const others = [0, 1, 2].map(async (which) => {
      for (let count = 0; count < 30; count++) {
        const contactId = await addContact(person, {
          lastName: `M${which}${count}`,
          emailAddress: `m${count}@x.example`,
        });
        if (count % 3 === 0) assert.equal((await person.call('DELETE', `${contactsPath}/${contactId}`)).status, 204);
      }
    });
    const saved = await Promise.all([...batches.map((rows) => contacts.save(rows)), ...others]);
    assert.deepEqual(countsOf(saved.slice(0, 5).flat() as ImportResult[]), { created: 5_199 });
    await assertCounted(world, idOf(person));
    assert.equal((await search(person, contactsPath)).pageInfo.totalRecord, 5_199 + 60);
    await contacts.save(people(600, 9, { emailAddress: undefined }));
    await assertCounted(world, idOf(person));
  });

  test('gives contacts ids in the order of the file, though batches overlap', async () => {
    const person = await newcomer(world);
    const contacts = importOf(person);
    await Promise.all([0, 1, 2, 3].map((batch) => contacts.save(people(600, batch))));
    const rows = await world.database.asOwner<{ last_name: string }>(
      'select last_name from contacts where advisor_id = $1 order by contact_id',
      [idOf(person)],
    );
    assert.deepEqual(
      rows.map((row) => row.last_name),
      [0, 1, 2, 3].flatMap((batch) => people(600, batch).map(({ fields }) => fields.lastName)),
    );
  });

  test('that dies leaves whole batches, and a second run adds the others and nobody twice', async () => {
    const person = await newcomer(world);
    const batches = [0, 1, 2].map((batch) => people(600, batch));
    const dying = startImport({ ...world.deps, db: failing(world.database.pool, 4) }, idOf(person), { dryRun: false });
    await importOf(person).save(batches[0] ?? []);
    for (const batch of batches.slice(1)) await assert.rejects(dying.save(batch), /The node died/);
    assert.equal((await search(person, contactsPath)).pageInfo.totalRecord, 600);
    const again = importOf(person);
    const outcomes = await Promise.all(batches.map((batch) => again.save(batch)));
    assert.deepEqual(countsOf(outcomes.flat()), { created: 1_200, unchanged: 600 });
    await assertCounted(world, idOf(person));
  });

  test('finds somebody who was added while it runs', async () => {
    const person = await newcomer(world);
    const contacts = importOf(person);
    await contacts.save(people(600, 0));
    const [row] = people(1, 1);
    const contactId = await addContact(person, row?.fields);
    assert.deepEqual(await contacts.save(people(1, 1)), [{ result: 'unchanged', contactId, kept: [] }]);
  });

  test('creates everybody, though a number becomes known elsewhere at the same moment', async () => {
    const person = await newcomer(world);
    const [, rival] = people(3, 0);
    let isKnown = false;
    const db = withinTransactions(world.database.pool, async (statement) => {
      if (isKnown || !/lock_shared/.test(statement)) return;
      isKnown = true;
      await addContact(person, { lastName: 'Rival', phone: rival?.fields.phone });
    });
    const outcomes = await startImport({ ...world.deps, db }, idOf(person), { dryRun: false }).save(people(3, 0));
    assert.ok(isKnown);
    assert.deepEqual(countsOf(outcomes), { created: 3 });
    const rows = await world.database.asOwner<{ phone: string }>(
      'select phone from members where advisor_id = $1 order by phone',
      [idOf(person)],
    );
    assert.deepEqual(
      rows.map(({ phone }) => phone),
      people(3, 0).map(({ fields }) => fields.phone),
    );
    await assertCounted(world, idOf(person));
  });

  test('for an advisor who doesn’t exist is refused, and so is every other member of theirs', async () => {
    const nobody = 999_999_999;
    const contacts = startImport(world.deps, nobody, { dryRun: false });
    await assert.rejects(contacts.save(people(3, 0)), /no advisor 999999999/);
    const { pool } = world.database;
    const numbers = [{ advisorId: nobody, phone: '+12125550188' }];
    assert.deepEqual(await pool.transaction((db) => insertMembers(db, numbers, new Date())), []);
    assert.deepEqual(await world.database.asOwner('select from members where advisor_id = $1', [nobody]), []);
  });

  test('knows a number once, though several of a family have it, in one batch and in two at once', async () => {
    const person = await newcomer(world);
    const contacts = importOf(person);
    const family = { phone: '+12125550177' };
    const batches = [0, 1, 2].map((batch) => [...people(40, batch), ...people(3, batch + 5, family)]);
    const outcomes = await Promise.all(batches.map((rows) => contacts.save(rows)));
    assert.deepEqual(countsOf(outcomes.flat()), { created: 129 });
    const rows = await world.database.asOwner<object>('select from members where advisor_id = $1', [idOf(person)]);
    assert.equal(rows.length, 121);
  });

  test('skips a person who was in the file before, and says where', async () => {
    const contacts = importOf(await newcomer(world));
    const [first] = await Promise.all([contacts.save(people(3, 0)), contacts.save(people(3, 0))]);
    assert.deepEqual(countsOf(first), { created: 3 });
    const again = people(2, 0).map((row) => ({ ...row, line: 100, fields: { ...row.fields, city: 'Elsewhere' } }));
    assert.deepEqual(await contacts.save(again), [
      { result: 'repeated', line: 1 },
      { result: 'repeated', line: 2 },
    ]);
  });

  test('leaves a person of the book as they are, and says what is different; nameless ones are found too', async () => {
    const person = await newcomer(world);
    const contactId = await addContact(person, { phone: '+12125550123', city: 'Springfield' });
    const fields = { firstName: 'Ann', lastName: 'Smith', phone: '+12125550123', city: 'Boston', state: 'MA' };
    assert.deepEqual(await importOf(person).save([{ line: 1, fields, groups: [] }]), [
      { result: 'unchanged', contactId, kept: ['city', 'state'] },
    ]);
    assert.equal((await getContact(person, contactId)).city, 'Springfield');
    const nameless = [{ phone: '+12125550124' }, { emailAddress: 'x@example.org' }, { lastName: 'Only' }];
    const rows = nameless.map((each, line) => ({ line, fields: each, groups: [] }));
    assert.deepEqual(countsOf(await importOf(person).save(rows)), { created: 3 });
    assert.deepEqual(countsOf(await importOf(person).save(rows)), { unchanged: 3 });
  });

  test('creates groups that are missing and adds to those that are there, by name, the oldest of several', async () => {
    const person = await newcomer(world);
    const golf = await addGroup(person, 'Golf');
    const retirees = await addGroup(person, 'Retirees');
    await addGroup(person, 'Retirees');
    const contactId = await addContact(person);
    await putInGroups(person, contactId, [golf]);
    const groups = ['Golf', 'Retirees', 'New'];
    const rows: ImportRow[] = [
      { line: 1, fields: { firstName: 'Ann', lastName: 'Smith' }, groups },
      { line: 2, fields: { firstName: 'Bob', lastName: 'Jones' }, groups: groups.slice(2) },
    ];
    const contacts = importOf(person);
    assert.deepEqual(countsOf(await contacts.save(rows)), { updated: 1, created: 1 });
    assert.equal(contacts.groupsCreated(), 1);
    const found = await findGroups(person, { sortBy: 'name' });
    assert.deepEqual(
      found.map(({ name, contactCount }) => [name, contactCount]),
      [
        ['Golf', 1],
        ['New', 2],
        ['Retirees', 1],
        ['Retirees', 0],
      ],
    );
    assert.deepEqual((await getContact(person, contactId)).groupIds.slice(0, 2), [golf, retirees]);
    await assertCounted(world, idOf(person));
  });

  test('into a group that is deleted at the same time leaves counts that are right', async () => {
    const person = await newcomer(world);
    const groupId = await addGroup(person, 'Doomed');
    let deleted = false;
    const db = withinTransactions(world.database.pool, async (statement) => {
      if (deleted || !/insert into contact_books/.test(statement)) return;
      deleted = true;
      await deleteGroup(world.deps, idOf(person), groupId);
    });
    const rows = people(3, 0).map((row) => ({ ...row, groups: ['Doomed'] }));
    await startImport({ ...world.deps, db }, idOf(person), { dryRun: false }).save(rows);
    assert.ok(deleted);
    const { data } = await search(person, contactsPath);
    assert.deepEqual(
      data.map(({ groupCount }: { groupCount: number }) => groupCount),
      [0, 0, 0],
    );
  });

  test('that is a dry run says the same and changes nothing', async () => {
    const person = await newcomer(world);
    await importOf(person).save(people(2, 0));
    const rows: ImportRow[] = [...people(4, 0), ...people(2, 0)].map((row, line) => ({
      ...row,
      line: line + 1,
      groups: ['New'],
    }));
    const before = await snapshotOf(person);
    const dry = startImport(world.deps, idOf(person), { dryRun: true });
    const said = [await dry.save(rows), dry.groupsCreated()];
    assert.deepEqual(await snapshotOf(person), before);
    const real = importOf(person);
    assert.deepEqual([await real.save(rows), real.groupsCreated()], said);
    assert.deepEqual(countsOf(said[0] as ImportResult[]), { updated: 2, created: 2, repeated: 2 });
  });
});

function importOf(person: Person) {
  return startImport(world.deps, idOf(person), { dryRun: false });
}

function idOf({ advisor }: Person): number {
  return advisor.advisorId;
}

function people(count: number, batch: number, more: ImportRow['fields'] = {}): ImportRow[] {
  return Array.from({ length: count }, (_, index) => ({
    line: batch * 10_000 + index + 1,
    fields: {
      firstName: 'Person',
      lastName: `${(index * 7919) % 1_000} of ${batch}, ${index}`,
      emailAddress: `p${index}.${batch}@mail.example`,
      phone: `+1212${2_000_000 + batch * 10_000 + index}`,
      ...more,
    },
    groups: [],
  }));
}

function countsOf(outcomes: ImportResult[]): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const { result } of outcomes) counts[result] = (counts[result] ?? 0) + 1;
  return counts;
}

async function snapshotOf(person: Person): Promise<unknown> {
  const tables = ['contacts', 'groups', 'memberships', 'members'].map(
    (table) =>
      `(select coalesce(jsonb_agg(t order by t::text), '[]') from ${table} t where advisor_id = $1) as ${table}`,
  );
  const rows = await world.database.asOwner<object>(`select ${tables.join(', ')}`, [idOf(person)]);
  return rows[0];
}

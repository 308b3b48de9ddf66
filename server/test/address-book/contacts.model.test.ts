import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import fc from 'fast-check';
import { contactSorts, createContact, createContacts, deleteContact } from '../../src/domain/address-book/contacts.ts';
import { clearDeletedGroup, groupSorts } from '../../src/domain/address-book/groups.ts';
import { searchText } from '../../src/domain/shared/text/folding.ts';
import { listDeletedGroups } from '../../src/store/address-book/deleted-groups.ts';
import { searchKeys } from '../../src/store/address-book/search-keys.ts';
import { isWhole, rounds } from '../support/rounds.ts';
import { makeWorld, type Person } from '../support/world.ts';
import { atAnyTime } from '../support/wrong-clock.ts';
import {
  addContact,
  addGroup,
  contactsPath,
  findGroups,
  groupsPath,
  newcomer,
  putInGroups,
  search,
} from './address-book.ts';
import { assertCounted } from './book-counts.ts';
import { BookModel, type Fields, type Filter, type ModelContact, type Order } from './contact-model.ts';

// Few connections, because each one plans every statement again.
const world = await makeWorld({ database: { size: 3 } });
after(() => world.close());
await world.database.asOwner(atAnyTime);

type Command = fc.AsyncCommand<BookModel, Person>;
const directions = ['asc', 'desc'] as const;

const madeUpName = fc.string({ unit: fc.constantFrom(...'aAáÁbBzZøßñ1 -’'), minLength: 1, maxLength: 5 });
const name = fc.oneof(
  fc.constantFrom('de la Cruz', ...'Ann ann ANN Ána Åsa Zoë Émile Muñoz Munoz Иван 李 😀'.split(' ')),
  madeUpName.map((text) => text.trim() || 'x'),
);
const email = fc.constantFrom('ann@a.example', 'Ann@a.example', 'bob.x@a.example', 'zoë@b.example', 'øre@b.example');
const phone = fc.constantFrom('+12125550101', '+12125550102', '+442071838750');
const optional = { emailAddress: fc.option(email), phone: fc.option(phone) };
const person = fc.record({ firstName: name, lastName: name, ...optional });
const change = fc.record({ firstName: name, lastName: name, ...optional }, { requiredKeys: [] });
const source = fc.constantFrom(0, 1, 2, 2, 2, 3, 4);
const emailStatus = fc.constantFrom('None', 'Subscribed', 'Unsubscribed', 'Bounced', 'Complained', 'Disabled');
const order = fc.record({ sortBy: fc.constantFrom(...contactSorts), sortDirection: fc.constantFrom(...directions) });
const groupOrder = fc.record({ sortBy: fc.constantFrom(...groupSorts), sortDirection: fc.constantFrom(...directions) });
const pageSize = fc.oneof(fc.integer({ min: 1, max: 12 }), fc.constant(200));

const create = fc.tuple(person, source).map(([fields, from]) =>
  command(`create ${JSON.stringify(fields)} from source ${from}`, async (model, real) => {
    const made = from === 2 ? addContact(real, fields) : createContact(world.deps, idOf(real), fields, from);
    model.create(await made, fields, from);
  }),
);

const createGroup = fc.tuple(name, fc.option(fc.constantFrom('x', 'y'))).map(([groupName, externalId]) =>
  command(`create group ${groupName} ${externalId}`, async (model, real) => {
    const known = [...model.groups.values()].find((group) => externalId && group.externalId === externalId);
    const groupId = await addGroup(real, groupName, externalId ?? undefined);
    if (known) assert.equal(groupId, known.groupId);
    model.createGroup(groupId, groupName, externalId);
  }),
);

const commands: fc.Arbitrary<Command>[] = [
  fc.integer({ min: 1, max: 3 }).map((ms) =>
    command(`wait ${ms} ms`, async (model) => {
      model.nowMs += ms;
    }),
  ),
  // Listed several times, so that books grow.
  ...Array(6).fill(create),
  ...Array(3).fill(createGroup),
  fc.tuple(fc.nat(), change).map(([which, fields]) =>
    contactCommand(`update #${which} with ${JSON.stringify(fields)}`, async (model, real) => {
      const contact = pick(model.contacts, which);
      await expect(real.call('PUT', `${contactsPath}/${contact.contactId}`, fields), 200);
      model.update(contact, fields);
    }),
  ),
  fc.nat().map((which) =>
    contactCommand(`delete #${which}`, async (model, real) => {
      const contact = pick(model.contacts, which);
      await expect(real.call('DELETE', `${contactsPath}/${contact.contactId}`), 204);
      await expect(real.call('DELETE', `${contactsPath}/${contact.contactId}`), 404);
      model.delete(contact);
    }),
  ),
  fc.tuple(fc.nat(), emailStatus).map(([which, status]) =>
    contactCommand(`email of #${which} is ${status}`, async (model, real) => {
      const contact = pick(model.contacts, which);
      const update = 'update contacts set email_status = $3 where advisor_id = $1 and contact_id = $2';
      await world.deps.db.query(update, [idOf(real), contact.contactId, status]);
      contact.emailStatus = status;
    }),
  ),
  fc.tuple(fc.nat(), fc.array(fc.nat(), { maxLength: 4 })).map(([which, groups]) =>
    contactCommand(`put #${which} in groups ${groups}`, async (model, real) => {
      const contact = pick(model.contacts, which);
      const groupIds = model.groups.size === 0 ? [] : groups.map((each) => pick(model.groups, each).groupId);
      await putInGroups(real, contact.contactId, groupIds);
      model.replaceMemberships(contact, groupIds);
    }),
  ),
  fc.nat().map((which) =>
    contactCommand(`put #${which} in every group`, async (model, real) => {
      const contact = pick(model.contacts, which);
      await expect(real.call('PUT', `${contactsPath}/${contact.contactId}/groups`, { isSelectAllGroup: true }), 200);
      model.replaceMemberships(contact, model.groups.keys());
    }),
  ),
  fc.nat().map((which) => ({
    ...command(`delete group #${which}`, async (model, real) => {
      const group = pick(model.groups, which);
      await expect(real.call('DELETE', `${groupsPath}/${group.groupId}`), 204);
      model.deleteGroup(group);
    }),
    check: (model) => model.groups.size > 0,
  })),
  fc.integer({ min: 1, max: 3 }).map((limit) =>
    command(`remove up to ${limit} memberships of each deleted group`, async (_model, real) => {
      const deleted = await listDeletedGroups(world.deps.db, 1_000);
      for (const group of deleted.filter(({ advisorId }) => advisorId === idOf(real)))
        await clearDeletedGroup(world.deps, group, limit);
    }),
  ),
  groupOrder.map((by) =>
    command(`search groups ${JSON.stringify(by)}`, async (model, real) => {
      const expected = model.sortedGroups(by).map((group) => model.groupSummary(group));
      assert.deepEqual(await findGroups(real, { ...by, pageSize: 200 }), expected);
    }),
  ),
  filtered(fc.constant(() => ({}))),
  filtered(
    fc.constantFrom('a', 'an', 'z', 'm', 'ann ann', 'b x', '2125', '0102', 'и').map((text) => () => ({ search: text })),
  ),
  filtered(phone.map((text) => () => ({ phone: text }))),
  filtered(email.map((text) => () => ({ email: text }))),
  filtered(
    fc.nat().map((n) => ({ groups }) => ({ groupId: groups.size === 0 ? n : pick(groups, n).groupId })),
  ),
  filtered(
    fc.nat({ max: 9 }).map((ms) => ({ nowMs }) => ({ modifiedSince: new Date(nowMs - ms).toISOString() })),
  ),
];

/** A search in any order, for any page up to the one past the end. */
function filtered(filter: fc.Arbitrary<(model: BookModel) => Filter>): fc.Arbitrary<Command> {
  return fc.tuple(order, filter, pageSize, fc.nat()).map(([by, filterOf, size, which]) =>
    command(`search ${JSON.stringify(by)}, page #${which} of ${size}`, async (model, real) => {
      const filter = filterOf(model);
      const found = model.sorted(by, filter);
      const page = 1 + (which % (pagesOf(found, size) + 1));
      await assertPage(model, real, { ...by, ...filter, page, pageSize: size }, found);
    }),
  );
}

test('any sequence of changes and searches gives the same results as a book of plain maps', async () => {
  await fc.assert(
    fc.asyncProperty(fc.commands(commands, { maxCommands: 100, size: 'max' }), async (sequence) => {
      const [model, real] = [new BookModel(), await newcomer(world)];
      world.clock.now = () => new Date(model.nowMs);
      await fc.asyncModelRun(() => ({ model, real }), sequence);
      await assertBook(model, real, 7);
    }),
    { numRuns: rounds(8) },
  );
});

test('every page of a large book is right in every order, while the book changes', async () => {
  const sequence = fc.commands(commands, { maxCommands: 60, size: 'max' });
  await fc.assert(
    fc.asyncProperty(
      fc.nat(),
      sequence,
      sequence,
      fc.integer({ min: 1, max: 400 }),
      async (seed, first, second, from) => {
        const [model, real] = [new BookModel(), await newcomer(world)];
        world.clock.now = () => new Date(model.nowMs);

        await fill(model, real, fc.sample(person, { seed, numRuns: 2500 }));
        await mixEmailStatus(model, real);
        // Autovacuum does this within a minute; until then, plans for a small table are used.
        await world.database.asOwner('analyze contacts');

        await fc.asyncModelRun(() => ({ model, real }), first);
        await joinAndDeleteGroup(model, real, 60);
        await assertBook(model, real, 200);

        await renameSpan(model, real, { from, length: 2000 });
        await deleteSpan(model, real, { from, length: 400 });
        await fc.asyncModelRun(() => ({ model, real }), second);
        await assertBook(model, real, 190);

        await deleteEveryone(model, real);
        await assertBook(model, real, 25);
      },
    ),
    { numRuns: 1, endOnFailure: true },
  );
});

test('every page is right though most contacts share a name and a time', async () => {
  const [model, real] = [new BookModel(), await newcomer(world)];
  world.clock.now = () => new Date(model.nowMs);
  const others = fc.sample(person, { seed: 1, numRuns: 200 });
  const same = Array.from({ length: 900 }, () => ({ firstName: 'Jo', lastName: 'Doe' }));
  for (const batch of [others.slice(100), same, others.slice(0, 100)]) {
    const contactIds = await createContacts(world.deps, idOf(real), batch, 1);
    for (const [index, fields] of batch.entries()) model.create(contactIds[index] as number, fields, 1);
    model.nowMs += 1;
  }
  await world.database.asOwner('analyze contacts');
  for (const sortBy of ['fullName', 'dateTimeCreated'] as const)
    await assertPages(model, real, { sortBy, sortDirection: 'desc' }, 200);
});

test('every page of what changed since a moment is right, whether nobody, a few or most of the book are older', async () => {
  const [model, real] = [new BookModel(), await newcomer(world)];
  world.clock.now = () => new Date(model.nowMs);
  const since: string[] = [];
  for (const count of [60, 1150, 30]) {
    since.push(new Date(model.nowMs).toISOString());
    const batch = fc.sample(person, { seed: count, numRuns: count });
    const contactIds = await createContacts(world.deps, idOf(real), batch, 1);
    for (const [index, fields] of batch.entries()) model.create(contactIds[index] as number, fields, 1);
    model.nowMs += 1;
  }
  await mixEmailStatus(model, real);
  for (const modifiedSince of since) await assertBook(model, real, 190, { modifiedSince });
});

async function fill(model: BookModel, real: Person, everyone: Fields[]): Promise<void> {
  for (const [from, to] of [
    [0, 1300],
    [1300, 1310],
    [1310, 1900],
    [1900, everyone.length],
  ]) {
    const batch = everyone.slice(from, to);
    const contactIds = await createContacts(world.deps, idOf(real), batch, 1);
    for (const [index, fields] of batch.entries()) model.create(contactIds[index] as number, fields, 1);
    model.nowMs += 1;
  }
}

/** Moves most of the book to a different position in one sort, in one statement. */
async function mixEmailStatus(model: BookModel, real: Person): Promise<void> {
  const words = ['None', 'Subscribed', 'Bounced', 'Disabled'];
  await world.database.asOwner(
    `update contacts set email_status = split_part($2, ',', contact_id::integer % 4 + 1) where advisor_id = $1`,
    [idOf(real), words.join()],
  );
  for (const contact of model.contacts.values()) contact.emailStatus = words[contact.contactId % 4] as string;
}

async function joinAndDeleteGroup(model: BookModel, real: Person, members: number): Promise<void> {
  const groupId = await addGroup(real);
  model.createGroup(groupId, 'Retirees', null);
  for (const contact of [...model.contacts.values()].slice(-members)) {
    await putInGroups(real, contact.contactId, [groupId]);
    model.replaceMemberships(contact, [groupId]);
  }
  await assertCounted(world, idOf(real));
  await expect(real.call('DELETE', `${groupsPath}/${groupId}`), 204);
  model.deleteGroup(pick(model.groups, model.groups.size - 1));
}

type Span = { from: number; length: number };

/** Moves contacts with consecutive names before all others, in one statement. */
async function renameSpan(model: BookModel, real: Person, span: Span): Promise<void> {
  const renamed = spanOf(model, span);
  for (const contact of renamed) model.update(contact, { firstName: '_Mo' });
  const texts = renamed.map(({ lastName, emailAddress, phone }) => searchText(['_Mo', lastName, emailAddress], phone));
  const rows = renamed.map(({ contactId }, index) => ({
    id: contactId,
    text: texts[index],
    keys: searchKeys(texts[index] ?? ''),
  }));
  await world.database.asOwner(
    `update contacts
     set first_name = '_Mo', search_text = text, search_keys = keys, date_time_modified = $3
     from jsonb_to_recordset($2) as given (id bigint, text text, keys text[])
     where advisor_id = $1 and contact_id = id`,
    [idOf(real), JSON.stringify(rows), new Date(model.nowMs)],
  );
}

/** Deletes contacts with consecutive names, several at a time. */
async function deleteSpan(model: BookModel, real: Person, span: Span): Promise<void> {
  const goners = spanOf(model, span);
  for (let start = 0; start < goners.length; start += 8)
    await Promise.all(
      goners.slice(start, start + 8).map(async (contact) => {
        await deleteContact(world.deps, idOf(real), contact.contactId);
        model.delete(contact);
      }),
    );
}

function spanOf(model: BookModel, { from, length }: Span): ModelContact[] {
  return model.sorted({ sortBy: 'fullName', sortDirection: 'asc' }).slice(from, from + length);
}

async function deleteEveryone(model: BookModel, real: Person): Promise<void> {
  await world.database.asOwner('delete from memberships where advisor_id = $1', [idOf(real)]);
  await world.database.asOwner('delete from contacts where advisor_id = $1', [idOf(real)]);
  const counted = 'update contact_books set contact_count = 0, email_count = 0 where advisor_id = $1';
  await world.database.asOwner(counted, [idOf(real)]);
  model.contacts.clear();
}

const orders = contactSorts.flatMap((sortBy) => directions.map((sortDirection) => ({ sortBy, sortDirection })));
let books = 0;

/** Checks every page in every order, or in a quarter of them, others each time; and the counts that pages are found by. */
async function assertBook(model: BookModel, real: Person, size: number, filter: Filter = {}): Promise<void> {
  const first = books++ % 4;
  for (const [index, each] of orders.entries())
    if (isWhole || index % 4 === first) await assertPages(model, real, each, size, filter);
  await assertCounted(world, idOf(real));
}

async function assertPages(
  model: BookModel,
  real: Person,
  order: Order,
  size: number,
  filter: Filter = {},
): Promise<void> {
  const found = model.sorted(order, filter);
  for (let page = 1; page <= pagesOf(found, size) + 1; page++)
    await assertPage(model, real, { ...order, ...filter, page, pageSize: size }, found);
}

type PageQuery = Order & Filter & { page: number; pageSize: number };

async function assertPage(model: BookModel, real: Person, query: PageQuery, found: ModelContact[]): Promise<void> {
  const { page, pageSize: size, sortBy, sortDirection } = query;
  const { data, pageInfo } = await search(real, contactsPath, query);
  for (const each of data) delete each.identifier;
  const expected = found.slice((page - 1) * size, page * size).map((contact) => model.summary(contact));
  assert.deepEqual(data, expected);
  assert.deepEqual(pageInfo, { page, pageSize: size, totalRecord: found.length, sortBy, sortDirection });
}

function pagesOf(found: ModelContact[], size: number): number {
  return Math.ceil(found.length / size);
}

function command(says: string, run: Command['run']): Command {
  return { check: () => true, run, toString: () => says };
}

function contactCommand(says: string, run: Command['run']): Command {
  return { ...command(says, run), check: (model) => model.contacts.size > 0 };
}

async function expect(answer: ReturnType<Person['call']>, status: number): Promise<void> {
  const { status: actual, body } = await answer;
  assert.equal(actual, status, JSON.stringify(body));
}

function pick<Item>(items: ReadonlyMap<number, Item>, which: number): Item {
  return [...items.values()][which % items.size] as Item;
}

function idOf(real: Person): number {
  return real.advisor.advisorId;
}

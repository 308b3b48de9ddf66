import assert from 'node:assert/strict';
import { after, before, suite, test } from 'node:test';
import { runImports } from '../../src/domain/address-book/file-imports.ts';
import { deletes } from '../../src/domain/address-book/pending-deletes.ts';
import { doDueActions, undoMs } from '../../src/domain/shared/pending-actions.ts';
import { listContacts } from '../../src/store/address-book/contact-search.ts';
import { type AdvisorApp, makeAdvisorApp } from '../support/advisor-app.ts';
import { moved } from '../support/database.ts';
import { acceptedPhone, newPhone } from '../support/texting.ts';
import type { Visit, Visitor } from '../support/visitor.ts';
import type { World } from '../support/world.ts';

let pages: AdvisorApp;
let world: World;
let ann: Visitor;
let formToken: string;

before(async () => {
  pages = await makeAdvisorApp();
  world = pages.world;
  ({ visitor: ann, formToken } = await pages.signedIn());
});
after(() => pages.close());

function call(method: 'GET' | 'POST' | 'PUT', path: string, body?: object): Promise<Visit> {
  return ann.call(method, `/app/api${path}`, { body, headers: { 'x-form-token': formToken } });
}

async function add(firstName: string, lastName: string, phone = newPhone()): Promise<number> {
  const { body } = await world.ann.call('POST', '/core/contact/contacts', { firstName, lastName, phone });
  return body.id;
}

async function names(query = ''): Promise<string[]> {
  const { status, body } = await call('GET', `/contacts${query}`);
  assert.equal(status, 200, JSON.stringify(body));
  return body.data.map(({ fullName }: { fullName: string }) => fullName);
}

/** As if so much time had passed for the row: nobody waits eight seconds. */
async function pass(ms: number): Promise<void> {
  await world.database.asOwner(
    `update pending_actions set due_at = ${moved('due_at', `interval '-${ms} milliseconds'`)}`,
  );
  const fail = (fault: unknown) => assert.fail(String(fault));
  // Two nodes at once.
  await Promise.all([1, 2].map(() => doDueActions(world.deps, deletes, fail)));
}

suite('a delete in the app', () => {
  test('is hidden at once and takes effect eight seconds later, once, without the page', async () => {
    const [contactId, other] = [await add('Ada', 'Leaves'), await add('Bea', 'Leaves')];
    const { body: feed } = await world.ann.call('GET', '/core/contact/changes?pageSize=200');
    const { body } = await call('POST', '/deletes', { contactIds: [contactId, other] });
    assert.equal(body.undoMs, 8_000);
    assert.deepEqual(await names('?search=Leaves'), []);
    assert.ok(!(await names()).includes('Ada Leaves'));
    await pass(undoMs - 1_000);
    await world.clock.advance(60_000);
    await pass(0);
    assert.equal((await world.ann.call('GET', `/core/contact/contacts/${contactId}`)).status, 200, 'partners see it');
    await pass(1_000);
    assert.equal((await world.ann.call('GET', `/core/contact/contacts/${contactId}`)).status, 404);
    const { body: changes } = await world.ann.call('GET', `/core/contact/changes?cursor=${feed.cursor}`);
    assert.deepEqual(
      changes.data.map(({ change, contactId: id }: { change: string; contactId: number }) => [change, id]),
      [
        ['deleted', contactId],
        ['deleted', other],
      ],
    );
    assert.equal((await call('POST', `/deletes/${body.actionId}/undo`)).status, 404, 'it is too late');
  });

  test('that are too many at a time are refused, and an id that is there twice counts once', async () => {
    const same = { contactIds: Array.from({ length: 900 }, () => 1) };
    const { body } = await call('POST', '/deletes', same);
    assert.equal((await call('GET', '/deletes')).body.data.at(-1).contacts, 1);
    assert.equal((await call('POST', `/deletes/${body.actionId}/undo`)).status, 204);
    const ids = Array.from({ length: 1_000 }, (_, index) => 1_000_000 + index);
    const two = [
      await call('POST', '/deletes', { contactIds: ids }),
      await call('POST', '/deletes', { contactIds: ids }),
    ];
    assert.equal((await call('POST', '/deletes', { contactIds: [1] })).status, 409);
    for (const { body } of two) assert.equal((await call('POST', `/deletes/${body.actionId}/undo`)).status, 204);
  });

  test('that is undone never was: the same id, and no change for partners', async () => {
    const contactId = await add('Cleo', 'Stays');
    const { body: feed } = await world.ann.call('GET', '/core/contact/changes?pageSize=200');
    const { body } = await call('POST', '/deletes', { contactIds: [contactId] });
    const [waiting, ...others] = (await call('GET', '/deletes')).body.data;
    assert.deepEqual([waiting.actionId, waiting.contacts, others], [body.actionId, 1, []]);
    assert.equal((await call('POST', `/deletes/${body.actionId}/undo`)).status, 204);
    assert.deepEqual((await call('GET', '/deletes')).body.data, []);
    await pass(undoMs);
    assert.deepEqual(await names('?search=Stays'), ['Cleo Stays']);
    const { body: changes } = await world.ann.call('GET', `/core/contact/changes?cursor=${feed.cursor}`);
    assert.deepEqual(changes.data, []);
  });

  test('of contacts leaves the counts of the list’s filters at once', async () => {
    const counts = async () => (await call('GET', '/contacts/counts')).body;
    const before = await counts();
    const ids = [await add('Cora', 'Counted', await acceptedPhone(world, world.ann)), await add('Nina', 'Counted')];
    await world.ann.call('POST', '/core/contact/contacts', { firstName: 'Mute', lastName: 'Counted' });
    const { body: held } = await call('POST', '/deletes', { contactIds: ids });
    const after = await counts();
    assert.equal(after.everybody, before.everybody + 1);
    for (const state of ['none', 'accepted']) assert.equal(after.states[state] ?? 0, before.states[state] ?? 0, state);
    assert.equal((await call('POST', `/deletes/${held.actionId}/undo`)).status, 204);
    assert.equal((await counts()).everybody, before.everybody + 3);
  });

  test('of a group keeps its members; one that fails is tried again and holds up no other', async () => {
    const contactId = await add('Dora', 'Member');
    const { body: group } = await world.ann.call('POST', '/core/contact/groups', { name: 'Gone soon' });
    await call('POST', `/groups/${group.id}/members`, { contactIds: [contactId], isMember: true });
    await call('POST', '/deletes', { groupId: group.id });
    assert.deepEqual((await call('GET', '/groups')).body.data, []);
    await world.database.asOwner(`update pending_actions set due_at = now() - interval '1 second'`);
    const faults: unknown[] = [];
    const broken = { ...deletes, delete_group: () => Promise.reject(new Error('broken')) };
    await doDueActions(world.deps, broken, (fault) => faults.push(fault));
    assert.equal(faults.length, 1);
    await doDueActions(world.deps, deletes, (fault) => faults.push(fault));
    assert.equal((await world.ann.call('GET', '/core/contact/groups')).body.data.length, 1, 'later');
    await pass(60_000);
    assert.equal((await world.ann.call('GET', '/core/contact/groups')).body.data.length, 0);
    assert.deepEqual(await names('?search=Dora'), ['Dora Member']);
  });
});

suite('the app’s list of contacts', () => {
  test('filters by consent, with group and search, and shows what the number is good for', async () => {
    const phone = await acceptedPhone(world, world.ann);
    const [yes, no] = [await add('Yes', 'Filtered', phone), await add('Nobody', 'Filtered')];
    await world.ann.call('POST', '/core/contact/contacts', { firstName: 'Mute', lastName: 'Filtered' });
    const { body: group } = await world.ann.call('POST', '/core/contact/groups', { name: 'Austin' });
    const members = `/groups/${group.id}/members`;
    assert.deepEqual((await call('POST', members, { contactIds: [yes, no, 9e9], isMember: true })).body, {
      changed: 2,
    });
    assert.deepEqual(await names('?search=filt&consent=accepted'), ['Yes Filtered']);
    assert.deepEqual(await names('?search=filt&consent=none'), ['Nobody Filtered']);
    assert.deepEqual(await names('?search=filt&consent=opted_out'), []);
    assert.deepEqual(await names(`?groupId=${group.id}&consent=accepted`), ['Yes Filtered']);
    assert.deepEqual(await names(`?groupId=${group.id}&sortDirection=desc`), ['Yes Filtered', 'Nobody Filtered']);
    const { body } = await call('GET', '/contacts?search=filt&consent=accepted');
    assert.deepEqual([body.data[0].state, body.data[0].isHeld], ['accepted', false]);
    const { body: counts } = await call('GET', '/contacts/counts');
    assert.equal(counts.everybody, (await world.ann.call('GET', '/core/contact/contacts')).body.pageInfo.totalRecord);
    assert.ok(counts.states.accepted >= 1 && counts.states.none >= 1);

    assert.deepEqual((await call('POST', members, { contactIds: [yes], isMember: false })).body, { changed: 1 });
    assert.deepEqual(await names(`?groupId=${group.id}`), ['Nobody Filtered']);
    assert.equal((await call('PUT', `/groups/${group.id}`, { name: 'Boston' })).status, 204);
    const { body: groups } = await call('GET', '/groups');
    assert.deepEqual(groups.data, [{ groupId: group.id, name: 'Boston', contactCount: 1 }]);
    assert.equal(groups.pageInfo.totalRecord, 1);
    assert.equal((await call('PUT', '/groups/999', { name: 'Boston' })).status, 404);
    assert.equal((await call('POST', '/groups/999/members', { contactIds: [yes], isMember: true })).status, 404);
  });

  test('pages through many from either end as a list that is sorted at once', async () => {
    const advisorId = world.bob.advisor.advisorId;
    await world.database.asOwner(
      `insert into contacts (advisor_id, first_name, phone, source, search_text, search_keys, date_time_created, date_time_modified)
       select ${advisorId}, 'P' || (n % 700), '+1500555' || lpad(n::text, 4, '0'), 0, ' p', '{}', now(), now() - (n / 9) * interval '1 s'
       from generate_series(1, 2500) as n;
       insert into members (advisor_id, phone, last_changed, date_time_created)
       select ${advisorId}, phone, now(), now() from contacts where advisor_id = ${advisorId};
       insert into contact_books (advisor_id, contact_count) values (${advisorId}, 2500)
       on conflict (advisor_id) do update set contact_count = 2500`,
    );
    for (const sortBy of ['fullName', 'dateTimeModified'] as const)
      for (const descending of [false, true]) {
        const order = { sortBy, descending };
        const all = await listContacts(
          world.deps.db,
          advisorId,
          { words: ['p'], without: [3] },
          { ...order, offset: 0n, limit: 3_000 },
        );
        const walked: number[] = [];
        for (let offset = 0n; offset < 3_000n; offset += 500n) {
          const filter = { consent: 'none' as const, without: [all.contacts[0]?.contactId ?? 0] };
          const { total, contacts } = await listContacts(world.deps.db, advisorId, filter, {
            ...order,
            offset,
            limit: 500,
          });
          assert.equal(total, 2_499);
          walked.push(...contacts.map(({ contactId }) => contactId));
        }
        const expected = all.contacts.map(({ contactId }) => contactId);
        const three = walked.filter((id) => id !== 3 && expected.includes(id));
        assert.deepEqual(three, expected.slice(1), `${sortBy} ${descending}`);
        assert.equal(walked.length, 2_499);
      }
  });
});

suite('an import in the app', () => {
  const upload = (csv: string, name = 'people.csv') =>
    ann.call('POST', '/app/api/imports', {
      body: csv,
      headers: { 'x-form-token': formToken, 'content-type': 'text/csv', 'x-file-name': name },
    });

  test('has a name without what can’t be stored', async () => {
    const { status, body } = await upload('Name\nIda Imported\n', 'people%00.csv');
    assert.deepEqual([status, body.fileName], [200, 'people\ufffd.csv']);
  });

  test('with more rows than there may be is refused', async () => {
    const { status, body } = await upload(`Name,Phone\n${'a\n'.repeat(250_001)}`);
    assert.deepEqual([status, body.detail], [413, 'A file can have 250,000 rows. Split it.']);
  });

  test('shows what it would do, does it on the server, and gives back what was refused', async () => {
    const csv = [
      'First Name,Last Name,E-mail,Mobile Phone,Labels,Shoe size',
      'Iris,Import,iris@example.org,(212) 555-0187,Clients,39',
      // Half of the last character that is shown, and what PostgreSQL can't store.
      `Otto,Import,not an email\0${'.'.repeat(23)}😀,(212) 555-0188,,41`,
      ',,,,,',
      '=1+1,',
      'Iris,Import,iris@example.org,(212) 555-0187,Clients,39',
    ].join('\n');
    const { status, body: preview } = await upload(csv);
    assert.equal(status, 200, JSON.stringify(preview));
    assert.deepEqual([preview.fileName, preview.rowCount, preview.refused], ['people.csv', 5, 2]);
    assert.deepEqual(
      preview.columns.map(({ field }: { field: string | null }) => field),
      ['firstName', 'lastName', 'emailAddress', 'phone', 'groups', null],
    );
    assert.deepEqual(preview.rows[0], {
      line: 2,
      result: 'created',
      why: '',
      name: 'Iris Import',
      phone: '+12125550187',
      email: 'iris@example.org',
      groups: ['Clients'],
    });
    assert.equal(preview.rows[2].result, 'refused');
    assert.deepEqual(await names('?search=Import'), [], 'nothing is changed yet');
    assert.equal((await call('POST', `/imports/${preview.importId}/start`)).status, 204);
    assert.equal((await call('POST', `/imports/${preview.importId}/start`)).status, 404, 'it is started once');
    assert.equal((await upload(csv)).status, 409, 'one at a time');
    await Promise.all([1, 2].map(() => runImports(world.deps, (fault) => assert.fail(String(fault)))));
    const { body } = await call('GET', '/imports');
    const { status: state, rowsDone, created, repeated, refused, notes } = body.import;
    assert.deepEqual([state, rowsDone, created, repeated, refused], ['done', 5, 2, 1, 2]);
    assert.deepEqual(
      notes.map(({ line, isRefused }: { line: number; isRefused: boolean }) => [line, isRefused]),
      [
        [3, false],
        [4, true],
        [5, true],
      ],
    );
    assert.deepEqual(await names('?search=Import'), ['Iris Import', 'Otto Import']);
    const { body: text } = await ann.get(`/app/api/imports/${preview.importId}/refused`);
    assert.match(text, /^﻿First Name,.*,Line,Reason\n,,,,,,4,"it has no name.*\n'=1\+1,,,,,,5,it has 2 columns/);
    assert.equal(
      (await ann.call('DELETE', `/app/api/imports/${preview.importId}`, { headers: { 'x-form-token': formToken } }))
        .status,
      204,
    );
    assert.equal((await call('GET', '/imports')).body.import, null);
  });

  test('that was interrupted goes on elsewhere, and counts nobody twice', async () => {
    const people = Array.from(
      { length: 2_300 },
      (_, index) => `Long${index},Row,+1646555${String(index).padStart(4, '0')}`,
    );
    const { body: preview } = await upload(['First Name,Last Name,Phone', ...people].join('\n'));
    await call('POST', `/imports/${preview.importId}/start`);
    const { signals } = world.deps;
    const stopping = new AbortController();
    const stopped = { ...world.deps, signals: { ...signals, stopping } };
    const files = { ...world.deps.contactFiles };
    const halfway = {
      ...files,
      async *read(file: Buffer, phone: string | null) {
        const rows = (await Array.fromAsync(files.read(file, phone))).flat();
        yield rows.slice(0, 1_200);
        stopping.abort();
        yield rows.slice(1_200);
      },
    };
    await runImports({ ...stopped, contactFiles: halfway }, (fault) => assert.fail(String(fault)));
    const { body: half } = await call('GET', '/imports');
    assert.deepEqual([half.import.status, half.import.rowsDone, half.import.created], ['running', 2_000, 2_000]);
    await runImports(world.deps, (fault) => assert.fail(String(fault)));
    const { body } = await call('GET', '/imports');
    const { status, rowsDone, created, unchanged } = body.import;
    assert.deepEqual([status, rowsDone, created, unchanged], ['done', 2_300, 2_300, 0]);
    assert.equal((await call('GET', '/contacts?search=long')).body.pageInfo.totalRecord, 2_300);

    // Stopped, it ends with the batch that it is at, and says how far it came.
    const { importId } = (await upload(['First Name,Last Name,Phone', ...people].join('\n'))).body;
    await call('POST', `/imports/${importId}/start`);
    const slow = {
      ...files,
      async *read(file: Buffer, phone: string | null) {
        const rows = (await Array.fromAsync(files.read(file, phone))).flat();
        yield rows.slice(0, 1_200);
        assert.equal((await call('POST', `/imports/${importId}/stop`)).status, 204);
        yield rows.slice(1_200);
      },
    };
    await runImports({ ...world.deps, contactFiles: slow }, (fault) => assert.fail(String(fault)));
    await runImports(world.deps, (fault) => assert.fail(String(fault)));
    const { import: ended } = (await call('GET', '/imports')).body;
    assert.deepEqual([ended.status, ended.rowsDone, ended.unchanged], ['stopped', 2_000, 2_000]);
    assert.equal((await call('POST', `/imports/${importId}/stop`)).status, 404);
  });

  test('is read one at a time: a second file is refused meanwhile', async () => {
    const both = await Promise.all([upload('First Name\nAnn\n'), upload('First Name\nBob\n')]);
    assert.deepEqual(both.map(({ status }) => status).toSorted(), [200, 409]);
  });

  test('and an export of what is filtered is a file that the import takes, with an entry in the archive', async () => {
    await add('Elsa', 'Exported');
    const { status, body: text } = await ann.call('POST', '/app/api/contacts/export', {
      body: { search: 'exported' },
      headers: { 'x-form-token': formToken },
    });
    assert.equal(status, 200);
    assert.deepEqual(text.split('\n').length, 3);
    assert.match(text, /^﻿contactId,.*\n\d+,[-0-9a-f]+,Elsa,Exported,/);
    const { body: preview } = await upload(text);
    assert.equal(preview.rows[0].result, 'unchanged');
    const entries = await world.database.asOwner<{ actor: string }>(
      `select actor from archive_entries where kind = 'export'`,
    );
    assert.match(entries[0]?.actor ?? '', /^advisor:/);
    assert.equal(
      (await ann.call('POST', '/app/api/contacts/export', { body: {} })).status,
      403,
      'only from our own page',
    );
    await world.database.asOwner(`update sessions set date_time_created = date_time_created - interval '1 hour'`);
    const stale = await ann.call('POST', '/app/api/contacts/export', {
      body: {},
      headers: { 'x-form-token': formToken },
    });
    assert.deepEqual([stale.status, stale.body.details], [403, { freshSignIn: true }], 'signed in a while ago');
  });
});

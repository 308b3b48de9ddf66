import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { addAdvisor } from '../../src/domain/accounts/advisors.ts';
import { addFirm } from '../../src/domain/accounts/firms.ts';
import { archiveSetting } from '../../src/domain/accounts/settings.ts';
import { createContact } from '../../src/domain/address-book/contacts.ts';
import { archive, byOperator, byPerson } from '../../src/domain/archive/archive.ts';
import { growTree } from '../../src/domain/archive/archive-tree.ts';
import { indexArchive } from '../../src/domain/record-keeping/archive-index.ts';
import { setRetention } from '../../src/domain/record-keeping/retention.ts';
import { setLexicon } from '../../src/domain/supervision/lexicons.ts';
import { ensureMembers } from '../../src/domain/texting/recipients.ts';
import { findCheckpoint } from '../../src/store/archive/archive-tree.ts';
import { signer } from '../archive/small-archive.ts';
import { makeStaff, type StaffPerson } from '../support/console.ts';
import { makeWorld, type World } from '../support/world.ts';

/** As much of a reply as a list shows. */
const listedLengthMax = 3_200;

let world: World;
let kim: StaffPerson;
let stranger: StaffPerson;
let elle: { advisorId: number; memberId: number; phone: string };

before(async () => {
  world = await makeWorld();
  const { deps, ann } = world;
  const { firmId } = await addFirm(deps, 'Another firm');
  await addAdvisor(deps, { firmId, name: 'Avery', email: 'avery@other.example' });
  kim = await makeStaff(world, { role: 'reviewer', firmId: ann.advisor.firmId });
  stranger = await makeStaff(world, { role: 'compliance_officer', firmId });
  const phone = '+12125550142';
  await createContact(deps, ann.advisor.advisorId, { firstName: 'Élodie', lastName: 'Marsh', phone }, 0);
  const [member] = await ensureMembers(deps, [{ advisorId: ann.advisor.advisorId, phone }]);
  elle = { advisorId: ann.advisor.advisorId, memberId: member?.memberId ?? 0, phone };
  for (const text of ['Good morning', 'Please call me about the annuity', 'that’s enough', 'Annuity? No.'])
    await received(text);
  await indexArchive(deps);
});
after(() => world.close());

async function received(body: string): Promise<number> {
  const { advisorId, memberId } = elle;
  const meta = { carrierMessageId: body };
  return archive(world.deps, byPerson, { advisorId, kind: 'text_in', memberId, meta, body });
}

async function textsOf(search: object, person = kim): Promise<string[]> {
  const { status, body } = await person.call('POST', '/archive/search', search);
  assert.equal(status, 200, JSON.stringify(body));
  return body.data.map(({ text }: { text: string }) => text);
}

describe('a search of the archive', () => {
  test('finds texts by words, in any case, the newest first', async () => {
    assert.deepEqual(await textsOf({ words: 'ANNUITY' }), ['Annuity? No.', 'Please call me about the annuity']);
    assert.deepEqual(await textsOf({ words: 'annuity call' }), ['Please call me about the annuity']);
    assert.deepEqual(await textsOf({ words: 'annuit' }), []);
  });

  test('finds a word whatever sign stands beside it, and none where no word is looked for', async () => {
    const text = 'Buy/sell it.Today: 3-5 lots—“guaranteed”, don’t wait🙂 AT&T café हिन्दी';
    await received(text);
    await indexArchive(world.deps);
    for (const words of [
      'sell',
      'today',
      '5 lots',
      'guaranteed',
      "don't",
      'don’t',
      'wait',
      'at&t',
      'CAFÉ',
      'cafe',
      'हिन्दी',
      '3-5',
    ])
      assert.deepEqual(await textsOf({ words }), [text], words);
    for (const words of ['%', '🙂', 'buysell']) assert.deepEqual(await textsOf({ words }), [], words);
  });

  test('by person, number, advisor, kind and dates', async () => {
    const { advisorId, memberId, phone } = elle;
    for (const by of [{ memberId }, { phone }, { advisorId }, { from: '2020-01-01T00:00:00Z' }])
      assert.equal((await textsOf({ ...by, kind: 'received' })).length, 5, JSON.stringify(by));
    for (const by of [{ phone: '+12125550143' }, { advisorId: 1 }, { to: '2020-01-01T00:00:00Z' }, { kind: 'sent' }])
      assert.deepEqual(await textsOf({ ...by, words: 'annuity' }), [], JSON.stringify(by));
  });

  test('goes on where a page ended, and misses and repeats nothing', async () => {
    for (let index = 0; index < 60; index++) await received(`Number ${index}`);
    await indexArchive(world.deps);
    const found: string[] = [];
    for (let cursor = ''; ; ) {
      const { body } = await kim.call('POST', `/archive/search${cursor && `?cursor=${cursor}`}`, { words: 'number' });
      found.push(...body.data.map(({ text }: { text: string }) => text));
      if (body.cursor === null) break;
      // The second part is read from the newest on, as after a search that the index took too long for.
      cursor = `${body.cursor}${cursor ? '' : '-w'}`;
    }
    assert.deepEqual(
      found.toReversed(),
      Array.from({ length: 60 }, (_, index) => `Number ${index}`),
    );
  });

  test('never finds another firm’s', async () => {
    assert.deepEqual(await textsOf({ words: 'annuity' }, stranger), []);
    assert.deepEqual(await textsOf({ memberId: elle.memberId, advisorId: elle.advisorId }, stranger), []);
    const { body } = await stranger.call('POST', '/people/search', { text: 'Marsh' });
    assert.deepEqual(body.data, []);
  });

  test('finds what was done for the whole firm, but nothing of another or of the deployment', async () => {
    const { deps, ann } = world;
    await setRetention(deps, ann.advisor.firmId, 9);
    await archiveSetting(deps, byOperator, { what: 'carrier added', of: { carrierId: 7 }, values: { what: 'years' } });
    await indexArchive(deps);
    const search = { words: 'years', kind: 'other' };
    const { data } = (await kim.call('POST', '/archive/search', search)).body;
    const found = { kind: 'retention', advisor: null, details: { years: { from: 7, to: 9 } } };
    assert.partialDeepStrictEqual(data, [found]);
    assert.equal(data.length, 1);
    const { entries } = (await kim.call('GET', `/archive/0/${data[0].number}`)).body;
    assert.partialDeepStrictEqual(entries, [found]);
    assert.deepEqual(await textsOf(search, stranger), []);
    for (const number of [data[0].number, data[0].number + 1])
      assert.equal((await stranger.call('GET', `/archive/0/${number}`)).status, 404);
  });

  test('finds what staff of the firm did with their accounts', async () => {
    const signedIn = async (person: StaffPerson) => {
      const { data } = (await person.call('POST', '/archive/search', { kind: 'other' })).body;
      return data
        .filter(({ kind }: { kind: string }) => kind === 'sign_in')
        .map(({ actorName }: { actorName: string }) => actorName);
    };
    assert.deepEqual([await signedIn(kim), await signedIn(stranger)], [[kim.name], [stranger.name]]);
  });

  test('has the request in which a rule of the firm was made', async () => {
    const { ann, database } = world;
    const { firmId } = ann.advisor;
    const officer = await makeStaff(world, { role: 'compliance_officer', firmId });
    const added = await officer.call('POST', '/holds', { reason: 'Matter 2026-118' });
    const lifted = await officer.call('POST', `/holds/${added.body.holdId}/lift`, { reason: 'Settled' });
    const set = await officer.call('PUT', '/retention', { years: 12 });
    const rows = await database.asOwner<{ traceId: string; meta: string }>(
      `select trace_id as "traceId", meta from archive_entries where actor = $1 and kind in ('hold', 'retention') order by number`,
      [`staff:${officer.staffId}`],
    );
    assert.deepEqual(
      rows.map(({ traceId }) => traceId),
      [added, lifted, set].map(({ headers }) => headers['x-trace-id']),
    );
    assert.ok(rows.every(({ meta }) => !('via' in JSON.parse(meta))));
  });

  test('says from when on entries may be missing, because they aren’t indexed yet', async () => {
    const search = async (person = kim) => (await person.call('POST', '/archive/search', { words: 'brandnew' })).body;
    assert.equal((await search()).unindexedSince, null);
    const before = world.deps.clock.now();
    await received('Brandnew');
    const { data, unindexedSince } = await search();
    assert.deepEqual(data, []);
    assert.ok(Date.parse(unindexedSince) >= before.getTime(), unindexedSince);
    assert.equal((await search(stranger)).unindexedSince, null);
    await indexArchive(world.deps);
    assert.deepEqual([(await search()).data.length, (await search()).unindexedSince], [1, null]);
  });

  test('is shared by an id', async () => {
    const search = { phone: elle.phone, words: 'annuity' };
    const { searchId } = (await kim.call('POST', '/archive/searches', search)).body;
    assert.deepEqual((await kim.call('GET', `/archive/searches/${searchId}`)).body, search);
    assert.equal((await stranger.call('GET', `/archive/searches/${searchId}`)).status, 404);
  });

  test('shows what the same person wrote before and after', async () => {
    const { data } = (await kim.call('POST', '/archive/search', { words: 'enough' })).body;
    const { entries } = (await kim.call('GET', `/archive/${data[0].advisorId}/${data[0].number}`)).body;
    const texts = entries.map(({ text }: { text: string }) => text);
    assert.deepEqual(texts.slice(0, 4), [
      'Good morning',
      'Please call me about the annuity',
      'that’s enough',
      'Annuity? No.',
    ]);
  });

  test('hides every card and social-security number until somebody asks for it, which is an entry', async () => {
    const more = 'and so on '.repeat(300);
    const text = `Cards 4111 1111 1111 1111, 5500 0000 0000 0004 and ４１１１111111111111; ${more}SSN 123-45-6789 ${more}.`;
    const hidden = `Cards ■■■■ ■■■■ ■■■■ 1111, ■■■■ ■■■■ ■■■■ 0004 and ■■■■■■■■■■■■1111; ${more}SSN ■■■-■■-6789 ${more}.`;
    const number = await received(text);
    await indexArchive(world.deps);
    const listed = `${hidden.slice(0, listedLengthMax).trimEnd()}…`;
    assert.deepEqual(await textsOf({ words: 'cards ssn' }), [listed]);
    for (const words of ['4111', '5500 0000', '411111111111', '123', '123-45-6789'])
      assert.deepEqual(await textsOf({ words: `cards ${words}` }), [], `${words} is hidden`);
    assert.deepEqual(await textsOf({ words: 'cards 1111 0004 6789' }), [listed]);
    const path = `/archive/${elle.advisorId}/${number}`;
    const read = async () => (await kim.call('GET', path)).body.entries;
    const entry = (await read()).find((each: { number: number }) => each.number === number);
    assert.deepEqual([entry.text, entry.isHidden], [hidden, true]);
    assert.equal((await stranger.call('POST', `${path}/text`)).status, 404);
    assert.deepEqual((await kim.call('POST', `${path}/text`)).body, { text });
    await indexArchive(world.deps);
    const { kind, actorName, facts, memberId } = (await read()).at(-1);
    assert.deepEqual([kind, actorName, memberId], ['text_read', kim.name, elle.memberId]);
    assert.deepEqual(facts, { what: 'number shown', archiveNumber: number });
  });

  test('lists the beginning of a long reply, and no part of a number that is cut there', async () => {
    const before = 'lengthy '.repeat(400).slice(0, listedLengthMax - 10);
    await received(`${before}4111 1111 1111 1111 ${'more '.repeat(7_000)}`);
    await received(`Lengthily ${'4'.repeat(39_000)}`);
    await indexArchive(world.deps);
    assert.deepEqual(await textsOf({ words: 'lengthy' }), [`${before.trimEnd()}…`]);
    assert.deepEqual(await textsOf({ words: 'lengthily' }), ['Lengthily…']);
  });

  test('lists a version of a large lexicon without its rules, which take as long as all others together', async () => {
    const phrases = Array.from({ length: 2_000 }, (_, index) => `phrase ${index} of many`);
    const rules = [{ name: 'Many', action: 'flag', phrases }];
    await setLexicon(world.deps, world.ann.advisor.firmId, JSON.stringify({ rules }));
    await indexArchive(world.deps);
    const { data } = (await kim.call('POST', '/archive/search', { kind: 'other' })).body;
    const [entry] = data.filter(({ facts }: { facts: { what?: string } }) => facts.what === 'lexicon set');
    assert.deepEqual([entry.isKept, entry.details], [true, {}]);
    const { entries } = (await kim.call('GET', `/archive/0/${entry.number}`)).body;
    assert.equal(entries[0].details.rules[0].phrases.length, 2_000);
  });

  test('proves an entry by the first checkpoint with it, and says so if it is not what was signed', async () => {
    const { deps, database } = world;
    const number = await received('Proven');
    const path = `/archive/${elle.advisorId}/${number}/proof`;
    const prove = async () => (await kim.call('GET', path)).body.proof;
    assert.equal(await prove(), null);
    while (await growTree({ ...deps, signer }));
    const proof = await prove();
    assert.equal(proof.isIntact, true);
    const checkpoint = await findCheckpoint(deps.db);
    assert.deepEqual(checkpoint?.note.split('\n').slice(1, 3), [String(proof.size), proof.root]);
    await received('Later');
    while (await growTree({ ...deps, signer }));
    assert.deepEqual(await prove(), proof);
    assert.equal((await stranger.call('GET', path)).status, 404);
    await database.asOwner('alter table archive_bodies disable trigger append_only');
    await database.asOwner(`update archive_bodies set body = 'Altered' where advisor_id = $1 and number = $2`, [
      elle.advisorId,
      number,
    ]);
    assert.deepEqual(await prove(), { ...proof, isIntact: false });
  });

  test('knows people by name, number and id', async () => {
    for (const text of ['elodie', 'marsh él', '5550142', elle.phone, String(elle.memberId)]) {
      const { data } = (await kim.call('POST', '/people/search', { text })).body;
      assert.equal(data[0]?.memberId, elle.memberId, text);
      assert.equal(data[0]?.name, 'Élodie Marsh');
    }
  });
});

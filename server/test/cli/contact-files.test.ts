import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, suite, test } from 'node:test';
import { createContact } from '../../src/domain/address-book/contacts.ts';
import { fixture } from '../adapters/files/contacts/files.ts';
import {
  addContact,
  addGroup,
  contactsPath,
  findGroups,
  getContact,
  newcomer,
  putInGroups,
  search,
} from '../address-book/address-book.ts';
import { commandsWith } from '../support/commands.ts';
import { makeWorld, type Person, type World } from '../support/world.ts';

suite('assent contacts', () => {
  let world: World;
  let folder: string;
  before(async () => {
    world = await makeWorld();
    folder = mkdtempSync(join(tmpdir(), 'assent-contact-files-'));
  });
  after(async () => {
    await world.close();
    rmSync(folder, { recursive: true, force: true });
  });

  const { run, records, refused } = commandsWith(() => ({ DATABASE_URL: world.database.url, ASSENT_DATA_DIR: folder }));
  const importInto = (person: Person, path: string, ...more: string[]) =>
    run(['contacts', 'import', path, '--advisor', person.advisor.email, ...more]);
  const exportOf = async (person: Person, name: string) => {
    const path = join(folder, name);
    const { status, stderr } = await run(['contacts', 'export', path, '--advisor', person.advisor.email]);
    assert.equal(status, 0, stderr);
    return path;
  };
  function written(name: string, text: string): string {
    writeFileSync(join(folder, name), text);
    return join(folder, name);
  }

  const csv = `First Name,Last Name,E-mail,Mobile Phone,Birthday,Gender,Marital Status,Street,Zip,Favorite color
Ann,Smith,ann@example.org,(212) 555-0123,7/14/1961,female,Married,"1 Main Street, Apt 4",62701,red
Bob,"O""Hara",,+442071838750,1970-01-31,,,,,
Zoë,Łukasz,,,,,,,,
,Onename,,,,,,,,
,,,,7/14/1961,,,,,
Eve,Fields,x@y@z,12,1961-02-30,dragon,,,,
too,few
Ann,Smith,ann@example.org,+12125550123,,,,,,
${'x'.repeat(201)},Long,,212-555-0199,,,,,,
`;

  test('import takes a contact without the fields that can’t be used, and reports each with the reason', async () => {
    const person = await newcomer(world);
    const said = await importInto(person, written('people.csv', csv));
    assert.equal(said.status, 1, 'two rows were refused');
    assert.deepEqual(said.stdout.trim().split('\n'), [
      'line 6: refused: it has no name, email address or phone number that can be used',
      'line 7: left out: Mobile Phone “12” (it is not a phone number (country US)), E-mail “x@y@z” (it is not an email address), Birthday “1961-02-30” (it is not a date), Gender “dragon” (it is not a gender we know)',
      'line 8: refused: it has 2 columns and not 10',
      'line 9: skipped: the same person as on line 2',
      `line 10: left out: firstName “${'x'.repeat(39)}…” (must have at most 200 characters)`,
    ]);
    assert.deepEqual(said.stderr.trim().split('\n'), [
      'Read as UTF-8, separated by commas, numbers and dates as in US.',
      'Imported 6, updated 0, skipped 0 already in the book and 1 repeated in the file, refused 2.',
      'Left out: 1 × it is not a phone number (country US), 1 × it is not an email address, 1 × it is not a date, 1 × it is not a gender we know, 1 × must have at most 200 characters.',
      'Not imported, because a contact has no such field: Favorite color.',
    ]);
    const { data } = await search(person, contactsPath, { search: 'ann smith' });
    const {
      contactId: _,
      identifier: __,
      dateTimeCreated,
      dateTimeModified,
      ...ann
    } = await getContact(person, data[0].contactId);
    assert.equal(dateTimeCreated, dateTimeModified);
    assert.deepEqual(ann, {
      source: 1,
      sourceText: 'Import',
      isCrmLinkedContact: false,
      emailAddress: 'ann@example.org',
      phone: '+12125550123',
      firstName: 'Ann',
      lastName: 'Smith',
      birthDate: '1961-07-14',
      gender: 2,
      maritalStatus: 2,
      emailStatus: 0,
      disableEmailStatus: false,
      address1: '1 Main Street, Apt 4',
      postalCode: '62701',
      groupIds: [],
      customFields: [],
    });
    const eve = (await search(person, contactsPath, { search: 'eve fields' })).data[0];
    assert.deepEqual([eve.fullName, eve.phone, eve.email], ['Eve Fields', undefined, undefined]);

    const again = await importInto(person, join(folder, 'people.csv'));
    assert.match(
      again.stderr,
      /Imported 0, updated 0, skipped 6 already in the book and 1 repeated in the file, refused 2\./,
    );
  });

  test('import --dry-run shows the same report, changes nothing and says so', async () => {
    const person = await newcomer(world);
    const path = written('dry.csv', `${csv.replace('Favorite color', 'Labels').replace('red', 'Golf')}`);
    const dry = await importInto(person, path, '--dry-run');
    assert.deepEqual([(await search(person, contactsPath)).data, await findGroups(person)], [[], []]);
    assert.match(dry.stderr, /^This was a dry run: nothing was changed\.$/m);
    const real = await importInto(person, path);
    assert.deepEqual([dry.status, dry.stdout], [real.status, real.stdout]);
    const asReal = dry.stderr
      .replace(/Would import (.*), update (.*), skip (.*), refuse /, 'Imported $1, updated $2, skipped $3, refused ')
      .replace('Groups to create', 'Groups created')
      .replace('This was a dry run: nothing was changed.\n', '');
    assert.equal(asReal, real.stderr);
    assert.match(real.stderr, /^Groups created: 1\.$/m);
  });

  test('import --json gives an object per row, and one with the counts', async () => {
    const { stdout } = await importInto(await newcomer(world), written('json.csv', csv), '--json');
    const records = stdout
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line));
    assert.deepEqual(records[0], {
      line: 6,
      refused: 'it has no name, email address or phone number that can be used',
      leftOut: [],
      kept: [],
    });
    assert.deepEqual(records[1].leftOut[0], {
      column: 'Mobile Phone',
      value: '12',
      why: 'it is not a phone number (country US)',
    });
    const { leftOut, ...counts } = records.at(-1);
    assert.equal(leftOut['it is not a date'], 1);
    assert.deepEqual(counts, {
      dryRun: false,
      encoding: 'utf-8',
      separator: ',',
      region: 'US',
      created: 6,
      updated: 0,
      unchanged: 0,
      repeated: 1,
      refused: 2,
      groupsCreated: 0,
      further: {},
      unused: ['Favorite color'],
    });
  });

  test('import reads numbers and dates by the country of the advisor’s texting number, or by --region', async () => {
    const british = await newcomer(world);
    await run(['advisors', 'set', british.advisor.email, '--texting-number', '+442071838751']);
    const path = written('national.csv', 'Name,Phone,Birthday\nAnn Smith,020 7183 8750,4/7/1961\n');
    const said = await importInto(british, path);
    assert.match(said.stderr, /numbers and dates as in GB\./);
    const { data } = await search(british, contactsPath);
    const ann = await getContact(british, data[0].contactId);
    assert.deepEqual([ann.phone, ann.birthDate], ['+442071838750', '1961-07-04']);

    const german = await newcomer(world);
    assert.match((await importInto(german, fixture('excel-semicolons.csv'), '--region', 'DE')).stderr, /as in DE\./);
    const joerg = (await search(german, contactsPath, { search: 'jorg muller' })).data[0];
    assert.deepEqual([joerg.firstName, joerg.phone], ['Jörg', '+491711234567']);
    await refused(2, [
      [
        ['contacts', 'import', path, '--advisor', german.advisor.email, '--region', 'Texas'],
        /--region must be a country code/,
      ],
      [['contacts', 'import', fixture('excel-unicode.txt'), '--advisor', german.advisor.email], /--format/],
    ]);
  });

  test('import says how it read the file, and what a contact has no place for', async () => {
    const said = await importInto(await newcomer(world), fixture('outlook-classic.csv'));
    assert.match(said.stderr, /^Read as Windows-1252, separated by commas, numbers and dates as in US\.$/m);
    assert.match(
      said.stderr,
      /^Not imported, because a contact has one number, email and address: 1 × Business Phone\.$/m,
    );
    assert.match(said.stderr, /^Not imported, because a contact has no such field: Company, .*Notes\.$/m);
    const tabs = await importInto(await newcomer(world), fixture('excel-unicode.txt'), '--format', 'csv');
    assert.match(tabs.stderr, /^Read as UTF-16 \(little-endian\), separated by tabs/m);
  });

  test('import shows values of a file in one line, without what would control a terminal', async () => {
    const { stdout } = await importInto(await newcomer(world), written('evil.csv', 'Name,Phone\nAnn,"\x1b[2J\n12"\n'));
    assert.equal(stdout, 'line 2: left out: Phone “␛[2J⏎12” (it is not a phone number (country US))\n');
  });

  test('import reports what is different about a person who is in the book already', async () => {
    const person = await newcomer(world);
    await importInto(person, written('one.csv', 'First Name,Last Name,City\nAnn,Smith,Boston\n'));
    const said = await importInto(person, written('two.csv', 'First Name,Last Name,City\nAnn,Smith,Albany\n'));
    assert.equal(said.stdout, 'line 2: already in the book with a different city\n');
    assert.equal(said.status, 0);
  });

  test('duplicates lists contacts that share a number, and merge makes one of two', async () => {
    const person = await newcomer(world);
    const advisor = ['--advisor', person.advisor.email];
    const phone = '+12125550123';
    const keep = await addContact(person, { phone });
    const other = await addContact(person, { phone });
    assert.deepEqual(await records(['contacts', 'duplicates', ...advisor]), [
      { phone, contactIds: [keep, other], names: ['Ann Smith', 'Ann Smith'] },
    ]);
    const { status, stderr } = await run(['contacts', 'merge', String(keep), String(other), ...advisor, '--yes']);
    assert.equal(status, 0, stderr);
    assert.deepEqual(await records(['contacts', 'duplicates', ...advisor]), []);
  });

  test('an export is readable by its owner only', async () => {
    assert.equal(statSync(await exportOf(world.ann, 'mine.csv')).mode & 0o777, 0o600);
  });

  test('an export into a folder that isn’t there says that, and nothing of the database', async () => {
    const path = join(folder, 'nowhere', 'book.csv');
    const { status, stderr } = await run(['contacts', 'export', path, '--advisor', world.ann.advisor.email]);
    assert.equal(status, 1);
    assert.match(stderr, /^assent: ENOENT: no such file or directory, open '[^']+book\.csv'\n$/);
  });

  test('an export comes back into another book: people, groups, and formulas as text', async () => {
    const [person, other] = [await newcomer(world), await newcomer(world)];
    const ann = { firstName: '=Ann', lastName: '-Smith', nickname: "'=", emailAddress: 'ann@example.org' };
    const more = {
      birthDate: '1961-07-14',
      gender: 2,
      maritalStatus: 6,
      address1: 'one',
      address2: 'two',
      city: '@x',
    };
    const contactId = await addContact(person, { ...ann, ...more });
    await createContact(world.deps, person.advisor.advisorId, { phone: '+12125550123' }, 3);
    await putInGroups(person, contactId, [await addGroup(person, 'Golf'), await addGroup(person, '=1+1')]);
    const exported = await exportOf(person, 'book.csv');
    for (const [into, [imported, known]] of [
      [other, [2, 0]],
      [other, [0, 2]],
      [person, [0, 2]],
    ] as const)
      assert.match(
        (await importInto(into, exported)).stderr,
        new RegExp(`Imported ${imported}, updated 0, skipped ${known} already in the book`),
      );
    const { data } = await search(other, contactsPath);
    assert.deepEqual(
      data.map(({ fullName, groupNames }: { fullName: string; groupNames: string[] }) => [
        fullName,
        groupNames.toSorted(),
      ]),
      [
        ['+12125550123', []],
        ['=Ann -Smith', ['=1+1', 'Golf']],
      ],
    );
    assert.partialDeepStrictEqual(await getContact(other, data[1].contactId), { ...ann, ...more });
  });
});

import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, suite, test } from 'node:test';
import { Worker } from 'node:worker_threads';
import fc from 'fast-check';
import { columnsOf } from '../../../../src/adapters/files/contacts/columns.ts';
import { writeCsvHeader, writeCsvRows } from '../../../../src/adapters/files/contacts/csv.ts';
import { readCsvRecords } from '../../../../src/adapters/files/text/csv.ts';
import { root } from '../../../../src/config.ts';
import type { ExportedContact } from '../../../../src/domain/address-book/contact-exports.ts';
import { plainNumber } from '../../../../src/domain/shared/text/formulas.ts';
import { cpuMs } from '../../../support/cpu.ts';
import { rounds } from '../../../support/rounds.ts';
import { readText } from './files.ts';

suite('contacts in a CSV file', () => {
  const folder = mkdtempSync(join(tmpdir(), 'assent-contacts-'));
  after(() => rmSync(folder, { recursive: true }));
  const read = (text: string) => readText(folder, 'contacts.csv', text);

  test('are separated by what makes most of the headings known, quoted fields respected', async () => {
    for (const [header, separator] of [
      ['First Name,Last Name', ','],
      ['First Name;Last Name', ';'],
      ['First Name\tLast Name', '\t'],
      ['First Name|Last Name', '|'],
      // A heading with commas, in quotes or not, doesn't make commas the separator.
      ['"Notes, calls, and so on, all of it";First Name;Last Name', ';'],
      ['First Name;Last Name;Notes, calls, and so on, all of it', ';'],
      ['First Name,Last Name,"Notes; calls; and so on; all of it"', ','],
      ['First Name;Last Name;"Notes,\ncalls"', ';'],
      // One column, and no separator at all.
      ['Name', ','],
      ['Email Address;', ';'],
    ] as const)
      assert.equal((await read(`${header}\n`)).about.separator, separator, header);
    const { contacts } = await read('First Name;Last Name;City\nAnn;"Smith; Jr.";Springfield, IL\n');
    assert.deepEqual(contacts[0]?.fields, { firstName: 'Ann', lastName: 'Smith; Jr.', city: 'Springfield, IL' });
  });

  test('may end each row with a separator, but a row with too few or too many cells is refused', async () => {
    const { contacts, unreadable } = await read(
      'First Name,Last Name\nAnn,Smith,\nBob,Jones,,,\nEve\nDan,Brown,extra\n',
    );
    assert.deepEqual(
      contacts.map(({ fields }) => fields.firstName),
      ['Ann', 'Bob'],
    );
    assert.deepEqual(unreadable, [
      { line: 4, unreadable: 'it has 1 column and not 2' },
      { line: 5, unreadable: 'it has 3 columns and not 2' },
    ]);
  });

  test('a file that is made to take long does not: too many columns are refused, and short rows come some at a time', async () => {
    let unreadable: unknown;
    const spent = await cpuMs(async () => {
      ({ unreadable } = await read(`${','.repeat(10_000)}\n`));
    });
    assert.deepEqual(unreadable, [{ line: 1, unreadable: 'it has 10001 columns: at most 1000 are read' }]);
    assert.ok(spent < 500, `${spent} ms`);
    const batches = await Array.fromAsync(readCsvRecords(Buffer.from('a,b\n'.repeat(1_000))), ({ length }) => length);
    assert.deepEqual(batches, [250, 250, 250, 250]);
  });

  test('without any heading that we know are refused, with the headings', async () => {
    const { contacts, unreadable } = await read('Vorname;Nachname\nAnn;Smith\n');
    assert.deepEqual(contacts, []);
    assert.deepEqual(unreadable, [{ line: 1, unreadable: 'none of its columns is known: Vorname, Nachname' }]);
  });

  test('have a full name that is split only where there is no other, and is no name if it is the number', async () => {
    const { contacts } = await read(
      'Name,First Name,Phone,Email\nAnn van Smith,,,\nX Y,Ann,,\n+12125550123,,+12125550123,\nann@example.org,,,ann@example.org\n',
    );
    assert.deepEqual(
      contacts.map(({ fields: { firstName, lastName } }) => [firstName, lastName]),
      [
        ['Ann van', 'Smith'],
        ['Ann', undefined],
        [undefined, undefined],
        [undefined, undefined],
      ],
    );
  });

  test('have the first number, email and address that can be used; others are counted, or reported if they can’t be', async () => {
    const { contacts } = await read(
      'Name,Mobile Phone,Home Phone,Business Phone,Email,Email 2,Home City,Work City\n' +
        'Ann,12,(212) 555-0123,(212) 555-0124,nothing,Ann <ann@example.org>,,Boston\n' +
        'Bob,212-555-0125,212.555.0125,,bob@example.org,bob@example.org,Albany,Boston\n',
    );
    const [ann, bob] = contacts;
    assert.deepEqual(
      [ann?.fields.phone, ann?.fields.emailAddress, ann?.fields.city],
      ['+12125550123', 'ann@example.org', 'Boston'],
    );
    assert.deepEqual(ann?.leftOut, [
      { column: 'Mobile Phone', value: '12', why: 'it is not a phone number (country US)' },
      { column: 'Email', value: 'nothing', why: 'it is not an email address' },
    ]);
    assert.deepEqual(ann?.further, ['Business Phone']);
    assert.deepEqual([bob?.fields.city, bob?.leftOut, bob?.further], ['Albany', [], ['Work City']]);
  });

  test('are read in memory that doesn’t grow with the file', async () => {
    const limited = `
      const { workerData: { folder, files } } = require('node:worker_threads');
      const { createWriteStream } = require('node:fs');
      const { once } = require('node:events');
      (async () => {
        const { openContactFile } = await import(files);
        const path = folder + '/large.csv';
        const out = createWriteStream(path);
        out.write('First Name,Last Name,Email,Phone,Birthday\\n');
        for (let n = 0; n < 50_000; n++)
          if (!out.write('Jörg,Number' + n + ',p' + n + '@mail.example,(212) 555-0123,7/14/1961\\n')) await once(out, 'drain');
        out.end();
        await once(out, 'close');
        let count = 0;
        for await (const rows of (await openContactFile(path, 'csv', 'US')).rows) count += rows.length;
        require('node:worker_threads').parentPort.postMessage(count);
      })();`;
    const files = new URL('../../../../src/adapters/files/contacts/reading.ts', import.meta.url).href;
    // Not enough to keep all rows.
    const resourceLimits = { maxOldGenerationSizeMb: 24, maxYoungGenerationSizeMb: 8 };
    const worker = new Worker(limited, { eval: true, workerData: { folder, files }, resourceLimits });
    const count = await new Promise((resolve, reject) => worker.on('message', resolve).on('error', reject));
    assert.equal(count, 50_000);
  });

  test('are read in a moment, however long their fields are', async () => {
    const long = 80_000;
    const spaces = ' '.repeat(long);
    const row = ['Ann', `${'T'.repeat(long)}:`, `"a\nb${spaces}x"`, `a@${'.'.repeat(long)}@`].join(',');
    const spentMs = await cpuMs(async () => {
      const { contacts } = await read(`First Name,Birthday,Street,Email\n${row}\n`);
      assert.deepEqual(contacts[0]?.fields, { firstName: 'Ann', address1: 'a', address2: `b${spaces}x` });
    });
    assert.ok(spentMs < 1_000, `${spentMs} ms`);
  });
});

suite('our own export', () => {
  const folder = mkdtempSync(join(tmpdir(), 'assent-export-'));
  after(() => rmSync(folder, { recursive: true }));

  const contact = {
    contactId: 7,
    identifier: '4fbe8971-0bc3-424c-9c26-36c3e1eff6b1',
    groups: [] as string[],
  };
  const fields = ['nickname', 'address1', 'address2', 'city', 'state', 'postalCode'] as const;
  /** Of an address with several lines, those are put elsewhere. */
  const kept = fields.filter((name) => !name.startsWith('address'));
  const exported = (contacts: object[]) => writeCsvHeader() + writeCsvRows(contacts as ExportedContact[]);

  async function cellsOf(text: string): Promise<string[]> {
    writeFileSync(join(folder, 'cells.csv'), text);
    const rows = await Array.fromAsync(readCsvRecords(join(folder, 'cells.csv')));
    return rows.flat().flatMap((row) => ('cells' in row ? row.cells : assert.fail(row.unreadable)));
  }

  const beginnings = ['\r\n', '\'"', '=', '+', '-', '@', '\t', '\r', "'", "''", "'=", '＝', '-1', '+1', ' ', '"', ''];
  const text = fc
    .tuple(
      fc.constantFrom(...beginnings),
      fc.constantFrom(...beginnings),
      fc.string({ unit: 'grapheme', maxLength: 20 }),
    )
    .map((parts) => parts.join('').replaceAll('\0', '').toWellFormed() || 'x');

  /** As a cell has it: trimmed, with one kind of line break. */
  const inLines = (text: string) => text.trim().replaceAll(/\r\n|\r/g, '\n') || undefined;

  test('has no cell that a spreadsheet would run, and comes back without its apostrophes', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.record(Object.fromEntries(fields.map((name) => [name, text]))), { minLength: 1 }),
        async (contacts) => {
          const written = exported(contacts.map((each) => ({ ...contact, ...each })));
          for (const cell of await cellsOf(written))
            assert.ok(!/^[=+\-@\t\r]|[;\t][=+\-@]/.test(cell) || plainNumber.test(cell), JSON.stringify(cell));
          const read = await readText(folder, 'export.csv', written);
          assert.deepEqual(read.unreadable, []);
          assert.deepEqual(
            read.contacts.map((each) => Object.fromEntries(kept.map((name) => [name, each.fields[name]]))),
            contacts.map((each) => Object.fromEntries(kept.map((name) => [name, inLines(each[name] ?? '')]))),
          );
        },
      ),
      { numRuns: rounds(300) },
    );
  });

  test('begins what looks like a formula with an apostrophe, and leaves a phone number as it is', async () => {
    const [, ...rows] = exported([
      {
        ...contact,
        phone: '+12125550123',
        nickname: '=1+1',
        city: '-5',
        state: '@x',
        address1: '+1 212',
        address2: "'=1",
        postalCode: 'x;=1+1;y',
      },
    ]).split('\n');
    const city = "-5,'@x,x;'=1+1;y";
    assert.equal(rows[0], `7,${contact.identifier},,,'=1+1,,+12125550123,,,,,+1 212,''=1,${city},,,`);
  });

  test('also of groups and remote ids', async () => {
    const groups = ['=cmd'];
    const written = exported([
      { ...contact, firstName: '-Ann', lastName: '=Smith', groups, remoteContactId: '+a', remoteContactUrl: '@b' },
    ]);
    for (const cell of await cellsOf(written)) assert.doesNotMatch(cell, /^[=+\-@]/);
    const [read] = (await readText(folder, 'groups.csv', written)).contacts;
    assert.deepEqual([read?.fields.firstName, read?.fields.lastName], ['-Ann', '=Smith']);
    assert.deepEqual(read?.groups, groups);
  });

  test('of another program keeps its apostrophes', async () => {
    const { contacts } = await readText(folder, 'theirs.csv', "First Name,Last Name\n'=Ann,'t Hooft\n");
    assert.deepEqual([contacts[0]?.fields.firstName, contacts[0]?.fields.lastName], ["'=Ann", "'t Hooft"]);
  });
});

test('every heading that the documentation names is known', () => {
  const page = readFileSync(join(root, 'docs/operators/importing.md'), 'utf8');
  const [, table = ''] = /\| field \| headings \|\n\|---\|---\|\n([\s\S]*?)\n\n/.exec(page) ?? [];
  const headings = [...table.matchAll(/“([^”]+)”/g)].map(([, heading = '']) => heading);
  assert.ok(headings.length > 25, table);
  assert.deepEqual(
    headings.filter((heading) => columnsOf([heading]).unknown.length > 0),
    [],
  );
});

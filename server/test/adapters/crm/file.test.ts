import assert from 'node:assert/strict';
import { appendFileSync, chmodSync, mkdtempSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, suite, test } from 'node:test';
import { crmOpener } from '../../../src/adapters/crm/open.ts';
import { type Crm, CrmFault } from '../../../src/domain/ports.ts';
import { vcard, vcardOf } from '../../support/radicale.ts';
import { ample, listed } from './listed.ts';

suite('a CRM’s export as a file', () => {
  const folder = mkdtempSync(join(tmpdir(), 'assent-crm-file-'));
  after(() => rmSync(folder, { recursive: true }));

  function open(format: 'csv' | 'vcard', text: string | null, region = 'US'): Crm & { path: string } {
    const path = join(folder, `contacts.${format}`);
    if (text !== null) writeFileSync(path, text);
    return { path, ...crmOpener([])({ kind: 'file', path, format, region }) };
  }

  const csv = `Contact ID,Link,First Name,Last Name,E-mail,Mobile Phone,Birthday,UID
8051,https://crm.example/8051,Ann,Smith,ann@example.org,(212) 555-0123,7/14/1961,not-this-one
,,Without,Id,,,,x
8052,javascript:alert(1),Bob,Jones,,+44 20 7183 8750,1961-02-30,
8051,,Ann,Again,,,,
too,few
8053,,,,,12,,
`;

  test('is listed as CSV: the first id column counts, and refused rows have a reason', async () => {
    const { contacts, unchanged, refused, total } = await listed(open('csv', csv));
    assert.deepEqual(contacts, [
      {
        remoteContactId: '8051',
        remoteContactUrl: 'https://crm.example/8051',
        locator: '8051',
        version: null,
        fields: {
          firstName: 'Ann',
          lastName: 'Smith',
          emailAddress: 'ann@example.org',
          phone: '+12125550123',
          birthDate: '1961-07-14',
        },
        leftOut: [],
      },
      {
        remoteContactId: '8052',
        remoteContactUrl: null,
        locator: '8052',
        version: null,
        fields: { firstName: 'Bob', lastName: 'Jones', phone: '+442071838750' },
        leftOut: ['Birthday: it is not a date.'],
      },
    ]);
    assert.deepEqual([unchanged, total], [[], null]);
    assert.deepEqual(refused.map(({ what, why }) => `${what}: ${why.slice(0, 40)}`).sort(), [
      'line 3: It has no id: add a column “id” with the',
      'line 5: It has the same id as line 2.',
      'line 6: It has 2 columns and not 8.',
      'line 7: It has no valid name, email address or p',
    ]);
  });

  test('is listed as vCards, by their UIDs', async () => {
    const person = ['FN:Ann Smith', 'N:Smith;Ann;;;'];
    const cards = [
      vcard('urn:uuid:4fbe8971-0bc3-424c-9c26-36c3e1eff6b1', [
        ...person,
        'SOURCE:https://crm.example/1',
        'URL:https://ann.example',
      ]),
      vcard('2', ['FN:Only Formatted Name', 'URL:https://only.example/']).replace('3.0', '4.0'),
      vcard('', person),
      vcard('4', person).replace('3.0', '2.1'),
      vcard('5', ['FN:Friends', 'KIND:group']).replace('3.0', '4.0'),
      'BEGIN:VCARD\r\nVERSION:4.0\r\nFN:Without End\r\n',
      vcard('6', person),
    ];
    const { contacts, refused } = await listed(open('vcard', cards.join('')));
    assert.deepEqual(
      contacts.map(({ remoteContactId, remoteContactUrl, fields }) => [remoteContactId, remoteContactUrl, fields]),
      [
        [
          'urn:uuid:4fbe8971-0bc3-424c-9c26-36c3e1eff6b1',
          'https://crm.example/1',
          { firstName: 'Ann', lastName: 'Smith' },
        ],
        ['2', 'https://only.example/', { firstName: 'Only Formatted', lastName: 'Name' }],
        ['4', null, { firstName: 'Ann', lastName: 'Smith' }],
        ['6', null, { firstName: 'Ann', lastName: 'Smith' }],
      ],
    );
    assert.deepEqual(
      refused.map(({ why }) => why),
      ['It has no UID: export the cards with their UIDs.', 'It is a group, not a person.', 'The card has no end.'],
    );
  });

  test('finds a contact by any of their numbers, and ignores refused ones', async () => {
    assert.equal((await open('csv', csv).lookup('+442071838750', ample()))?.remoteContactId, '8052');
    assert.equal(await open('csv', csv).lookup('+12125559999', ample()), null);
    const tels = ['TEL;TYPE=CELL:212-555-0100', 'TEL;TYPE=WORK:(646) 555-0199'];
    const cards = [vcard('', ['FN:No Id', ...tels]), vcard('7', ['FN:Ann Smith', 'N:Smith;Ann;;;', ...tels])].join('');
    const contact = await open('vcard', cards).lookup('+16465550199', ample());
    assert.deepEqual([contact?.remoteContactId, contact?.fields.phone], ['7', '+16465550199']);
  });

  test('that is missing, a folder, unreadable or too large is a fault with the reason', async () => {
    const faults = async (crm: Crm, message: RegExp) => {
      const isRight = (error: unknown) => error instanceof CrmFault && message.test(error.message);
      await assert.rejects(listed(crm), isRight);
      await assert.rejects(crm.lookup('+12125550123', ample()), isRight);
    };
    const at = (path: string) => crmOpener([])({ kind: 'file', path, format: 'csv', region: 'US' });
    await faults(at(join(folder, 'nothing.csv')), /^There is no file .*nothing\.csv\.$/);
    await faults(at(folder), /^There is no file/);
    await faults(open('csv', csv, 'Texas'), /country code/);
    // Root may read everything.
    if (process.getuid?.() !== 0) {
      const { path, ...crm } = open('csv', csv);
      chmodSync(path, 0o000);
      await faults(crm, /can’t be read/);
      chmodSync(path, 0o600);
    }
    const { path, ...crm } = open('csv', csv);
    truncateSync(path, 257 * 1024 * 1024);
    await faults(crm, /is over 256 MiB/);
    rmSync(path);
  });

  test('without contacts is a fault: a failed export must not look as if everybody was deleted', async () => {
    for (const [format, text] of [
      ['csv', ''],
      ['csv', csv.slice(0, csv.indexOf('\n') + 1)],
      ['vcard', '<html>Sign in</html>'],
    ] as const)
      await assert.rejects(listed(open(format, text)), /There are no contacts in/);
  });

  test('that is changed while it is read is a fault: a partial file looks as if contacts were deleted', async () => {
    const rows = Array.from({ length: 2_000 }, (_, n) => `${n},,Person,Number${n},,,,\n`).join('');
    const { path, ...crm } = open('csv', csv.slice(0, csv.indexOf('\n') + 1) + rows);
    const batches = crm.list(new Map(), ample())[Symbol.asyncIterator]();
    await batches.next();
    appendFileSync(path, rows);
    const rest = async () => {
      while (!(await batches.next()).done);
    };
    await assert.rejects(rest(), { message: `${path} was changed while it was read.` });
  });

  test('that can’t be read completely is a fault: a card that is cut off, an unclosed quote, a row that is too long', async () => {
    const card = vcardOf('1', 2_125_550);
    const row = '8055,,Last,Row,,,,\n';
    for (const [format, text] of [
      ['vcard', card + card.slice(0, -20)],
      ['csv', `${csv}8054,,"Eve,Quote,,,,\n${row}`],
      ['csv', `${csv}8054,,"Eve"ning,Quote,,,,\n${row}`],
      ['csv', `${csv}8054,,${'x'.repeat(300_000)},,,,,\n${row}`],
    ] as const)
      await assert.rejects(listed(open(format, text)), /can’t be read completely: .* \(line \d+\)\.$/);
  });

  test('is read past a card that is too long', async () => {
    const card = `BEGIN:VCARD\nNOTE:${'x'.repeat(4_000_000)}\nEND:VCARD\n${vcardOf('1', 2_125_550)}`;
    const { contacts, refused } = await listed(open('vcard', card));
    assert.deepEqual(
      [contacts.length, refused],
      [1, [{ what: 'line 1', why: 'The card has over a million characters.' }]],
    );
  });

  test('stops being read when the caller cancels', async () => {
    const many = open('vcard', Array.from({ length: 5_000 }, (_, n) => vcardOf(String(n), 2_000_000 + n)).join(''));
    await assert.rejects(many.lookup('+12129999999', AbortSignal.timeout(20)), {
      message: 'It was canceled before it was done.',
    });
  });
});

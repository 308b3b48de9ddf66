import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import type { FileContact } from '../../../../src/adapters/files/contacts/fields.ts';
import { fixture, fixtureNames, readFile } from './files.ts';

/** Jörg Müller is in nearly every file, with all that the program can say about him. */
const joerg = {
  firstName: 'Jörg',
  lastName: 'Müller',
  emailAddress: 'joerg@example.org',
  phone: '+12125550123',
  birthDate: '1961-07-14',
};
const home = { address1: '1 Main Street', city: 'Springfield', state: 'IL', postalCode: '62701' };

suite('contacts of', () => {
  test('Outlook for Windows: Windows-1252, 92 columns, 0/0/00 and Unspecified are nothing', async () => {
    const { about, contacts } = await readFile(fixture('outlook-classic.csv'));
    assert.deepEqual([about.encoding, about.separator], ['windows-1252', ',']);
    const [first, second, third] = contacts.map(({ fields }) => fields);
    assert.deepEqual(first, { ...joerg, ...home, address2: 'Apt 4', gender: 1 });
    assert.deepEqual(second, {
      firstName: 'Renée',
      lastName: 'O’Hara',
      emailAddress: 'renee@example.org',
      phone: '+12125550144',
      gender: 2,
      ...{ address1: '5 Wall Street', city: 'New York', state: 'NY', postalCode: '10005' },
    });
    assert.deepEqual(third, { firstName: 'Zoë' });
    assert.deepEqual(contacts.map(leftOutOf), [
      [],
      [
        ['Home Phone', '45', 'a contact’s number has no extension'],
        [
          'E-mail Address',
          '/o=ExchangeLabs/ou=Exchange Administrative Group/cn=Recipients/cn=5f1c-renee',
          'it is not an email address',
        ],
      ],
      [
        ['Business Phone', 'ask assistant', 'it is not a phone number (country US)'],
        ['Birthday', '5/12/20', 'its year could be in two centuries'],
      ],
    ]);
    assert.deepEqual(
      contacts.map(({ groups }) => groups),
      [['Clients', 'Golf'], [], []],
    );
    assert.deepEqual(contacts[0]?.further, ['Business Phone']);
    assert.deepEqual(about.unused, ['Company', 'Home Country/Region', 'Initials', 'Notes']);
  });

  test('the new Outlook: UTF-8 with a mark, 1604 is no year', async () => {
    const { about, contacts } = await readFile(fixture('outlook-new.csv'));
    assert.equal(about.encoding, 'utf-8');
    assert.deepEqual(contacts[0]?.fields, { ...joerg, ...home, nickname: 'Jo' });
    assert.deepEqual(contacts[1]?.fields, { firstName: 'Ana', lastName: 'Núñez', phone: '+442071838750' });
    assert.deepEqual(leftOutOf(contacts[1]), [['Birthday', '1604-03-09', 'it has no year']]);
  });

  test('Google, as before: UTF-16, values joined by :::, numbers and emails by their types', async () => {
    const { about, contacts } = await readFile(fixture('google-old.csv'));
    assert.equal(about.encoding, 'utf-16le');
    assert.deepEqual(contacts[0]?.fields, { ...joerg, ...home, address2: 'Apt 4' });
    const further = ['Phone 2 - Value', 'Phone 1 - Value', 'E-mail 1 - Value', 'E-mail 1 - Value'];
    assert.deepEqual(contacts[0]?.further, further);
    assert.deepEqual(
      contacts.map(({ groups }) => groups),
      [['Clients', 'Golf'], []],
    );
    assert.deepEqual(contacts[1]?.fields, { firstName: 'Madonna', phone: '+12125550111' });
    assert.deepEqual(leftOutOf(contacts[1]), [['Birthday', '--08-16', 'it has no year']]);
  });

  test('Google today: labels are groups, and its own groups are not', async () => {
    const { contacts } = await readFile(fixture('google-new.csv'));
    assert.deepEqual(contacts[0]?.fields, { ...joerg, ...home, address1: 'PO Box 77', nickname: 'Jo' });
    assert.deepEqual(contacts[1]?.fields, { emailAddress: 'anonymous@example.org' });
    assert.deepEqual(
      contacts.map(({ groups }) => groups),
      [['Clients', 'Golf'], [], []],
    );
    assert.deepEqual(contacts.flatMap(leftOutOf), [['Birthday', '--03-09', 'it has no year']]);
  });

  test('Apple: labels of its own, a birthday without a year is kept out and never one of 1604', async () => {
    const { contacts } = await readFile(fixture('apple.vcf'));
    assert.deepEqual(contacts[0]?.fields, { ...joerg, ...home, address2: 'Apt 4', nickname: 'Jo' });
    assert.deepEqual(contacts[0]?.further, ['TEL', 'EMAIL', 'ADR']);
    assert.deepEqual(contacts[0]?.groups.length, 2);
    assert.deepEqual(contacts[2]?.fields, { firstName: 'Acme', lastName: 'Corp.', phone: '+12125550100' });
    assert.deepEqual(contacts.map(leftOutOf), [
      [],
      [['BDAY', '--03-09', 'it has no year']],
      [['BDAY', '--05-12', 'it has no year']],
    ]);
  });

  test('an Android phone: vCard 2.1, quoted-printable in the character set that it names', async () => {
    const { contacts, unreadable } = await readFile(fixture('android-2.1.vcf'));
    assert.deepEqual(unreadable, []);
    assert.deepEqual(contacts[0]?.fields, { ...joerg, ...home, address1: '1 Hauptstraße', address2: 'Apt 4' });
    assert.deepEqual(contacts[1]?.fields, { firstName: 'Ana', lastName: 'Núñez', phone: '+442071838750' });
  });

  test('Outlook as vCard 2.1 in Windows-1252', async () => {
    const { about, contacts } = await readFile(fixture('outlook-2.1.vcf'));
    assert.equal(about.encoding, 'windows-1252');
    assert.deepEqual(contacts[0]?.fields, { ...joerg, ...home });
  });

  test('vCard 4.0: types in quotes, numbers as addresses, an extension is reported', async () => {
    const { contacts } = await readFile(fixture('vcard-4.vcf'));
    assert.deepEqual(contacts[0]?.fields, { ...joerg, ...home, address2: 'Apt 4', gender: 1 });
    assert.deepEqual(contacts.map(leftOutOf), [
      [['TEL', '45', 'a contact’s number has no extension']],
      [['BDAY', '--0309', 'it has no year']],
    ]);
  });

  test('Excel as CSV UTF-8: a number that it has rounded is left out', async () => {
    const { contacts } = await readFile(fixture('excel-utf8.csv'));
    assert.deepEqual(contacts[0]?.fields, joerg);
    assert.deepEqual(contacts[1]?.fields, { firstName: 'Eve', lastName: 'Rounded', birthDate: '1961-07-14' });
    assert.deepEqual(leftOutOf(contacts[1]), [['Phone', '1.21255E+10', 'a spreadsheet has rounded it']]);
  });

  test('Excel as Unicode text: UTF-16 with tabs', async () => {
    const { about, contacts } = await readFile(fixture('excel-unicode.txt'));
    assert.deepEqual([about.encoding, about.separator], ['utf-16le', '\t']);
    assert.deepEqual(contacts[0]?.fields, joerg);
  });

  test('Excel in Germany: semicolons, decimal commas, numbers and dates of that country', async () => {
    const { about, contacts } = await readFile(fixture('excel-semicolons.csv'), 'DE');
    assert.deepEqual([about.encoding, about.separator], ['windows-1252', ';']);
    assert.deepEqual(contacts[0]?.fields, {
      ...joerg,
      phone: '+491711234567',
      ...{ address1: 'Hauptstraße 1', city: 'Berlin', postalCode: '10115' },
    });
    assert.deepEqual(contacts[1]?.fields, {
      firstName: 'Ana',
      lastName: 'Núñez',
      phone: '+49301234567',
      birthDate: '1961-07-04',
    });
  });

  test('Excel with a first line that names the separator', async () => {
    const { about, contacts } = await readFile(fixture('excel-sep-line.csv'));
    assert.equal(about.separator, ';');
    assert.deepEqual(
      [contacts[0]?.line, contacts[0]?.fields],
      [3, { firstName: 'Ann', lastName: 'Smith', phone: '+12125550123' }],
    );
  });

  test('old programs for the Mac: lines that end with a carriage return', async () => {
    const { contacts } = await readFile(fixture('mac-returns.csv'));
    assert.deepEqual(
      contacts.map(({ line, fields }) => [line, fields.lastName, fields.phone]),
      [
        [2, 'Smith', '+12125550123'],
        [3, 'Jones', '+12125550124'],
      ],
    );
  });

  test('all of these programs are read completely', async () => {
    for (const name of fixtureNames) assert.deepEqual((await readFile(fixture(name))).unreadable, [], name);
  });
});

function leftOutOf(contact: FileContact | undefined): string[][] {
  return contact?.leftOut.map(({ column, value, why }) => [column, value, why]) ?? [];
}

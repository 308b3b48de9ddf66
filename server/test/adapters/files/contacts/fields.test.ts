import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { readDate } from '../../../../src/adapters/files/contacts/dates.ts';
import { readEnumeration } from '../../../../src/adapters/files/contacts/fields.ts';
import { type Region, readPhone, regionOf } from '../../../../src/adapters/files/contacts/phones.ts';

suite('a phone number in a file', () => {
  const phone = (text: string, region: Region = 'US') => {
    const reading = readPhone(text, region);
    return 'phone' in reading ? reading.phone : null;
  };

  test('is read in national writing by the country', () => {
    for (const text of [
      '(212) 555-0123',
      '212.555.0123',
      '1-212-555-0123',
      '2125550123',
      '12125550123',
      '212 555 0123',
    ])
      assert.equal(phone(text), '+12125550123', text);
    assert.equal(phone('020 7183 8750', 'GB'), '+442071838750');
    assert.equal(phone('0171/123 45 67', 'DE'), '+491711234567');
    assert.equal(phone('416-555-0123', 'CA'), '+14165550123');
    assert.equal(phone('020 7183 8750', 'US'), null);
  });

  test('is read with a country code in any country', () => {
    for (const text of ['+44 20 7183 8750', '+44 (0)20 7183 8750', '011 44 20 7183 8750', 'tel:+44-20-7183-8750'])
      assert.equal(phone(text), '+442071838750', text);
    // The contract decides what is a number, not a library.
    assert.equal(phone('+999 12345678'), '+99912345678');
  });

  test('is read as spreadsheets write numbers and texts', () => {
    for (const text of ["'+12125550123", '="+12125550123"', '12125550123.0', '+1 212 555 0123'])
      assert.equal(phone(text), '+12125550123', text);
  });

  test('that can’t be one is none: rounded, too short, a word', () => {
    assert.deepEqual(readPhone('1.21255E+10', 'US'), { why: 'a spreadsheet has rounded it' });
    assert.deepEqual(readPhone('1,21255E+10', 'DE'), { why: 'a spreadsheet has rounded it' });
    for (const text of ['555-0123', '12', '911', 'n/a', 'ask Bob', '0', '442071838750', '1-800-FLOWERS'])
      assert.deepEqual(readPhone(text, 'US'), { why: 'it is not a phone number (country US)' }, text);
  });

  test('loses its extension, which is reported', () => {
    for (const text of ['212-555-0123 x45', '(212) 555-0123 ext. 45', '+12125550123;ext=45'])
      assert.deepEqual(readPhone(text, 'US'), { phone: '+12125550123', extension: '45' }, text);
  });

  test('without a country is one of the advisor’s texting number, or else of the United States', () => {
    assert.equal(regionOf('+442071838750'), 'GB');
    assert.equal(regionOf('+4915112345678'), 'DE');
    assert.equal(regionOf('+15005550006'), 'US');
    assert.equal(regionOf(null), 'US');
  });
});

suite('a date in a file', () => {
  const date = (text: string, region: Region = 'US', field: 'birthDate' | 'clientAnniversary' = 'birthDate') => {
    const reading = readDate(text, field, region);
    return reading && ('value' in reading ? reading.value : reading.why);
  };

  test('is read with the year first, with the name of its month, and with dots', () => {
    for (const text of ['1961-07-14', '19610714', '1961/7/14', '1961-07-14T00:00:00Z', '1961-07-14 00:00:00'])
      assert.equal(date(text), '1961-07-14', text);
    for (const text of ['14-Jul-1961', '14 July 1961', 'Jul 14, 1961', 'July 14th, 1961', '14.07.1961', '14.7.1961'])
      assert.equal(date(text), '1961-07-14', text);
  });

  test('has day and month in the order of the country', () => {
    assert.equal(date('7/4/1961', 'US'), '1961-07-04');
    assert.equal(date('7/4/1961 12:00:00 AM', 'US'), '1961-07-04');
    for (const region of ['GB', 'DE', 'AU', 'FR', 'BR'] as const)
      assert.equal(date('7/4/1961', region), '1961-04-07', region);
    assert.equal(date('14/7/1961', 'US'), 'it is not a date');
    // In countries that write the year first, only some can be told.
    assert.equal(date('7/4/1961', 'JP'), 'its day and month could be swapped');
    assert.deepEqual([date('14/7/1961', 'JP'), date('7/14/1961', 'JP'), date('7/7/1961', 'JP')].sort(), [
      '1961-07-07',
      '1961-07-14',
      '1961-07-14',
    ]);
  });

  test('of two digits has the only century that is possible', () => {
    const now = new Date().getFullYear();
    const two = (year: number) => String(year % 100).padStart(2, '0');
    assert.equal(date('7/14/61'), '1961-07-14');
    assert.equal(date('14-Jul-61'), '1961-07-14');
    assert.equal(date(`1/2/${two(now - 115)}`), `${now - 15}-01-02`);
    assert.equal(date(`1/2/${two(now - 5)}`), 'its year could be in two centuries');
    assert.equal(date(`1/2/${two(now - 5)}`, 'US', 'clientAnniversary'), `${now - 5}-01-02`);
  });

  test('without a year is kept out, and never a date of 1604', () => {
    for (const text of ['--07-14', '--0714', '7/14', '14.07.', 'July 14', '14 Jul', '1604-07-14', '7/14/1604'])
      assert.equal(date(text), 'it has no year', text);
  });

  test('that programs write for nothing is nothing', () => {
    for (const text of ['0/0/00', '00/00/0000', '0000-00-00', '1/1/4501']) assert.equal(date(text), null, text);
  });

  test('that is none is reported', () => {
    for (const text of ['2/30/1961', '1961-02-30', '13/13/1961', '22476', 'soon', '1961', '1961-07', '7/14/196'])
      assert.equal(date(text), 'it is not a date', text);
    assert.equal(date('2/29/2024'), '2024-02-29');
  });
});

test('genders and marital statuses are read by number and word; Unspecified is nothing, anything else is reported', () => {
  assert.deepEqual(
    ['2', 'Female', 'f', 'FEMALE'].map((text) => readEnumeration('gender', text)),
    Array(4).fill({ value: 2 }),
  );
  assert.deepEqual(
    ['Married', '2'].map((text) => readEnumeration('maritalStatus', text)),
    Array(2).fill({ value: 2 }),
  );
  assert.deepEqual(readEnumeration('maritalStatus', 'Domestic partner'), { value: 6 });
  for (const text of ['Unspecified', 'n/a', '-', 'none']) assert.equal(readEnumeration('gender', text), null, text);
  assert.deepEqual(readEnumeration('gender', 'dragon'), { why: 'it is not a gender we know' });
  assert.deepEqual(readEnumeration('maritalStatus', '7'), { why: 'it is not a marital status we know' });
});

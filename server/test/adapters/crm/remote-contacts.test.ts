import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { refusal, remoteContact } from '../../../src/adapters/crm/remote-contacts.ts';

suite('a contact of a CRM', () => {
  const person = { firstName: ' Ann ', lastName: 'Smith' };
  const accepted = (
    fields: Record<string, unknown>,
    remoteContactId: unknown = '1',
    remoteContactUrl: unknown = null,
  ) => {
    const contact = remoteContact({ remoteContactId, remoteContactUrl, fields });
    return 'refused' in contact ? contact.refused : contact;
  };

  test('is accepted with trimmed fields, without those that contacts don’t have', () => {
    const given = {
      ...person,
      phone: '+12125550123',
      gender: 2,
      city: ' ',
      state: null,
      source: 2,
      __proto__: { city: 'x' },
    };
    assert.deepEqual(accepted(given), {
      remoteContactId: '1',
      remoteContactUrl: null,
      locator: '1',
      version: null,
      fields: { firstName: 'Ann', lastName: 'Smith', phone: '+12125550123', gender: 2 },
      leftOut: [],
    });
  });

  test('leaves out and names every field that breaks a rule, including those that another error hides', () => {
    const contact = accepted({
      ...person,
      firstName: 'x'.repeat(201),
      nickname: 'nul\0',
      address1: 'lone \ud800',
      phone: '555',
      birthDate: '1961-02-30',
      maritalStatus: 'complicated',
      emailAddress: ['a@example.org'],
    });
    assert.ok(typeof contact === 'object');
    assert.deepEqual(contact.fields, { lastName: 'Smith' });
    assert.deepEqual(contact.leftOut.sort(), [
      'address1: must not contain an unpaired surrogate, which is half of a character.',
      'birthDate: must be a real date as YYYY-MM-DD.',
      'emailAddress: must be a string or null.',
      'firstName: must have at most 200 characters.',
      'maritalStatus: must be one of the numbers 0, 1, 2, 3, 4, 5, 6.',
      'nickname: must not contain NUL (U+0000).',
      'phone: must be a phone number in E.164: a plus sign, a digit 1-9, then 7 to 14 more digits.',
    ]);
  });

  test('needs a name, an email address or a phone, and a valid id', () => {
    for (const fields of [
      { firstName: 'Ann' },
      { lastName: 'Smith' },
      { emailAddress: 'a@b.c' },
      { phone: '+12125550123' },
    ])
      assert.ok(typeof accepted(fields) === 'object');
    assert.match(
      String(accepted({ city: 'Springfield', phone: '1' })),
      /^It has no valid name, email address or phone number\. phone: must be/,
    );
    for (const id of ['x', '😀'.repeat(500)]) assert.ok(typeof accepted(person, id) === 'object');
    for (const id of ['', '😀'.repeat(501), 'nul\0', 'lone \udc00', 8051, null, {}])
      assert.match(String(accepted(person, id)), /^Its id must be 1 to 500 characters/);
  });

  test('has a web address or none', () => {
    const pages: [unknown, string | null][] = [
      ['https://crm.example/8051?tab=1', 'https://crm.example/8051?tab=1'],
      ['http://crm.example/ä', 'http://crm.example/%C3%A4'],
      ['javascript:alert(1)', null],
      ['data:text/html,x', null],
      ['crm.example/8051', null],
      [`https://crm.example/${'x'.repeat(481)}`, null],
      [8051, null],
    ];
    for (const [given, expected] of pages) {
      const contact = accepted(person, '1', given);
      assert.equal(typeof contact === 'object' && contact.remoteContactUrl, expected, String(given));
    }
  });

  test('that is refused is named in one line, whatever its name contains', () => {
    assert.deepEqual(refusal({ what: `a\nb\u2028c\x1b[31m${'x'.repeat(300)}` }, 'it is not a vCard'), {
      what: `a b c [31m${'x'.repeat(190)}…`,
      why: 'It is not a vCard.',
    });
  });
});

import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { remoteContact } from '../../../src/adapters/crm/https-lookup.ts';

suite('a contact of a CRM', () => {
  const person = { firstName: ' Ann ', lastName: 'Smith' };
  const accepted = (
    fields: Record<string, unknown>,
    remoteContactId: unknown = '1',
    remoteContactUrl: unknown = null,
  ) => remoteContact({ remoteContactId, remoteContactUrl, fields });

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
      fields: { firstName: 'Ann', lastName: 'Smith', phone: '+12125550123', gender: 2 },
    });
  });

  test('leaves out every field that breaks a rule, including those that another error hides', () => {
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
    assert.deepEqual(contact?.fields, { lastName: 'Smith' });
  });

  test('needs a valid id', () => {
    for (const id of ['x', '😀'.repeat(500)]) assert.ok(accepted(person, id));
    for (const id of ['', '😀'.repeat(501), 'nul\0', 'lone \udc00', 8051, null, {}])
      assert.equal(accepted(person, id), null);
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
    for (const [given, expected] of pages)
      assert.equal(accepted(person, '1', given)?.remoteContactUrl, expected, String(given));
  });
});

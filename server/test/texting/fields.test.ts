import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fillFields } from '../../src/domain/texting/fields.ts';

const cases: [text: string, person: Parameters<typeof fillFields>[1], filled: string, missing: string[]][] = [
  ['Hi {firstName}!', { firstName: 'Ana' }, 'Hi Ana!', []],
  ['Hi {firstName|there}!', { firstName: 'Ana' }, 'Hi Ana!', []],
  ['Hi {firstName|there}!', { firstName: '  ' }, 'Hi there!', []],
  ['Hi{nickname|}!', {}, 'Hi!', []],
  ['Hi {firstName} {lastName}!', { lastName: null }, 'Hi {firstName} {lastName}!', ['firstName', 'lastName']],
  ['{firstName}, {firstName}', {}, '{firstName}, {firstName}', ['firstName']],
  ['{amount|5} {{firstName}} {firstname}', { firstName: 'Ana' }, '{amount|5} {Ana} {firstname}', []],
  ['{firstName|$& $1}', {}, '$& $1', []],
  ['{firstName}', { firstName: '{lastName}', lastName: 'Smith' }, '{lastName}', []],
];
for (const [text, person, filled, missing] of cases)
  test(`${text} for ${JSON.stringify(person)}`, () =>
    assert.deepEqual(fillFields(text, person), { text: filled, missing }));

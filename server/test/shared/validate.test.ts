import assert from 'node:assert/strict';
import { globSync } from 'node:fs';
import { suite, test } from 'node:test';
import { Ajv2020 } from 'ajv/dist/2020.js';
import fc from 'fast-check';
import { Type } from 'typebox';
import { carrierKinds } from '../../src/adapters/carriers/kinds.ts';
import { validator } from '../../src/schemas/shared/validate.ts';
import { rounds } from '../support/rounds.ts';

const dated = validator(Type.Object({ date: Type.String({ format: 'date' }) }));
const free = validator(Type.Object({ texts: Type.Record(Type.String(), Type.Array(Type.String())) }));

const isUsable = (date: string) => !('broken' in dated({ date }));

suite('a date', () => {
  test('is real if the calendar has it', () => {
    const digits = (length: number, max: number) =>
      fc.nat({ max }).map((number) => String(number).padStart(length, '0'));
    const year = fc.oneof(digits(4, 9999), fc.constantFrom('1900', '2000', '2023', '2024', '2100'));
    fc.assert(
      fc.property(year, digits(2, 14), digits(2, 33), (...parts) => {
        const text = parts.join('-');
        assert.equal(isUsable(text), parts[0] !== '0000' && isReal(text), text);
      }),
      { numRuns: rounds(20_000) },
    );
  });

  test('is real in February only up to the last day of that year', () => {
    const found = ['1900', '2000', '2023', '2024'].map((year) => [
      isUsable(`${year}-02-28`),
      isUsable(`${year}-02-29`),
    ]);
    assert.deepEqual(found, [
      [true, false],
      [true, true],
      [true, false],
      [true, true],
    ]);
  });
});

suite('a text that can’t be stored', () => {
  test('is named by its path, however deep it is', () => {
    for (const text of ['\0', 'a\0b', '\ud83d', '\ude00x']) {
      const result = free({ texts: { fine: ['a', 'b'], wrong: ['c', text] } });
      assert.ok('broken' in result);
      assert.deepEqual(
        result.broken.map(({ path, rule }) => [path, rule]),
        [['/texts/wrong/1', 'wellFormed']],
      );
    }
    assert.ok(!('broken' in free({ texts: { fine: ['😀', ''] } })));
  });
});

test('every schema is a valid one, which nothing checks where it is used', async () => {
  const ajv = new Ajv2020();
  const folder = new URL('../../src/schemas/', import.meta.url);
  let count = 0;
  for (const file of globSync('*/*.ts', { cwd: folder }))
    for (const [name, schema] of Object.entries(await import(new URL(file, folder).href)))
      if (typeof schema === 'object' && schema !== null && 'type' in schema) {
        count += 1;
        assert.ok(ajv.validateSchema(schema), `${file} ${name}: ${ajv.errorsText()}`);
      }
  assert.ok(count > 40);
  for (const [name, { schema }] of Object.entries(carrierKinds))
    assert.ok(ajv.validateSchema(schema), `settings of ${name}: ${ajv.errorsText()}`);
});

function isReal(text: string): boolean {
  try {
    return Temporal.PlainDate.from(text, { overflow: 'reject' }).toString() === text;
  } catch {
    return false;
  }
}

import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import fc from 'fast-check';
import { searchText, searchWords } from '../../src/domain/shared/text/folding.ts';
import { queryKeys, searchKeys } from '../../src/store/address-book/search-keys.ts';
import { rounds } from '../support/rounds.ts';

const name = fc.oneof(
  fc.string({ unit: fc.constantFrom(...'abcdeñÉß李😀0123456789 -’."\\\'+=,{}') }),
  fc.string({ unit: 'grapheme' }),
);
const phone = fc.option(fc.stringMatching(/^\+[1-9][0-9]{7,14}$/));
const text = fc
  .tuple(name, name, name, phone)
  .map(([first, last, email, number]) => searchText([first, last, email.replaceAll(' ', '@')], number));

suite('the keys of a search', () => {
  test('never exclude a contact that has words with these beginnings', () => {
    const words = fc.tuple(text, fc.array(fc.tuple(fc.nat(), fc.nat()), { minLength: 1, maxLength: 3 }));
    fc.assert(
      fc.property(words, ([given, cuts]) => {
        const all = given.split(' ').filter((word) => word !== '');
        fc.pre(all.length > 0);
        const beginnings = cuts.map(([which, length]) => {
          const word = [...(all[which % all.length] ?? '')];
          return word.slice(0, 1 + (length % word.length)).join('');
        });
        const keys = new Set(searchKeys(given));
        assert.deepEqual(
          queryKeys(beginnings).filter((key) => !keys.has(key)),
          [],
        );
      }),
      { numRuns: rounds(2_000) },
    );
    assert.deepEqual(queryKeys(searchWords('x'.repeat(500) + ' 1'.repeat(200))).length <= 32, true);
  });
});

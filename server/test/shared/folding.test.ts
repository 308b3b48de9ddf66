import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import fc from 'fast-check';
import { fold, searchText, searchWords } from '../../src/domain/shared/text/folding.ts';

/** Like the store's `like '% word%'`. */
function finds(search: string, texts: string[], phone?: string): boolean {
  const text = searchText(texts, phone);
  return searchWords(search).every((word) => text.includes(` ${word}`));
}

suite('folded text', () => {
  test('has each word of a search once, however often it is repeated', () => {
    assert.deepEqual(searchWords('Ann ann  ÁNN smith'), ['ann', 'smith']);
    assert.ok(searchWords('ﷺ'.repeat(500)).length <= 5);
    const many = searchWords(`${'a b c d e f g h i j k l m n o p '.repeat(9)} smith`);
    assert.deepEqual([many.length, many[0]], [10, 'smith'], 'the longest count');
  });

  test('has no case and no accents', () => {
    for (const [written, folded] of [
      ['ÉCLAIR', 'eclair'],
      ['Zoë Łukasz', 'zoe lukasz'],
      ['Straße', 'strasse'],
      ['STRASSE', 'strasse'],
      ['ẞ', 'ss'],
      ['Søren Ærø', 'soren aero'],
      ['İstanbul ıstanbul', 'istanbul istanbul'],
      ['ﬁ', 'fi'],
      ['Ａｎｎ', 'ann'],
      ['Nguyễn', 'nguyen'],
      ['Οδυσσεύς ΟΔΥΣΣΕΥΣ', 'οδυσσευσ οδυσσευσ'],
      ['王小明', '王小明'],
    ] as const)
      assert.equal(fold(written), folded);
  });

  test('is the same for composed and decomposed letters', () => {
    assert.equal(fold('e\u0301'), fold('\u00e9'));
  });

  test('doesn’t change when it is folded again', () => {
    fc.assert(fc.property(fc.string({ unit: 'grapheme' }), (text) => assert.equal(fold(fold(text)), fold(text))));
  });
});

suite('a search', () => {
  test('matches each word at the beginning of a word, in any order', () => {
    for (const search of ['ann', 'AN', 'smi', 'smith ann', 'ann smith', 'a s', '  ann  ', ''])
      assert.ok(finds(search, ['Ann', 'Smith']), search);
  });

  test('does not find a word in the middle of another', () => {
    for (const search of ['mith', 'nn', 'ann smithe', 'bob', 'ann bob'])
      assert.ok(!finds(search, ['Ann', 'Smith']), search);
  });

  test('finds the parts of an email address and of a double name', () => {
    const texts = ['Mary-Jane', "O'Hara", 'ann.smith@example.org'];
    for (const search of ['jane', 'hara', "o'h", 'ann.smith@example.org', 'smith@ex', 'example', 'org', 'mary-j'])
      assert.ok(finds(search, texts), search);
    for (const search of ['xample', 'mith@', 'ary']) assert.ok(!finds(search, texts), search);
  });

  test('finds a phone number by its digits, starting anywhere, in any notation', () => {
    for (const search of ['+12125550123', '12125550123', '2125550123', '(212)', '212-555', '0123', '555-0123', '+1'])
      assert.ok(finds(search, ['Ann'], '+12125550123'), search);
    for (const search of ['2124', '+44', '01234']) assert.ok(!finds(search, ['Ann'], '+12125550123'), search);
  });

  test('treats a word that looks like part of a phone number as one, even in a name', () => {
    assert.ok(finds('10-4', ['Unit 10-4']));
    assert.ok(finds('3rd', ['3rd']));
  });

  test('finds the parts of a long name by their first characters', () => {
    const name = `${'ann.'.repeat(50)}smith.${'😀'.repeat(100)}`;
    for (const search of ['smith', `smith.${'😀'.repeat(20)}`, 'ann.ann.smith', name])
      assert.ok(finds(search, [name]), search);
    assert.ok(searchText([name]).isWellFormed());
    // Each part isn't kept with all that follows it: 200 brackets would be 60,000 characters.
    assert.ok(searchText(['⑴'.repeat(200)]).length < 20_000);
  });

  test('finds every contact by its own names', () => {
    const name = fc.string({ unit: 'grapheme', minLength: 1 });
    fc.assert(
      fc.property(name, name, (firstName, lastName) => {
        assert.ok(finds(`${firstName} ${lastName}`, [firstName, lastName]));
      }),
    );
  });
});

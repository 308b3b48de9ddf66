import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import fc from 'fast-check';
import { hasControlCharacters, isBlank, listedText } from '../../src/domain/shared/text/text-rules.ts';
import { cpuMs } from '../support/cpu.ts';

suite('a blank text', () => {
  test('has only whitespace, zero-width and format characters', () => {
    for (const text of [
      '',
      ' ',
      '\t\r\n',
      '\u00a0\u2003\u202f\u3000',
      '\u2028\u2029',
      '\u200b\u200c\u200d',
      '\u2060\ufeff',
      '\u00ad',
      '\u200e\u200f\u202e\u2066',
      '\ufe0f',
      '\u3164\u115f',
      '\u{e0041}\u{e007f}',
      ' \u200b \ufeff\n',
    ])
      assert.ok(isBlank(text), JSON.stringify(text));
  });

  test('has nothing visible', () => {
    for (const text of ['a', '.', '\u200ba', '\n\n-\n', '👍', '👩‍👧', '❤️', '王', '1\ufe0f\u20e3'])
      assert.ok(!isBlank(text), JSON.stringify(text));
  });
});

suite('control characters', () => {
  const every = Array.from({ length: 0xa0 }, (_, code) => String.fromCharCode(code)).filter(
    (each) => each < ' ' || each > '~',
  );

  test('are C0, DEL and C1: all 65 except tab, line feed and carriage return', () => {
    assert.equal(every.length, 65);
    for (const each of every)
      assert.equal(hasControlCharacters(`a${each}b`), !'\t\n\r'.includes(each), JSON.stringify(each));
  });

  test('are nothing else', () => {
    const others = fc.array(fc.string({ unit: 'binary', maxLength: 1 }).filter((each) => !every.includes(each)));
    fc.assert(fc.property(others, (each) => assert.ok(!hasControlCharacters(each.join('')))));
  });
});

test('a long hostile text is checked in no time', async () => {
  const [spaces, letters] = [' \u200b'.repeat(50_000), 'a\n'.repeat(50_000)];
  const tookMs = await cpuMs(() => [isBlank(spaces), hasControlCharacters(letters)]);
  assert.ok(tookMs < 2_000, `${tookMs} ms`);
});

suite('a text in a list', () => {
  const before = 'a'.repeat(3_190);

  test('is whole as long as any of ours', () => {
    const text = '🙂'.repeat(1_600);
    assert.equal(listedText(text), text);
  });

  test('is cut before digits that the cut would split, whatever stands between them', () => {
    for (const number of [
      '4111 1111 1111 1111',
      '4111-1111-1111-1111',
      '4111\n.1111_1111/1111',
      '４１１１１１１１１１１１１１１１',
    ])
      assert.equal(listedText(`${before} ${number} and more`), `${before}…`, number);
    assert.equal(listedText('4'.repeat(39_000)), '…');
    assert.equal(listedText(`${before} at 3 I call you again`), `${before} at 3 I ca…`);
  });
});

import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { plainLetters } from '../../src/domain/shared/text/letters.ts';

test('letters that look like Latin letters are read as these', () => {
  const looks = {
    ЅТОР: 'stop',
    ѕtор: 'stop',
    ꜱᴛᴏᴘ: 'stop',
    ＳＴＯＰ: 'stop',
    𝐒𝐓𝐎𝐏: 'stop',
    'ⓈⓉⓄⓅ': 'stop',
    ΣΤΟΠ: 'stop',
    'straße, Łódź, Ærø': 'strasse, lodz, aero',
    'no más': 'no mas',
    'ST\u200bOP': 'stop',
  };
  for (const [text, plain] of Object.entries(looks)) assert.equal(plainLetters(text), plain);
});

test('other scripts and digits stay as they are', () => {
  for (const text of ['王小明', 'こんにちは', '401k', '5%']) assert.equal(plainLetters(text), text);
});

test('ASCII is read as other texts are', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme-ascii' }), (text) => {
      assert.equal(plainLetters(text), text.toLowerCase());
      assert.equal(plainLetters(`${text}\u200b`), text.toLowerCase());
    }),
  );
});

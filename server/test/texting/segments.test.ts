import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import fc from 'fast-check';
import { SegmentedMessage } from 'sms-segments-calculator';
import { type Segments, segmentsOf, splitText } from '../../src/domain/texting/segments.ts';
import { rounds } from '../support/rounds.ts';

const a = (count: number) => 'a'.repeat(count);
const basic =
  '@£$¥èéùìòÇ\nØø\rÅåΔ_ΦΓΛΩΠΨΣΘΞÆæßÉ !"#¤%&\'()*+,-./0123456789:;<=>?¡ABCDEFGHIJKLMNOPQRSTUVWXYZÄÖÑÜ§¿abcdefghijklmnopqrstuvwxyzäöñüà';

const cases: [about: string, text: string, encoding: Segments['encoding'], segments: number][] = [
  ['no text', '', 'GSM-7', 1],
  ['one letter', 'a', 'GSM-7', 1],
  ['the whole basic set', basic, 'GSM-7', 1],
  ['160 letters', a(160), 'GSM-7', 1],
  ['161 letters', a(161), 'GSM-7', 2],
  ['306 letters, twice 153', a(306), 'GSM-7', 2],
  ['307 letters', a(307), 'GSM-7', 3],
  ['459 letters', a(459), 'GSM-7', 3],
  ['460 letters', a(460), 'GSM-7', 4],
  ['1,600 letters', a(1600), 'GSM-7', 11],
  ['an extension character, counted twice: 158 + 2', `${a(158)}€`, 'GSM-7', 1],
  ['an extension character, counted twice: 159 + 2', `${a(159)}€`, 'GSM-7', 2],
  ['80 braces', '{}'.repeat(40), 'GSM-7', 1],
  ['81 braces', `${'{}'.repeat(40)}{`, 'GSM-7', 2],
  ['every extension character', '[\\]^{|}~€', 'GSM-7', 1],
  ['an escape that would be split across two segments', `${a(152)}€${a(152)}`, 'GSM-7', 3],
  ['the same escape one place earlier', `${a(151)}€${a(153)}`, 'GSM-7', 2],
  ['70 units', `ő${a(69)}`, 'UCS-2', 1],
  ['71 units', `ő${a(70)}`, 'UCS-2', 2],
  ['134 units, twice 67', `ő${a(133)}`, 'UCS-2', 2],
  ['135 units', `ő${a(134)}`, 'UCS-2', 3],
  ['a curly apostrophe in 160 characters', `It’s ${a(155)}`, 'UCS-2', 3],
  ['35 emoji', '😀'.repeat(35), 'UCS-2', 1],
  ['36 emoji', '😀'.repeat(36), 'UCS-2', 2],
  ['an emoji that would be split across two segments', `${a(66)}😀${a(66)}`, 'UCS-2', 3],
  ['the same emoji one place earlier', `${a(65)}😀${a(67)}`, 'UCS-2', 2],
  ['1,600 emoji, 33 per segment', '😀'.repeat(1600), 'UCS-2', 49],
  ['a family of four, 11 units, kept whole', `${a(60)}👨‍👩‍👧‍👦${a(60)}`, 'UCS-2', 3],
  ['a heart with its variation selector', `${a(68)}❤️`, 'UCS-2', 1],
  ['a flag kept whole', `${a(64)}🇺🇸${a(66)}`, 'UCS-2', 3],
  ['an extension character counted once in UCS-2', `ő${'€'.repeat(69)}`, 'UCS-2', 1],
  ['CR LF as two characters: 158 + 2', `${a(158)}\r\n`, 'GSM-7', 1],
  ['CR LF as two characters: 159 + 2', `${a(159)}\r\n`, 'GSM-7', 2],
  ['CR LF across the split', `${a(152)}\r\n${a(152)}`, 'GSM-7', 2],
  ['CR LF in UCS-2', `ő${a(68)}\r\n`, 'UCS-2', 2],
  ['a tab, which GSM-7 lacks', 'a\tb', 'UCS-2', 1],
  ['a backtick, which GSM-7 lacks', '`', 'UCS-2', 1],
  ['ç, which GSM-7 has only as a capital', 'ç', 'UCS-2', 1],
  ['é as e and a combining accent', 'e\u0301', 'UCS-2', 1],
  ['é as one character', 'é', 'GSM-7', 1],
  ['a no-break space, which is not replaced by a space', 'a\u00a0b', 'UCS-2', 1],
  ['Han', '王'.repeat(71), 'UCS-2', 2],
  ['letters, an extension character, Greek, a line break and an emoji', `Hi {Ann}\n€5 Δ ${a(52)}😀`, 'UCS-2', 1],
];

const rooms = {
  'GSM-7': { alone: 160, joined: 153, escapes: true },
  'UCS-2': { alone: 70, joined: 67, escapes: false },
};

suite('segments', () => {
  for (const [about, text, encoding, segments] of cases)
    test(about, () => {
      assert.deepEqual(segmentsOf(text), { encoding, segments });
      assert.deepEqual(segmentsByLibrary(text), { encoding, segments });
      const split = splitText(text, rooms[encoding]);
      assert.equal(split.length, segments);
      assert.equal(split.join(''), text);
    });

  test('a character that is longer than a segment is split between code points', () => {
    const accents = `e${'\u0301'.repeat(100)}`;
    const split = splitText(accents, rooms['UCS-2']);
    assert.deepEqual(
      split.map(({ length }) => length),
      [67, 34],
    );
    assert.deepEqual(segmentsOf(accents), { encoding: 'UCS-2', segments: 2 });
    assert.deepEqual(segmentsOf('\u0301'.repeat(1_600)), { encoding: 'UCS-2', segments: 24 });
  });

  const pieces = {
    basic: fc.constantFrom(...basic),
    extension: fc.constantFrom(...'[\\]^{|}~€'),
    others: fc.constantFrom('’', '–', 'ő', 'ç', '\t', '`', '王', '😀', '🎂', '✓', '₿', '\u00a0', '\r\n'),
    joining: fc.constantFrom('❤️', '👍🏽', '👨‍👩‍👧‍👦', '🇺🇸', 'e\u0301', '각', 'की', '\u200b', '1️⃣'),
  };
  const { basic: plain, extension, others, joining } = pieces;
  for (const [about, piece] of [
    ['the basic set', plain],
    ['the basic set and the extension', fc.oneof({ weight: 9, arbitrary: plain }, extension)],
    ['the above and other characters', fc.oneof({ weight: 9, arbitrary: plain }, extension, others)],
    ['the above and characters that combine', fc.oneof({ weight: 9, arbitrary: plain }, extension, others, joining)],
  ] as const)
    test(`match the library’s count for texts of ${about}`, () => {
      const text = fc.array(piece, { maxLength: 400, size: 'max' }).map((each) => each.join(''));
      fc.assert(
        fc.property(text, (each) => assert.deepEqual(segmentsOf(each), segmentsByLibrary(each))),
        { numRuns: rounds(60) },
      );
    });

  test('are as many as a carrier that splits here gets, whatever the characters', () => {
    const text = fc.string({ unit: 'binary', maxLength: 400, size: 'max' });
    fc.assert(
      fc.property(text, (each) => {
        const { encoding, segments } = segmentsOf(each);
        const split = splitText(each, rooms[encoding]);
        assert.equal(split.length, segments);
        assert.equal(split.join(''), each);
      }),
      { numRuns: rounds(300) },
    );
  });
});

/** Automatic encoding, but no "smart encoding", since texts go out exactly as given. */
function segmentsByLibrary(text: string): Segments {
  const message = new SegmentedMessage(text, 'auto', false);
  return { encoding: message.encodingName === 'GSM-7' ? 'GSM-7' : 'UCS-2', segments: message.segmentsCount };
}

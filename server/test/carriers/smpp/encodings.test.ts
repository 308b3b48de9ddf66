import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import fc from 'fast-check';
import { PDU } from 'smpp';
import { readText } from '../../../src/adapters/carriers/smpp/codec/alphabets.ts';
import { submitBody } from '../../../src/adapters/carriers/smpp/codec/bodies.ts';
import { partsOf } from '../../../src/adapters/carriers/smpp/codec/parts.ts';
import { commands, pduBytes } from '../../../src/adapters/carriers/smpp/codec/pdu.ts';
import { type SmppOptions, settingsOf } from '../../../src/adapters/carriers/smpp/options.ts';
import { segmentsOf } from '../../../src/domain/texting/segments.ts';
import { rounds } from '../../support/rounds.ts';
import { ours, person } from './esme.ts';

const a = (count: number) => 'a'.repeat(count);
const hexA = (count: number) => '61'.repeat(count);
const ucsA = (count: number) => '0061'.repeat(count);
const joinedBy = 0x01ab;

const settings = (options: Partial<SmppOptions> = {}) =>
  settingsOf({ name: 'test', hosts: [{ host: 'localhost', port: 1 }], systemId: '', password: '', ...options });

/** Our PDUs, read by the `smpp` package. */
function readBySmpp(text: string, options: Partial<SmppOptions> = {}) {
  return partsOf({ from: ours, to: person, text, kind: 'text' }, joinedBy, settings(options)).map((part) => {
    const bytes = pduBytes({ command: commands.submit_sm, status: 0, sequence: 1, body: submitBody(part) });
    const pdu = PDU.fromBuffer(bytes) as PDU & {
      short_message: { message: string; udh?: Buffer[] };
      message_payload?: { message: string };
    };
    return {
      octets: part.octets.toString('hex'),
      dataCoding: pdu.data_coding,
      text: (pdu.message_payload ?? pdu.short_message).message,
      header: pdu.short_message.udh?.map((element) => element.toString('hex')).join() ?? '',
      pdu,
    };
  });
}

const gsm7 = 0;
const latin1 = 3;
const ucs2 = 8;
const header = (of: number, number: number) => `050003ab0${of}0${number}`;

const cases: [about: string, text: string, dataCoding: number, octets: string[]][] = [
  ['letters', 'Hi', gsm7, ['4869']],
  ['@ and $, which differ from ASCII', '@$_', gsm7, ['000211']],
  ['every extension character', '^{}\\[~]|€', gsm7, ['1b141b281b291b2f1b3c1b3d1b3e1b401b65']],
  ['accents and Greek', 'Éàß ΔΩ', gsm7, ['1f7f1e201015']],
  ['a line break', 'a\r\nb', gsm7, ['610d0a62']],
  ['160 letters', a(160), gsm7, [hexA(160)]],
  ['161 letters', a(161), gsm7, [header(2, 1) + hexA(153), header(2, 2) + hexA(8)]],
  ['the euro sign as the 160th septet', `${a(158)}€`, gsm7, [`${hexA(158)}1b65`]],
  [
    'an escape pair that would be split',
    `${a(152)}€${a(20)}`,
    gsm7,
    [header(2, 1) + hexA(152), `${header(2, 2)}1b65${hexA(20)}`],
  ],
  [
    'the same pair one place earlier',
    `${a(151)}€${a(20)}`,
    gsm7,
    [`${header(2, 1)}${hexA(151)}1b65`, header(2, 2) + hexA(20)],
  ],
  ['a character that GSM-7 lacks', 'ç', ucs2, ['00e7']],
  ['70 units', `ő${a(69)}`, ucs2, [`0151${ucsA(69)}`]],
  ['71 units', `ő${a(70)}`, ucs2, [`${header(2, 1)}0151${ucsA(66)}`, header(2, 2) + ucsA(4)]],
  ['an emoji', '😀', ucs2, ['d83dde00']],
  [
    'a surrogate pair that would be split',
    `${a(66)}😀${a(9)}`,
    ucs2,
    [header(2, 1) + ucsA(66), `${header(2, 2)}d83dde00${ucsA(9)}`],
  ],
  [
    'the same pair one place earlier',
    `${a(65)}😀${a(9)}`,
    ucs2,
    [`${header(2, 1)}${ucsA(65)}d83dde00`, header(2, 2) + ucsA(9)],
  ],
  [
    'a family that stays whole',
    `${a(60)}👨‍👩‍👧‍👦${a(9)}`,
    ucs2,
    [header(2, 1) + ucsA(60), `${header(2, 2)}d83ddc68200dd83ddc69200dd83ddc67200dd83ddc66${ucsA(9)}`],
  ],
];

suite('texts in octets', () => {
  for (const [about, text, dataCoding, octets] of cases)
    test(`${about}, byte for byte`, () => {
      const parts = readBySmpp(text);
      assert.deepEqual(
        parts.map((part) => part.octets),
        octets,
      );
      assert.ok(parts.every((part) => part.dataCoding === dataCoding));
      assert.equal(parts.map((part) => part.text).join(''), text);
    });

  test('any text is read by the smpp package as it was, in as many parts as are counted', () => {
    const piece = fc.constantFrom(...'aZ0 @€{}[]~|^\\éÉßΔ\n', 'ç', 'ő', '’', '😀', '👨‍👩‍👧‍👦', '🇺🇸', '❤️', '王');
    const someText = fc.array(piece, { minLength: 1, maxLength: 330, size: 'max' }).map((each) => each.join(''));
    fc.assert(
      fc.property(someText, fc.constantFrom('udh8', 'sar', 'payload', 'udh16'), (text, longTexts) => {
        const parts = readBySmpp(text, { longTexts });
        assert.equal(parts.map((part) => part.text).join(''), text);
        const { segments } = segmentsOf(text);
        if (longTexts === 'udh8' || longTexts === 'sar') assert.equal(parts.length, segments);
        if (longTexts === 'payload') assert.equal(parts.length, 1);
      }),
      { numRuns: rounds(150) },
    );
  });

  test('long texts go with a 16-bit reference, SAR parameters or as one payload', () => {
    const [wide] = readBySmpp(a(161), { longTexts: 'udh16' });
    assert.equal(wide?.octets, `06080401ab0201${hexA(152)}`);
    const [first, second] = readBySmpp(a(161), { longTexts: 'sar' });
    assert.equal(first?.octets, hexA(153));
    const sar = (pdu?: PDU) => [pdu?.sar_msg_ref_num, pdu?.sar_total_segments, pdu?.sar_segment_seqnum];
    assert.deepEqual(
      [sar(first?.pdu), sar(second?.pdu)],
      [
        [joinedBy, 2, 1],
        [joinedBy, 2, 2],
      ],
    );
    const [payload] = readBySmpp(a(161), { longTexts: 'payload' });
    assert.deepEqual([payload?.octets, payload?.text], ['', a(161)]);
    assert.equal(readBySmpp(a(160), { longTexts: 'payload' })[0]?.octets, hexA(160));
  });

  test('Latin-1 is used only where the SMSC takes it', () => {
    const [part] = readBySmpp('façade', { latin1: true });
    assert.deepEqual([part?.dataCoding, part?.octets, part?.text], [latin1, '6661e7616465', 'façade']);
    assert.equal(readBySmpp('façade')[0]?.dataCoding, ucs2);
    assert.equal(readBySmpp('fácade €', { latin1: true })[0]?.dataCoding, ucs2);
    const long = `ç${a(140)}`;
    assert.deepEqual(
      readBySmpp(long, { latin1: true }).map(({ octets }) => octets.length / 2),
      [140, 13],
    );
  });

  test('a default alphabet that isn’t GSM-7 has only the characters that both have', () => {
    const coding = (text: string, defaultAlphabet: 'latin1' | 'ascii') => {
      const [part] = readBySmpp(text, { defaultAlphabet });
      return [part?.dataCoding, part?.octets];
    };
    assert.deepEqual(coding('@é', 'latin1'), [0, '40e9']);
    assert.deepEqual(coding('Δ', 'latin1'), [ucs2, '0394']);
    assert.deepEqual(coding('@', 'ascii'), [0, '40']);
    assert.deepEqual(coding('é', 'ascii'), [ucs2, '00e9']);
  });

  test('the last 16 bits of our reference go with the text', () => {
    const text = { from: ours, to: person, text: 'Hi', kind: 'text', reference: 0x12345 } as const;
    const [part] = partsOf(text, joinedBy, settings());
    assert.ok(part);
    const bytes = pduBytes({ command: commands.submit_sm, status: 0, sequence: 1, body: submitBody(part) });
    assert.equal((PDU.fromBuffer(bytes) as PDU).user_message_reference, 0x2345);
  });

  const readings: [about: string, hex: string, dataCoding: number, text: string][] = [
    ['GSM-7 with an escape', '001b6521', 0, '@€!'],
    ['GSM-7 with a message class', '001b65', 0xf1, '@€'],
    ['GSM-7 with a class of the general group', '001b65', 0x11, '@€'],
    ['UCS-2 for the screen alone', '00530054004f0050', 0x18, 'STOP'],
    ['UCS-2 that the phone deletes once it is read', '00530054004f0050', 0x48, 'STOP'],
    ['octets with a class, all kept', '00ff41', 0x15, '\u0000ÿA'],
    ['something compressed, all kept', '00ff41', 0x38, '\u0000ÿA'],
    ['an escape that nobody knows', '1b41', 0, ' A'],
    ['ASCII', '4024', 1, '@$'],
    ['Latin-1', '66e7', 3, 'fç'],
    ['UCS-2 with a surrogate pair', 'd83dde000021', 8, '😀!'],
    ['UCS-2 that was cut in a character', '0061d83d', 8, 'a\ufffd'],
    ['UCS-2 of an odd length', '006100', 8, 'a\ufffd'],
    ['Cyrillic', 'bfe0d8d2d5e2', 6, 'Привет'],
    ['octets of no known alphabet, all kept', '00ff41', 4, '\u0000ÿA'],
  ];
  for (const [about, hex, dataCoding, text] of readings)
    test(`a reply in ${about} is read`, () => {
      assert.equal(readText(Buffer.from(hex, 'hex'), dataCoding, settings()), text);
    });
});

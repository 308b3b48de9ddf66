import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { tags } from '../../../src/adapters/carriers/smpp/codec/fields.ts';
import { acceptedId, receiptIds } from '../../../src/adapters/carriers/smpp/sending/message-ids.ts';
import { readReceipt } from '../../../src/adapters/carriers/smpp/sending/receipt-texts.ts';

const spellings: [about: string, text: string, id: string, state: string | null, code?: string][] = [
  [
    'the specification’s',
    'id:0123456789 sub:001 dlvrd:001 submit date:0610201234 done date:0610201235 stat:DELIVRD err:000 text:Hello',
    '0123456789',
    'delivered',
  ],
  ['capitals', 'ID:7F STAT:UNDELIV ERR:034 TEXT:', '7F', 'undelivered', 'UNDELIV 034'],
  ['small letters', 'id:7f stat:delivrd', '7f', 'delivered'],
  ['another order', 'stat:EXPIRED err:0a1 id:abc', 'abc', 'undelivered', 'EXPIRED 0a1'],
  ['underscores', 'id:1 submit_date:2610201234 done_date:2610201235 stat:DELETED', '1', 'undelivered', 'DELETED'],
  ['equal signs and commas', 'id=1,stat=REJECTD,err=11', '1', 'undelivered', 'REJECTD 11'],
  ['spaces after the colons', 'id: 1 stat: DELIVRD err: 000', '1', 'delivered'],
  ['whole words', 'id:1 stat:UNDELIVERABLE', '1', 'undelivered', 'UNDELIV'],
  ['a whole word', 'id:1 stat:DELIVERED', '1', 'delivered'],
  ['a failure', 'id:1 stat:FAILED', '1', 'undelivered', 'UNDELIV'],
  ['accepted on the way', 'id:1 stat:ACCEPTD', '1', null],
  ['en route', 'id:1 stat:ENROUTE', '1', null],
  ['unknown', 'id:1 stat:UNKNOWN', '1', null],
  ['a word that nobody knows', 'id:1 stat:SIDEWAYS', '1', null],
  ['a text that looks like fields', 'id:1 stat:DELIVRD text:id:2 stat:UNDELIV', '1', 'delivered'],
  [
    'a UUID',
    'id:2f1c4b9e-62a3-4a52-9a52-0a1d8a3b6a10 stat:DELIVRD',
    '2f1c4b9e-62a3-4a52-9a52-0a1d8a3b6a10',
    'delivered',
  ],
];

const none = new Map<number, Buffer>();

suite('receipts', () => {
  for (const [about, text, id, state, code] of spellings)
    test(`are read in a spelling with ${about}`, () => {
      const read = readReceipt(text, none);
      assert.deepEqual([read?.messageId, read?.state], [id, state]);
      if (code) assert.equal(read?.code, code);
    });

  test('are read from parameters alone', () => {
    const parameters = new Map([
      [tags.receipted_message_id, Buffer.from('77\0')],
      [tags.message_state, Buffer.of(5)],
      [tags.network_error_code, Buffer.of(3, 0, 27)],
    ]);
    assert.deepEqual(readReceipt('', parameters), {
      messageId: '77',
      state: 'undelivered',
      code: 'UNDELIV 027',
      beginning: null,
    });
  });

  test('say what is final, if the parameter and the text differ', () => {
    const state = (number: number) =>
      readReceipt('id:1 stat:DELIVRD', new Map([[tags.message_state, Buffer.of(number)]]))?.state;
    assert.deepEqual([state(1), state(5), state(7)], ['delivered', 'undelivered', 'delivered']);
  });

  test('without an id or a state are none', () => {
    for (const text of ['', 'stat:DELIVRD', 'id:1', 'Hello', 'id: stat:DELIVRD'])
      assert.equal(readReceipt(text, none), null, text);
  });

  test('have the id of the answer, in hexadecimal or decimal, with zeros or without', () => {
    const match = (spelling: 'hex' | 'decimal' | 'same', inAnswer: string, inReceipt: string) =>
      receiptIds(inReceipt, spelling)[0] === acceptedId(inAnswer, spelling);
    assert.ok(match('hex', '1A2B3C', '1715004'));
    assert.ok(match('hex', '001a2b3c', '0001715004'));
    assert.ok(match('decimal', '1715004', '1A2B3C'));
    assert.ok(match('decimal', '0001715004', '001a2b3c'));
    assert.ok(match('same', 'x-1', 'x-1'));
    assert.ok(!match('same', '10', '16'));
    // More than 64 bits.
    assert.ok(match('hex', 'ffffffffffffffffff', '4722366482869645213695'));
  });
});

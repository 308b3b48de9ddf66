import assert from 'node:assert/strict';
import { after, afterEach, before, suite, test } from 'node:test';
import type { SmppOptions } from '../../../src/adapters/carriers/smpp/options.ts';
import { until } from '../../support/waiting.ts';
import { type Esme, ours, person, startEsme } from './esme.ts';
import { type Smsc, startSmsc } from './smsc.ts';

const ok = 0;
const tryAgain = 0x64;
const fromPerson = {
  source_addr_ton: 1,
  source_addr: '12125550123',
  dest_addr_ton: 1,
  destination_addr: '15005552000',
};

suite('replies through an SMSC', () => {
  let smsc: Smsc;
  let esme: Esme;
  before(async () => {
    smsc = await startSmsc();
  });
  after(() => smsc.stop());
  afterEach(() => esme.stop());

  async function start(options?: Partial<SmppOptions>): Promise<void> {
    esme = startEsme(smsc.port, options);
    await esme.bound();
  }
  const texts = () => esme.replies.map(({ text }) => text);
  const part = (reference: number, of: number, number: number, text: string) =>
    smsc.deliver({
      ...fromPerson,
      esm_class: 0x40,
      short_message: { udh: { hex: udh(reference, of, number) }, message: text },
    });
  const udh = (...three: number[]) => `050003${Buffer.from(three).toString('hex')}`;

  test('a reply is confirmed once the domain has taken it', async () => {
    await start();
    esme.domain.fault = new Error('The database is down.');
    assert.equal(await smsc.deliver({ ...fromPerson, short_message: 'STOP' }), tryAgain);
    esme.domain.fault = null;
    assert.equal(await smsc.deliver({ ...fromPerson, short_message: 'STOP' }), ok);
    assert.equal(esme.replies.length, 1);
    const [{ from, to, text, incomplete } = {}] = esme.replies;
    assert.deepEqual([from, to, text, incomplete], [person, ours, 'STOP', undefined]);
    assert.deepEqual(esme.status().replies, { taken: 1, failed: 1, incomplete: 0 });
  });

  test('a reply is from the time that the clock of consents shows, also one in parts', async () => {
    const tomorrow = new Date(Date.now() + 86_400_000);
    await start({ now: () => tomorrow });
    await smsc.deliver({ ...fromPerson, short_message: 'ACCEPT' });
    await Promise.all([part(7, 2, 1, 'ACC'), part(7, 2, 2, 'EPT')]);
    assert.deepEqual(
      esme.replies.map(({ text, sentAt }) => [text, sentAt]),
      Array(2).fill(['ACCEPT', tomorrow]),
    );
  });

  test('a repeat has the id of the first delivery; the same words written again don’t', async () => {
    await start();
    const stop = { ...fromPerson, short_message: 'STOP' };
    esme.domain.fault = new Error('The commit’s answer was lost.');
    await smsc.deliver(stop);
    esme.domain.fault = null;
    await smsc.deliver(stop);
    await smsc.deliver(stop);
    await smsc.deliver({ ...fromPerson, short_message: 'START' });
    await smsc.deliver(stop);
    assert.deepEqual(texts(), ['STOP', 'STOP', 'START', 'STOP']);
    const [failed, repeated, ...others] = esme.offered;
    assert.equal(repeated, failed);
    assert.equal(new Set([repeated, ...others]).size, 4);
  });

  test('a START that comes again after a STOP is as old as its first delivery; a STOP counts again', async () => {
    let minute = 0;
    await start({ now: () => new Date(minute++ * 60_000) });
    const say = (short_message: string) => smsc.deliver({ ...fromPerson, short_message });
    for (const text of ['START', 'STOP']) {
      esme.domain.fault = new Error('The commit’s answer was lost.');
      await say(text);
      esme.domain.fault = null;
    }
    for (const text of ['START', 'STOP', 'START', 'STOP', 'START', 'Hi']) await say(text);
    assert.deepEqual(
      esme.replies.map(({ text, sentAt }) => [text, sentAt.getTime() / 60_000]),
      [
        ['START', 0],
        ['STOP', 0],
        // The SMSC knows that it was taken, so somebody wrote this.
        ['START', 2],
        ['STOP', 3],
        ['START', 4],
        ['Hi', 5],
      ],
    );
    assert.equal(new Set(esme.offered).size, 8);
  });

  test('a reply whose confirmation was lost with the connection has its id when it comes again', async () => {
    await start();
    const stop = { ...fromPerson, short_message: 'STOP' };
    await smsc.deliver(stop);
    await smsc.drop();
    await until('it is bound again', async () => (await smsc.binds()).length === 1 && isBound());
    await smsc.deliver(stop);
    const [first, second] = esme.replies.map(({ carrierMessageId }) => carrierMessageId);
    assert.equal(first, second);
  });
  const isBound = () => esme.status().connections.some(({ state }) => state === 'bound');

  test('a reply by data_sm, in a payload, in UCS-2', async () => {
    await start();
    const payload = { message_payload: { message: 'Ça va 😀' }, data_coding: 8 };
    assert.equal(await smsc.deliver({ ...fromPerson, ...payload }, 'data_sm'), ok);
    assert.deepEqual(texts(), ['Ça va 😀']);
  });

  test('parts in any order and twice are one reply, each confirmed once the whole is taken', async () => {
    await start({ times: { partHoldMs: 20_000 } });
    const third = part(9, 3, 3, 'three');
    const first = part(9, 3, 1, 'one ');
    const again = part(9, 3, 3, 'three');
    await until('they wait', () => esme.status().connections.length === 1);
    assert.deepEqual(texts(), []);
    const second = part(9, 3, 2, 'two ');
    assert.deepEqual(await Promise.all([third, first, again, second]), [ok, ok, ok, ok]);
    assert.deepEqual(texts(), ['one two three']);
    assert.equal(await part(9, 3, 2, 'two '), ok);
    assert.equal(esme.replies.length, 1);
  });

  test('an SMSC that sends one at a time repeats a part, and nothing is lost or doubled', async () => {
    await start();
    assert.equal(await part(10, 2, 1, 'one '), tryAgain);
    assert.equal(await part(10, 2, 2, 'two'), ok);
    assert.equal(await part(10, 2, 1, 'one '), ok);
    assert.deepEqual(texts(), ['one two']);
  });

  test('parts that stay alone are handed on as incomplete, and confirmed when they are repeated', async () => {
    await start({ times: { joinMs: 1_500 } });
    const both = [part(11, 3, 3, 'the end'), part(11, 3, 1, 'It begins … ')];
    assert.deepEqual(await Promise.all(both), [tryAgain, tryAgain]);
    await until('it was given up', () => esme.replies.length === 1);
    assert.deepEqual(texts(), ['It begins … the end']);
    assert.deepEqual(esme.replies[0]?.incomplete, { received: 2, of: 3 });
    assert.equal(await part(11, 3, 3, 'the end'), ok);
    assert.equal(esme.status().replies.incomplete, 1);
  });

  test('a part that comes while the others are being handed on is not lost', async () => {
    await start({ times: { joinMs: 100 } });
    const { promise, resolve } = Promise.withResolvers<void>();
    esme.domain.until = promise;
    assert.equal(await part(14, 2, 1, 'one '), tryAgain);
    await until('it is being handed on', () => esme.domain.waiting === 1);
    assert.equal(await part(14, 2, 2, 'two'), tryAgain);
    resolve();
    await until('both were handed on', () => esme.replies.length === 2);
    assert.deepEqual(texts(), ['one ', 'two']);
  });

  test('a receipt is read as ASCII, whatever texts are', async () => {
    await start();
    const text = Buffer.from('id:a_1$ stat:DELIVRD').toString('hex');
    assert.equal(await smsc.deliver({ ...fromPerson, esm_class: 4, short_message: { hex: text } }), ok);
    assert.equal(esme.receipts[0]?.carrierMessageId, 'a_1$');
  });

  test('parts of another text with the same reference end the first one', async () => {
    await start();
    assert.equal(await part(12, 2, 1, 'first '), tryAgain);
    assert.equal(await part(12, 2, 1, 'second '), tryAgain);
    assert.equal(await part(12, 2, 2, 'text'), ok);
    await until('both were handed on', () => esme.replies.length === 2);
    assert.deepEqual(texts().sort(), ['first ', 'second text']);
  });

  test('parts with SAR parameters, whose split went through a character', async () => {
    await start({ times: { partHoldMs: 20_000 } });
    const sar = (number: number, hex: string) =>
      smsc.deliver({
        ...fromPerson,
        data_coding: 8,
        sar_msg_ref_num: 500,
        sar_total_segments: 2,
        sar_segment_seqnum: number,
        short_message: { hex },
      });
    assert.deepEqual(await Promise.all([sar(2, 'de000021'), sar(1, '0048d83d')]), [ok, ok]);
    assert.deepEqual(texts(), ['H😀!']);
  });

  test('parts in different alphabets are each read in their own', async () => {
    await start({ times: { partHoldMs: 20_000 } });
    const inAlphabet = (number: number, data_coding: number, hex: string) =>
      smsc.deliver({
        ...fromPerson,
        data_coding,
        esm_class: 0x40,
        short_message: { hex: `${udh(15, 3, number)}${hex}` },
      });
    await Promise.all([inAlphabet(3, 0, '21'), inAlphabet(2, 8, 'd83dde00'), inAlphabet(1, 0, '48691b65')]);
    assert.deepEqual(texts(), ['Hi€😀!']);
  });

  test('a text that only looks like a receipt is a reply, unless the SMSC marks none', async () => {
    await start();
    const forged = { ...fromPerson, short_message: 'id:1 stat:UNDELIV' };
    await smsc.deliver(forged);
    assert.deepEqual(texts(), ['id:1 stat:UNDELIV']);
    assert.equal(esme.receipts.length, 0);
    await esme.stop();
    await start({ unmarkedReceipts: true });
    await smsc.deliver(forged);
    assert.deepEqual(texts(), []);
    assert.equal(esme.receipts[0]?.status, 'undelivered');
  });

  test('numbers arrive in E.164, whatever their type', async () => {
    await start();
    const from = async (ton: number, digits: string, options?: Partial<SmppOptions>) => {
      if (options) {
        await esme.stop();
        await start(options);
      }
      await smsc.deliver({ ...fromPerson, source_addr_ton: ton, source_addr: digits, short_message: 'Hi' });
      return esme.replies.at(-1)?.from;
    };
    assert.equal(await from(1, '12125550123'), person);
    assert.equal(await from(0, '12125550123'), person);
    assert.equal(await from(0, '+12125550123'), person);
    assert.equal(await from(2, '2125550123'), person);
    assert.equal(await from(3, '24365'), '24365');
    assert.equal(await from(5, 'BANK'), 'BANK');
    assert.equal(await from(0, '2125550123'), person);
    assert.equal(await from(2, '12125550123'), person);
    assert.equal(await from(0, '4791234567'), '+4791234567');
    assert.equal(await from(0, '2125550123', { unknownType: 'national' }), person);
    assert.equal(await from(0, '12125550123'), person);
    assert.equal(await from(2, '7911123456', { callingCode: '44' }), '+447911123456');
    assert.equal(await from(0, '2125550123'), '+2125550123');
  });
});

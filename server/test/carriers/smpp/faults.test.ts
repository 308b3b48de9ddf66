import assert from 'node:assert/strict';
import type { Socket } from 'node:net';
import { suite, type TestContext, test } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import fc from 'fast-check';
import { PDU } from 'smpp';
import { readMessage } from '../../../src/adapters/carriers/smpp/codec/bodies.ts';
import { PduFault, pduReader } from '../../../src/adapters/carriers/smpp/codec/pdu.ts';
import type { SmppOptions } from '../../../src/adapters/carriers/smpp/options.ts';
import { rounds } from '../../support/rounds.ts';
import { until } from '../../support/waiting.ts';
import { startEsme } from './esme.ts';
import { type ReceiveRaw, rawPdu, startRawSmsc } from './raw-smsc.ts';

const deliver = 0x05;
const submitAnswer = 0x80000004;
const genericNack = 0x80000000;

const answer = (pdu: PDU, socket: Socket, message_id = `id-${pdu.sequence_number}`) =>
  void socket.write(pdu.response({ message_id }).toBuffer());

suite('an SMSC that misbehaves', () => {
  async function start(t: TestContext, receive: ReceiveRaw, options?: Partial<SmppOptions>) {
    const smsc = await startRawSmsc(receive);
    t.after(() => smsc.stop());
    const esme = startEsme(smsc.port, options);
    t.after(() => esme.stop());
    await esme.bound();
    const connection = (index: number) => smsc.connections[index] ?? assert.fail(`no connection ${index}`);
    return { smsc, esme, connection, write: (bytes: Buffer) => connection(0).socket.write(bytes) };
  }
  /** It answers every text on the second connection, so that recovery shows. */
  const onSecond: ReceiveRaw = (pdu, socket, connection) => {
    if (pdu.command === 'submit_sm' && connection > 0) answer(pdu, socket);
  };

  for (const [about, bytes] of [
    ['garbage', Buffer.from('GET / HTTP/1.1\r\nHost: smsc\r\n\r\n')],
    ['a PDU of four gigabytes', rawPdu({ length: 0xffffffff, command: deliver })],
    ['a PDU that is too long', rawPdu({ length: 70_001, command: deliver })],
    ['a PDU shorter than its header', rawPdu({ length: 15, command: deliver })],
    ['a PDU of no length', rawPdu({ length: 0, command: deliver })],
  ] as const)
    test(`${about} ends the connection with a generic_nack; the text in flight is in doubt, the next goes`, async (t) => {
      const { esme, connection, write } = await start(t, onSecond);
      const lost = assert.rejects(esme.submit({}));
      await until('the text arrived', () => connection(0).pdus.length === 2);
      write(bytes);
      await lost;
      await until('it was told', () => connection(0).pdus.at(-1)?.command === 'generic_nack');
      await esme.bound();
      assert.ok('accepted' in (await esme.submit({})));
    });

  test('a receipt right behind the response is known at once, and told after the response', async (t) => {
    const numbers = {
      source_addr: '12125550123',
      source_addr_ton: 1,
      destination_addr: '15005552000',
      dest_addr_ton: 1,
    };
    const short_message =
      'id:7 sub:001 dlvrd:001 submit date:2611160000 done date:2611160000 stat:DELIVRD err:000 text:';
    const receipt = new PDU('deliver_sm', { ...numbers, esm_class: 4, short_message, sequence_number: 1 });
    const { esme } = await start(
      t,
      (pdu, socket) => {
        if (pdu.command !== 'submit_sm') return;
        socket.write(Buffer.concat([pdu.response({ message_id: '7' }).toBuffer(), receipt.toBuffer()]));
      },
      // It doesn't wait for a response that may come later.
      { times: { earlyMs: -1 } },
    );
    const before = await esme.submit({}).then((answer) => ({ answer, offered: esme.offered.length }));
    assert.deepEqual(before, { answer: { accepted: '7' }, offered: 0 });
    await until('the receipt was told', () => esme.receipts.length === 1);
    const [{ carrierMessageId, status } = {}] = esme.receipts;
    assert.deepEqual([carrierMessageId, status], ['7', 'delivered']);
    const { delivered, unmatched } = esme.status().receipts;
    assert.deepEqual([delivered, unmatched], [1, 0]);
  });

  test('an unknown command gets a generic_nack, and the connection goes on', async (t) => {
    const { esme, connection, write } = await start(t, (pdu, socket) => {
      if (pdu.command === 'submit_sm') answer(pdu, socket);
    });
    write(rawPdu({ command: 0x00abcdef, sequence: 77 }));
    await until('it was told', () => connection(0).pdus.at(-1)?.command === 'generic_nack');
    const nack = connection(0).pdus.at(-1);
    assert.deepEqual([nack?.sequence_number, nack?.command_status], [77, 0x03]);
    assert.ok('accepted' in (await esme.submit({})));
  });

  test('a message whose body makes no sense is refused, and the connection goes on', async (t) => {
    const { esme, connection, write } = await start(t, (pdu, socket) => {
      if (pdu.command === 'submit_sm') answer(pdu, socket);
    });
    write(rawPdu({ command: deliver, sequence: 5, body: Buffer.from('no end') }));
    const tooLong = Buffer.concat([Buffer.alloc(17), Buffer.of(0x04, 0x24, 0xff, 0xff)]);
    write(rawPdu({ command: deliver, sequence: 6, body: tooLong }));
    await until('both were refused', () => connection(0).pdus.length === 3);
    assert.deepEqual(
      connection(0)
        .pdus.slice(1)
        .map(({ command, command_status }) => [command, command_status]),
      [
        ['deliver_sm_resp', 0x02],
        ['deliver_sm_resp', 0xc0],
      ],
    );
    assert.ok('accepted' in (await esme.submit({})));
  });

  test('a broken parameter doesn’t hide the text in front of it', async (t) => {
    const { esme, connection, write } = await start(t, () => {});
    const broken = Buffer.of(0x00, 0x0b, 0xff, 0xff, 1);
    const stop = Buffer.from('STOP');
    const inPayload = Buffer.concat([Buffer.alloc(17), Buffer.of(0x04, 0x24, 0, 4), stop, broken]);
    write(
      rawPdu({ command: deliver, sequence: 5, body: Buffer.concat([Buffer.alloc(16), Buffer.of(4), stop, broken]) }),
    );
    write(rawPdu({ command: deliver, sequence: 6, body: inPayload }));
    // Its payload may be behind what is broken.
    write(rawPdu({ command: deliver, sequence: 7, body: Buffer.concat([Buffer.alloc(17), broken]) }));
    await until('all were answered', () => connection(0).pdus.length === 4);
    const statuses = connection(0)
      .pdus.slice(1)
      .map(({ sequence_number, command_status }) => [sequence_number, command_status]);
    assert.deepEqual(statuses.sort(), [
      [5, 0],
      [6, 0],
      [7, 0xc0],
    ]);
    assert.deepEqual(
      esme.replies.map(({ text }) => text),
      ['STOP', 'STOP'],
    );
  });

  test('a response with a wrong sequence number or command answers nothing', async (t) => {
    const { esme } = await start(t, (pdu, socket) => {
      if (pdu.command !== 'submit_sm') return;
      socket.write(rawPdu({ command: submitAnswer, sequence: pdu.sequence_number + 1000, body: Buffer.from('x\0') }));
      socket.write(rawPdu({ command: 0x80000015, sequence: pdu.sequence_number }));
      answer(pdu, socket, 'right');
    });
    assert.deepEqual(await esme.submit({}), { accepted: 'right' });
  });

  test('a generic_nack to a text is a doubt, which its receipt settles', async (t) => {
    const { esme } = await start(t, (pdu, socket) => {
      if (pdu.command !== 'submit_sm') return;
      socket.write(rawPdu({ command: genericNack, status: 0x03, sequence: pdu.sequence_number }));
      const numbers = { source_addr: '12125550123', destination_addr: '15005552000', user_message_reference: 5 };
      const receipt = { ...numbers, esm_class: 4, short_message: 'id:5F stat:DELIVRD' };
      socket.write(new PDU('deliver_sm', { ...receipt, sequence_number: 1 }).toBuffer());
    });
    await assert.rejects(esme.submit({ reference: 5 }), /generic_nack/);
    await until('the receipt came', () => esme.receipts.length === 1);
    const [{ carrierMessageId, status, reference } = {}] = esme.receipts;
    assert.deepEqual([carrierMessageId, status, reference], ['5F', 'delivered', 5]);
  });

  test('a generic_nack that asks us to slow down is no doubt: the text was not taken', async (t) => {
    const { esme } = await start(t, (pdu, socket) => {
      if (pdu.command === 'submit_sm')
        socket.write(rawPdu({ command: genericNack, status: 0x58, sequence: pdu.sequence_number }));
    });
    const answer = await esme.submit({});
    assert.equal('notTaken' in answer && answer.notTaken, 'ESME_RTHROTTLED');
  });

  test('a response that comes twice counts once', async (t) => {
    const { esme } = await start(t, (pdu, socket) => {
      if (pdu.command === 'submit_sm') for (const id of ['one', 'two']) answer(pdu, socket, id);
    });
    assert.deepEqual(await esme.submit({}), { accepted: 'one' });
    assert.deepEqual(await esme.submit({}), { accepted: 'one' });
  });

  test('a response without an id accepts the text under an id of ours, which a receipt with our reference finds', async (t) => {
    const { esme } = await start(t, (pdu, socket) => {
      if (pdu.command !== 'submit_sm') return;
      socket.write(rawPdu({ command: submitAnswer, sequence: pdu.sequence_number }));
      const numbers = { source_addr: '12125550123', destination_addr: '15005552000', user_message_reference: 5 };
      const receipt = { ...numbers, esm_class: 4, short_message: 'id:5F stat:DELIVRD' };
      socket.write(new PDU('deliver_sm', { ...receipt, sequence_number: 1 }).toBuffer());
    });
    const submission = await esme.submit({ reference: 5 });
    assert.ok('accepted' in submission && submission.accepted.startsWith('unnamed-'), JSON.stringify(submission));
    await until('the receipt came', () => esme.receipts.length === 1);
    assert.equal(esme.receipts[0]?.carrierMessageId, submission.accepted);
  });

  test('a half-open connection is noticed by its silence, and made again', async (t) => {
    const { esme, smsc } = await start(t, onSecond, { times: { enquireMs: 1_000, enquireResponseMs: 50 } });
    await assert.rejects(esme.submit({}), /enquire_link/);
    await until('it is bound again', () => smsc.connections.length >= 2);
  });

  test('a peer that leaves a text unanswered gets no more until it is heard', async (t) => {
    const times = { responseMs: 50, enquireResponseMs: 3_000, beginMs: 150 };
    const { esme, connection } = await start(t, onSecond, { times });
    const lost = assert.rejects(esme.submit({}), /enquire_link/);
    await until('it was asked', () => connection(0).pdus.at(-1)?.command === 'enquire_link');
    assert.deepEqual(await esme.submit({}), { notTaken: 'window_full', unavailable: true });
    await lost;
    await esme.bound();
    assert.ok('accepted' in (await esme.submit({})));
    assert.equal(connection(0).pdus.filter(({ command }) => command === 'submit_sm').length, 1);
  });

  test('whatever it sends is read or refused, in any pieces', () => {
    const body = fc.uint8Array({ maxLength: 80 });
    const read = (bytes: Buffer, pieces: number) => {
      const reader = pduReader();
      const pdus = [];
      for (let at = 0; at < bytes.length; at += pieces) pdus.push(...reader(bytes.subarray(at, at + pieces)));
      for (const command of [0x05, 0x103]) for (const pdu of pdus) orFault(() => readMessage({ ...pdu, command }));
      return pdus.length;
    };
    const orFault = (work: () => unknown) => {
      try {
        work();
      } catch (error) {
        assert.ok(error instanceof PduFault, String(error));
      }
    };
    fc.assert(
      fc.property(fc.array(body, { minLength: 1, maxLength: 5 }), fc.integer({ min: 1, max: 99 }), (bodies, pieces) => {
        const bytes = Buffer.concat(bodies.map((each) => rawPdu({ command: deliver, body: Buffer.from(each) })));
        assert.equal(read(bytes, pieces), bodies.length);
        orFault(() => read(Buffer.concat(bodies), pieces));
      }),
      { numRuns: rounds(300) },
    );
  });

  test('a PDU in single bytes, and many in one piece, are read', async (t) => {
    const { esme, connection, write } = await start(t, () => {});
    const body = Buffer.concat([
      Buffer.from('\0\x01\x0112125550123\0\x01\x0115005552000\0'),
      Buffer.alloc(9),
      Buffer.of(2, 0x48, 0x69),
    ]);
    const pdu = rawPdu({ command: deliver, sequence: 9, body });
    for (const byte of pdu) {
      write(Buffer.of(byte));
      await new Promise(setImmediate);
    }
    write(Buffer.concat(Array(50).fill(pdu)));
    await until('all were confirmed', () => connection(0).pdus.length === 52);
    assert.equal(esme.replies.length, 51);
    assert.ok(esme.replies.every(({ text }) => text === 'Hi'));
  });

  test('a peer that doesn’t read gets no more than the window, and is let go when it asks on', async (t) => {
    const { esme, connection } = await start(t, () => {}, { window: 4, times: { beginMs: 100, stopMs: 10 } });
    const { socket } = connection(0);
    socket.pause();
    const answers = await Promise.allSettled([
      ...Array.from({ length: 20 }, () => Promise.race([esme.submit({}), pause(300, 'waits')])),
    ]);
    const waiting = answers.filter((each) => each.status === 'fulfilled' && each.value === 'waits');
    assert.equal(waiting.length, 4);
    const ask = rawPdu({ command: 0x15 });
    const many = Buffer.concat(Array(10_000).fill(ask));
    for (let bytes = 0; bytes < 200_000_000 && !socket.destroyed; bytes += many.length) {
      if (esme.status().connections[0]?.lastFault) break;
      if (!socket.write(many)) await Promise.race([new Promise((resolve) => socket.once('drain', resolve)), pause(50)]);
    }
    await until('it was let go', () => esme.status().connections[0]?.lastFault === 'the peer reads nothing');
  });
});

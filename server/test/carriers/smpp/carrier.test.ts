import assert from 'node:assert/strict';
import { after, afterEach, before, beforeEach, suite, test } from 'node:test';
import type { SmppOptions } from '../../../src/adapters/carriers/smpp/options.ts';
import { until } from '../../support/waiting.ts';
import { type Esme, ours, person, startEsme } from './esme.ts';
import { type Smsc, type SubmittedText, startSmsc } from './smsc.ts';

const throttled = 0x58;
const queueFull = 0x14;
const invalidDestination = 0x0b;
const nothing: SubmittedText = { fields: {}, text: '', header: [], status: 0 };
const long = 'a'.repeat(161);

suite('texts to an SMSC', () => {
  let smsc: Smsc;
  let esme: Esme;
  let submittedBefore = 0;
  before(async () => {
    smsc = await startSmsc();
  });
  after(() => smsc.stop());
  beforeEach(async () => {
    submittedBefore = (await smsc.submitted()).length;
  });
  afterEach(async () => {
    await esme.stop();
    await smsc.behave();
  });

  async function start(options?: Partial<SmppOptions>): Promise<void> {
    esme = startEsme(smsc.port, options);
    await esme.bound();
  }
  const submitted = async () => (await smsc.submitted()).slice(submittedBefore);
  const receipts = (count: number) => until('the receipts came', () => esme.receipts.length === count);

  test('a text is accepted with the SMSC’s id, and its receipt says delivered', async () => {
    await start();
    await smsc.behave({ messageId: 'abc-1', receipt: 'abc-1' });
    assert.deepEqual(await esme.submit({ text: 'Grüße für 5 €', reference: 70_000 }), { accepted: 'abc-1' });
    await receipts(1);
    const about = { from: ours, to: person, reference: 70_000 % 65_536 };
    assert.deepEqual(esme.receipts[0], { carrierMessageId: 'abc-1', status: 'delivered', ...about });
    const [{ fields, text } = nothing] = await submitted();
    assert.equal(text, 'Grüße für 5 €');
    const { source_addr, source_addr_ton, dest_addr_npi, destination_addr, registered_delivery } = fields;
    assert.deepEqual(
      [source_addr, source_addr_ton, dest_addr_npi, destination_addr, registered_delivery],
      ['15005552000', 1, 1, '12125550123', 1],
    );
  });

  test('addresses go out with the types and the plus sign that the SMSC wants', async () => {
    await start({ source: { ton: 3, npi: 0 }, destination: { ton: 0, npi: 9 }, plusSign: true });
    await esme.submit({});
    const [{ fields } = nothing] = await submitted();
    assert.deepEqual(
      [fields.source_addr_ton, fields.source_addr_npi, fields.dest_addr_ton, fields.dest_addr_npi],
      [3, 0, 0, 9],
    );
    assert.deepEqual([fields.source_addr, fields.destination_addr], [ours, person]);
  });

  test('a receipt that overtakes the answer is matched with it', async () => {
    await start();
    await smsc.behave({ messageId: '00AB', receipt: '171', receiptFirst: false, pauseMs: 0 });
    await esme.submit({});
    await receipts(1);
    await smsc.behave({ messageId: '00AC', receipt: 'id:172 stat:UNDELIV err:007', receiptFirst: true, pauseMs: 100 });
    assert.deepEqual(await esme.submit({}), { accepted: '00AC' });
    await receipts(2);
    assert.deepEqual(
      esme.receipts.map(({ carrierMessageId, status, code }) => [carrierMessageId, status, code]),
      [
        ['00AB', 'delivered', undefined],
        ['00AC', 'undelivered', 'UNDELIV 007'],
      ],
    );
  });

  test('an id that means two texts in two spellings is the one to that person', async () => {
    await start();
    await smsc.behave({ messageId: '10' }, { messageId: '16' });
    await esme.submit({ to: '+12125550001' });
    await esme.submit({ to: '+12125550002' });
    // 0x10 is 16, which is also the other text's id.
    const receipt = { esm_class: 4, destination_addr: ours, short_message: 'id:16 stat:DELIVRD' };
    await smsc.deliver({ ...receipt, source_addr: '12125550001', source_addr_ton: 1 });
    assert.deepEqual(
      esme.receipts.map(({ carrierMessageId, to }) => [carrierMessageId, to]),
      [['10', '+12125550001']],
    );
  });

  test('an id that means two texts to one person is the one that it is spelled as', async () => {
    await start();
    await smsc.behave({ messageId: '10' }, { messageId: '16' });
    await esme.submit({});
    await esme.submit({});
    const receipt = { esm_class: 4, source_addr_ton: 1, source_addr: '12125550123', destination_addr: ours };
    await smsc.deliver({ ...receipt, short_message: 'id:16 stat:DELIVRD' });
    assert.equal(esme.receipts[0]?.carrierMessageId, '16');
  });

  test('an id that the SMSC uses again is the later text’s', async () => {
    await start();
    await smsc.behave({ messageId: '16' }, { messageId: '16' });
    await esme.submit({ reference: 1 });
    await esme.submit({ reference: 2 });
    const receipt = { esm_class: 4, source_addr_ton: 1, source_addr: '12125550123', destination_addr: ours };
    await smsc.deliver({ ...receipt, short_message: 'id:16 stat:DELIVRD' });
    assert.equal(esme.receipts[0]?.reference, 2);
  });

  test('steps on the way say nothing', async () => {
    await start();
    await smsc.behave({ messageId: 'e1', receipt: 'id:e1 stat:ENROUTE' });
    await esme.submit({});
    assert.equal(await smsc.deliver({ esm_class: 4, short_message: 'id:e1 stat:ACCEPTD' }), 0);
    assert.deepEqual(esme.receipts, []);
  });

  test('refusals have their reason, and the SMSC’s own errors the meaning that the operator gave them', async () => {
    await start({ statuses: { 1040: 'opted_out', 1041: 'landline' } });
    await smsc.behave({ status: invalidDestination }, { status: 0x45 }, { status: 0x410 }, { status: 0x411 });
    const answers = [];
    for (let each = 0; each < 4; each++) answers.push(await esme.submit({}));
    assert.deepEqual(answers, [
      { refused: 'unreachable', code: 'ESME_RINVDSTADR' },
      { refused: 'rejected', code: 'ESME_RSUBMITFAIL' },
      { refused: 'opted_out', code: '0x00000410' },
      { refused: 'landline', code: '0x00000411' },
    ]);
    assert.deepEqual(esme.status().refused, { unreachable: 1, rejected: 1, opted_out: 1, landline: 1 });
  });

  test('throttling slows the pace, and its texts were certainly not taken', async () => {
    await start();
    await Promise.all(Array.from({ length: 40 }, () => esme.submit({})));
    await smsc.behave({ status: throttled }, { status: queueFull });
    assert.deepEqual(await esme.submit({}), { notTaken: 'ESME_RTHROTTLED', unavailable: true });
    const { perSecond } = esme.status();
    assert.ok(perSecond !== null && perSecond <= 21, `${perSecond}`);
    assert.deepEqual(await esme.submit({}), { notTaken: 'ESME_RMSGQFUL', unavailable: true });
    assert.equal(esme.status().throttled, 2);
    const began = Date.now();
    for (let each = 0; each < 5; each++) await esme.submit({});
    assert.ok(Date.now() - began > 100, 'it was no slower');
  });

  test('two parts are one text: accepted once, delivered when both are', async () => {
    await start();
    await smsc.behave({ messageId: 'p1', receipt: 'p1' }, { messageId: 'p2' });
    assert.deepEqual(await esme.submit({ text: long }), { accepted: 'p1/2' });
    const receipt = { esm_class: 4, source_addr_ton: 1, source_addr: '12125550123', destination_addr: ours };
    assert.deepEqual(esme.receipts, []);
    await smsc.deliver({ ...receipt, short_message: 'id:p2 stat:DELIVRD' });
    await receipts(1);
    assert.deepEqual(esme.receipts[0], { carrierMessageId: 'p1/2', status: 'delivered', from: ours, to: person });
    const [first, second] = await submitted();
    assert.equal(`${first?.text}${second?.text}`, long);
  });

  test('a text is undelivered when one part is', async () => {
    await start();
    await smsc.behave({ messageId: 'q1', receipt: 'q1' }, { messageId: 'q2', receipt: 'id:q2 stat:EXPIRED' });
    await esme.submit({ text: long });
    await receipts(1);
    const about = { code: 'EXPIRED', from: ours, to: person };
    assert.deepEqual(esme.receipts[0], { carrierMessageId: 'q1/2', status: 'undelivered', ...about });
  });

  test('a first part that isn’t taken leaves nothing behind', async () => {
    await start();
    await smsc.behave({ status: throttled });
    assert.deepEqual(await esme.submit({ text: long }), { notTaken: 'ESME_RTHROTTLED', unavailable: true });
    assert.equal((await submitted()).length, 1);
  });

  test('a second part that is throttled is tried again; the first isn’t', async () => {
    await start();
    await Promise.all(Array.from({ length: 20 }, () => esme.submit({ to: '+12125559999' })));
    await smsc.behave({ messageId: 'r1' }, { status: throttled }, { messageId: 'r2' });
    submittedBefore = (await smsc.submitted()).length;
    assert.deepEqual(await esme.submit({ text: long }), { accepted: 'r1/2' });
    assert.deepEqual(
      (await submitted()).map(({ text }) => text.length),
      [153, 8, 8],
    );
  });

  test('a second part that is refused: part of the text left, and no more will', async () => {
    await start();
    await smsc.behave({ messageId: 's1' }, { status: 0x45 });
    const cutShort = { reason: 'rejected', code: 'ESME_RSUBMITFAIL', partsSent: 1, parts: 2 };
    assert.deepEqual(await esme.submit({ text: long }), { accepted: 's1/2', cutShort });
  });

  /** A text that lives until told otherwise, and how often it was heard to go on. */
  const course = () => ({
    over: false,
    steps: 0,
    isOver(): boolean {
      return this.over;
    },
    goesOn(): void {
      this.steps += 1;
    },
  });

  test('a second part is tried for as long as the text lives, whatever the carrier is short of', async () => {
    await start({ times: { beginMs: 200 } });
    const life = course();
    await smsc.behave({ messageId: 'l1' }, { status: throttled, times: 3 }, { messageId: 'l2' });
    const text = esme.carrier.submit({ from: ours, to: person, text: long, kind: 'text' }, life);
    await until('it was throttled', async () => (await submitted()).length >= 2);
    await smsc.drop();
    assert.deepEqual(await text, { accepted: 'l1/2' });
    assert.ok(life.steps >= 3, `${life.steps}`);
    const lengths = (await submitted()).map(({ text }) => text.length);
    assert.deepEqual([lengths[0], new Set(lengths.slice(1))], [153, new Set([8])], 'the first went once');
  });

  test('a text whose life ends in the middle is cut short, with the parts that were sent', async () => {
    await start();
    const life = course();
    await smsc.behave({ messageId: 'm1' }, { status: throttled, times: 1_000 });
    const text = esme.carrier.submit({ from: ours, to: person, text: long, kind: 'text' }, life);
    await until('it goes on', () => life.steps > 1);
    life.over = true;
    const cutShort = { reason: 'expired', code: 'ESME_RTHROTTLED', partsSent: 1, parts: 2 };
    assert.deepEqual(await text, { accepted: 'm1/2', cutShort });
  });

  test('while a long text has parts left, no other text of its number begins, and those of other numbers do', async () => {
    await start({ times: { beginMs: 10_000 } });
    const life = course();
    await smsc.behave({ messageId: 'n1' }, { status: throttled, to: '12125550123', times: 1_000 });
    const texts = [
      esme.carrier.submit({ from: ours, to: person, text: long, kind: 'text' }, life),
      esme.submit({ to: '+12125550004', text: 'behind it' }),
      esme.submit({ to: '+12125550004', text: 'next' }),
    ];
    await until('the first part was taken', () => life.steps > 0);
    await esme.submit({ from: '+15005552001', to: '+12125550005', text: 'of another number' });
    await smsc.behave();
    await Promise.all(texts);
    const order = (await submitted()).map(({ text }) => (/^a+$/.test(text) ? `part of ${text.length}` : text));
    assert.deepEqual(order.slice(-3), ['part of 8', 'behind it', 'next']);
    assert.ok(order.includes('of another number'));
  });

  test('a text that waits too long behind a long one was not taken', async () => {
    await start({ times: { beginMs: 200 } });
    const life = course();
    await smsc.behave({ messageId: 'o1' }, { status: throttled, times: 1_000 });
    const text = esme.carrier.submit({ from: ours, to: person, text: long, kind: 'text' }, life);
    await until('the first part was taken', () => life.steps > 0);
    assert.deepEqual(await esme.submit({ text: 'behind it' }), { notTaken: 'number_busy', unavailable: true });
    life.over = true;
    await text;
  });

  test('with one submission in four throttled, every long text arrives whole', async () => {
    await start();
    await smsc.behave({ every: 4, status: throttled, times: 1_000 });
    const texts = Array.from({ length: 3 }, (_, each) => `+1212555100${each}`);
    for (const to of texts) {
      let answer = await esme.carrier.submit({ from: ours, to, text: long, kind: 'text' }, course());
      while ('notTaken' in answer)
        answer = await esme.carrier.submit({ from: ours, to, text: long, kind: 'text' }, course());
      assert.ok('accepted' in answer && !answer.cutShort, JSON.stringify(answer));
    }
    const taken = (await submitted()).filter(({ status }) => status === 0);
    for (const to of texts)
      assert.deepEqual(
        taken.filter(({ fields }) => fields.destination_addr === to.slice(1)).map(({ text }) => text.length),
        [153, 8],
        to,
      );
  });

  test('a second part whose answer is lost: in doubt, and its receipts settle it', async () => {
    await start();
    await smsc.behave({ messageId: 't1' }, { drop: true });
    await assert.rejects(esme.submit({ text: long, reference: 7 }));
    await esme.bound();
    const receipt = { esm_class: 4, source_addr_ton: 1, source_addr: '12125550123', destination_addr: ours };
    await smsc.deliver({ ...receipt, short_message: 'id:t1 stat:DELIVRD' });
    assert.deepEqual(esme.receipts, []);
    await smsc.deliver({ ...receipt, short_message: 'id:t2 stat:DELIVRD', user_message_reference: 7 });
    const about = { from: ours, to: person, reference: 7 };
    assert.deepEqual(esme.receipts, [{ carrierMessageId: 't1/2', status: 'delivered', ...about }]);
    assert.equal((await submitted()).length, 2);
  });

  test('a bind that is lost in mid-window puts its texts in doubt, and none is sent again', async () => {
    await start({ window: 5 });
    await smsc.behave({ silent: true, times: 4 }, { drop: true });
    const all = await Promise.allSettled(Array.from({ length: 5 }, (_, each) => esme.submit({ reference: each })));
    assert.deepEqual(
      all.map(({ status }) => status),
      Array(5).fill('rejected'),
    );
    await esme.bound();
    assert.ok('accepted' in (await esme.submit({})));
    assert.equal((await submitted()).length, 6);
  });

  test('a receipt by our reference settles a doubt, and so does one that repeats the wording', async () => {
    await start();
    await smsc.behave({ drop: true }, { drop: true });
    await assert.rejects(esme.submit({ reference: 65_536 + 9, text: 'See you at nine tomorrow' }));
    await esme.bound();
    await assert.rejects(esme.submit({ reference: 10, text: 'See you at ten on Friday' }));
    await esme.bound();
    const receipt = { esm_class: 4, source_addr_ton: 1, source_addr: '12125550123', destination_addr: ours };
    await smsc.deliver({ ...receipt, short_message: 'id:u9 stat:DELIVRD', user_message_reference: 9 });
    await smsc.deliver({ ...receipt, short_message: 'id:u10 stat:UNDELIV err:001 text:See you at ten on Fr' });
    assert.deepEqual(
      esme.receipts.map(({ carrierMessageId, status, reference }) => [carrierMessageId, status, reference]),
      [
        ['u9', 'delivered', 9],
        ['u10', 'undelivered', 10],
      ],
    );
  });

  test('a repeated receipt settles no doubt about a later text with the same wording', async () => {
    await start();
    const text = 'Your statement is ready';
    await smsc.behave({ messageId: 'f1' }, { drop: true });
    await esme.submit({ text });
    const receipt = { esm_class: 4, source_addr_ton: 1, source_addr: '12125550123', destination_addr: ours };
    const delivered = (id: string) => smsc.deliver({ ...receipt, short_message: `id:${id} stat:DELIVRD text:${text}` });
    await delivered('f1');
    await assert.rejects(esme.submit({ text, reference: 10 }));
    await esme.bound();
    await delivered('f1');
    await delivered('f2');
    assert.deepEqual(
      esme.receipts.map(({ carrierMessageId, reference }) => [carrierMessageId, reference]),
      [
        ['f1', undefined],
        ['f1', undefined],
        ['f2', 10],
      ],
    );
  });

  test('a receipt that this node can’t match is handed on with all that it says', async () => {
    await start();
    const receipt = { esm_class: 4, source_addr_ton: 1, source_addr: '12125550123', destination_addr: ours };
    await smsc.deliver({ ...receipt, short_message: 'id:v1 stat:DELIVRD', user_message_reference: 77 });
    const about = { from: ours, to: person, reference: 77 };
    assert.deepEqual(esme.receipts, [{ carrierMessageId: 'v1', status: 'delivered', ...about }]);
    assert.equal(esme.status().receipts.unmatched, 1);
  });

  test('the network’s errors in receipts have the meaning that the operator gave them', async () => {
    await start({ receiptErrors: { '034': 'opted_out', '0a1': 'filtered' } });
    await smsc.behave({ messageId: 'o1', receipt: 'id:o1 stat:UNDELIV err:034' });
    await esme.submit({});
    await receipts(1);
    const receipt = { esm_class: 4, source_addr_ton: 1, source_addr: '12125550123', destination_addr: ours };
    await smsc.deliver({ ...receipt, short_message: 'id:o2 stat:UNDELIV err:0a1' });
    await smsc.deliver({ ...receipt, short_message: 'id:o3 stat:UNDELIV err:constructor' });
    await smsc.deliver({
      ...receipt,
      receipted_message_id: 'o4',
      message_state: 8,
      network_error_code: { hex: '030022' },
      short_message: '',
    });
    await smsc.deliver({ ...receipt, short_message: 'id:o5 stat:REJECTD err:035' });
    assert.deepEqual(
      esme.receipts.map(({ code, reason }) => [code, reason]),
      [
        ['UNDELIV 034', 'opted_out'],
        ['UNDELIV 0a1', 'filtered'],
        ['UNDELIV constructor', undefined],
        ['REJECTD 034', 'opted_out'],
        ['REJECTD 035', 'rejected'],
      ],
    );
  });

  test('a receipt that the domain can’t take is refused, so that the SMSC repeats it', async () => {
    await start();
    await smsc.behave({ messageId: 'w1' });
    await esme.submit({});
    const receipt = { esm_class: 4, source_addr_ton: 1, source_addr: '12125550123', destination_addr: ours };
    esme.domain.fault = new Error('The database is down.');
    assert.equal(await smsc.deliver({ ...receipt, short_message: 'id:w1 stat:DELIVRD' }), 0x64);
    esme.domain.fault = null;
    assert.equal(await smsc.deliver({ ...receipt, short_message: 'id:w1 stat:DELIVRD' }), 0);
    assert.equal(esme.receipts.length, 1);
  });

  test('a late answer still settles the text, and its place in the window is free before', async () => {
    await start({ window: 1, times: { responseMs: 100 } });
    await smsc.behave({ pauseMs: 400, messageId: 'x1' }, { messageId: 'x2' });
    const late = esme.submit({});
    assert.deepEqual(await esme.submit({}), { accepted: 'x2' });
    assert.deepEqual(await late, { accepted: 'x1' });
  });

  test('after a late answer the rest follows: part of the text has left', async () => {
    await start({ times: { responseMs: 100 } });
    await smsc.behave({ pauseMs: 300, messageId: 'y1' });
    assert.deepEqual(await esme.submit({ text: long }), { accepted: 'y1/2' });
    assert.equal((await submitted()).length, 2);
  });

  test('an answer that never comes is a doubt in the end', async () => {
    await start({ times: { responseMs: 50, lateMs: 50 } });
    await smsc.behave({ silent: true });
    await assert.rejects(esme.submit({}));
  });

  test('a receipt that comes instead of an answer accepts the text', async () => {
    await start({ times: { responseMs: 50, earlyMs: 20 } });
    await smsc.behave({ silent: true });
    const text = esme.submit({ reference: 12 });
    const receipt = { esm_class: 4, source_addr_ton: 1, source_addr: '12125550123', destination_addr: ours };
    await until('it waits', async () => (await submitted()).length === 1);
    await smsc.deliver({ ...receipt, short_message: 'id:z1 stat:DELIVRD', user_message_reference: 12 });
    assert.deepEqual(await text, { accepted: 'z1' });
    assert.equal(esme.receipts[0]?.carrierMessageId, 'z1');
  });

  for (const [about, drops] of [
    ['is never answered', false],
    ['loses its connection', true],
  ] as const)
    test(`a receipt with the text’s beginning that comes before the timeout settles a text that ${about}`, async () => {
      // The receipt must come before that, also on a busy machine.
      await start({ times: { responseMs: 1_500, earlyMs: 20 } });
      await smsc.behave({ silent: true });
      const text = esme.submit({ reference: 12, text: 'See you at ten on Friday' }).catch(() => 'in doubt');
      const receipt = { esm_class: 4, source_addr_ton: 1, source_addr: '12125550123', destination_addr: ours };
      await until('it waits', async () => (await submitted()).length === 1);
      // The SMSC isn't kept waiting, so a STOP behind it isn't either.
      assert.equal(
        await smsc.deliver({ ...receipt, short_message: 'id:b1 stat:DELIVRD err:000 text:See you at ten on Fr' }),
        0,
      );
      assert.deepEqual(esme.receipts, []);
      if (drops) await smsc.drop();
      assert.deepEqual(await text, drops ? 'in doubt' : { accepted: 'b1' });
      await receipts(1);
      assert.deepEqual(
        esme.receipts.map(({ carrierMessageId, status, reference }) => [carrierMessageId, status, reference]),
        [['b1', 'delivered', 12]],
      );
    });

  test('a receipt with the beginning of a text whose answer then comes with another id isn’t taken for its own', async () => {
    await start({ times: { responseMs: 5_000, earlyMs: 20 } });
    await smsc.behave({ messageId: 'mine', pauseMs: 300 });
    const text = esme.submit({ reference: 12, text: 'See you at ten on Friday' });
    const receipt = { esm_class: 4, source_addr_ton: 1, source_addr: '12125550123', destination_addr: ours };
    await until('it waits', async () => (await submitted()).length === 1);
    await smsc.deliver({ ...receipt, short_message: 'id:other stat:DELIVRD err:000 text:See you at ten on Fr' });
    assert.deepEqual(await text, { accepted: 'mine' });
    await receipts(1);
    assert.equal(esme.receipts[0]?.carrierMessageId, 'other');
    assert.equal(esme.status().receipts.unmatched, 1);
  });

  test('no more texts are out than the window allows; one that can’t begin in time was not taken', async () => {
    await start({ window: 3, times: { beginMs: 200 } });
    await smsc.behave({ pauseMs: 500, times: 3 });
    const answers = await Promise.all(Array.from({ length: 5 }, () => esme.submit({})));
    assert.equal(answers.filter((answer) => 'accepted' in answer).length, 3);
    assert.deepEqual(answers.slice(3), Array(2).fill({ notTaken: 'window_full', unavailable: true }));
    assert.equal((await submitted()).length, 3);
  });

  test('with no bind a text is not taken, at once', async () => {
    esme = startEsme(1);
    assert.deepEqual(await esme.submit({}), { notTaken: 'not_bound', unavailable: true });
  });
});

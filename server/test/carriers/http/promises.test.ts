import assert from 'node:assert/strict';
import { after, before, suite, test } from 'node:test';
import type { HttpCarrierEvent } from '../../../src/adapters/carriers/http/settings.ts';
import type { Carrier, DoubtfulText, OutgoingText } from '../../../src/domain/ports.ts';
import { monotonicTime } from '../../support/monotonic-time.ts';
import { freePort } from '../../support/programs.ts';
import { newPhone } from '../../support/texting.ts';
import { until } from '../../support/waiting.ts';
import { type Rule, type StandIn, startStandIn } from './stand-in.ts';
import { publicUrl, type Vendor, vendors } from './vendors.ts';

const from = '+15005552001';

for (const vendor of vendors) suite(`what a carrier over HTTP promises: ${vendor.name}`, () => promises(vendor));

function promises(vendor: Vendor): void {
  let standIn: StandIn;
  let carrier: Carrier;
  before(async () => {
    standIn = await startStandIn();
    carrier = vendor.open(standIn);
  });
  after(() => standIn.stop());

  let references = 70_000;
  function newText(some: Partial<OutgoingText> = {}): OutgoingText {
    return { from, to: newPhone(), text: 'Hello, it’s Ann 👋', kind: 'text', reference: ++references, ...some };
  }

  test('a text is taken once, with our number, our wording and our reference', async () => {
    const text = newText();
    const submission = await carrier.submit(text);
    const [taken, ...more] = await standIn.taken(text.to);
    assert.deepEqual(submission, { accepted: taken?.id });
    assert.deepEqual([taken?.from, taken?.to, taken?.text, more.length], [from, text.to, text.text, 0]);
    const asked = `${publicUrl}/carriers/main/calls?reference=${text.reference}`;
    assert.equal(taken?.callback, asked + (vendor.name === 'twilio' ? '#rc=5&rp=all' : ''));
  });

  for (const [code, status, becomes] of vendor.errors)
    test(`error ${code} with HTTP ${status} is ${JSON.stringify(becomes)}`, async () => {
      const text = newText();
      // A carrier of its own, since some errors slow it down.
      const own = vendor.open(standIn);
      await standIn.behave({ to: text.to, error: { code, status } });
      const more = 'refused' in becomes ? { code } : { unavailable: true };
      assert.deepEqual(await own.submit(text), { ...becomes, ...more });
      // One number's full queue says nothing about the others'.
      assert.equal(own.status?.().throttled, ['20429', '10011'].includes(code) ? 1 : 0);
      assert.deepEqual([await standIn.requests(text.to), (await standIn.taken(text.to)).length], [1, 0]);
    });

  test('wrong credentials take no text, and the status says so', async () => {
    const own = vendor.open(standIn, { credential: 'wrong' });
    const answer = await own.submit(newText());
    assert.ok('notTaken' in answer);
    const [connection] = own.status?.().connections ?? [];
    assert.deepEqual([connection?.state, connection?.lastFault], ['waiting', answer.notTaken]);
  });

  const doubtful: [string, Rule, taken: number][] = [
    ['an answer that is lost', { does: 'lose' }, 1],
    ['a connection that closes before anything is taken', { does: 'drop' }, 0],
    ['a 500 before taking it', { does: 'fail' }, 0],
    ['a 500 after taking it', { does: 'fail_after_taking' }, 1],
    ['a 503 that says nothing of a retry', { does: 'busy' }, 0],
    ['a request that took too long there', { error: { code: '10008', status: 408 } }, 0],
    ['a page of some proxy', { does: 'page' }, 0],
    ['an answer without an id', { does: 'no_id' }, 1],
    ['an answer that is too late', { waits: true }, 1],
  ];
  for (const [what, rule, taken] of doubtful)
    test(`${what} leaves a text in doubt, and nothing is sent again`, async () => {
      const text = newText();
      const own = vendor.open(standIn, rule.waits ? { lateMs: 2_000 } : {});
      await standIn.behave({ to: text.to, ...rule });
      await assert.rejects(own.submit(text));
      await standIn.release();
      const isDone = async () =>
        (await standIn.taken(text.to)).length === taken && (await standIn.requests(text.to)) > 0;
      await until('the stand-in is done with it', isDone);
      assert.equal(await standIn.requests(text.to), 1);
    });

  test('a carrier that nobody reaches has taken nothing', async () => {
    const own = vendor.open({ ...standIn, port: await freePort() });
    assert.deepEqual(await own.submit(newText()), { notTaken: 'not_connected', unavailable: true });
    assert.match(own.status?.().connections[0]?.lastFault ?? '', /refused/);
  });

  for (const does of ['throttle', 'unavailable'] as const)
    test(`${does}: not taken, and the next text waits as long as the carrier asks`, async (t) => {
      const time = monotonicTime(t);
      const own = vendor.open(standIn, { beginMs: 200 });
      const [first, second, third] = [newText(), newText(), newText()];
      await standIn.behave({ to: first.to, does });
      assert.ok('notTaken' in (await own.submit(first)));
      assert.deepEqual(await own.submit(second), { notTaken: 'throttled', unavailable: true });
      assert.deepEqual([await standIn.requests(second.to), own.status?.().throttled], [0, 1]);
      assert.ok((own.status?.().perSecond ?? 0) > 0);
      time.pass(1_000);
      assert.ok('accepted' in (await own.submit(third)));
    });

  test('no more texts wait for answers than the window allows', async () => {
    const own = vendor.open(standIn, { window: 2, beginMs: 50 });
    await standIn.behave({ times: 3, waits: true });
    const texts = [newText(), newText(), newText()];
    const [first, second, third] = texts.map((text) => own.submit(text));
    assert.deepEqual(await third, { notTaken: 'window_full', unavailable: true });
    for (const { to } of texts.slice(0, 2))
      await until('the carrier has it', async () => (await standIn.requests(to)) === 1);
    await standIn.release();
    for (const answer of await Promise.all([first, second])) assert.ok(answer && 'accepted' in answer);
    await standIn.behave();
  });

  test('a late answer settles its text, and meanwhile others go', async () => {
    const own = vendor.open(standIn, { window: 1, responseMs: 300 });
    const [late, other] = [newText(), newText()];
    await standIn.behave({ to: late.to, waits: true });
    const settled = own.submit(late);
    assert.ok('accepted' in (await own.submit(other)));
    await standIn.release();
    assert.ok('accepted' in (await settled));
    assert.deepEqual([await standIn.requests(late.to), own.status?.().connections[0]?.inFlight], [1, 0]);
  });

  async function lose(text: OutgoingText): Promise<DoubtfulText> {
    const submittedAt = new Date();
    await standIn.behave({ to: text.to, does: 'lose' });
    await assert.rejects(carrier.submit(text));
    const [taken] = await standIn.taken(text.to);
    await standIn.move(taken?.id ?? '', 'sent');
    return { ...text, submittedAt };
  }

  test('a text whose answer was lost is found, with what became of it', async () => {
    const text = await lose(newText());
    const [taken] = await standIn.taken(text.to);
    const carrierMessageId = taken?.id ?? '';
    assert.deepEqual(await carrier.find?.(text), { carrierMessageId, status: 'sent' });
    await standIn.move(carrierMessageId, vendor.words.delivered);
    assert.deepEqual(await carrier.find?.(text), { carrierMessageId, status: 'delivered' });
    await standIn.move(carrierMessageId, vendor.words.failed, vendor.words.code);
    const undelivered = { carrierMessageId, status: 'undelivered', code: vendor.words.code };
    assert.deepEqual(await carrier.find?.(text), undelivered);
    assert.deepEqual(await carrier.find?.({ ...text, carrierMessageId }), undelivered);
    assert.equal(await standIn.requests(text.to), 1);
  });

  test('nothing is found of a text that was never taken, nor by an id that isn’t there', async () => {
    const text = { ...newText(), submittedAt: new Date() };
    assert.equal(await carrier.find?.(text), null);
    assert.equal(await carrier.find?.({ ...text, carrierMessageId: '00000000' }), null);
  });

  test('of texts that differ in wording, time or number, none is taken for another', async () => {
    const text = await lose(newText());
    assert.equal(await carrier.find?.({ ...text, text: `${text.text}!` }), null);
    assert.equal(await carrier.find?.({ ...text, submittedAt: new Date(Date.now() - 600_000) }), null);
    assert.equal(await carrier.find?.({ ...text, from: '+15005552002' }), null);
  });

  test('two texts that fit are no answer', async () => {
    const text = await lose(newText());
    const [taken] = await standIn.taken(text.to);
    await standIn.record({ ...taken, id: `${taken?.id.slice(0, -1)}z` });
    assert.equal(await carrier.find?.(text), null);
  });

  test('a line is a mobile, a landline, unknown or unreachable', async () => {
    const kinds = ['1', '2', '3', '4', '9'].map((digit) => carrier.lookUp?.(`+1212555010${digit}`));
    assert.deepEqual(await Promise.all(kinds), ['mobile', 'landline', 'unknown', 'unknown', 'unreachable']);
  });

  test('pictures are fetched, and only the carrier’s own address gets credentials', async () => {
    const media = (host: string, path: string) => ({
      url: `http://${host}:${standIn.port}${path}`,
      contentType: 'image/jpeg',
    });
    const picture = await carrier.fetchMedia?.(media('127.0.0.1', '/media/open'));
    assert.deepEqual([picture?.contentType, picture?.bytes.length], ['image/png', 1_000]);
    if (vendor.name === 'twilio')
      assert.equal((await carrier.fetchMedia?.(media('127.0.0.1', '/media/locked')))?.bytes.length, 1_000);
    await assert.rejects(async () => carrier.fetchMedia?.(media('localhost', '/media/locked')), /401/);
    await assert.rejects(async () => carrier.fetchMedia?.(media('127.0.0.1', '/media/large')), /5242880 bytes/);
    const credentials = await standIn.mediaCredentials();
    assert.ok(credentials.filter((each) => each.startsWith('/cdn')).every((each) => each.endsWith('none')));
    assert.equal(credentials.filter((each) => each.startsWith('/media/locked none')).length, 1);
  });

  test('as soon as it listens, it tells whether the address and the credentials are right', async () => {
    const state = async (own: Carrier) => {
      const stop = own.listen({ reply: async () => {}, receipt: async () => {} });
      const status = () => own.status?.().connections[0];
      await until('it has asked', () => status()?.state !== 'connecting');
      const { state, lastFault } = status() ?? {};
      await stop();
      return [state, lastFault];
    };
    const wrong = vendor.name === 'twilio' ? '20003' : '10009';
    assert.deepEqual(await state(vendor.open(standIn)), ['bound', null]);
    const events: HttpCarrierEvent[] = [];
    const report = (event: HttpCarrierEvent) => events.push(event);
    assert.deepEqual(await state(vendor.open(standIn, { credential: 'wrong', report })), ['waiting', wrong]);
    assert.deepEqual(
      events.map(({ event }) => event),
      ['refused'],
    );
  });

  test('what happens on the connection is reported when it changes, not with every text', async () => {
    const events: HttpCarrierEvent[] = [];
    const own = vendor.open(standIn, { report: (event) => events.push(event) });
    const [good, lost, throttled] = [newText(), newText(), newText()];
    await standIn.behave({ to: lost.to, does: 'lose' }, { to: throttled.to, does: 'throttle' });
    await own.submit(good);
    await own.submit(newText());
    await assert.rejects(own.submit(lost));
    await own.submit(throttled);
    assert.deepEqual(
      events.map(({ event }) => event),
      ['bound', 'lost', 'bound', 'throttled'],
    );
    assert.doesNotMatch(JSON.stringify(events), /\+1/);
  });

  test('counts are of this carrier alone, and a stopped one says so', async () => {
    const own = vendor.open(standIn);
    const stop = own.listen({ reply: async () => {}, receipt: async () => {} });
    await own.submit(newText());
    const { connections, accepted, inFlight } = own.status?.() ?? {};
    assert.deepEqual([connections?.[0]?.state, accepted, inFlight], ['bound', 1, 0]);
    await stop();
    assert.equal(own.status?.().connections[0]?.state, 'stopped');
  });
}

import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { after, before, suite, test } from 'node:test';
import { carrierCallsPath, type OpenCarrier } from '../../../src/domain/ports.ts';
import { fixedCarriers, openCarrier } from '../../support/carriers.ts';
import { entries, stateOf } from '../../support/people.ts';
import { freePort } from '../../support/programs.ts';
import { acceptedPhone, send, statusOf } from '../../support/texting.ts';
import { inject, makeWorld, type World } from '../../support/world.ts';
import { type StandIn, startStandIn } from './stand-in.ts';
import { type Vendor, vendors } from './vendors.ts';

/** As Twilio's are; Telnyx's could be anything. */
const newId = () => `SM${randomUUID().replaceAll('-', '')}`;

for (const vendor of vendors) suite(`the whole way by ${vendor.name}`, () => wholeWay(vendor));

function wholeWay(vendor: Vendor): void {
  const { underway, delivered, failed, code } = vendor.words;
  const [first = '', second = ''] = underway;
  let standIn: StandIn;
  let world: World;
  let url: string;
  let main: OpenCarrier;
  before(async () => {
    standIn = await startStandIn();
    const port = await freePort();
    const publicUrl = `http://127.0.0.1:${port}`;
    const carrier = vendor.open(standIn, { publicUrl });
    main = openCarrier(carrier, { name: 'main', readCall: vendor.reader(standIn) });
    world = await makeWorld({ env: { PUBLIC_URL: publicUrl }, carriers: fixedCarriers(main) });
    await world.app.listen({ host: '127.0.0.1', port });
    url = publicUrl + carrierCallsPath('main');
  });
  after(async () => {
    await world.close();
    await standIn.stop();
  });

  /** A text that the carrier took, with its id there. */
  async function sendOne(): Promise<{ messageId: number; id: string; phone: string }> {
    const phone = await acceptedPhone(world, world.ann);
    const { body } = await send(world.ann, { phone, text: 'Hello' });
    const { messageId } = body.successes[0];
    await statusOf(world.ann, messageId, 'sent');
    const [taken] = await standIn.taken(phone);
    return { messageId, id: taken?.id ?? '', phone };
  }

  async function entriesMade(): Promise<number> {
    const { advisorId } = world.ann.advisor;
    const [row] = await world.database.asOwner<{ count: number }>(
      'select count(*)::int as count from archive_entries where advisor_id = $1',
      [advisorId],
    );
    return row?.count ?? 0;
  }

  test('a text is delivered, whatever the order of the calls and however often they come', async () => {
    const { messageId, id } = await sendOne();
    const before = await entriesMade();
    const deliveredBefore = main.calls.receipts.delivered;
    const calls = [second, delivered, first, delivered, second].map((status) => ({ status }));
    const told = await standIn.tell(id, ...calls, { status: failed, errorCode: code });
    assert.deepEqual(
      told.map(({ status }) => status),
      told.map(() => 200),
    );
    assert.equal((await statusOf(world.ann, messageId, 'delivered')).status, 'delivered');
    assert.equal(main.calls.receipts.delivered, deliveredBefore + 2, 'each receipt that came is counted');
    const metrics = await inject(world.app, { method: 'GET', url: '/metrics' });
    const shown = `assent_carrier_receipts{carrier="main",status="delivered"} ${deliveredBefore + 2}`;
    assert.ok(String(metrics.body).split('\n').includes(shown), shown);
    assert.equal(await entriesMade(), before + 1, 'one entry says that it was delivered, and nothing else was written');
  });

  test('an undelivered text has our code and, in the archive, the carrier’s; if it is delivered after all, that counts', async () => {
    const { messageId, id } = await sendOne();
    await standIn.tell(
      id,
      { status: failed, errorCode: code },
      { status: second },
      { status: failed, errorCode: code },
    );
    assert.equal((await statusOf(world.ann, messageId, 'undelivered')).status, 'undelivered');
    const rows = await world.database.asOwner(
      'select failure_code as "failureCode" from messages where message_id = $1',
      [messageId],
    );
    assert.deepEqual(rows, [{ failureCode: 'undelivered' }]);
    const entries = await world.database.asOwner<{ reason: string; code: string }>(
      `select meta::json ->> 'reason' as reason, meta::json ->> 'carrierCode' as code
       from archive_entries where message_id = $1 and kind = 'outcome'`,
      [messageId],
    );
    assert.deepEqual(entries, [{ reason: 'undelivered', code }]);
    await standIn.tell(id, { status: delivered });
    await statusOf(world.ann, messageId, 'delivered');
  });

  test('a forged call changes nothing', async () => {
    const { messageId, id } = await sendOne();
    const before = await entriesMade();
    const [told] = await standIn.tell(id, { status: delivered, forged: true });
    assert.equal(told?.status, 403);
    assert.equal((await statusOf(world.ann, messageId, 'sent')).status, 'sent');
    assert.equal(await entriesMade(), before);
  });

  test('a lost answer leaves the text in doubt, and it is at the carrier once', async () => {
    const phone = await acceptedPhone(world, world.ann);
    await standIn.behave({ to: phone, does: 'lose' });
    const { body } = await send(world.ann, { phone, text: 'Hello' });
    await statusOf(world.ann, body.successes[0].messageId, 'in_doubt');
    assert.equal(await standIn.requests(phone), 1);
  });

  test('throttled and unavailable texts go later, each once', async () => {
    const phone = await acceptedPhone(world, world.ann);
    await standIn.behave({ to: phone, does: 'throttle' }, { to: phone, does: 'unavailable' });
    const { body } = await send(world.ann, { phone, text: 'Hello' });
    await statusOf(world.ann, body.successes[0].messageId, 'sent');
    assert.deepEqual([await standIn.requests(phone), (await standIn.taken(phone)).length], [3, 1]);
  });

  test('the carrier’s word that a person opted out opts them out', async () => {
    const phone = await acceptedPhone(world, world.ann);
    const optedOut = vendor.errors.find(([, , becomes]) => 'refused' in becomes && becomes.refused === 'opted_out');
    const [code = '', status = 0] = optedOut ?? [];
    await standIn.behave({ to: phone, error: { code, status } });
    const { body } = await send(world.ann, { phone, text: 'Hello' });
    await statusOf(world.ann, body.successes[0].messageId, 'failed');
    assert.equal(await stateOf(world, world.ann, phone), 'opted_out');
  });

  test('a receipt that says that the person opted out opts them out', async () => {
    const { messageId, id, phone } = await sendOne();
    const [errorCode = ''] =
      vendor.errors.find(([, , becomes]) => 'refused' in becomes && becomes.refused === 'opted_out') ?? [];
    await standIn.tell(id, { status: failed, errorCode });
    assert.equal((await statusOf(world.ann, messageId, 'undelivered')).failureCode, 'opted_out');
    assert.equal(await stateOf(world, world.ann, phone), 'opted_out');
  });

  test('a STOP is stored when it is answered, once, however often it is delivered', async () => {
    const phone = await acceptedPhone(world, world.ann);
    const to = world.ann.advisor.textingNumber ?? '';
    const stop = { url, from: phone, to, text: 'STOP', id: newId() };
    assert.equal((await standIn.deliver(vendor.name, stop, true)).status, 403);
    assert.equal(await stateOf(world, world.ann, phone), 'accepted');
    const told = await standIn.deliver(vendor.name, stop);
    assert.equal(told.status, 200);
    if (vendor.name === 'twilio') assert.match(told.type + told.body, /^text\/xml.*<Response\/>$/);
    assert.equal(await stateOf(world, world.ann, phone), 'opted_out');
    await standIn.deliver(vendor.name, stop);
    await standIn.deliver(vendor.name, stop);
    const stored = await entries(world, world.ann, phone, 'text_in');
    assert.deepEqual(
      stored.map(({ body, meta }) => [body, meta.carrierMessageId]),
      [['STOP', stop.id]],
    );
  });

  test('a reply names its keyword and its pictures', async () => {
    const read = vendor.reader(standIn);
    const media = [{ url: 'https://media.example/1', contentType: 'image/png', size: 12 }];
    const delivery = { url, from: '+12125550199', to: '+15005552001', text: '', id: newId(), keyword: 'HELP', media };
    const dialect = await import(`./${vendor.name}-answers.ts`);
    const { headers, body } = dialect.replyCall(delivery);
    // Telnyx's stand-in signs with the key of its process, so this one's own key is read.
    const own = vendor.name === 'telnyx' ? vendor.reader({ ...standIn, publicKey: dialect.publicKey }) : read;
    const [reply] = own({ url, headers, body: Buffer.from(body) }, new Date())?.replies ?? [];
    const inWords = dialect.replyCall({ ...delivery, text: 'Please remove me', keyword: undefined });
    const words = { url, headers: inWords.headers, body: Buffer.from(inWords.body) };
    assert.equal(own(words, new Date())?.replies[0]?.keyword, null);
    const { url: mediaUrl, contentType, size } = media[0] ?? {};
    assert.deepEqual(
      [reply?.keyword, reply?.media],
      ['help', [{ url: mediaUrl, contentType, ...(vendor.name === 'telnyx' && { size }) }]],
    );
  });

  test('a receipt has what settles a doubt: both numbers and the end of our reference', async () => {
    const dialect = await import(`./${vendor.name}-answers.ts`);
    const callback = `${url}?reference=65539`;
    const id = newId();
    const taken = { vendor: vendor.name, id, from: '+15005552001', to: '+12125550199', text: 'Hello', callback };
    const message = { ...taken, createdAt: new Date().toISOString(), status: failed, errorCode: code, body: '' };
    const { headers, body } = dialect.statusCall(message, callback);
    const own = vendor.reader({ ...standIn, publicKey: dialect.publicKey ?? standIn.publicKey });
    assert.deepEqual(own({ url: callback, headers, body: Buffer.from(body) }, new Date())?.receipts, [
      { carrierMessageId: id, status: 'undelivered', code, reference: 3, from: taken.from, to: taken.to },
    ]);
  });
}

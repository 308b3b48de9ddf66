import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { after, suite, test } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { carrierKinds } from '../../src/adapters/carriers/kinds.ts';
import { samplePicture } from '../../src/adapters/carriers/sandbox/sandbox-carrier.ts';
import { setAdvisor } from '../../src/domain/accounts/advisors.ts';
import { fetchDueMedia } from '../../src/domain/consent/reply-media.ts';
import { assertInvalid } from '../address-book/address-book.ts';
import { assertProblem } from '../support/problem.ts';
import {
  acceptedPhone,
  consentRequestsPath,
  handset,
  lookUp,
  messagesPath,
  newPhone,
  received,
  reply,
  send,
  setConsent,
  statusOf,
} from '../support/texting.ts';
import { until } from '../support/waiting.ts';
import { inject, makeWorld } from '../support/world.ts';

const world = await makeWorld();
after(() => world.close());
const { ann, bob } = world;
const annNumber = String(ann.advisor.textingNumber);
/** Long enough for a receipt or a reply that must not arrive. */
const quietMs = 400;
const eightHoursMs = 8 * 60 * 60 * 1000;

const magic = (digits: string) => `+1500555${digits}`;

async function advanceClock(advanceMs: number): Promise<void> {
  const headers = { 'x-api-key': world.apiKey };
  await inject(world.app, { method: 'POST', url: '/sandbox/clock', headers, payload: { advanceMs } });
}

/** Sends a text to someone who accepted. Returns the message id. */
async function sendTo(phone: string, text = 'Hello'): Promise<number> {
  await setConsent(world, ann, phone, 'accepted');
  const { body } = await send(ann, { phone, text });
  assert.deepEqual(body.failures, []);
  return body.successes[0].messageId;
}

async function stateOf(phone: string): Promise<string> {
  return (await lookUp(ann, phone)).body.state;
}

/** The attempts that the carrier saw before the last one: on a busy machine another may not have begun in time. */
function attemptsOf(messageId: number): Promise<{ outcome: string; code: string | null }[]> {
  return world.database.asOwner(
    `select outcome, code
     from attempts
     where advisor_id = $1 and message_id = $2 and code is distinct from 'not_begun'
     order by attempt`,
    [ann.advisor.advisorId, messageId],
  );
}

/** The texts that a phone sent to the advisor, from the archive. */
async function repliesOf(phone: string): Promise<string[]> {
  const rows = await world.database.asOwner<{ text: string }>(
    `select convert_from(body, 'UTF8') as text
     from replies
     join members using (advisor_id, member_id)
     join archive_bodies b on b.advisor_id = replies.advisor_id and b.number = archive_number
     where replies.advisor_id = $1 and phone = $2
     order by reply_id`,
    [ann.advisor.advisorId, phone],
  );
  return rows.map(({ text }) => text);
}

suite('GET /sandbox/handset/{phone}/messages', () => {
  test('has the texts that the phone received, oldest first, in domain time', async () => {
    const phone = await acceptedPhone(world, ann);
    await setConsent(world, bob, phone, 'accepted');
    await world.clock.advance(3_600_000);
    for (const text of ['One', 'Two ☎']) {
      await statusOf(ann, (await send(ann, { phone, text })).body.successes[0].messageId, 'delivered');
    }
    await send(bob, { phone, text: 'Three' });
    const texts = await received(world, phone, 3);
    assert.deepEqual(
      texts.map(({ from, to, text }) => [from, to, text]),
      [
        [annNumber, phone, 'One'],
        [annNumber, phone, 'Two ☎'],
        [bob.advisor.textingNumber, phone, 'Three'],
      ],
    );
    for (const { dateTime } of texts) {
      assert.match(dateTime, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
      assert.ok(Math.abs(Date.parse(dateTime) - world.clock.now().getTime()) < 60_000);
    }
    assert.deepEqual(Object.keys(texts[0] ?? {}), ['from', 'to', 'text', 'dateTime']);
  });

  test('is empty for a phone that received nothing', async () => {
    assert.deepEqual(await handset(world, newPhone()), []);
  });

  test('has the newest ten thousand', async () => {
    const phone = newPhone();
    await world.database.asOwner(
      `insert into handset_messages (phone, texting_number, text, carrier_message_id, date_time_created)
       select $1, $2, 'Text ' || i, 'many-' || i, now() from generate_series(1, 10001) i`,
      [phone, annNumber],
    );
    const texts = await handset(world, phone);
    assert.equal(texts.length, 10_000);
    assert.deepEqual([texts[0]?.text, texts.at(-1)?.text], ['Text 2', 'Text 10001']);
  });

  test('accepts a phone number as it is or percent-encoded, and nothing else', async () => {
    const headers = { 'x-api-key': world.apiKey };
    const get = (phone: string) =>
      inject(world.app, { method: 'GET', url: `/sandbox/handset/${phone}/messages`, headers });
    assert.equal((await get('+15005550006')).status, 200);
    assert.equal((await get('%2B15005550006')).status, 200);
    for (const wrong of ['15005550006', '+0500555000', 'phone', '+1500555', '%2B1500555000६'])
      assertProblem(await get(wrong), 'invalid_request', /phone/);
  });

  test('needs the API key and no token', async () => {
    for (const request of [
      { method: 'GET', url: '/sandbox/handset/+15005550006/messages' },
      { method: 'POST', url: '/sandbox/handset/+15005550006/replies', payload: { to: annNumber, text: 'Hi' } },
    ] as const)
      assertProblem(await inject(world.app, request), 'unauthorized', /x-api-key/);
  });
});

suite('POST /sandbox/handset/{phone}/replies', () => {
  test('has taken effect when the response arrives', async () => {
    const phone = await acceptedPhone(world, ann);
    await send(ann, { phone, text: 'Hello' });
    const answer = await reply(world, phone, annNumber, 'STOP');
    assert.equal(answer.status, 202);
    assert.deepEqual(answer.body, {});
    assert.equal(await stateOf(phone), 'opted_out');
    assert.deepEqual(await repliesOf(phone), ['STOP']);
  });

  test('goes to the advisor with that number, and doesn’t appear on the phone', async () => {
    const phone = await acceptedPhone(world, ann);
    await setConsent(world, bob, phone, 'accepted');
    await reply(world, phone, annNumber, 'STOP');
    assert.equal((await send(bob, { phone, text: 'Hello' })).body.successes.length, 1);
    assert.ok((await received(world, phone)).every(({ text }) => text !== 'STOP'));
  });

  test('can bring pictures, which are fetched into the archive, with words or without', async (t) => {
    const phone = newPhone();
    const post = (body: object) =>
      inject(world.app, {
        method: 'POST',
        url: `/sandbox/handset/${phone}/replies`,
        headers: { 'x-api-key': world.apiKey },
        payload: { to: annNumber, ...body },
      });
    assert.equal((await post({ media: ['sample'] })).status, 202);
    assert.equal((await post({ text: 'The form', media: ['https://pictures.example/1', 'sample'] })).status, 202);
    assert.deepEqual(await repliesOf(phone), ['', 'The form']);
    await fetchDueMedia(world.deps, () => {});
    const kept = await world.database.asOwner<{ type: string; notFetched: string | null; body: Buffer }>(
      `select e.meta::json ->> 'contentType' as type, e.meta::json ->> 'notFetched' as "notFetched", b.body
       from archive_entries e
       join archive_bodies b using (advisor_id, number)
       join members m using (advisor_id, member_id)
       where e.kind = 'media_in' and m.phone = $1
       order by e.meta::json ->> 'reply', e.meta::json ->> 'place'`,
      [phone],
    );
    const sample = { type: 'image/png', notFetched: null, body: samplePicture.bytes };
    const [first, byAddress, last] = kept;
    assert.deepEqual([first, last, kept.length], [sample, sample, 3]);
    assert.match(byAddress?.notFetched ?? '', /fetches nothing by address/);

    const server = createServer((_request, response) => response.setHeader('content-type', 'image/gif').end('GIF89a'));
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    t.after(() => server.close());
    const { port } = server.address() as AddressInfo;
    const extra = { ...world.deps, ...world.config, report: () => {} };
    const { fetchMedia } = carrierKinds.sandbox.open('sandbox', {}, extra);
    const fetched = await fetchMedia?.({ url: `http://127.0.0.1:${port}/1`, contentType: 'application/octet-stream' });
    assert.deepEqual(fetched, { contentType: 'image/gif', bytes: Buffer.from('GIF89a') });
  });

  test('needs an advisor’s number and a text of 1 to 1,600 characters', async () => {
    const phone = newPhone();
    const post = (body: unknown) =>
      inject(world.app, {
        method: 'POST',
        url: `/sandbox/handset/${phone}/replies`,
        headers: { 'x-api-key': world.apiKey, 'content-type': 'application/json' },
        payload: JSON.stringify(body),
      });
    assertInvalid(await post({ to: newPhone(), text: 'Hi' }), '/to');
    assertInvalid(await post({ to: 'ann', text: 'Hi' }), '/to');
    assertInvalid(await post({ text: 'Hi' }), '/to');
    for (const text of ['', 'x'.repeat(1_601), 7, null, ['Hi'], 'a\0b', '\ud800'])
      assertInvalid(await post({ to: annNumber, text }), '/text');
    assertInvalid(await post({ to: annNumber }), '/text');
    assertInvalid(await post({ to: annNumber, media: [] }), '/text');
    assertInvalid(await post({ to: annNumber, text: 'Hi', media: Array(11).fill('sample') }), '/media');
    assert.deepEqual(await repliesOf(phone), []);
    assert.equal((await post({ to: annNumber, text: '☎'.repeat(1_600) })).status, 202);
    assertProblem(await reply(world, 'phone', annNumber, 'Hi'), 'invalid_request', /phone/);
  });
});

suite('the magic numbers', () => {
  test('0006, like any other number: delivered', async () => {
    for (const phone of [magic('0006'), newPhone()]) {
      const message = await statusOf(ann, await sendTo(phone), 'delivered');
      assert.ok(message.dateTimeSent && message.dateTimeDelivered);
      assert.equal((await handset(world, phone)).length, 1);
    }
  });

  test('0001 unreachable, 0003 landline: a failure at once', async () => {
    for (const [digits, code] of [
      ['0001', 'unreachable'],
      ['0003', 'landline'],
    ] as const) {
      await setConsent(world, ann, magic(digits), 'accepted');
      const { body } = await send(ann, { phone: magic(digits), text: 'Hello' });
      assert.equal(body.failureDetails[0].code, code);
      assert.equal(body.successes.length, 0);
    }
  });

  test('0007: undelivered, and not on the phone', async () => {
    const { failureCode, dateTimeDelivered } = await statusOf(ann, await sendTo(magic('0007')), 'undelivered');
    assert.equal(failureCode, 'undelivered');
    assert.equal(dateTimeDelivered, null);
    assert.deepEqual(await handset(world, magic('0007')), []);
  });

  test('0008: delivered, then replies "Thanks!", once for each text', async () => {
    const phone = magic('0008');
    await statusOf(ann, await sendTo(phone), 'delivered');
    await until('thanked', async () => (await repliesOf(phone)).length === 1);
    await statusOf(ann, await sendTo(phone), 'delivered');
    await until('thanked again', async () => (await repliesOf(phone)).length === 2);
    await reply(world, phone, annNumber, 'HELP');
    await received(world, phone, 3);
    await pause(quietMs);
    assert.deepEqual(await repliesOf(phone), ['Thanks!', 'Thanks!', 'HELP'], 'no thanks for our automatic replies');
  });

  test('0009: no receipt ever', async () => {
    const messageId = await sendTo(magic('0009'));
    await statusOf(ann, messageId, 'sent');
    await pause(quietMs);
    await statusOf(ann, messageId, 'sent');
    assert.equal((await handset(world, magic('0009'))).length, 1);
  });

  test('0014: the carrier says "opted out", and from then on so do we', async () => {
    const phone = magic('0014');
    const { failureCode } = await statusOf(ann, await sendTo(phone), 'failed');
    assert.equal(failureCode, 'opted_out');
    assert.equal(await stateOf(phone), 'opted_out');
    assert.equal((await send(ann, { phone, text: 'Hello' })).body.failureDetails[0].code, 'opted_out');
    assert.deepEqual(await handset(world, phone), []);
  });

  test('0021: the carrier fails once for each text, and the retry is delivered', async () => {
    const phone = magic('0021');
    for (const [index, text] of ['One', 'One', 'Two'].entries()) {
      const messageId = await sendTo(phone, text);
      await statusOf(ann, messageId, 'delivered');
      assert.deepEqual(
        (await attemptsOf(messageId)).map(({ outcome }) => outcome),
        ['not_taken'],
      );
      assert.equal((await handset(world, phone)).length, index + 1);
    }
  });

  test('0022: the carrier accepts it but its answer is lost: in doubt, on the phone once', async () => {
    const phone = magic('0022');
    const messageId = await sendTo(phone);
    await statusOf(ann, messageId, 'in_doubt');
    await pause(quietMs);
    await world.dispatcher.settled();
    await statusOf(ann, messageId, 'in_doubt');
    assert.equal((await handset(world, phone)).length, 1);
  });

  test('0042: always night: deferred by eight hours whatever the policy, then delivered', async () => {
    const phone = magic('0042');
    await setConsent(world, ann, phone, 'accepted');
    // A reply exempts anybody else from quiet hours.
    await reply(world, phone, annNumber, 'Good evening');
    const { advisorId } = ann.advisor;
    for (const [index, quietHours] of (['off', 'refuse', 'defer'] as const).entries()) {
      await setAdvisor(world.deps, advisorId, { quietHours });
      const [check] = (await ann.call('POST', `${messagesPath}/check`, { phone, text: 'Hello' })).body.data;
      assert.deepEqual([check.deliverable, check.status], [true, 'deferred']);
      const fromMs = world.clock.now().getTime();
      const { messageId, status, deliverAfter } = (await send(ann, { phone, text: 'Hello' })).body.successes[0];
      assert.equal(status, 'deferred');
      for (const afterMs of [deliverAfter, check.earliest])
        assert.ok(Math.abs(afterMs - fromMs - eightHoursMs) < 10_000, `${afterMs - fromMs} ms`);
      await advanceClock(eightHoursMs - 60_000);
      await statusOf(ann, messageId, 'queued');
      await advanceClock(60_000);
      await statusOf(ann, messageId, 'delivered');
      assert.equal((await handset(world, phone)).length, index + 1);
    }
    await setAdvisor(world.deps, advisorId, { quietHours: 'off' });
  });

  test('0043: the carrier answers "too many" three times for each text, then delivers', async () => {
    const phone = magic('0043');
    // Two equal texts at a time count for themselves.
    const messageIds = [await sendTo(phone), await sendTo(phone)];
    for (const messageId of messageIds) {
      await statusOf(ann, messageId, 'delivered');
      const throttled = { outcome: 'not_taken', code: 'too_many' };
      assert.deepEqual(await attemptsOf(messageId), [throttled, throttled, throttled]);
    }
    assert.equal((await handset(world, phone)).length, 2);
  });

  test('many failing numbers don’t delay anyone else', async () => {
    const deliveredMs = async () => {
      const startedAt = performance.now();
      await statusOf(ann, await sendTo(newPhone()), 'delivered');
      return performance.now() - startedAt;
    };
    const aloneMs = await deliveredMs();
    for (let each = 0; each < 8; each++) await sendTo(magic('0022'), `In doubt ${each}`);
    for (let each = 0; each < 8; each++) await sendTo(magic('0021'), `Erring ${each}`);
    const [tookMs, mostMs] = [await deliveredMs(), 8_000 + 20 * aloneMs];
    assert.ok(tookMs < mostMs, `${tookMs} ms, and ${aloneMs} ms without them`);
  });

  const answers = [
    { digits: '0010', says: ['ACCEPT'], state: 'accepted', texts: 2 },
    { digits: '0011', says: ['STOP'], state: 'opted_out', texts: 2 },
    { digits: '0012', says: [], state: 'pending', texts: 1 },
    { digits: '0013', says: ['who is this?'], state: 'pending', texts: 2 },
    { digits: '0016', says: ['please stop texting me'], state: 'opted_out', texts: 2 },
  ];
  for (const { digits, says, state, texts } of answers)
    test(`${digits} answers a consent request: ${says[0] ?? 'nothing'}`, async () => {
      const phone = magic(digits);
      const { status } = await ann.call('POST', consentRequestsPath, { phoneNumbers: [phone] });
      assert.equal(status, 200);
      await received(world, phone, texts);
      if (says.length === 0) await pause(quietMs);
      assert.deepEqual(await repliesOf(phone), says);
      assert.equal(await stateOf(phone), state);
      assert.equal((await handset(world, phone)).length, texts);
    });
});

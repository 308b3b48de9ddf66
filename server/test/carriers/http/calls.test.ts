import assert from 'node:assert/strict';
import { generateKeyPairSync, sign } from 'node:crypto';
import { suite, test } from 'node:test';
import fc from 'fast-check';
import twilio from 'twilio';
import { telnyxReader } from '../../../src/adapters/carriers/telnyx/calls.ts';
import { twilioReader } from '../../../src/adapters/carriers/twilio/calls.ts';
import type { CarrierNews } from '../../../src/domain/ports.ts';
import { rounds } from '../../support/rounds.ts';
import { accountSid } from './stand-in.ts';

const runs = rounds(500);
const url = 'https://api.example.com/carriers/main/calls?reference=7';
const keys = generateKeyPairSync('ed25519');
const publicKey = keys.publicKey.export({ format: 'der', type: 'spki' }).subarray(-32).toString('base64');
const readTelnyx = telnyxReader({ apiKey: 'none', publicKey });
const readTwilio = twilioReader({ accountSid, authToken: 'token' });

function telnyx(body: string): CarrierNews | null {
  const now = new Date();
  const timestamp = String(Math.floor(now.getTime() / 1_000));
  const signature = sign(null, Buffer.from(`${timestamp}|${body}`), keys.privateKey).toString('base64');
  const headers = { 'telnyx-timestamp': timestamp, 'telnyx-signature-ed25519': signature };
  return readTelnyx({ url, headers, body: Buffer.from(body) }, now);
}

function fromTwilio(fields: Record<string, string>): CarrierNews | null {
  const headers = { 'x-twilio-signature': twilio.getExpectedTwilioSignature('token', url, fields) };
  return readTwilio({ url, headers, body: Buffer.from(new URLSearchParams(fields).toString()) }, new Date());
}

/** The domain can take it: an error would make the carrier call again, forever. */
function assertSound(news: CarrierNews | null): void {
  assert.ok(news);
  for (const { carrierMessageId, from, to, text, sentAt, keyword, media = [] } of news.replies) {
    assert.ok(
      carrierMessageId && typeof from === 'string' && to && typeof text === 'string' && !Number.isNaN(sentAt.getTime()),
    );
    assert.ok([null, 'stop', 'start', 'help'].includes(keyword ?? null));
    assert.ok(media.length <= 10 && media.every(({ url, contentType }) => url && contentType));
  }
  for (const { carrierMessageId, status } of news.receipts)
    assert.ok(carrierMessageId && ['delivered', 'undelivered'].includes(status));
}

suite('whatever a signed call says, it is read without an error', () => {
  const events = fc.constantFrom('message.received', 'message.sent', 'message.finalized', 'message.new');
  const words = fc.constantFrom(
    'delivered',
    'sent',
    'delivery_failed',
    'sending_failed',
    'expired',
    'delivery_unconfirmed',
  );
  const anything = fc.jsonValue({ maxDepth: 2 });
  /** Mostly as it should be, so that there is something to read. */
  const mostly = <Value>(usual: fc.Arbitrary<Value>) =>
    fc.oneof({ weight: 5, arbitrary: usual }, { weight: 1, arbitrary: anything });
  const number = fc.record({ phone_number: mostly(fc.constant('+12125550100')), status: words });

  test('Telnyx: any JSON, and messages with anything in their fields', () => {
    const payload = fc.record(
      {
        id: mostly(fc.uuid()),
        from: mostly(number),
        to: mostly(fc.array(number, { minLength: 1, maxLength: 3 })),
        text: mostly(fc.string()),
        media: mostly(fc.array(fc.record({ url: mostly(fc.webUrl()), content_type: anything, size: anything }))),
        errors: anything,
        received_at: anything,
        webhook_url: mostly(fc.constant(url)),
        autoresponse_type: anything,
      },
      { requiredKeys: ['id', 'from', 'to'] },
    );
    const event = fc.record({ data: fc.record({ event_type: events, payload }) });
    let replies = 0;
    let receipts = 0;
    fc.assert(
      fc.property(fc.oneof({ weight: 5, arbitrary: event }, anything, fc.string()), (value) => {
        const news = telnyx(typeof value === 'string' ? value : JSON.stringify(value));
        assertSound(news);
        replies += news?.replies.length ?? 0;
        receipts += news?.receipts.length ?? 0;
      }),
      { numRuns: runs },
    );
    assert.ok(replies > 0 && receipts > 0, `${replies} replies, ${receipts} receipts`);
  });

  test('Twilio: any fields; identifiers that Twilio doesn’t write are refused', () => {
    const ids = `SM${'0'.repeat(32)}`;
    const sidShape = /^(SM|MM)[0-9a-f]{32}$/i;
    const sid = fc.stringMatching(/^(SM|MM)[0-9a-f]{32}$/);
    const text = fc.string({ unit: 'grapheme', maxLength: 12 });
    const fields = fc.record(
      {
        MessageSid: fc.oneof(sid, sid, text),
        AccountSid: fc.oneof(fc.constant(accountSid), text),
        From: text,
        To: text,
        Body: text,
        NumMedia: fc.oneof(fc.integer({ min: 0, max: 12 }).map(String), text),
        MediaUrl0: text,
        MediaContentType0: text,
        OptOutType: fc.oneof(fc.constantFrom('STOP', 'toString', '__proto__'), text),
        MessageStatus: fc.oneof(fc.constantFrom('delivered', 'failed', 'received', 'sent'), text),
        ErrorCode: fc.integer({ min: 0, max: 99_999 }).map(String),
      },
      { requiredKeys: [] },
    );
    let taken = 0;
    fc.assert(
      fc.property(fields, (given) => {
        const news = fromTwilio({ ...given });
        const { MessageSid = ids, AccountSid = accountSid, NumMedia = '0' } = given;
        const isRight = sidShape.test(MessageSid) && AccountSid === accountSid && /^\d{1,2}$/.test(NumMedia);
        assert.equal(news !== null, isRight, JSON.stringify(given));
        if (news) assertSound(news);
        taken += news?.replies.length ?? 0;
      }),
      { numRuns: runs },
    );
    assert.ok(taken > 0);
  });

  test('a text to a group is a reply to each number, of which the domain knows ours', () => {
    const payload = {
      id: 'm1',
      from: { phone_number: '+12125550100' },
      to: [{ phone_number: '+15005552001' }, { phone_number: '+12125550101' }],
      text: 'Hi',
    };
    const news = telnyx(JSON.stringify({ data: { event_type: 'message.received', payload } }));
    assert.deepEqual(
      news?.replies.map(({ to, carrierMessageId }) => [to, carrierMessageId]),
      [
        ['+15005552001', 'm1'],
        ['+12125550101', 'm1'],
      ],
    );
  });

  test('a delivery that Telnyx can’t confirm is no receipt', () => {
    const payload = {
      id: 'm1',
      from: { phone_number: '+15005552001' },
      to: [{ phone_number: '+12125550100', status: 'delivery_unconfirmed' }],
    };
    assert.deepEqual(telnyx(JSON.stringify({ data: { event_type: 'message.finalized', payload } }))?.receipts, []);
  });
});

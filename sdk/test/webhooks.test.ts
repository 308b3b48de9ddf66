import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { test } from 'node:test';
import { type WebhookEvent, webhooks } from '@assent/client';
import { Webhook } from 'standardwebhooks';

const secret = `whsec_${Buffer.alloc(32, 7).toString('base64')}`;
const event = {
  id: 'evt_1',
  type: 'message.received',
  dateTime: '2026-03-01T17:05:00.000Z',
  advisorId: 1001,
  data: { memberId: 1, phone: '+15005550008' },
};
const body = JSON.stringify(event);

/** As another library of the standard signs it. */
function signed(text = body, at = new Date(), key = secret): Record<string, string> {
  const signature = new Webhook(key).sign('evt_1', at, text);
  return {
    'webhook-id': 'evt_1',
    'webhook-timestamp': String(Math.floor(at.getTime() / 1000)),
    'webhook-signature': signature,
  };
}

test('an event that we signed comes back typed, whatever its body and headers come as', async () => {
  const headers = signed();
  // As node-fetch, undici and other realms have it.
  const ofAnotherClass = { get: (name: string) => headers[name.toLowerCase()] ?? null };
  for (const given of [headers, new Headers(headers), ofAnotherClass, { ...headers, 'Webhook-Id': 'evt_1' }])
    for (const raw of [body, new TextEncoder().encode(body), Buffer.from(body)])
      assert.deepEqual(await webhooks.verify(raw, given, secret), event);
  const received = await webhooks.verify(body, headers, secret);
  if (received.type === 'message.received') assert.equal(received.data.phone, '+15005550008');
});

test('every type of event that openapi.json has narrows to its data', async () => {
  const document = JSON.parse(await readFile(new URL('../../openapi.json', import.meta.url), 'utf8'));
  // Doesn't compile if a type is missing, or unknown.
  const types: Record<WebhookEvent['type'], true> = {
    'consent.changed': true,
    'message.status': true,
    'message.received': true,
    'scheduled_message.fired': true,
    'scheduled_message.skipped': true,
    'contact.created': true,
    'contact.updated': true,
    'contact.deleted': true,
    'authorization.ended': true,
    'webhook.test': true,
  };
  assert.deepEqual(Object.keys(types).sort(), Object.keys(document.webhooks).sort());
});

test('while a secret is rotated, one signature of several is enough', async () => {
  const other = `whsec_${Buffer.alloc(32, 8).toString('base64')}`;
  const headers = signed();
  const both = `${signed(body, new Date(), other)['webhook-signature']} v2,AAAA ${headers['webhook-signature']}`;
  assert.deepEqual(await webhooks.verify(body, { ...headers, 'webhook-signature': both }, secret), event);
});

// Signed when it is verified: what is from the future now is not for long.
for (const [what, raw, sign] of [
  ['altered', `${body} `, () => signed()],
  ['of another secret', body, () => signed(body, new Date(), `whsec_${Buffer.alloc(32, 9).toString('base64')}`)],
  ['too old', body, () => signed(body, new Date(Date.now() - 330_000))],
  ['from the future', body, () => signed(body, new Date(Date.now() + 330_000))],
  ['without its id', body, () => ({ ...signed(), 'webhook-id': '' })],
  ['with another id', body, () => ({ ...signed(), 'webhook-id': 'evt_2' })],
  ['with a signature that is no base64', body, () => ({ ...signed(), 'webhook-signature': 'v1,%%' })],
  ['with a timestamp that is no number', body, () => ({ ...signed(), 'webhook-timestamp': 'now' })],
] as const)
  test(`what is ${what} is refused`, async () => {
    await assert.rejects(webhooks.verify(raw, sign(), secret), { name: 'AssentError', code: 'signature' });
  });

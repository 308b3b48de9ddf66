import assert from 'node:assert/strict';
import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { suite, test } from 'node:test';
import { telnyxKind } from '../../../src/adapters/carriers/telnyx/telnyx-carrier.ts';
import { twilioKind } from '../../../src/adapters/carriers/twilio/twilio-carrier.ts';
import { validator } from '../../../src/schemas/shared/validate.ts';
import { accountSid } from './stand-in.ts';

const twilio = { accountSid, authToken: 'secret' };
const telnyx = { apiKey: 'KEY', publicKey: `${'A'.repeat(43)}=` };
const text = { from: '+15005552001', to: '+12125550101', text: 'Hello', kind: 'text' } as const;
const production = {
  publicUrl: 'https://api.example.com',
  environment: 'production',
  outboundAllowedNetworks: [],
  report: () => {},
} as const;

suite('the settings of carriers over HTTP', () => {
  test('have what they need, and nothing wrong', () => {
    const check = (kind: typeof twilioKind | typeof telnyxKind, settings: object) =>
      !('broken' in validator(kind.schema)(settings));
    assert.ok(check(twilioKind, { ...twilio, perSecondMax: 0.5, window: 5 }) && check(telnyxKind, { ...telnyx }));
    for (const wrong of [{ accountSid: 'AC1' }, { authToken: '' }, { apiKeySid: `SK${'0'.repeat(32)}` }, { window: 0 }])
      assert.ok(!check(twilioKind, { ...twilio, ...wrong }), JSON.stringify(wrong));
    for (const wrong of [{ apiKey: '' }, { publicKey: 'AAAA' }, { perSecondMax: 0 }])
      assert.ok(!check(telnyxKind, { ...telnyx, ...wrong }), JSON.stringify(wrong));
  });

  test('name every secret', () => {
    assert.deepEqual(
      [twilioKind, telnyxKind].map(({ schema, secrets }) => secrets.filter((name) => !(name in schema.properties))),
      [[], []],
    );
    const suspect = (names: string[]) => names.filter((name) => /token|secret|key$/i.test(name));
    assert.deepEqual(suspect(Object.keys(twilioKind.schema.properties)), twilioKind.secrets);
    assert.deepEqual(suspect(Object.keys(telnyxKind.schema.properties)), [...telnyxKind.secrets, 'publicKey']);
  });

  test('lead to https alone, except to this machine in a sandbox', () => {
    const open = (apiUrl: string, environment: 'sandbox' | 'production') => () =>
      twilioKind.open('main', { ...twilio, apiUrl }, { ...production, environment });
    assert.doesNotThrow(open('https://api.example.com', 'production'));
    assert.doesNotThrow(open('http://127.0.0.1:9', 'sandbox'));
    for (const url of ['http://127.0.0.1:9', 'http://api.example.com', 'ftp://x', 'x', 'https://a:b@x', 'https://x?y'])
      assert.throws(open(url, 'production'), /https/);
    assert.throws(open('http://api.example.com', 'sandbox'), /https/);
  });

  test('lead to no private address', async () => {
    const carrier = telnyxKind.open('main', { ...telnyx, apiUrl: 'https://10.0.0.1' }, production);
    assert.deepEqual(await carrier.submit(text), { notTaken: 'not_connected', unavailable: true });
    assert.match(carrier.status?.().connections[0]?.lastFault ?? '', /not a public address/);
  });

  test('lead to whoever answers: a connection that is never made has taken no text', async () => {
    const silent = createServer(() => {}).listen(0, '127.0.0.1');
    await once(silent, 'listening');
    const { port } = silent.address() as AddressInfo;
    const settings = { ...telnyx, apiUrl: `https://127.0.0.1:${port}`, lateMs: 2_000 };
    const carrier = telnyxKind.open('main', settings, { ...production, environment: 'sandbox' });
    assert.deepEqual(await carrier.submit(text), { notTaken: 'not_connected', unavailable: true });
    silent.close();
  });
});

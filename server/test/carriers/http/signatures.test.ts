import assert from 'node:assert/strict';
import { createHash, generateKeyPairSync, sign } from 'node:crypto';
import { parse, stringify } from 'node:querystring';
import { suite, test } from 'node:test';
import fc from 'fast-check';
import Telnyx from 'telnyx';
import twilio from 'twilio';
import { telnyxReader } from '../../../src/adapters/carriers/telnyx/calls.ts';
import { twilioReader } from '../../../src/adapters/carriers/twilio/calls.ts';
import { isSigned, looksSigned } from '../../../src/adapters/carriers/twilio/signatures.ts';
import { cpuMs } from '../../support/cpu.ts';
import { rounds } from '../../support/rounds.ts';
import { accountSid } from './stand-in.ts';

const runs = rounds(300);
const text = fc.string({ unit: 'grapheme', maxLength: 20 });
/** What may stand in a request's target: some of it is escaped in one way or another. */
const written = fc.string({
  unit: fc.constantFrom(...'aZ9-._~!*()\'+=&;:@,$/|^`{}"%<>'.replace('%', ''), '%20', '%2F', '%C3%A9'),
  maxLength: 12,
});
const urls = fc
  .record({
    scheme: fc.constantFrom('https', 'http'),
    host: fc.constantFrom('api.example.com', 'localhost', '127.0.0.1', '[::1]'),
    port: fc.constantFrom('', ':443', ':80', ':8443'),
    path: written,
    query: fc.option(written, { nil: null }),
  })
  .map(
    ({ scheme, host, port, path, query }) => `${scheme}://${host}${port}/c${path}${query === null ? '' : `?${query}`}`,
  )
  .filter((url) => URL.canParse(url));

suite('Twilio’s own library judges our check of signatures', () => {
  const token = 'a token';
  const read = twilioReader({ accountSid, authToken: token });
  const now = new Date();

  type FormFields = Record<string, string | string[]>;
  type SignedCall = { url: string; given: FormFields; token: string };

  /** Names repeat now and then. */
  const parameters = fc.array(fc.tuple(fc.oneof(text, fc.constantFrom('Body', 'To')), text), { maxLength: 8 });
  /** How what is signed differs from what arrives. Some of these are accepted, as Twilio signs so itself. */
  const changes: Record<string, (signed: SignedCall) => Partial<SignedCall>> = {
    nothing: () => ({}),
    'a port': ({ url }) => ({ url: url.replace(/^(https?:\/\/[^/]*?)(:\d+)?\//, '$1:443/') }),
    'no port': ({ url }) => ({ url: url.replace(/:\d+\//, '/') }),
    'an escaped URL': ({ url }) => ({ url: new URL(url).href }),
    'a query escaped otherwise': ({ url }) => ({ url: rewritten(new URL(url).href) }),
    'another URL': ({ url }) => ({ url: `${url}x` }),
    'one parameter more': ({ given }) => ({ given: { ...given, More: 'x' } }),
    'another value': ({ given }) => ({
      given: Object.fromEntries(Object.entries(given).map(([name, value]) => [name, `${value}x`])),
    }),
    'another token': () => ({ token: 'another' }),
  };

  function rewritten(url: string): string {
    const [path, query] = url.split('?');
    return query ? `${path}?${stringify(parse(query))}` : url;
  }

  function isFormAccepted(url: string, signature: string, body: string): boolean {
    const parameters = new Map(
      Map.groupBy(new URLSearchParams(body), ([name]) => name)
        .entries()
        .map(([name, pairs]) => [name, pairs.map(([, value]) => value)] as const),
    );
    return looksSigned(signature) && isSigned(token, { url, signature, parameters });
  }

  function isAccepted(url: string, signature: string, body: string): boolean {
    return read({ url, headers: { 'x-twilio-signature': signature }, body: Buffer.from(body) }, now) !== null;
  }

  for (const [change, changed] of Object.entries(changes))
    test(`forms, with ${change} signed: we accept and refuse the same`, () => {
      fc.assert(
        fc.property(urls, parameters, (url, pairs) => {
          const body = new URLSearchParams(pairs).toString();
          const given = parse(body) as FormFields;
          const signed = { url, given, token };
          const { url: theUrl, given: theGiven, token: theToken } = { ...signed, ...changed(signed) };
          const signature = twilio.getExpectedTwilioSignature(theToken, theUrl, theGiven);
          const theirs = twilio.validateRequest(token, signature, url, given);
          assert.equal(isFormAccepted(url, signature, body), theirs, `${url} ${body}`);
          if (change === 'nothing') assert.ok(theirs);
        }),
        { numRuns: runs },
      );
    });

  test('a signature that is cut, changed or missing is refused', () => {
    const url = 'https://api.example.com/carriers/main/calls';
    const right = twilio.getExpectedTwilioSignature(token, url, {});
    assert.ok(isAccepted(url, right, ''));
    const other = right.startsWith('A') ? `B${right.slice(1)}` : `A${right.slice(1)}`;
    for (const wrong of [
      '',
      other,
      right.slice(1),
      right.slice(0, -1),
      ` ${right}`,
      `${right}, ${right}`,
      right.repeat(99),
    ])
      assert.ok(!isAccepted(url, wrong, '') && !twilio.validateRequest(token, wrong, url, {}), wrong);
  });

  test('a person’s words are read as they were written', () => {
    const url = 'https://api.example.com/carriers/main/calls';
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme', maxLength: 100 }), (words) => {
        const given = { Body: words, From: '+12125550100', MessageSid: `SM${'0'.repeat(32)}`, To: '+12125550101' };
        const headers = { 'x-twilio-signature': twilio.getExpectedTwilioSignature(token, url, given) };
        const body = Buffer.from(new URLSearchParams(given).toString());
        assert.equal(read({ url, headers, body }, now)?.replies[0]?.text, words);
      }),
      { numRuns: runs },
    );
  });

  test('a megabyte that nobody signed is refused in a moment, whatever it is made of', async () => {
    const url = 'https://api.example.com/carriers/main/calls';
    const bytes = 1024 * 1024;
    for (const piece of ['a&', 'a=b&', '&', '=', '+', '%41', '%ff', '%'])
      assert.ok(
        (await cpuMs(() => isAccepted(url, `${'A'.repeat(27)}=`, piece.repeat(bytes / piece.length)))) < 500,
        piece,
      );
  });

  const hashChanges = fc.constantFrom('none', 'none', 'url', 'value', 'token');

  test('JSON with its hash in the URL: we accept and refuse the same', () => {
    fc.assert(
      fc.property(urls, fc.dictionary(text, text), hashChanges, (url, value, change) => {
        const body = JSON.stringify(value);
        const hash = createHash('sha256')
          .update(change === 'value' ? `${body} ` : body)
          .digest('hex');
        const full = `${url}${url.includes('?') ? '&' : '?'}bodySHA256=${hash}`;
        const signature = twilio.getExpectedTwilioSignature(
          change === 'token' ? 'another' : token,
          change === 'url' ? `${full}0` : full,
          {},
        );
        const theirs = twilio.validateRequestWithBody(token, signature, full, body);
        assert.equal(isAccepted(full, signature, body), theirs, `${change} ${full}`);
        if (change === 'none') assert.ok(theirs);
      }),
      { numRuns: runs },
    );
  });

  test('while one auth token replaces another, both are accepted', () => {
    const url = 'https://api.example.com/carriers/main/calls';
    const both = twilioReader({ accountSid, authToken: 'old', otherAuthToken: 'new' });
    const call = (token: string) => ({
      url,
      headers: { 'x-twilio-signature': twilio.getExpectedTwilioSignature(token, url, { A: '1' }) },
      body: Buffer.from('A=1'),
    });
    assert.deepEqual(
      ['old', 'new', 'other'].map((token) => both(call(token), now) !== null),
      [true, true, false],
    );
  });
});

suite('Telnyx’s own library judges our check of signatures', () => {
  const keys = generateKeyPairSync('ed25519');
  const publicKey = keys.publicKey.export({ format: 'der', type: 'spki' }).subarray(-32).toString('base64');
  const read = telnyxReader({ apiKey: 'none', publicKey });
  const client = new Telnyx({ apiKey: 'none', publicKey });
  const others = generateKeyPairSync('ed25519');

  /** Not so near to the limit that a second makes a difference. */
  const young = fc.integer({ min: -290, max: 290 });
  const ages = fc.oneof(young, fc.integer({ min: 310, max: 9_999 }), fc.integer({ min: -9_999, max: -310 }));
  type Call = { body: string; timestamp: string; signature: string };
  const changes: Record<string, (call: Call) => Partial<Call>> = {
    nothing: () => ({}),
    'the body': ({ body }) => ({ body: `${body} ` }),
    'the time': ({ timestamp }) => ({ timestamp: String(Number(timestamp) + 1) }),
    'a time that is none': ({ timestamp }) => ({ timestamp: `${timestamp}.0` }),
    'no time': () => ({ timestamp: '' }),
    'the signature': ({ signature }) => ({
      signature: signature.replace(/^./, (first) => (first === 'A' ? 'B' : 'A')),
    }),
    'the padding': ({ signature }) => ({ signature: signature.replace(/=+$/, '') }),
    'another key': ({ body, timestamp }) => ({ signature: signed(body, timestamp, others.privateKey) }),
    'no signature': () => ({ signature: '' }),
  };

  function signed(body: string, timestamp: string, key = keys.privateKey): string {
    return sign(null, Buffer.from(`${timestamp}|${body}`), key).toString('base64');
  }

  async function compare({ body, timestamp, signature }: Call): Promise<boolean> {
    const headers = { 'telnyx-signature-ed25519': signature, 'telnyx-timestamp': timestamp };
    const theirs = await client.webhooks.unwrap(body, { headers }).then(
      () => true,
      () => false,
    );
    const ours = read({ url: 'https://api.example.com/', headers, body: Buffer.from(body) }, new Date()) !== null;
    assert.equal(ours, theirs);
    return ours;
  }

  for (const [change, changed] of Object.entries(changes))
    test(`a call with ${change} changed: we accept and refuse the same`, () =>
      fc.assert(
        fc.asyncProperty(fc.dictionary(text, text), ages, async (value, age) => {
          const body = JSON.stringify({ data: value });
          const timestamp = String(Math.floor(Date.now() / 1_000) - age);
          const call = { body, timestamp, signature: signed(body, timestamp) };
          const accepted = await compare({ ...call, ...changed(call) });
          assert.equal(accepted, change === 'nothing' && Math.abs(age) <= 290);
        }),
        { numRuns: runs / 3 },
      ));
});

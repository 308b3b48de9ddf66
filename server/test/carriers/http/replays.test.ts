import assert from 'node:assert/strict';
import { generateKeyPairSync, randomUUID, sign } from 'node:crypto';
import { after, before, suite, test } from 'node:test';
import twilio from 'twilio';
import { telnyxReader } from '../../../src/adapters/carriers/telnyx/calls.ts';
import { twilioReader } from '../../../src/adapters/carriers/twilio/calls.ts';
import type { Carrier } from '../../../src/domain/ports.ts';
import { fixedCarriers, openCarrier } from '../../support/carriers.ts';
import { entries, stateOf } from '../../support/people.ts';
import { isWhole, rounds } from '../../support/rounds.ts';
import { newPhone } from '../../support/texting.ts';
import { inject, makeWorld, type World } from '../../support/world.ts';
import { accountSid, authToken } from './stand-in.ts';

type Pairs = [name: string, value: string][];

const keys = generateKeyPairSync('ed25519');
const publicKey = keys.publicKey.export({ format: 'der', type: 'spki' }).subarray(-32).toString('base64');
const path = '/carriers/main/calls';
const telnyxPath = '/carriers/telnyx/calls';
const formType = 'application/x-www-form-urlencoded';

function carrier(name: string): Carrier {
  return {
    name,
    check: () => null,
    submit: async () => ({ accepted: randomUUID() }),
    listen: () => async () => {},
  };
}

/** Bring replies to the same numbers: a number that moved lately has two. */
const main = openCarrier(carrier('main'), { readCall: twilioReader({ accountSid, authToken }) });
const telnyx = { ...main, name: 'telnyx', readCall: telnyxReader({ apiKey: 'none', publicKey }) };

let world: World;
before(async () => {
  const carriers = { ...fixedCarriers(main), list: () => [main, telnyx] };
  world = await makeWorld({ carriers, dispatch: false });
});
after(() => world.close());

/** What Twilio sends with a text, in the order in which it signs it. */
function twilioCall(from: string, text: string): Pairs {
  const sid = `SM${randomUUID().replaceAll('-', '')}`;
  const fields = {
    AccountSid: accountSid,
    ApiVersion: '2010-04-01',
    Body: text,
    From: from,
    FromCity: 'NEW YORK',
    FromCountry: 'US',
    FromState: 'NY',
    FromZip: '',
    MessageSid: sid,
    MessagingServiceSid: `MG${'0'.repeat(32)}`,
    NumMedia: '0',
    NumSegments: '1',
    SmsMessageSid: sid,
    SmsSid: sid,
    SmsStatus: 'received',
    To: world.ann.advisor.textingNumber ?? '',
    ToCity: '',
    ToCountry: 'US',
    ToState: 'NY',
    ToZip: '10001',
  };
  return Object.entries(fields);
}

const urlOf = (at = path) => world.config.publicUrl + at;

function signatureOf(pairs: Pairs): string {
  return twilio.getExpectedTwilioSignature(authToken, urlOf(), Object.fromEntries(pairs));
}

/** By Twilio's own library. */
function isSigned(pairs: Pairs, signature: string): boolean {
  return twilio.validateRequest(authToken, signature, urlOf(), Object.fromEntries(pairs));
}

async function callTwilio(pairs: Pairs, signature = signatureOf(pairs)): Promise<number> {
  const headers = { 'content-type': formType, 'x-twilio-signature': signature };
  const payload = new URLSearchParams(pairs).toString();
  return (await inject(world.app, { method: 'POST', url: path, headers, payload })).status;
}

/** Every way to read the same characters with one boundary moved, or with two parameters read as one. */
function* shifts(pairs: Pairs): Generator<Pairs> {
  const parts = pairs.flat();
  for (let at = 0; at + 1 < parts.length; at++) {
    const both = `${parts[at]}${parts[at + 1]}`;
    for (let cut = 0; cut <= both.length; cut++)
      yield paired(parts.toSpliced(at, 2, both.slice(0, cut), both.slice(cut)));
  }
  for (let at = 0; at + 3 < parts.length; at++) {
    const four = parts.slice(at, at + 4).join('');
    for (let cut = 0; cut <= four.length; cut++)
      yield paired(parts.toSpliced(at, 4, four.slice(0, cut), four.slice(cut)));
  }
}

function paired(parts: string[]): Pairs {
  return Array.from({ length: parts.length / 2 }, (_, index) => [parts[2 * index] ?? '', parts[2 * index + 1] ?? '']);
}

suite('a recorded START that is played again after a STOP', () => {
  test('Twilio: undoes nothing, wherever the boundaries between its fields are put', async () => {
    const phone = newPhone();
    const start = twilioCall(phone, 'START');
    const signature = signatureOf(start);
    assert.equal(await callTwilio(start), 200);
    assert.equal(await callTwilio(twilioCall(phone, 'STOP')), 200);
    const known = new Set([JSON.stringify(start)]);
    let replayed = 0;
    for (const [index, shifted] of [...shifts(start)].entries()) {
      const key = JSON.stringify(shifted);
      if (!isWhole && index % 4 > 0) continue;
      if (known.has(key) || !isSigned(shifted, signature)) continue;
      known.add(key);
      replayed += 1;
      assert.ok([200, 403].includes(await callTwilio(shifted, signature)), key);
      assert.equal(await stateOf(world, world.ann, phone), 'opted_out', key);
    }
    assert.ok(replayed > rounds(300), `${replayed} were signed`);
    assert.equal(await callTwilio(start, signature), 200, 'the call itself is a duplicate');
    assert.equal(await stateOf(world, world.ann, phone), 'opted_out');
  });

  test('Twilio: one that swallows its own id in a name or in a value is refused', async () => {
    const start = twilioCall(newPhone(), 'START');
    const at = start.findIndex(([name]) => name === 'MessageSid');
    const [, sid = ''] = start[at] ?? [];
    const swallowing: Pairs[] = [
      start.toSpliced(at, 2, ['MessageSid', `${sid}MessagingServiceSidMG${'0'.repeat(32)}`]),
      start.toSpliced(at - 1, 2, ['FromZip', `MessageSid${sid}`]),
    ];
    for (const shifted of swallowing) {
      assert.ok(isSigned(shifted, signatureOf(start)));
      assert.equal(await callTwilio(shifted, signatureOf(start)), 403);
    }
  });

  test('Twilio: a person’s own words can’t be read as another person’s START', async () => {
    const [victim, writer] = [newPhone(), newPhone()];
    assert.equal(await callTwilio(twilioCall(victim, 'STOP')), 200);
    const to = world.ann.advisor.textingNumber ?? '';
    const forged: Pairs = [
      ['From', victim],
      ['MessageSid', `SM${randomUUID().replaceAll('-', '')}`],
      ['To', to],
    ];
    const written = twilioCall(writer, `START${forged.flat().join('')}Zz`);
    const at = written.findIndex(([name]) => name === 'Body');
    const shifted: Pairs = [
      ...written.slice(0, at),
      ['Body', 'START'],
      ...forged,
      [
        'Zz',
        written
          .slice(at + 1)
          .flat()
          .join(''),
      ],
    ];
    assert.ok(isSigned(shifted, signatureOf(written)));
    assert.equal(await callTwilio(shifted, signatureOf(written)), 403);
    assert.equal(await stateOf(world, world.ann, victim), 'opted_out');
    assert.equal(await callTwilio(written), 200, 'what the person really wrote is taken');
    assert.match((await entries(world, world.ann, writer, 'text_in'))[0]?.body ?? '', /^STARTFrom/);
  });

  test('Twilio: nor can a recorded call with its own id, or with one that lies across two fields', async () => {
    const [victim, writer] = [newPhone(), newPhone()];
    assert.equal(await callTwilio(twilioCall(victim, 'STOP')), 200);
    const newId = `SM${randomUUID().replaceAll('-', '')}`;
    const ofVictim: Pairs = [
      ['Body', 'START'],
      ['From', victim],
    ];
    /** What the writer texts after the START, and how the rest of the call is read then. */
    const forgeries: { words: string; read(rest: Pairs): Pairs }[] = [
      { words: 'FromA', read: (rest) => [['FromA', `From${writer}`], ...rest.slice(1)] },
      { words: 'FromA', read: (rest) => [['FromAFr', `om${writer}`], ...rest.slice(1)] },
      {
        words: `MessageSid${newId}N`,
        read: (rest) => [
          ['MessageSid', newId],
          ['N', `${rest.slice(0, 5).flat().join('')}Message`],
          [`Sid${rest[5]?.[1]}`, rest.slice(6, 9).flat().join('')],
          ...rest.slice(9),
        ],
      },
    ];
    for (const { words, read } of forgeries) {
      const written = twilioCall(writer, `STARTFrom${victim}${words}`);
      const at = written.findIndex(([name]) => name === 'Body');
      const shifted = [...written.slice(0, at), ...ofVictim, ...read(written.slice(at + 1))];
      assert.equal(await callTwilio(written), 200, 'what the person really wrote is taken');
      assert.ok(isSigned(shifted, signatureOf(written)), JSON.stringify(shifted));
      assert.equal(await callTwilio(shifted, signatureOf(written)), 403, JSON.stringify(shifted));
      assert.equal(await stateOf(world, world.ann, victim), 'opted_out');
    }
  });

  test('Twilio: another account’s call, and a name that comes twice, are refused', async () => {
    const start = twilioCall(newPhone(), 'START');
    const other = start.with(0, ['AccountSid', `AC${'f'.repeat(32)}`]);
    assert.equal(await callTwilio(other), 403);
    const twice: Pairs = [...start, ['Body', 'START']];
    assert.equal(await callTwilio(twice, signatureOf(start)), 403);
  });

  test('Telnyx: is a duplicate while its time is right, and refused after that or with another time', async () => {
    const phone = newPhone();
    const say = (text: string) => {
      const payload = {
        id: randomUUID(),
        from: { phone_number: phone },
        to: [{ phone_number: world.ann.advisor.textingNumber }],
        text,
      };
      return JSON.stringify({ data: { event_type: 'message.received', payload } });
    };
    const call = async (body: string, ageSeconds: number, shownSeconds = ageSeconds) => {
      const now = Math.floor(Date.now() / 1_000);
      const signature = sign(null, Buffer.from(`${now - ageSeconds}|${body}`), keys.privateKey).toString('base64');
      const headers = { 'telnyx-timestamp': String(now - shownSeconds), 'telnyx-signature-ed25519': signature };
      return (await inject(world.app, { method: 'POST', url: telnyxPath, headers, payload: body })).status;
    };
    const start = say('START');
    assert.deepEqual([await call(start, 0), await call(say('STOP'), 0)], [200, 200]);
    assert.deepEqual([await call(start, 60), await call(start, 301), await call(start, 301, 0)], [200, 403, 403]);
    assert.equal(await stateOf(world, world.ann, phone), 'opted_out');
  });
});

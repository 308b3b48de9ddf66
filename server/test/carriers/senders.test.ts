import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { generateKeyPairSync, randomUUID, sign } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { after, before, suite, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import twilio from 'twilio';
import { smppCarrier } from '../../src/adapters/carriers/smpp/smpp-carrier.ts';
import { telnyxReader } from '../../src/adapters/carriers/telnyx/calls.ts';
import { twilioReader } from '../../src/adapters/carriers/twilio/calls.ts';
import { addStaff } from '../../src/domain/accounts/staff.ts';
import { growTree } from '../../src/domain/archive/archive-tree.ts';
import { verifyArchive } from '../../src/domain/archive/archive-verification.ts';
import { decideReview } from '../../src/domain/consent/reviews.ts';
import { getReview, listReviews } from '../../src/domain/supervision/reviews.ts';
import { signer } from '../archive/small-archive.ts';
import { always, exportTo, makeDesk, readLines } from '../record-keeping/archive-exports.ts';
import { fixedCarriers, openCarrier } from '../support/carriers.ts';
import { entries, stateOf } from '../support/people.ts';
import { acceptedPhone } from '../support/texting.ts';
import { until } from '../support/waiting.ts';
import { inject, makeWorld, type World } from '../support/world.ts';
import { accountSid, authToken } from './http/stand-in.ts';
import { type Smsc, startSmsc } from './smpp/smsc.ts';

const keys = generateKeyPairSync('ed25519');
const publicKey = keys.publicKey.export({ format: 'der', type: 'spki' }).subarray(-32).toString('base64');
const desk = makeDesk(signer.publicKey);
const verifyProgram = fileURLToPath(new URL('../../verify.mjs', import.meta.url));

let smsc: Smsc;
let world: World;
let number: string;
before(async () => {
  smsc = await startSmsc();
  const hosts = [{ host: '127.0.0.1', port: smsc.port }];
  const smpp = openCarrier(smppCarrier({ name: 'smpp', hosts, systemId: 'assent', password: 'secret' }));
  // One carrier with three doors, so that all of them bring replies to the same number.
  const doors = [
    smpp,
    { ...smpp, name: 'twilio', readCall: twilioReader({ accountSid, authToken }) },
    { ...smpp, name: 'telnyx', readCall: telnyxReader({ apiKey: 'none', publicKey }) },
  ];
  world = await makeWorld({ carriers: fixedCarriers(...doors) });
  number = world.ann.advisor.textingNumber ?? '';
  await until('it is bound', async () => (await smsc.binds()).length === 1);
});
after(async () => {
  await world.close();
  await smsc.stop();
  desk.remove();
});

/** Each brings a text by the carrier's own door. True if the carrier is told that it was taken. */
const doors = {
  async twilio(from: string, text: string): Promise<boolean> {
    const fields = { MessageSid: `SM${randomUUID().replaceAll('-', '')}`, From: from, To: number, Body: text };
    const url = '/carriers/twilio/calls';
    const signature = twilio.getExpectedTwilioSignature(authToken, world.config.publicUrl + url, fields);
    const headers = { 'content-type': 'application/x-www-form-urlencoded', 'x-twilio-signature': signature };
    const payload = new URLSearchParams(fields).toString();
    return (await inject(world.app, { method: 'POST', url, headers, payload })).status === 200;
  },
  async telnyx(from: string, text: string): Promise<boolean> {
    const payload = { id: randomUUID(), from: { phone_number: from }, to: [{ phone_number: number }], text };
    const body = JSON.stringify({ data: { event_type: 'message.received', payload } });
    const timestamp = String(Math.floor(Date.now() / 1_000));
    const signature = sign(null, Buffer.from(`${timestamp}|${body}`), keys.privateKey).toString('base64');
    const headers = { 'telnyx-timestamp': timestamp, 'telnyx-signature-ed25519': signature };
    return (
      (await inject(world.app, { method: 'POST', url: '/carriers/telnyx/calls', headers, payload: body })).status ===
      200
    );
  },
  async smpp(from: string, text: string): Promise<boolean> {
    const to = { dest_addr_ton: 1, destination_addr: number.slice(1) };
    return (await smsc.deliver({ source_addr_ton: 5, source_addr: from, ...to, short_message: text })) === 0;
  },
};

type Door = keyof typeof doors;

const script = '<script>alert(1)</script>';
/** Senders that are no number, and what is kept of them. */
const strangers: Record<string, [written: string, kept: string]> = {
  empty: ['', ''],
  'a name': ['MyBank', 'MyBank'],
  'a short code': ['72345', '72345'],
  'a script': [script, script],
  'very long': ['x'.repeat(5_001), `${'x'.repeat(99)}…`],
  'a number that is too long': ['+1234567890123456', '+1234567890123456'],
};
const httpStrangers: typeof strangers = {
  ...strangers,
  NUL: ['+1500\u00005550006x', '+1500\ufffd5550006x'],
  'half a character': ['A\ud800', 'A\ufffd'],
  'another channel': ['whatsapp:+15005550006', 'whatsapp:+15005550006'],
};
const spellings: Record<string, (phone: string) => string> = {
  'white space around it': (phone) => ` ${phone}\n`,
  'full-width digits': (phone) => phone.replace(/[+\d]/g, (each) => String.fromCharCode(each.charCodeAt(0) + 0xfee0)),
  'tel:': (phone) => `tel:${phone}`,
  separators: (phone) => phone.replace(/^(..)(...)(...)/, '$1 ($2) $3-'),
  'NUL after it': (phone) => `${phone}\0`,
};

async function counts(): Promise<Record<string, number>> {
  const [row] = await world.database.asOwner<Record<string, number>>(
    `select
       (select count(*)::integer from members) as members, (select count(*)::integer from contacts) as contacts,
       (select count(*)::integer from messages) as messages, (select count(*)::integer from events) as events`,
  );
  return row ?? {};
}

function misdirected(status: 'open' | 'approved' = 'open') {
  return listReviews(world.deps, { firmId: world.ann.advisor.firmId, status, kind: 'misdirected' });
}

async function assertShown(door: Door, [written, kept]: [string, string], text: string): Promise<void> {
  const before = await counts();
  const shown = (await misdirected()).length;
  assert.ok(await doors[door](written, text), 'the carrier is told that it was taken');
  assert.deepEqual(await counts(), before, 'no contact, no member, nothing sent, nobody told');
  const reviews = await misdirected();
  assert.equal(reviews.length, shown + 1);
  const review = reviews.at(-1);
  assert.ok(review);
  assert.deepEqual([review.phone, review.memberId, review.messageId], [kept, null, null]);
  assert.equal((await getReview(world.deps, review.reviewId)).text, text);
}

suite('a text from a sender that is no number is archived and shown to the firm, and does nothing else', () => {
  for (const door of ['twilio', 'telnyx'] as const)
    for (const [name, sender] of Object.entries(httpStrangers))
      test(`by ${door}: ${name}`, async () => {
        for (const text of ['STOP', 'HELP']) await assertShown(door, sender, text);
      });

  for (const [name, sender] of Object.entries(strangers))
    test(`by SMPP: ${name}`, async () => {
      for (const text of ['START', 'Hello']) await assertShown('smpp', sender, text);
    });

  test('a duplicate is stored once, however many come at once', async () => {
    const fields = { MessageSid: `SM${randomUUID().replaceAll('-', '')}`, From: 'MyBank', To: number, Body: 'Twice' };
    const url = '/carriers/twilio/calls';
    const signature = twilio.getExpectedTwilioSignature(authToken, world.config.publicUrl + url, fields);
    const headers = { 'content-type': 'application/x-www-form-urlencoded', 'x-twilio-signature': signature };
    const payload = new URLSearchParams(fields).toString();
    const before = (await misdirected()).length;
    const call = () => inject(world.app, { method: 'POST', url, headers, payload });
    for (const { status } of await Promise.all([call(), call(), call(), call(), call()])) assert.equal(status, 200);
    assert.equal((await misdirected()).length, before + 1);
  });

  test('a reviewer closes it, and the decision is in its history', async () => {
    const sue = await addStaff(world.deps, {
      firmId: world.ann.advisor.firmId,
      name: 'Sue',
      email: 'sue@test.example',
    });
    const [review] = await misdirected();
    assert.ok(review);
    const decided = await decideReview(world.deps, review.reviewId, { decision: 'approved', staff: sue, note: 'Spam' });
    assert.deepEqual([decided.status, decided.outcome], ['approved', null]);
    const { events } = await getReview(world.deps, review.reviewId);
    assert.deepEqual(
      events.map(({ decision, note }) => [decision, note]),
      [['approved', 'Spam']],
    );
  });
});

suite('a sender that is a number is that person, however the carrier writes it', () => {
  for (const door of ['twilio', 'telnyx'] as const)
    for (const [name, spelling] of Object.entries(spellings))
      test(`by ${door}, with ${name}: their STOP counts`, async () => {
        const phone = await acceptedPhone(world, world.ann);
        assert.ok(await doors[door](spelling(phone), 'STOP'));
        assert.equal(await stateOf(world, world.ann, phone), 'opted_out');
        assert.equal((await entries(world, world.ann, phone, 'text_in'))[0]?.meta.from, phone);
      });
});

suite('the records of such texts', () => {
  test('are intact and exported, and the examiner’s program says so', async () => {
    const deps = { ...world.deps, signer, checkpointFolder: null };
    while (await growTree(deps));
    const asked = { verifiers: [signer.verifier], kept: null, progress: () => {} };
    const { verdict, faults } = await verifyArchive(deps, asked);
    assert.deepEqual([verdict, faults], ['intact', []]);
    const { folder, checkpoint } = await exportTo(deps, desk.path('export'), world.ann.advisor.advisorId, always);
    assert.equal(desk.verify(folder, checkpoint).verdict, 'intact');
    const checkpointFile = desk.path('checkpoint');
    writeFileSync(checkpointFile, checkpoint);
    const files = ['--package', folder, '--checkpoint', checkpointFile, '--pubkey', desk.pubkeyFile];
    const { status, stdout, stderr } = spawnSync(process.execPath, [verifyProgram, ...files], { encoding: 'utf8' });
    assert.equal(status, 0, stdout + stderr);
    const lines = readLines(folder).filter(({ entry }) => entry.kind === 'text_in' && entry.memberId === null);
    const senders = new Set(lines.map(({ entry }) => JSON.parse(entry.meta).from));
    for (const [, kept] of Object.values(httpStrangers)) assert.ok(senders.has(kept), kept);
  });
});

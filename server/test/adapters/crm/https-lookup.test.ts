import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import type { ServerResponse } from 'node:http';
import { after, afterEach, before, suite, test } from 'node:test';
import { Webhook } from 'standardwebhooks';
import { openHttpsLookup } from '../../../src/adapters/crm/https-lookup.ts';
import { crmOpener } from '../../../src/adapters/crm/open.ts';
import { makeOutbound } from '../../../src/adapters/outbound/outbound.ts';
import { type Crm, CrmFault } from '../../../src/domain/ports.ts';
import { freePort } from '../../support/programs.ts';
import { until } from '../../support/waiting.ts';
import {
  type Answers,
  type CrmRequest,
  drip,
  endlessly,
  type ScriptedServer,
  startScriptedServer,
} from './scripted-server.ts';

const secret = `whsec_${randomBytes(32).toString('base64')}`;
const phone = '+12125550123';
const ann = { remoteContactId: '8051', firstName: 'Ann', lastName: 'Smith', phone };
const bytesMax = 1024 * 1024;
const patient = makeOutbound(['127.0.0.0/8'], { timeoutMs: 20_000, bytesMax });
const hasty = makeOutbound(['127.0.0.0/8'], { timeoutMs: 400, bytesMax });

suite('a CRM by HTTPS lookup', () => {
  let server: ScriptedServer;
  const open = (changes = {}, ask = patient): Crm => openHttpsLookup({ url: server.url, secret, ...changes }, ask);

  before(async () => {
    server = await startScriptedServer();
  });
  afterEach(() => {
    server.asked.length = 0;
  });
  after(() => server.close());

  test('gets a question that Standard Webhooks libraries verify, and its answer counts', async () => {
    server.answers = (asked, response) => {
      const { type, data } = new Webhook(secret).verify(
        asked.body,
        asked.headers as Record<string, string>,
      ) as Question;
      assert.deepEqual([type, data], ['contact.lookup', { phone }]);
      answered(asked, response, {
        contacts: [{ ...ann, remoteContactUrl: 'https://crm.example/8051', hobby: 'chess' }],
      });
    };
    assert.deepEqual(await open().lookup(phone, ample()), {
      remoteContactId: '8051',
      remoteContactUrl: 'https://crm.example/8051',
      fields: { firstName: 'Ann', lastName: 'Smith', phone },
    });
    assert.match(String(server.asked[0]?.headers['webhook-id']), /^msg_\w{32}$/);
  });

  test('says that nobody has a number with an empty list, a signed 404, or a contact with a different number', async () => {
    const other = { ...ann, remoteContactId: '1', phone: '+12125559999' };
    server.answers = (asked, response) => answered(asked, response, { contacts: [] });
    assert.equal(await open().lookup(phone, ample()), null);
    server.answers = (asked, response) => answered(asked, response, {}, { status: 404 });
    assert.equal(await open().lookup(phone, ample()), null);
    server.answers = (asked, response) => answered(asked, response, { contacts: [other] });
    assert.equal(await open().lookup(phone, ample()), null);
    server.answers = (asked, response) =>
      answered(asked, response, { contacts: [other, { ...ann, remoteContactId: 8 }, ann] });
    assert.equal((await open().lookup(phone, ample()))?.remoteContactId, '8051');
  });

  test('has its fields that break a rule left out', async () => {
    const broken = { ...ann, birthDate: 'soon', gender: 99, emailAddress: 12 };
    server.answers = (asked, response) => answered(asked, response, { contacts: [broken] });
    assert.deepEqual((await open().lookup(phone, ample()))?.fields, { firstName: 'Ann', lastName: 'Smith', phone });
  });

  test('can’t be impersonated: an answer must be signed just now, for this question, with this secret', async () => {
    const good = { contacts: [ann] };
    const wrong: [Answers, RegExp][] = [
      [(_, response) => void json(response).end(JSON.stringify(good)), /200 without a signature/],
      [(_, response) => void response.writeHead(404).end(), /404 without a signature/],
      [(asked, response) => answered(asked, response, good, { id: 'msg_other' }), /to a different question/],
      [(asked, response) => answered(asked, response, good, { at: new Date(Date.now() - 301_000) }), /5 minutes ago/],
      [(asked, response) => answered(asked, response, good, { at: new Date(Date.now() + 330_000) }), /or ahead/],
      [(asked, response) => answered(asked, response, good, { sent: JSON.stringify({ contacts: [] }) }), /is wrong/],
      [(asked, response) => answered(asked, response, good, { by: `whsec_${btoa('x'.repeat(32))}` }), /is wrong/],
    ];
    for (const [answers, message] of wrong) {
      server.answers = answers;
      await assert.rejects(open().lookup(phone, ample()), faultOf(message));
    }
    // There may be two signatures while a secret is being rotated.
    server.answers = (asked, response) => answered(asked, response, good, { more: ' v1,AAAA v2,xyz' });
    assert.equal((await open().lookup(phone, ample()))?.remoteContactId, '8051');
  });

  const hostile: [string, Answers, RegExp][] = [
    ['answers without end', (_, response) => endlessly(json(response), ' '.repeat(65_536)), /more than \d+ bytes/],
    ['answers a byte at a time', (_, response) => drip(json(response)), /took longer than 0\.4 s/],
    ['never answers', () => {}, /took longer than 0\.4 s/],
    ['breaks off', (_, response) => void json(response).write('{', () => response.destroy()), /the connection broke/],
    ['redirects', (_, response) => void response.writeHead(302, { location: 'http://10.0.0.1/' }).end(), /redirects/],
    ['refuses the signature', (_, response) => void response.writeHead(401).end(), /secret the same/],
    ['throttles', (_, response) => void response.writeHead(429).end(), /throttling us/],
    ['has an internal error', (_, response) => void response.writeHead(500).end(), /answered 500/],
    [
      'answers with a different content type',
      (asked, response) => answered(asked, response, {}, { type: 'text/html' }),
      /no response to a lookup/,
    ],
    [
      'answers without JSON',
      (asked, response) => answered(asked, response, '', { raw: '{"contacts":' }),
      /no response to a lookup/,
    ],
    [
      'answers without a list',
      (asked, response) => answered(asked, response, { contacts: 'all' }),
      /no list of contacts/,
    ],
    ['lists null', (asked, response) => answered(asked, response, { contacts: [null] }), /no list/],
    [
      'answers with too many contacts',
      (asked, response) => answered(asked, response, { contacts: Array(5_001).fill({}) }),
      /more than 5000 contacts/,
    ],
  ];
  for (const [what, answers, message] of hostile)
    test(`that ${what} is a fault`, async () => {
      server.answers = answers;
      const crm = open({}, /took longer/.test(message.source) ? hasty : patient);
      await assert.rejects(crm.lookup(phone, ample()), faultOf(message));
    });

  test('with an invalid address or secret is a fault that reveals neither', async () => {
    await assert.rejects(open({ url: 'http://crm.example/' }).lookup(phone, ample()), faultOf(/https:\/\//));
    await assert.rejects(open({ secret: 'hunter2' }).lookup(phone, ample()), faultOf(/^Its signing secret must be/));
    await assert.rejects(
      crmOpener([])({ url: server.url, secret }).lookup(phone, ample()),
      faultOf(/not a public address/),
    );
    assert.equal(server.asked.length, 0);
  });
});

suite('the server in the examples', () => {
  let program: ChildProcess;
  let url: string;

  before(async () => {
    const file = new URL('../../../../sdk/examples/crm-lookup.js', import.meta.url).pathname;
    const port = await freePort();
    url = `http://127.0.0.1:${port}/`;
    program = spawn(process.execPath, [file], { env: { SECRET: secret, PORT: String(port) }, stdio: 'inherit' });
    await until('it listens', async () => (await fetch(url).catch(() => null))?.status === 401);
  });
  after(() => program.kill());

  test('answers signed lookups, and no others', async () => {
    const crm = crmOpener(['127.0.0.0/8'])({ url, secret });
    assert.equal((await crm.lookup(phone, ample()))?.fields.lastName, 'Smith');
    assert.equal(await crm.lookup('+12125559999', ample()), null);
    const other = crmOpener(['127.0.0.0/8'])({ url, secret: `whsec_${btoa('y'.repeat(32))}` });
    await assert.rejects(other.lookup(phone, ample()), faultOf(/refuses the signature/));
  });
});

/** An hour, for tests that aren't about timeouts. */
function ample(): AbortSignal {
  return AbortSignal.timeout(3_600_000);
}

type Question = { type: string; data: unknown };

function faultOf(message: RegExp) {
  return (error: unknown) => {
    assert.ok(error instanceof CrmFault, String(error));
    assert.match(error.message, message);
    assert.ok(!error.message.includes(secret) && !error.message.includes('hunter2'));
    return true;
  };
}

function json(response: ServerResponse): ServerResponse {
  return response.writeHead(200, { 'content-type': 'application/json' });
}

type Forgery = {
  status?: number;
  id?: string;
  at?: Date;
  by?: string;
  type?: string;
  /** Signed and sent instead of the body as JSON. */
  raw?: string;
  /** Sent instead of what is signed. */
  sent?: string;
  more?: string;
};

/** Answers signed by the library, except for what a test falsifies. */
function answered({ headers }: CrmRequest, response: ServerResponse, body: unknown, forged: Forgery = {}): void {
  const { status = 200, id = String(headers['webhook-id']), at = new Date(), by = secret, more = '' } = forged;
  const text = forged.raw ?? JSON.stringify(body);
  response
    .writeHead(status, {
      'content-type': forged.type ?? 'application/json; charset=utf-8',
      'webhook-id': id,
      'webhook-timestamp': String(Math.floor(at.getTime() / 1000)),
      'webhook-signature': new Webhook(by).sign(id, at, text) + more,
    })
    .end(forged.sent ?? text);
}

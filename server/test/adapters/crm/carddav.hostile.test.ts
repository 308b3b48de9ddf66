import assert from 'node:assert/strict';
import type { ServerResponse } from 'node:http';
import { after, afterEach, before, suite, test } from 'node:test';
import { redirectTarget } from '../../../src/adapters/crm/addresses.ts';
import { openCardDav } from '../../../src/adapters/crm/carddav.ts';
import { multistatusReader } from '../../../src/adapters/crm/multistatus.ts';
import { makeOutbound } from '../../../src/adapters/outbound/outbound.ts';
import { type Crm, CrmFault } from '../../../src/domain/ports.ts';
import { cpuMs } from '../../support/cpu.ts';
import { vcard } from '../../support/radicale.ts';
import { ample, listed } from './listed.ts';
import { type Answers, drip, endlessly, type ScriptedServer, startScriptedServer } from './scripted-server.ts';

const bytesMax = 4 * 1024 * 1024;
const patient = makeOutbound(['127.0.0.0/8'], { timeoutMs: 20_000, bytesMax });
const hasty = makeOutbound(['127.0.0.0/8'], { timeoutMs: 400, bytesMax });
const secret = 'a-secret-of-ours';

suite('a CardDAV server that is broken or hostile', () => {
  let server: ScriptedServer;
  const open = (ask = patient): Crm =>
    openCardDav({ kind: 'carddav', url: `${server.url}book/`, username: 'avery', secret, region: 'US' }, ask);

  before(async () => {
    server = await startScriptedServer();
  });
  afterEach(() => {
    server.asked.length = 0;
  });
  after(() => server.close());

  /** Asserts the fault of a listing and a lookup, and that it doesn't reveal the secret. */
  async function faults(message: RegExp): Promise<void> {
    const ask = /took longer/.test(message.source) ? hasty : patient;
    for (const asking of [() => listed(open(ask)), () => open(ask).lookup('+12125550123', ample())]) {
      await assert.rejects(asking, (error) => {
        assert.ok(error instanceof CrmFault, String(error));
        assert.match(error.message, message);
        assert.doesNotMatch(error.message, /a-secret|\n/);
        return true;
      });
    }
  }

  const everywhere: [string, Answers, RegExp][] = [
    [
      'answers without end',
      (_, response) => endlessly(xml(response), `<a>${'b'.repeat(9_999)}</a>`),
      /more than \d+ bytes/,
    ],
    ['answers a byte at a time', (_, response) => drip(xml(response)), /took longer than 0\.4 s/],
    ['never answers', () => {}, /took longer than 0\.4 s/],
    ['answers garbage', (_, response) => void xml(response).end('<<<multistatus>\0&&&]]></</<'), /not CardDAV/],
    ['answers nothing', (_, response) => void xml(response).end(), /not CardDAV/],
    ['answers incompletely', (_, response) => void xml(response).end('<multistatus><response>'), /not CardDAV/],
    [
      'answers with a web page',
      (_, response) => void response.writeHead(200, { 'content-type': 'text/html' }).end('<html>Sign in'),
      /not CardDAV/,
    ],
    [
      'defines entities',
      (_, response) =>
        void xml(response).end(
          `<!DOCTYPE m [<!ENTITY a "${'a'.repeat(99)}"><!ENTITY b "&a;&a;&a;">]><multistatus>&b;</multistatus>`,
        ),
      /document type/,
    ],
    ['nests elements endlessly', (_, response) => void xml(response).end('<a>'.repeat(500_000)), /nested too deeply/],
    [
      'repeats a property endlessly',
      (_, response) => endlessly(xml(response), `<multistatus><response><propstat><prop>${'<getetag/>'.repeat(9_999)}`),
      /repeats the properties/,
    ],
    [
      'breaks off',
      (_, response) => {
        xml(response).write('<multistatus>');
        setTimeout(() => response.destroy(), 20);
      },
      /the connection broke/,
    ],
    [
      'has an internal error',
      (_, response) => void response.writeHead(503).end(),
      /^It has an internal error: it answered 503\.$/,
    ],
    ['throttles', (_, response) => void response.writeHead(429).end(), /throttling us/],
    [
      'redirects to a private address',
      (_, response) => void response.writeHead(301, { location: 'http://169.254.169.254/book/' }).end(),
      /^It leads to a different server: http:\/\/169\.254\.169\.254\/book\/\. If that is right, connect that address\.$/,
    ],
    [
      'redirects endlessly',
      (_, response) => void response.writeHead(301, { location: '/book/' }).end(),
      /^It redirects too often\.$/,
    ],
    [
      'says that its books are on a different server',
      (_, response) =>
        void xml(response).end(
          multistatus(
            `<response><href>/book/</href>${ok('<addressbook-home-set><href>https://elsewhere.example/</href></addressbook-home-set>')}</response>`,
          ),
        ),
      /to a different server: https:\/\/elsewhere\.example\/\./,
    ],
  ];
  for (const [what, answers, message] of everywhere)
    test(`that ${what} is a fault, in time`, async () => {
      server.answers = answers;
      await faults(message);
    });

  test('gets the password at no other host, unless a provider that we know has many', () => {
    const leads = (from: string, to: string) => redirectTarget(new URL(from), URL.parse(to)).href;
    const allowed = [
      ['https://dav.example/', 'https://dav.example/books/'],
      ['https://dav.example:8443/', 'https://dav.example:8443/books/'],
      ['https://dav.example:8443/', 'https://dav.example/books/'],
      ['http://localhost:5232/', 'https://localhost/'],
      ['https://contacts.icloud.com/', 'https://p42-contacts.icloud.com/1234/'],
    ] as const;
    for (const [from, to] of allowed) assert.equal(leads(from, to), to);
    const refused = [
      ['https://ours.azurewebsites.net/', 'https://theirs.azurewebsites.net/'],
      ['https://ours.co.uk/', 'https://theirs.co.uk/'],
      ['https://dav.example.com/', 'https://www.example.com/'],
      ['https://dav.example/', 'http://dav.example/'],
      ['https://dav.example/', 'https://dav.example:8443/'],
      ['https://contacts.icloud.com/', 'https://p42-contacts.icloud.com.example/'],
      ['https://contacts.icloud.com/', 'https://noticloud.com/'],
      ['https://contacts.icloud.com/', 'https://p42-contacts.icloud.com:8443/'],
    ] as const;
    for (const [from, to] of refused)
      assert.throws(
        () => leads(from, to),
        new CrmFault(`It leads to a different server: ${to}. If that is right, connect that address.`),
      );
    assert.throws(() => leads('https://dav.example/', 'https://'), /not a web address/);
  });

  test('that has an attribute without end is a fault, before it fills our memory', () => {
    const reader = multistatusReader();
    reader.read('<multistatus><response><href><![CDATA[');
    for (let count = 0; count < 50; count += 1) reader.read('a large photograph'.repeat(5_000));
    reader.read(']]></href><href a="');
    const readOn = () => {
      for (let count = 0; count < 200; count += 1) reader.read('&amp;'.repeat(10_000));
    };
    assert.throws(readOn, CrmFault);
  });

  test('that lists addresses of four thousand characters for every contact is a fault, before it fills our memory', async () => {
    const large = makeOutbound(['127.0.0.0/8'], { timeoutMs: 60_000, bytesMax: 40 * 1024 * 1024 });
    const responses = Array.from({ length: 9_000 }, (_, index) => {
      const href = `/book/${String(index).padEnd(3_980, 'x')}.vcf`;
      return `<response><href>${href}</href>${ok('<getetag>1</getetag>')}</response>`;
    });
    server.answers = book(multistatus(responses.join('')));
    await assert.rejects(listed(open(large)), /too long/);
  });

  test('can’t block us with answers that are made to be slow to read', async () => {
    const reading = (times: number) => {
      const names = Array.from({ length: 5_000 * times }, (_, index) => `<a${index}>x</a${index}>`).join('');
      const propstats = Array.from({ length: 1_000 * times }, (_, index) => ok(`<a${index}/>`)).join('');
      server.answers = book(multistatus(`<response><href>/book/1.vcf</href>${names}${propstats}</response>`));
      return cpuMs(async () => assert.equal((await listed(open())).total, 1));
    };
    await reading(1);
    const [one, eight] = [await reading(1), await reading(8)];
    // Eight times as much takes eight times as long; if it were quadratic, 64 times.
    assert.ok(eight < 24 * Math.max(one, 10), `${one} ms, ${eight} ms`);
  });

  test('that lists only some contacts is a fault: otherwise the others would look deleted', async () => {
    server.answers = book(
      multistatus(entry('/book/1.vcf'), '<response><href>/book/</href><status>HTTP/1.1 507 X</status></response>'),
    );
    await assert.rejects(listed(open()), { message: 'It lists only some of its contacts.' });
  });

  test('can’t send us to a different server, or return cards that we didn’t ask for', async () => {
    const good = vcard('1', ['FN:Ann Smith', 'N:Smith;Ann;;;']);
    server.answers = book(
      multistatus(entry('/book/1.vcf'), entry('https://elsewhere.example/2.vcf'), entry('http://[')),
      multistatus(card('/book/1.vcf', good), card('/book/3.vcf', good), card('https://elsewhere.example/1.vcf', good)),
    );
    const { contacts, refused, total } = await listed(open());
    assert.deepEqual(
      contacts.map(({ locator }) => locator),
      [`${server.url}book/1.vcf`],
    );
    assert.deepEqual(refused, [
      { what: 'https://elsewhere.example/2.vcf', why: 'Its address is on a different server.' },
      { what: 'http://[', why: 'Its address is on a different server.' },
    ]);
    assert.equal(total, 3);
    assert.ok(server.asked.every(({ body }) => !body.includes('elsewhere')));
  });

  test('costs only its broken cards, each with a reason', async () => {
    const person = ['FN:Ann Smith', 'N:Smith;Ann;;;'];
    const cards: Record<string, string> = {
      good: vcard('good', [...person, 'TEL:212-555-0123', 'BDAY:19610230', `NICKNAME:${'n'.repeat(201)}`]),
      'without-uid': vcard('', [...person]),
      twin: vcard('good', person),
      old: vcard('old', person).replace('VERSION:3.0', 'VERSION:2.1'),
      nonsense: 'nonsense',
      'two-cards': vcard('a', person) + vcard('b', person),
      empty: vcard('empty', ['NOTE:nothing else']),
      'long-uid': vcard('u'.repeat(501), person),
      large: vcard('large', [...person, `NOTE:${'x'.repeat(1_100_000)}`]),
      properties: vcard('properties', [...person, ...Array(100_000).fill('TEL:1')]),
      parameters: vcard('parameters', [...person, `NOTE${';A=b'.repeat(200_000)}:x`]),
    };
    const files = [...Object.keys(cards), 'gone', 'kept-back'].map((name) => `/book/${name}.vcf`);
    server.answers = book(
      multistatus(...files.map(entry)),
      multistatus(
        ...Object.entries(cards).map(([name, text]) => card(`/book/${name}.vcf`, text)),
        '<response><href>/book/gone.vcf</href><status>HTTP/1.1 404 Not Found</status></response>',
      ),
    );
    const { contacts, refused } = await listed(open());
    assert.deepEqual(
      contacts.map(({ remoteContactId, leftOut }) => [remoteContactId, leftOut]),
      [
        ['good', ['BDAY: it is not a date.', 'nickname: must have at most 200 characters.']],
        ['/book/without-uid.vcf', []],
        ['old', []],
        ['properties', ['TEL: it is not a phone number (country US).']],
        ['parameters', []],
      ],
    );
    const why = Object.fromEntries(refused.map((each) => [each.what.slice(`${server.url}book/`.length, -4), each.why]));
    assert.deepEqual(why, {
      twin: `It has the same id as ${server.url}book/good.vcf.`,
      nonsense: 'It is not a vCard.',
      'two-cards': 'It is not a vCard.',
      empty: 'It has no valid name, email address or phone number.',
      'long-uid': 'Its id must be 1 to 500 characters of well-formed Unicode without NUL.',
      large: 'The card has over a million characters.',
      'kept-back': 'It is listed, but the server didn’t return it.',
    });
  });

  test('that ignores filters or can’t search never yields a wrong contact', async () => {
    const other = vcard('other', ['FN:Other Person', 'N:Person;Other;;;', 'TEL:212-555-9123']);
    server.answers = book('', multistatus(card('/book/other.vcf', other)));
    assert.equal(await open().lookup('+12125550123', ample()), null);
    for (const status of [403, 501]) {
      server.answers = ({ method }, response) =>
        method === 'REPORT' ? void response.writeHead(status).end() : void xml(response).end(multistatus(self));
      await assert.rejects(open().lookup('+12125550123', ample()), {
        message: 'It doesn’t support searches (addressbook-query), so nobody can be looked up.',
      });
    }
  });

  test('stops being read when the caller cancels', async () => {
    server.answers = () => {};
    for (const asking of [
      (until: AbortSignal) => listed(open(), new Map(), until),
      (until: AbortSignal) => open().lookup('+12125550123', until),
    ])
      await assert.rejects(asking(AbortSignal.timeout(50)), { message: 'It was canceled before it was done.' });
  });
});

function xml(response: ServerResponse): ServerResponse {
  return response.writeHead(207, { 'content-type': 'application/xml' });
}

/** An address book at /book/ with this listing and these cards. */
function book(listing: string, cards = multistatus()): Answers {
  return ({ method, headers }, response) => {
    if (method === 'REPORT') xml(response).end(cards);
    else xml(response).end(headers.depth === '0' ? multistatus(self) : listing);
  };
}

const self = `<response><href>/book/</href>${ok('<resourcetype><collection/><addressbook/></resourcetype>')}</response>`;

function multistatus(...responses: string[]): string {
  return `<?xml version="1.0"?><multistatus xmlns="DAV:">${responses.join('')}</multistatus>`;
}

function entry(href: string): string {
  return `<response><href>${href}</href>${ok('<getetag>"1"</getetag>')}</response>`;
}

function card(href: string, text: string): string {
  return `<response><href>${href}</href>${ok(`<getetag>"1"</getetag><c:address-data xmlns:c="x"><![CDATA[${text}]]></c:address-data>`)}</response>`;
}

function ok(properties: string): string {
  return `<propstat><prop>${properties}</prop><status>HTTP/1.1 200 OK</status></propstat>`;
}

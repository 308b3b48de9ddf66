import assert from 'node:assert/strict';
import { connect } from 'node:net';
import { after, afterEach, before, suite, test } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { gzipSync } from 'node:zlib';
import { anotherNode } from '../support/nodes.ts';
import { assertProblem } from '../support/problem.ts';
import { exchange, listen, openWire } from '../support/sockets.ts';
import { type Answer, makeWorld, type World } from '../support/world.ts';

const contacts = '/v1/core/contact/contacts';
const bodyBytesMax = 256 * 1024;
const ann = '{"firstName":"Ann","lastName":"Smith"}';

suite('HTTP', () => {
  let world: World;
  let port: number;
  before(async () => {
    world = await makeWorld();
    port = await listen(world.app);
  });
  after(() => world.close());
  afterEach(async () => {
    assert.equal((await get(contacts)).status, 200, 'the server still answers after each test');
  });

  type Headers = Record<string, string | undefined>;

  /** The bytes of a request with both credentials. An undefined header is left out. */
  function request(method: string, target: string, headers: Headers = {}, body: string | Buffer = ''): Buffer {
    const bytes = Buffer.from(body as string);
    const all: Headers = {
      host: 'localhost',
      authorization: `Bearer ${world.ann.token}`,
      'x-api-key': world.apiKey,
      ...(bytes.length > 0 ? { 'content-type': 'application/json', 'content-length': String(bytes.length) } : {}),
      ...headers,
    };
    const lines = Object.entries(all).flatMap(([name, value]) =>
      value === undefined ? [] : [`${name}: ${value}\r\n`],
    );
    return Buffer.concat([Buffer.from(`${method} ${target} HTTP/1.1\r\n${lines.join('')}\r\n`), bytes]);
  }
  const get = (target: string, headers: Headers = {}): Promise<Answer> =>
    exchange(port, request('GET', target, headers));
  const post = (body: string | Buffer, headers: Headers = {}): Promise<Answer> =>
    exchange(port, request('POST', contacts, headers, body));
  const chunked = (...chunks: string[]) =>
    `${chunks.map((each) => `${Buffer.byteLength(each).toString(16)}\r\n${each}\r\n`).join('')}0\r\n\r\n`;

  suite('a body', () => {
    test('is JSON in UTF-8', async () => {
      assert.equal((await post(ann)).status, 200);
      assert.equal((await post(`\u{feff}${ann}`)).status, 200);
    });

    test('that is not JSON is 400', async () => {
      for (const body of ['{', '', ' ', 'null,', "{'firstName':'Ann'}", `${ann}${ann}`, '{"a":1,}', 'NaN', '\0'])
        assertProblem(
          await post(body, { 'content-type': 'application/json', 'content-length': String(body.length) }),
          'invalid_request',
          /JSON/,
        );
    });

    test('that is JSON but not an object is 400', async () => {
      for (const body of ['null', '[]', '1', '"x"', 'true', `[${ann}]`])
        assertProblem(await post(body), 'invalid_request');
    });

    test('that is not UTF-8 is 400', async () => {
      for (const bytes of [[0xff], [0xc3], [0xc0, 0xaf], [0xed, 0xa0, 0x80], [0xf5, 0x80, 0x80, 0x80]])
        assertProblem(
          await post(Buffer.concat([Buffer.from('{"firstName":"'), Buffer.from(bytes), Buffer.from('"}')])),
          'invalid_request',
          /UTF-8/,
        );
    });

    test('with a different type or charset is 415', async () => {
      for (const type of [
        'text/plain',
        'application/x-www-form-urlencoded',
        'application/problem+json',
        'application/jsonp',
        'application/json; charset=utf-16',
        'application/json; charset=latin1',
        'application/json, text/plain',
        'multipart/form-data; boundary=x',
        'nonsense',
        '',
      ])
        assertProblem(await post(ann, { 'content-type': type }), 'unsupported_media_type');
    });

    test('without a content type is 415', async () => {
      assertProblem(await post(ann, { 'content-type': undefined }), 'unsupported_media_type');
      assertProblem(await exchange(port, request('POST', contacts)), 'unsupported_media_type');
    });

    test('as application/json is accepted in every spelling', async () => {
      for (const type of ['application/json;charset=UTF-8', 'Application/JSON ; charset="utf-8"', 'application/json;'])
        assert.equal((await post(ann, { 'content-type': type })).status, 200, type);
    });

    test('that is compressed is 415, even a decompression bomb', async () => {
      const bomb = gzipSync(Buffer.alloc(50 * 1024 * 1024));
      for (const encoding of ['gzip', 'deflate', 'br', 'gzip, gzip'])
        assertProblem(await post(bomb, { 'content-encoding': encoding }), 'unsupported_media_type');
      assert.equal((await post(ann, { 'content-encoding': 'identity' })).status, 200);
    });

    test('of 256 KiB is accepted; one byte more is 413', async () => {
      const filled = (bytes: number) => ann.replace('}', `,"filler":"${' '.repeat(bytes - ann.length - 12)}"}`);
      assert.equal(filled(bodyBytesMax).length, bodyBytesMax);
      assert.equal((await post(filled(bodyBytesMax))).status, 200);
      assertProblem(await post(filled(bodyBytesMax + 1)), 'payload_too_large');
    });

    test('of 256 KiB in chunks is accepted; one byte more is 413', async () => {
      const inChunks = (bytes: number) => {
        const filler = ' '.repeat(bytes - ann.length - 12);
        const [start = '', middle = ''] = [filler.slice(0, 100_000), filler.slice(100_000)];
        return chunked(`${ann.slice(0, -1)},"filler":"${start}`, middle, '"}');
      };
      const headers = { 'transfer-encoding': 'chunked', 'content-type': 'application/json' };
      const send = (bytes: number) =>
        exchange(port, Buffer.concat([request('POST', contacts, headers), Buffer.from(inChunks(bytes))]));
      assert.equal((await send(bodyBytesMax)).status, 200);
      assertProblem(await send(bodyBytesMax + 1), 'payload_too_large');
    });

    test('with a Content-Length over the limit is refused before it is sent', async () => {
      const head = request('POST', contacts, { 'content-type': 'application/json', 'content-length': '1000000000' });
      assertProblem(await exchange(port, head), 'payload_too_large');
    });

    test('may be nested 64 levels deep, and no deeper', async () => {
      const nested = (levels: number) =>
        ann.replace('}', `,"unknown":${'['.repeat(levels - 1)}${']'.repeat(levels - 1)}}`);
      assert.equal((await post(nested(64))).status, 200);
      for (const levels of [65, 1_000, 130_000])
        assertProblem(await post(nested(levels)), 'invalid_request', /64 levels/);
      const objects = `${'{"a":'.repeat(20_000)}1${'}'.repeat(20_000)}`;
      assertProblem(await post(objects), 'invalid_request', /64 levels/);
    });

    test('with a number out of range is 400', async () => {
      for (const number of ['1e400', '-1e400', '9007199254740993', '0.5', '-1'])
        assertProblem(await post(ann.replace('}', `,"gender":${number}}`)), 'invalid_request');
    });

    test('with a duplicate key uses the last one, like JSON.parse', async () => {
      const { status, body } = await post('{"firstName":"First","firstName":"Second","lastName":"Twice"}');
      assert.equal(status, 200);
      assert.equal((await get(`${contacts}/${body.id}`)).body.firstName, 'Second');
    });

    test('with __proto__ or constructor loses them, like any unknown field', async () => {
      const { status, body } = await post(
        ann.replace('}', ',"__proto__":{"nickname":"X"},"constructor":{"prototype":{"nickname":"X"}}}'),
      );
      assert.equal(status, 200);
      assert.equal((await get(`${contacts}/${body.id}`)).body.nickname, undefined);
      assert.equal(({} as { nickname?: string }).nickname, undefined);
    });

    test('is not needed for a DELETE, whatever the content type says', async () => {
      for (const headers of [
        {},
        { 'content-type': 'application/json' },
        { 'content-type': 'application/json', 'content-length': '0' },
        { 'content-type': 'text/plain' },
      ]) {
        const { body } = await post(ann);
        const target = `${contacts}/${body.id}`;
        assert.equal((await exchange(port, request('DELETE', target, headers))).status, 204);
        assertProblem(await exchange(port, request('DELETE', target, headers)), 'not_found');
      }
    });

    test('on a GET or a DELETE is ignored', async () => {
      const { body } = await post(ann);
      assert.equal((await exchange(port, request('GET', contacts, {}, '{'))).status, 200);
      assert.equal((await exchange(port, request('DELETE', `${contacts}/${body.id}`, {}, '{'))).status, 204);
    });
  });

  suite('an unknown route or method is 404', () => {
    for (const method of ['PATCH', 'OPTIONS', 'PROPFIND', 'TRACE', 'QUERY', 'LINK'])
      test(method, async () => {
        for (const body of ['', ann]) {
          const answer = await exchange(port, request(method, contacts, {}, body));
          assertProblem(answer, 'not_found', new RegExp(`no ${method}, only GET and POST`));
          assert.equal(answer.headers.allow, 'GET, HEAD, POST');
        }
      });

    test('a method on a route that has other methods', async () => {
      assertProblem(await exchange(port, request('DELETE', contacts)), 'not_found', /GET and POST/);
      const answer = await exchange(port, request('POST', `${contacts}/1`, {}, ann));
      assertProblem(answer, 'not_found', /no POST, only DELETE, GET, and PUT/);
      assert.equal(answer.headers.allow, 'DELETE, GET, HEAD, PUT');
    });

    test('a trailing slash, and the detail says so', async () => {
      assertProblem(await exchange(port, request('GET', `${contacts}/`)), 'not_found', /ends with a slash/);
    });

    test('a path that is not spelled as documented', async () => {
      for (const path of ['/v1', '/v1/', '/v1//core/contact/contacts', contacts.toUpperCase().replace('V1', 'v1')])
        assertProblem(await get(path), 'not_found', /no such route/);
    });
  });

  test('HEAD answers like GET, without the body', async () => {
    const answerTo = async (target: string, headers: Headers = {}) => {
      const wire = await openWire(port);
      wire.write(request('HEAD', target, { connection: 'close', ...headers }));
      return wire.rest();
    };
    const good = await answerTo(contacts);
    assert.match(good, /^HTTP\/1\.1 200 /);
    assert.match(good, /\r\n\r\n$/);
    assert.match(await answerTo('/v1/nowhere'), /^HTTP\/1\.1 404 [\s\S]*\r\n\r\n$/);
    assert.match(await answerTo(contacts, { 'x-api-key': undefined }), /^HTTP\/1\.1 401 [\s\S]*\r\n\r\n$/);
  });

  test('a request without Host is 400', async () => {
    assertProblem(await get(contacts, { host: undefined }), 'invalid_request', /Host/);
    assertProblem(await post(ann, { host: undefined }), 'invalid_request', /Host/);
  });

  test('two Host headers are 400, and two Authorization headers 401, even if they are equal', async () => {
    for (const [name, code] of [
      ['host', 'invalid_request'],
      ['authorization', 'unauthorized'],
    ] as const) {
      const text = request('GET', contacts).toString();
      const [line = ''] = new RegExp(`^${name}: .*\r\n`, 'im').exec(text) ?? [];
      assert.notEqual(line, '');
      assertProblem(await exchange(port, text.replace(line, line + line.toUpperCase())), code, /sent twice/);
    }
  });

  test('HTTP/1.0 without Host is answered, and the connection is closed', async () => {
    const wire = await openWire(port);
    const text = request('GET', contacts, { host: undefined }).toString().replace('HTTP/1.1', 'HTTP/1.0');
    wire.write(text);
    assert.match(await wire.rest(), /^HTTP\/1\.1 200 /);
  });

  test('an Expect other than 100-continue is 400', async () => {
    assertProblem(await post(ann, { expect: 'foo' }), 'invalid_request', /Expect/);
  });

  test('100-continue comes before the body, and the answer after it', async () => {
    const wire = await openWire(port);
    const bytes = request('POST', contacts, { expect: '100-continue' }, ann);
    wire.write(bytes.subarray(0, -ann.length));
    wire.write(ann);
    assert.equal((await wire.answer()).status, 200);
    wire.destroy();
  });

  test('CONNECT is 404', async () => {
    assertProblem(await exchange(port, request('CONNECT', 'example.com:443')), 'not_found');
  });

  test('an Upgrade header is ignored', async () => {
    const upgrade = { connection: 'upgrade', upgrade: 'websocket', 'sec-websocket-key': 'eA==' };
    assert.equal((await get(contacts, upgrade)).status, 200);
    assertProblem(await get('/v1/nowhere', upgrade), 'not_found');
  });

  test('input that is not HTTP is 400', async () => {
    for (const garbage of [
      'garbage\r\n\r\n',
      '\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03',
      'GET / HTTP/9.9\r\n\r\n',
      'get / HTTP/1.1\r\nhost: x\r\n\r\n',
      'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n',
      'GET / HTTP/1.1\r\nhost: x\r\nbad header: x\r\n\r\n',
      'GET / HTTP/1.1\r\nhost: x\r\nx-nul: a\0b\r\n\r\n',
      'GET / HTTP/1.1\nhost: x\n\n',
      'POST / HTTP/1.1\r\nhost: x\r\ncontent-length: x\r\n\r\n',
      'POST / HTTP/1.1\r\nhost: x\r\ncontent-length: 1\r\ncontent-length: 2\r\n\r\n',
      'POST / HTTP/1.1\r\nhost: x\r\ncontent-length: 99999999999999999999\r\n\r\n',
      'POST / HTTP/1.1\r\nhost: x\r\ncontent-length: 3\r\ntransfer-encoding: chunked\r\n\r\n0\r\n\r\n',
      'POST /nothing HTTP/1.1\r\nhost: x\r\ntransfer-encoding: nonsense\r\n\r\n',
    ]) {
      const answer = await exchange(port, Buffer.from(garbage, 'latin1'));
      assert.equal(answer.status, 400, JSON.stringify(garbage));
      assertProblem(answer, 'invalid_request');
      assert.equal(answer.headers.connection, 'close');
    }
  });

  test('garbage in many packets gets one answer', async () => {
    const wire = await openWire(port);
    for (let i = 0; i < 20; i++) {
      wire.write('garbage\r\n\r\n');
      await pause(1);
    }
    wire.end();
    assert.equal((await wire.rest()).match(/HTTP\/1\.1 400/g)?.length, 1);
  });

  test('a malformed chunk is 400, and nothing is done', async () => {
    const headers = { 'transfer-encoding': 'chunked', 'content-type': 'application/json' };
    const body = '5\r\n{"fir\r\nzz\r\nstName"\r\n0\r\n\r\n';
    const answer = await exchange(port, Buffer.concat([request('POST', contacts, headers), Buffer.from(body)]));
    assertProblem(answer, 'invalid_request');
  });

  test('headers over the limit are 400', async () => {
    assertProblem(await get(contacts, { 'x-long': 'x'.repeat(17_000) }), 'invalid_request', /too long/);
    assertProblem(
      await get(contacts, { authorization: `Bearer ${'x'.repeat(100_000)}` }),
      'invalid_request',
      /too long/,
    );
  });

  test('a very long URL is 400, and a long one is answered', async () => {
    assertProblem(await get(`${contacts}?search=${'x'.repeat(17_000)}`), 'invalid_request', /too long/);
    assertProblem(await get(`${contacts}/${'x'.repeat(17_000)}`), 'invalid_request', /too long/);
    assertProblem(await get(`${contacts}?search=${'x'.repeat(12_000)}`), 'invalid_request', /500 characters/);
    assertProblem(await get(`${contacts}/${'1'.repeat(12_000)}`), 'invalid_request', /contactId/);
    assertProblem(await get(`/v1/${'x'.repeat(12_000)}`), 'not_found');
  });

  test('bad percent-encoding is 400, in the path and in the query', async () => {
    for (const bad of ['%', '%zz', '%f', '%ff', '%c3', '%ed%a0%80', '%c0%af']) {
      assertProblem(await get(`${contacts}/${bad}`), 'invalid_request');
      assertProblem(await get(`${contacts}?search=${bad}`), 'invalid_request');
      assertProblem(await get(`${contacts}?${bad}=x`), 'invalid_request');
    }
  });

  test('NUL is 400, in the path and in the query', async () => {
    assertProblem(await get(`${contacts}/%00`), 'invalid_request');
    assertProblem(await get(`${contacts}/1%00`), 'invalid_request');
    assertProblem(await get(`${contacts}?search=a%00b`), 'invalid_request');
    assertProblem(await get(`${contacts}?remoteContactId=%00`), 'invalid_request');
  });

  test('a query parameter given twice is 400', async () => {
    assertProblem(await get(`${contacts}?page=1&page=2`), 'invalid_request', /page was given twice/);
    assertProblem(await get(`${contacts}?search=a&search=b`), 'invalid_request', /search was given twice/);
  });

  test('an unknown query parameter is 400, whatever it is called, with the names that the route knows', async () => {
    for (const name of ['unknown', '__proto__', 'constructor', 'a[b]', '', '%F0%9F%99%82'])
      assertProblem(await get(`${contacts}?${name}=x`), 'invalid_request', /knows page, pageSize, sortBy/);
    assertProblem(await get('/v1/core/enumerations?page=1'), 'invalid_request', /no query parameters/);
  });

  test('an unknown query parameter is told the nearest name', async () => {
    for (const [name, nearest] of [
      ['page_size', 'pageSize'],
      ['PageSize', 'pageSize'],
      ['sort', 'sortBy'],
      ['modified_since', 'modifiedSince'],
      ['serach', 'search'],
    ])
      assertProblem(await get(`${contacts}?${name}=1`), 'invalid_request', new RegExp(`Did you mean ${nearest}\\?`));
  });

  suite('a URL in absolute form', () => {
    test('is answered like its path', async () => {
      const answer = await get(`http://localhost:8080${contacts}?page=1`);
      assert.equal(answer.status, 200);
      assertProblem(await get(`http://localhost:8080${contacts}?page=0`), 'invalid_request', /page/);
    });

    test('is checked for its version', async () => {
      assertProblem(await get('http://localhost/v2/core/contact/contacts'), 'version_mismatch');
      assertProblem(await get(`http://localhost${contacts}`, { 'x-api-version': '2' }), 'version_mismatch');
    });

    test('shows its path as the instance', async () => {
      assert.equal((await get(`http://localhost${contacts}?page=0`)).body.instance, contacts);
    });

    test('shares an Idempotency-Key with its path', async () => {
      const key = { 'idempotency-key': 'absolute-or-not' };
      const first = await post(ann, key);
      const second = await exchange(port, request('POST', `http://localhost${contacts}`, key, ann));
      assert.equal(second.status, 200);
      assert.equal(second.headers['idempotent-replayed'], 'true');
      assert.deepEqual(second.body, first.body);
    });
  });

  suite('pipelined requests on one connection', () => {
    test('are answered in order', async () => {
      const wire = await openWire(port);
      const targets = ['/v1/core/enumerations', contacts, '/v1/nowhere', `${contacts}?page=0`, '/healthz'];
      wire.write(Buffer.concat([request('POST', contacts, {}, ann), ...targets.map((each) => request('GET', each))]));
      const statuses = [];
      for (let i = 0; i < targets.length + 1; i++) statuses.push((await wire.answer()).status);
      assert.deepEqual(statuses, [200, 200, 200, 404, 400, 200]);
      wire.destroy();
    });

    test('continue after a body that was not read', async () => {
      const wire = await openWire(port);
      const large = ' '.repeat(bodyBytesMax + 1);
      wire.write(request('POST', contacts, { 'x-api-key': undefined }, ann));
      assertProblem(await wire.answer(), 'unauthorized');
      wire.write(request('POST', contacts, {}, large));
      assertProblem(await wire.answer(), 'payload_too_large');
      wire.write(request('POST', contacts, {}, ann));
      assert.equal((await wire.answer()).status, 200);
      wire.destroy();
    });

    test('garbage after a good request doesn’t cost the good one its answer', async () => {
      const wire = await openWire(port);
      wire.write(Buffer.concat([request('POST', contacts, {}, ann), Buffer.from('garbage\r\n\r\n')]));
      assert.equal((await wire.answer()).status, 200);
      assertProblem(await wire.answer(), 'invalid_request');
      assert.equal(await wire.rest(), '');
    });
  });

  test('pages that a client asks for and doesn’t read are nobody else’s wait', async () => {
    const unread = connect({ host: '127.0.0.1', port });
    // The documents fill what the kernel takes, so that the pages after them stay unsent.
    const documents = Array.from({ length: 40 }, () => request('GET', '/openapi.json'));
    for (const path of ['/console/sign-in', '/connected-apps']) {
      const pages = Array.from({ length: 20 }, () => request('GET', path));
      unread.write(Buffer.concat([...documents, ...pages]));
    }
    try {
      // Until they are asked for.
      await pause(500);
      assert.equal((await get('/console/sign-in')).status, 200);
      assert.equal((await get('/connected-apps')).status, 303);
    } finally {
      unread.destroy();
    }
  });

  suite('a slow client', () => {
    const requestTimeoutMs = 400;
    let slowPort: number;
    let close: () => Promise<void>;
    before(async () => {
      const app = await anotherNode(world, { config: { ...world.config, requestTimeoutMs } });
      slowPort = await listen(app);
      close = () => app.close();
    });
    after(() => close());

    /** Sends all but the last bytes. Returns the answer that the server gives when it stops waiting. */
    const stall = async (bytes: Buffer) => {
      // The server's time begins when it accepts the connection, which may be a while before we notice.
      const startedAt = Date.now();
      const wire = await openWire(slowPort);
      try {
        wire.write(bytes.subarray(0, -5));
        const answer = await wire.answer();
        assert.ok(Date.now() - startedAt >= requestTimeoutMs, 'the client gets its time');
        wire.write(bytes.subarray(-5));
        assert.equal(await wire.rest(), '');
        return answer;
      } finally {
        wire.destroy();
      }
    };

    test('that never finishes its headers gets an answer and is cut off in time', async () => {
      assertProblem(await stall(request('GET', contacts)), 'invalid_request', /took too long/);
    });

    test('that finishes its body too late gets an answer and is cut off in time, and nothing is done', async () => {
      const before = await total();
      assertProblem(await stall(request('POST', contacts, {}, ann)), 'invalid_request', /took too long/);
      assert.equal(await total(), before);
    });

    test('that sends nothing holds nothing but its socket', async () => {
      const wire = await openWire(slowPort);
      wire.end();
      assert.equal(await wire.rest(), '');
    });
  });

  test('a client that disconnects in the middle of its body does no harm', async () => {
    const before = await total();
    for (let i = 0; i < 20; i++) {
      const wire = await openWire(port);
      wire.write(request('POST', contacts, {}, ann).subarray(0, -1 - i));
      wire.destroy();
    }
    assert.equal(await total(), before);
  });

  async function total(): Promise<number> {
    return (await get(contacts)).body.pageInfo.totalRecord;
  }
});

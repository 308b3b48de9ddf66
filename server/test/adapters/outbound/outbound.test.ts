import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { createSocket } from 'node:dgram';
import { lookup, Resolver } from 'node:dns/promises';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type RequestListener, type Server, type ServerResponse } from 'node:http';
import { createServer as createSecureServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { after, before, beforeEach, suite, test } from 'node:test';
import { getCACertificates, setDefaultCACertificates } from 'node:tls';
import { promisify } from 'node:util';
import { reachable } from '../../../src/adapters/outbound/addresses.ts';
import { addressesOf } from '../../../src/adapters/outbound/exchanges.ts';
import {
  makeOutbound,
  OutboundFailed,
  OutboundFault,
  OutboundLate,
  OutboundRefused,
} from '../../../src/adapters/outbound/outbound.ts';
import { until } from '../../support/waiting.ts';
import { makeCertificate } from './certificate.ts';

suite('addresses that may be reached', () => {
  const refused = `
    0.0.0.0 0.255.255.255 10.0.0.0 10.255.255.255 100.64.0.0 100.127.255.255 127.0.0.1 127.255.255.255 169.254.0.1
    169.254.169.254 172.16.0.0 172.31.255.255 192.0.0.0 192.0.0.255 192.0.2.1 192.31.196.1 192.52.193.1 192.88.99.1
    192.168.0.0 192.168.255.255 192.175.48.1 198.18.0.0 198.19.255.255 198.51.100.1 203.0.113.1 224.0.0.1
    239.255.255.255 240.0.0.1 255.255.255.255
    :: ::1 ::2 ::127.0.0.1 ::8.8.8.8 ::ffff:127.0.0.1 ::ffff:10.0.0.1 ::ffff:a9fe:a9fe ::ffff:0:8.8.8.8
    64:ff9b::127.0.0.1 64:ff9b::a00:1 64:ff9b::192.168.255.255 64:ff9b:1::1 64:ff9b:0:1::8.8.8.8 100::1 100:0:0:1::1
    2001::1 2001:0:5ef5:79fd::1 2001:2::1 2001:20::1 2001:1ff:ffff::1 2001:db8::1 2001:db8:ffff::1
    2002:7f00:1:: 2002:a00:1::1 2002:c0a8:ffff::1 2620:4f:8000::1 3fff::1 3fff:fff::1 4000::1 5f00::1
    fc00::1 fdff:ffff::1 fe80::1 fe80::1%eth0 febf::1 fec0::1 feff::1 ff00::1 ff02::1 ffff::1 name.example`;
  const allowed = `
    1.1.1.1 8.8.8.8 9.255.255.255 11.0.0.0 100.63.255.255 100.128.0.0 126.255.255.255 128.0.0.0 169.253.255.255
    172.15.255.255 172.32.0.0 192.0.1.0 192.167.255.255 192.169.0.0 198.17.255.255 198.20.0.0 223.255.255.255
    ::ffff:8.8.8.8 64:ff9b::8.8.8.8 2000::1 2001:200::1 2001:db7::1 2001:db9::1 2002:808:808::1 2606:4700::1111 3ffe::1`;
  for (const [word, addresses, expected] of [
    ['refused', refused, false],
    ['allowed', allowed, true],
  ] as const)
    test(`${word}: ${addresses.trim().split(/\s+/).length} of them, at the edges of every range`, () => {
      for (const address of addresses.trim().split(/\s+/)) assert.equal(reachable([])(address), expected, address);
    });

  test('an allowed network includes only its own addresses, in every form', () => {
    const mayReach = reachable(['10.1.0.0/16', '127.0.0.1', 'fd00::/8', '::1']);
    for (const address of '10.1.2.3 ::ffff:10.1.2.3 64:ff9b::10.1.2.3 2002:a01:203::1 127.0.0.1 fd12::1 ::1'.split(' '))
      assert.equal(mayReach(address), true, address);
    for (const address of '10.2.0.0 ::ffff:10.2.0.1 127.0.0.2 fc12::1 ::2 ::'.split(' '))
      assert.equal(mayReach(address), false, address);
  });
});

suite('a request to an address that somebody else provided', () => {
  type SeenRequest = { method: string; url: string; headers: IncomingMessage['headers']; body: string };
  let heard: SeenRequest[] = [];
  let one: string;
  let other: string;
  let secure: string;
  const servers: Server[] = [];
  const limits = { timeoutMs: 60_000, bytesMax: 100_000, redirectsMax: 5 };
  const local = ['127.0.0.1', '::1'];
  const outbound = makeOutbound(local, limits);

  before(async () => {
    one = await listen(createServer(answer));
    other = await listen(createServer(answer));
    const certificate = makeCertificate();
    setDefaultCACertificates([...getCACertificates(), certificate.cert]);
    secure = (await listen(createSecureServer(certificate, answer))).replace('http://127.0.0.1', 'https://localhost');
  });
  after(() => {
    for (const server of servers) server.close().closeAllConnections();
  });
  beforeEach(() => {
    heard = [];
  });

  async function listen(server: Server): Promise<string> {
    servers.push(server);
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  }

  /** Redirects with `?to=`, and otherwise behaves as its path says. */
  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { method = '', url = '', headers } = request;
    const body = Buffer.concat(await Array.fromAsync(request as AsyncIterable<Buffer>)).toString();
    heard.push({ method, url, headers, body });
    const { pathname, searchParams } = new URL(url, 'http://local.example');
    const to = searchParams.get('to');
    if (to !== null)
      return void response.writeHead(Number(searchParams.get('status') ?? 302), { location: to }).end('moved');
    behaviours[pathname]?.(request, response);
    if (!(pathname in behaviours)) response.setHeader('x-here', 'yes').end(`hello ${'é'.repeat(10)}`);
  }

  const behaviours: Record<string, RequestListener> = {
    '/endless': (_request, response) => {
      const write = () => {
        if (!response.destroyed) response.write('x'.repeat(10_000), () => setImmediate(write));
      };
      write();
    },
    '/long': (_request, response) => void response.end('x'.repeat(1_000_000)),
    '/drip': (_request, response) => {
      const timer = setInterval(() => response.write('x'), 20);
      response.on('close', () => clearInterval(timer));
    },
    '/silent': () => {},
    '/cut': (request, response) => {
      response.writeHead(200, { 'content-length': 100 }).write('x', () => request.socket.destroy());
    },
    '/empty': (_request, response) => response.writeHead(204).end(),
    '/away': (_request, response) => response.writeHead(200, { connection: 'close' }).end('bye'),
  };

  const redirect = (from: string, to: string, status = 302) =>
    `${from}/?${new URLSearchParams({ to, status: `${status}` })}`;

  async function faultOf(url: string, fetch = outbound): Promise<OutboundFault> {
    try {
      await fetch(url);
    } catch (error) {
      assert.ok(error instanceof OutboundFault, String(error));
      assert.doesNotMatch(error.message, /\n|\?|secret/);
      return error;
    }
    throw new Error(`${url} was answered`);
  }

  test('gets a response in full, and identifies itself', async () => {
    const response = await outbound(`${one}/page?x=1`, { headers: { 'User-Agent': 'other', Accept: 'text/html' } });
    assert.deepEqual([response.status, response.ok, response.headers.get('x-here')], [200, true, 'yes']);
    assert.equal(await response.text(), `hello ${'é'.repeat(10)}`);
    assert.equal(heard[0]?.headers['user-agent'], 'assent/1');
    assert.equal(heard[0]?.headers.accept, 'text/html');
    assert.equal((await outbound(new URL(`${one}/empty`))).status, 204);
    await outbound(`${one}/`, { method: 'POST', body: '<a/>', headers: { 'content-type': 'text/xml' } });
    const { method, body, headers } = heard.at(-1) ?? assert.fail();
    assert.deepEqual([method, body, headers['content-type']], ['POST', '<a/>', 'text/xml']);
  });

  test('reaches only public addresses, however they are written, and says what would allow others', async () => {
    const { port } = new URL(one);
    const none = makeOutbound([], limits);
    for (const host of '127.0.0.1 0x7f.1 2130706433 0177.0.0.1 127.1 127.0.0.1. ①②⑦.0.0.1 [::1] [::ffff:127.0.0.1] [64:ff9b::7f00:1] localhost'.split(
      ' ',
    )) {
      const fault = await faultOf(`http://${host}:${port}/?secret`, none);
      assert.ok(fault instanceof OutboundRefused, host);
      assert.match(fault.message, /not a public address: allow it with OUTBOUND_ALLOWED_NETWORKS/);
    }
    assert.deepEqual(heard, []);
  });

  test('uses only http and https, and no password in the address', async () => {
    for (const url of ['file:///etc/passwd', 'data:,x', 'ftp://a.example/', 'gopher://a.example/', 'nothing', ''])
      assert.ok((await faultOf(url)) instanceof OutboundRefused, url);
    assert.ok((await faultOf(`${one.replace('//', '//someone:secret@')}/`)) instanceof OutboundRefused);
    assert.ok(
      (await faultOf(redirect(one, `${other.replace('//', '//someone:secret@')}/`))) instanceof OutboundRefused,
    );
    assert.equal(heard.length, 1);
  });

  test('follows redirects, but only to public addresses and not from https to http', async () => {
    const { port } = new URL(one);
    const followed = await outbound(redirect(one, redirect(other, '/end')));
    assert.deepEqual(
      [followed.status, heard.at(-1)?.headers.host, heard.at(-1)?.url],
      [200, new URL(other).host, '/end'],
    );
    for (const to of [
      `http://127.0.0.2:${port}/`,
      `http://[::2]:${port}/`,
      'http://169.254.169.254/latest',
      'file:///etc/passwd',
    ])
      assert.ok((await faultOf(redirect(one, to))) instanceof OutboundRefused, to);
    const fault = await faultOf(redirect(secure, `${one}/`));
    assert.ok(fault instanceof OutboundRefused);
    assert.match(fault.message, /from https to http/);
    assert.match(await (await outbound(redirect(one, `${secure}/end`))).text(), /^hello/);
  });

  test('follows as many redirects as it is told, and those of a GET alone', async () => {
    const chain = (hops: number): string => (hops === 0 ? '/end' : `/?to=${encodeURIComponent(chain(hops - 1))}`);
    assert.equal((await outbound(one + chain(5))).status, 200);
    assert.match((await faultOf(one + chain(6))).message, /redirects too often/);
    heard = [];
    const none = makeOutbound(local, { ...limits, redirectsMax: 0 });
    for (const given of [
      outbound(redirect(one, '/end'), { method: 'POST', body: 'Hello' }),
      none(redirect(one, '/end')),
    ])
      assert.equal((await given).status, 302);
    assert.equal(heard.length, 2);
  });

  test('sends credentials and signatures only within the same origin', async () => {
    const headers = {
      authorization: 'Bearer secret',
      cookie: 'a=secret',
      'webhook-signature': 'v1,secret',
      'x-api-key': 'secret',
      accept: 'text/vcard',
    };
    await (await outbound(redirect(one, '/end'), { headers })).text();
    for (const [name, value] of Object.entries(headers)) assert.equal(heard.at(-1)?.headers[name], value);
    await (await outbound(redirect(one, redirect(other, `${one}/end`)), { headers })).text();
    // Not even after a redirect back to the first origin.
    for (const { headers } of heard.slice(-2)) assert.doesNotMatch(JSON.stringify(headers), /secret/);
    assert.equal(heard.at(-1)?.headers.accept, 'text/vcard');
  });

  test('reads no more bytes than allowed', async () => {
    for (const path of ['/endless', '/long'])
      await assert.rejects(
        outbound(one + path),
        (error) => error instanceof OutboundFailed && /more than 100000 bytes/.test(error.message),
        path,
      );
    const exactly = makeOutbound(local, { ...limits, bytesMax: 26 });
    assert.equal((await (await exactly(`${one}/`)).bytes()).length, 26);
  });

  test('counts the status of a response that is too long or never ends, where it may be cut', async () => {
    const cutting = makeOutbound(local, { ...limits, timeoutMs: 2_000, cuts: true });
    for (const path of ['/endless', '/drip']) {
      const response = await cutting(one + path, { method: 'POST', body: '{}' });
      assert.equal(response.status, 200, path);
      assert.match((await response.text()).slice(0, 3), /^x+$/);
    }
  });

  test('takes no longer than allowed, even if bytes keep coming', async () => {
    const hurried = makeOutbound(local, { ...limits, timeoutMs: 150 });
    for (const path of ['/drip', '/silent']) {
      assert.match((await faultOf(one + path, hurried)).message, /took longer than 0\.15 s/);
    }
  });

  test('a request that can’t begin in time isn’t sent, and the next one finds its connection', async () => {
    const server = createServer(answer);
    let connections = 0;
    server.on('connection', () => {
      connections += 1;
    });
    const url = `${await listen(server)}/`;
    const late = outbound(url, { method: 'POST', body: 'Hello', beginBy: performance.now() - 1 });
    await assert.rejects(late, OutboundLate);
    assert.equal(heard.length, 0);
    const inTime = await outbound(url, { method: 'POST', body: 'Hello', beginBy: performance.now() + 60_000 });
    assert.match(await inTime.text(), /hello/);
    assert.deepEqual([heard.length, heard[0]?.body, connections], [1, 'Hello', 1]);
  });

  test('ends when its caller aborts it, with the caller’s reason', async () => {
    const reason = new Error('enough');
    await assert.rejects(outbound(`${one}/`, { signal: AbortSignal.abort(reason) }), reason);
    for (const path of ['/silent', '/drip']) {
      const ending = new AbortController();
      const reading = outbound(one + path, { signal: ending.signal }).then((response) => response.text());
      const rejected = assert.rejects(reading, reason);
      await until('the server got the request', async () => heard.at(-1)?.url === path);
      ending.abort(reason);
      await rejected;
    }
    assert.equal(heard.length, 2);
  });

  test('reports in one line what went wrong', async () => {
    for (const [url, expected] of [
      [`${one}/cut?secret`, /\/cut can’t be reached, or the connection broke/],
      ['http://nowhere.invalid/a?secret', /nowhere\.invalid\/a can’t be found/],
      [`${one.replace(/\d+$/, '1')}/`, /can’t be reached/],
      [secure.replace('localhost', '127.0.0.1'), /certificate that can’t be trusted/],
    ] as const)
      assert.match((await faultOf(url)).message, expected);
  });

  test('connects only to addresses that were checked, even if a name resolves differently later', async (t) => {
    const { port } = new URL(one);
    let addresses: string[] = [];
    const looked = t.mock.method(Resolver.prototype, 'resolve4', async () => addresses);
    t.mock.method(Resolver.prototype, 'resolve6', async () => []);
    const url = `http://changing.example:${port}/away`;
    addresses = ['127.0.0.1'];
    assert.equal(await (await outbound(url)).text(), 'bye');
    assert.equal(looked.mock.callCount(), 1);
    addresses = ['127.0.0.2'];
    assert.match((await faultOf(url)).message, /^changing\.example is at 127\.0\.0\.2, which is not a public address/);
    addresses = ['127.0.0.1', '10.0.0.1'];
    assert.match((await faultOf(url)).message, /is at 10\.0\.0\.1/);
    assert.equal(looked.mock.callCount(), 3);
  });

  test('names whose server doesn’t answer hold up no other, and are given up', async (t) => {
    const silent = createSocket('udp4').bind(0, '127.0.0.1');
    await once(silent, 'listening');
    t.after(() => silent.close());
    const { resolve4 } = Resolver.prototype as { resolve4(name: string): Promise<string[]> };
    t.mock.method(Resolver.prototype, 'resolve4', function (this: Resolver, name: string) {
      this.setServers([`127.0.0.1:${silent.address().port}`]);
      return resolve4.call(this, name);
    });
    let given = 0;
    const dead = ['one', 'two', 'three', 'four', 'five'].map((name) =>
      assert.rejects(addressesOf(`${name}.example.com`), { code: 'ENOTFOUND' }).then(() => (given += 1)),
    );
    await lookup('localhost');
    assert.equal(given, 0);
    await Promise.all(dead);
  });

  test('doesn’t keep a command from exiting', async () => {
    const module = new URL('../../../src/adapters/outbound/outbound.ts', import.meta.url).href;
    const script = `
      const { makeOutbound } = await import(${JSON.stringify(module)});
      const response = await makeOutbound(['127.0.0.1'], { timeoutMs: 600_000, bytesMax: 1_000 })('${one}/');
      console.log((await response.text()).length);`;
    const { stdout } = await promisify(execFile)(process.execPath, ['--input-type=module', '-e', script], {
      timeout: 60_000,
    });
    assert.equal(stdout, '16\n');
  });
});

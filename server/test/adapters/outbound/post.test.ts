import assert from 'node:assert/strict';
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { after, suite, test } from 'node:test';
import { OutboundFailed, OutboundRefused } from '../../../src/adapters/outbound/outbound.ts';
import { makePost } from '../../../src/adapters/outbound/post.ts';

suite('a post to an address that somebody else provided', () => {
  let answer: RequestListener = (_request, reply) => reply.end();
  const server = createServer((request, reply) => answer(request, reply));
  const listening = new Promise<string>((resolve) =>
    server.listen(0, '127.0.0.1', () => resolve(`http://127.0.0.1:${(server.address() as AddressInfo).port}`)),
  );
  after(() => {
    server.closeAllConnections();
    server.close();
  });
  const limits = { timeoutMs: 20_000, bytesMax: 1_000 };
  const post = makePost(['127.0.0.1'], limits);
  const hasty = makePost(['127.0.0.1'], { ...limits, timeoutMs: 2_000 });
  const request = (signal = new AbortController().signal) => ({ headers: { 'x-a': 'b' }, body: '{"a":"é"}', signal });

  test('sends its headers and body, identifies itself, and returns the answer', async () => {
    answer = async (incoming, reply) => {
      let body = '';
      for await (const chunk of incoming) body += chunk;
      const { method, url, headers } = incoming;
      reply.writeHead(418).end(JSON.stringify([method, url, headers['x-a'], headers['user-agent'], body]));
    };
    const { status, text } = await post(`${await listening}/hook?x=1`, request());
    assert.equal(status, 418);
    assert.deepEqual(JSON.parse(text), ['POST', '/hook?x=1', 'b', 'assent/1', '{"a":"é"}']);
  });

  test('follows no redirect, and counts the status of an answer that is too long or never ends', async () => {
    answer = (_incoming, reply) => reply.writeHead(302, { location: '/elsewhere' }).end();
    assert.equal((await post(await listening, request())).status, 302);
    answer = (_incoming, reply) => reply.end('x'.repeat(1_000_000));
    const { status, text } = await post(await listening, request());
    assert.ok(status === 200 && text.length < 200_000);
    answer = (_incoming, reply) => void reply.writeHead(202).write('begun');
    assert.equal((await hasty(await listening, request())).status, 202);
  });

  test('reaches only public addresses and allowed networks, by http and https, without a password', async () => {
    const { port } = new URL(await listening);
    for (const url of [
      `http://127.0.0.2:${port}/`,
      `http://[::1]:${port}/`,
      'http://169.254.169.254/',
      'ftp://partner.example/',
      `http://user:secret@127.0.0.1:${port}/`,
      'x',
    ])
      await assert.rejects(post(url, request()), OutboundRefused, url);
    const elsewhere = makePost(['10.0.0.0/8'], limits);
    await assert.rejects(elsewhere(`http://localhost:${port}/`, request()), /not a public address/);
  });

  test('takes no longer than allowed, ends with the caller’s reason, and says in a line what went wrong', async () => {
    answer = () => {};
    await assert.rejects(hasty(await listening, request()), /took longer than 2 s/);
    const ending = new AbortController();
    const reason = new Error('stopping');
    const posting = post(await listening, request(ending.signal));
    setTimeout(() => ending.abort(reason), 50);
    await assert.rejects(posting, reason);
    await assert.rejects(post('http://127.0.0.1:1/', request()), (error) => {
      assert.ok(error instanceof OutboundFailed);
      assert.match(error.message, /connection was refused/);
      return true;
    });
  });
});

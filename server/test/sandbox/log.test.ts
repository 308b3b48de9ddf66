import assert from 'node:assert/strict';
import { once } from 'node:events';
import { get } from 'node:http';
import { after, before, suite, test } from 'node:test';
import { makeCallLog } from '../../src/domain/sandbox/call-log.ts';
import { curlOf } from '../../src/domain/sandbox/curl.ts';
import { redactBody, redactHeaders, redactPath } from '../../src/domain/sandbox/redaction.ts';
import { assertProblem } from '../support/problem.ts';
import { listen } from '../support/sockets.ts';
import { inject, makeWorld, type World } from '../support/world.ts';

const messages = '/v1/text/messaging/messages';

suite('the log of calls', () => {
  let world: World;
  let port: number;
  before(async () => {
    world = await makeWorld();
    port = await listen(world.app);
  });
  after(() => world.close());

  const send = (url: string, options: RequestInit = {}) => fetch(`http://127.0.0.1:${port}${url}`, options);
  const read = async (url: string) => (await send(url)).text();
  const calls = async (query = '') => JSON.parse(await read(`/log/calls${query}`)).data;
  const credentials = () => ({ authorization: `Bearer ${world.ann.token}`, 'x-api-key': world.apiKey });

  test('has a call as it went, by its trace id', async () => {
    const traceId = '4bf92f3577b34da6a3ce929d0e0e4736';
    const payload = { phone: '+15005550006', text: 'Grüße' };
    const traceparent = `00-${traceId}-00f067aa0ba902b7-01`;
    const answer = await send(messages, {
      method: 'POST',
      headers: { ...credentials(), traceparent, 'content-type': 'application/json' },
      body: JSON.stringify(payload),
    });
    const [call, ...others] = await calls(`?traceId=${traceId}`);
    assert.deepEqual(others, []);
    assert.deepEqual([call.method, call.path, call.status], ['POST', messages, 200]);
    assert.deepEqual(JSON.parse(call.request.body), payload);
    assert.equal(call.response.body, await answer.text());
    const header = (part: 'request' | 'response', name: string) =>
      call[part].headers.find(([each]: [string]) => each.toLowerCase() === name)?.[1];
    assert.equal(header('request', 'authorization'), 'Bearer [redacted]');
    assert.equal(header('request', 'x-api-key'), '[redacted]');
    assert.equal(header('response', 'x-trace-id'), traceId);
    assert.match(header('response', 'content-type'), /json/);
    assert.ok(call.durationMs > 0);
  });

  test('has refusals and unknown routes, newest first, and filters them', async () => {
    for (const path of ['/v1/no/such/route', '/sandbox/clock', '/healthz']) await read(path);
    const paths = (found: { path: string; status: number }[]) => found.map(({ path, status }) => [path, status]);
    const latest = [
      ['/sandbox/clock', 401],
      ['/v1/no/such/route', 404],
    ];
    assert.deepEqual(paths(await calls()).slice(0, 2), latest);
    assert.deepEqual(paths(await calls('?status=404&path=SUCH')), latest.slice(1));
    assert.deepEqual(await calls('?traceId=ffff0000ffff0000'), []);
  });

  test('says how large a body is that isn’t text, and of which type', async () => {
    const headers = { ...credentials(), 'content-type': 'image/png' };
    await send(messages, { method: 'POST', headers, body: Buffer.alloc(1_234, 0xff) });
    assert.equal((await calls())[0].request.body, '(1,234 bytes of image/png)');
  });

  test('shows none of the secrets that came by, wherever they stood', async () => {
    const { clientSecret, accessToken, refreshToken, code, password, session } = {
      clientSecret: `cs_sandbox_${'k'.repeat(43)}`,
      accessToken: world.ann.token,
      refreshToken: 'R3fr3sh-opaque-refresh-token-value-000000001',
      code: 'C0de-opaque-authorization-code-value-0000001',
      password: 'correct horse battery staple',
      session: 'S3ssion-opaque-cookie-value-00000000000000001',
    };
    const form = { 'content-type': 'application/x-www-form-urlencoded' };
    const basic = Buffer.from(`app:${clientSecret}`).toString('base64');
    const verifier = 'V3rifier-of-pkce-value-000000000000000000000001';
    const secrets = [clientSecret, accessToken, refreshToken, code, password, session, basic, verifier, world.apiKey];
    const post = (url: string, headers: Record<string, string>, body: string) =>
      send(url, { method: 'POST', headers, body });
    const fields = { grant_type: 'authorization_code', code, code_verifier: verifier, client_secret: clientSecret };
    await post('/oauth/token', form, new URLSearchParams(fields).toString());
    const refresh = { grant_type: 'refresh_token', refresh_token: refreshToken, password };
    await post('/oauth/token', { ...form, authorization: `Basic ${basic}` }, new URLSearchParams(refresh).toString());
    // Not the form that it should be: as JSON, and cut short.
    const json = JSON.stringify({ ...fields, ...refresh, nested: [{ 'Client-Secret': clientSecret, accessToken }] });
    for (const body of [json, json.slice(0, -3)])
      await post('/oauth/token', { 'content-type': 'application/json' }, body);
    const query = `?access_token=${accessToken}&api_key=${world.apiKey}&code=${code}`;
    const cookies = { cookie: `assent_session=${session}`, 'x-api-key': world.apiKey };
    await post(
      `${messages}${query}`,
      { ...cookies, 'content-type': 'application/json' },
      JSON.stringify({ text: accessToken }),
    );
    // A token that was really given.
    const given = await calls();
    const shown = JSON.stringify(given) + (await read('/log')) + (await read(`/log?call=${given[0].id}`));
    for (const secret of secrets) {
      assert.ok(!shown.includes(secret), secret);
      assert.ok(!shown.includes(encodeURIComponent(secret)), `${secret}, encoded`);
    }
    assert.match(shown, /grant_type=refresh_token/);
  });

  test('is live', async () => {
    const stream = get({ host: '127.0.0.1', port, path: '/log/stream?status=200' });
    const [answer] = await once(stream, 'response');
    assert.equal(answer.headers['content-type'], 'text/event-stream');
    await read('/v1/no/such/route');
    await send('/v1/core/account', { headers: credentials() });
    const [chunk] = await once(answer.setEncoding('utf8'), 'data');
    assert.equal(JSON.parse(String(chunk).slice('data: '.length)).path, '/v1/core/account');
    stream.destroy();
  });

  test('answers only at this machine’s own host names', async () => {
    for (const url of ['/log', '/log/calls', '/log/stream'])
      assert.equal((await inject(world.app, { method: 'GET', url, headers: { host: 'evil.example' } })).status, 403);
  });
});

test('of more than fifty calls a second, the log takes the first, and says how many are missing', (context) => {
  let nowMs = 0;
  context.mock.method(performance, 'now', () => nowMs);
  const log = makeCallLog();
  const taken = () => Array.from({ length: 60 }, () => log.takes()).filter(Boolean).length;
  assert.deepEqual([taken(), taken(), log.leftOut()], [50, 0, 70]);
  nowMs += 1_000;
  assert.deepEqual([taken(), log.leftOut()], [50, 80]);
});

test('the log keeps the last thousand, and reads those that somebody looks at', () => {
  const log = makeCallLog();
  const part = { headers: [], body: '' };
  let read = 0;
  const parts = () => {
    read += 1;
    return { request: part, response: part };
  };
  const call = { traceId: 'a', dateTime: new Date(), method: 'GET', path: '/v1', status: 200, durationMs: 1 };
  for (let each = 0; each < 1_005; each++) log.add(call, parts, 0);
  assert.deepEqual([log.list().length, log.list()[0]?.id, log.find(5), log.find(6)?.id], [1_000, 1_005, null, 6]);
  assert.equal(read, 1);
  // One that is too large for all of them to be kept pushes out more than one.
  log.add(call, parts, 40 * 1024 * 1024);
  assert.equal(log.list().length, 0);
});

suite('what is left out', () => {
  test('of headers: their values, but not the scheme', () => {
    const given: [string, string][] = [
      ['Authorization', 'Bearer abc'],
      ['X-API-Key', 'k'],
      ['Set-Cookie', 'a=b'],
      ['Accept', '*/*'],
    ];
    const values = redactHeaders(given).map(([, value]) => value);
    assert.deepEqual(values, ['Bearer [redacted]', '[redacted]', '[redacted]', '*/*']);
  });

  test('of a body: the secret, and nothing else', () => {
    const plain = '{"code": "conflict",  "detail": "as it was"}';
    assert.equal(redactBody(plain, 'application/json', { mayHaveCode: false }), plain);
    const issued = redactBody('{"access_token":"a.b.c","expires_in":900}', 'application/json', { mayHaveCode: false });
    assert.equal(issued, '{"access_token":"[redacted]","expires_in":900}');
    assert.equal(redactPath('/oauth/token?code=abc&state=x'), '/oauth/token?code=[redacted]&state=x');
    const secret = redactBody('{"url":"https://a","note":"whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"}', 'json', {
      mayHaveCode: false,
    });
    assert.equal(secret, '{"url":"https://a","note":"[redacted]"}');
  });

  test('of a curl: credentials are the reader’s own, and quotes are safe', () => {
    const request = {
      headers: [
        ['authorization', 'Bearer [redacted]'],
        ['x-api-key', '[redacted]'],
        ['cookie', '[redacted]'],
        ['content-type', 'application/json'],
      ] as [string, string][],
      body: `{"text":"It's"}`,
    };
    const text = curlOf({ method: 'POST', path: '/v1/x', request }, 'http://localhost:8080');
    assert.equal(
      text,
      [
        `curl 'http://localhost:8080/v1/x'`,
        `-H "authorization: Bearer $TOKEN"`,
        `-H "x-api-key: $KEY"`,
        `-H 'content-type: application/json'`,
        `--data-raw '{"text":"It'\\''s"}'`,
      ].join(' \\\n  '),
    );
    const get = curlOf({ method: 'GET', path: '/v1/x', request }, 'http://localhost:8080');
    assert.match(get, /^curl -X GET /, 'a GET with a body stays one');
  });
});

test('production has no log', async () => {
  const env = {
    ASSENT_ENV: 'production',
    PUBLIC_URL: 'https://api.example.com',
    DATABASE_URL: 'postgres://database.example/assent',
  };
  const world = await makeWorld({ env });
  try {
    for (const url of ['/log', '/log/calls', '/log/stream'])
      assertProblem(await inject(world.app, { method: 'GET', url }), 'not_found');
  } finally {
    await world.close();
  }
});

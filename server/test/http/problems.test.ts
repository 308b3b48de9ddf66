import assert from 'node:assert/strict';
import { after, before, suite, test } from 'node:test';
import { issueApiKey } from '../../src/domain/access/api-keys.ts';
import { problemCodes, problems } from '../../src/domain/problems.ts';
import { assertProblem } from '../support/problem.ts';
import { inject, makeWorld, type World } from '../support/world.ts';

const contacts = '/core/contact/contacts';
/** The contract's table again, so that a change to the code alone is noticed. */
const documented = {
  invalid_request: [400, false],
  unauthorized: [401, false],
  forbidden: [403, false],
  not_found: [404, false],
  conflict: [409, false],
  version_mismatch: [400, false],
  rate_limited: [429, true],
  payload_too_large: [413, false],
  unsupported_media_type: [415, false],
  downstream_timeout: [504, true],
  downstream_unavailable: [502, true],
  internal_error: [500, true],
} as const;

suite('problems', () => {
  let world: World;
  before(async () => {
    world = await makeWorld();
  });
  after(() => world.close());

  test('the twelve codes are the contract’s, each with its status and whether to retry', () => {
    const ours = Object.entries(problems).map(([code, { status, retryable }]) => [code, [status, retryable]]);
    assert.deepEqual(Object.fromEntries(ours), documented);
  });

  for (const code of problemCodes)
    test(`x-sandbox-fault: ${code} answers that problem, and nothing is done`, async () => {
      const answer = await world.ann.call(
        'POST',
        contacts,
        { firstName: 'Fault', lastName: code },
        { 'x-sandbox-fault': code, 'idempotency-key': `fault-${code}` },
      );
      assertProblem(answer, code);
      assert.deepEqual([answer.status, answer.body.retryable], documented[code]);
      assert.equal(answer.body.instance, `/v1${contacts}`);
      const { body } = await world.ann.call('GET', `${contacts}?search=fault`);
      assert.equal(body.pageInfo.totalRecord, 0);
    });

  test('every fault has the RateLimit headers, and takes nothing from the plan', async () => {
    const { apiKey } = await world.newKey({ ratePerSecond: 1, burst: 20, dailyQuota: 50 });
    for (const code of problemCodes) {
      const headers = { 'x-api-key': apiKey, 'x-sandbox-fault': code };
      const answer = await world.ann.call('GET', contacts, undefined, headers);
      assert.equal(answer.headers['ratelimit-policy'], '"burst";q=20;w=20, "day";q=50;w=86400', code);
      assert.match(answer.headers.ratelimit ?? '', /^"burst";r=20;t=\d+, "day";r=50;t=\d+$/, code);
    }
  });

  test('a fault on a route that needs no particular scope says so', async () => {
    const headers = { 'x-sandbox-fault': 'forbidden' };
    const answer = await world.ann.call('GET', '/core/enumerations', undefined, headers);
    assertProblem(answer, 'forbidden', /needs no particular scope/);
  });

  test('a fault is not stored under its Idempotency-Key', async () => {
    const body = { firstName: 'After', lastName: 'Fault' };
    const key = { 'idempotency-key': 'after-a-fault' };
    assertProblem(await world.ann.call('POST', contacts, body, { ...key, 'x-sandbox-fault': 'conflict' }), 'conflict');
    const answer = await world.ann.call('POST', contacts, body, key);
    assert.equal(answer.status, 200);
    assert.equal(answer.headers['idempotent-replayed'], undefined);
  });

  test('an unknown fault is a 400 that lists the twelve', async () => {
    for (const fault of ['', 'teapot', 'CONFLICT', '__proto__', 'constructor', '409', 'conflict, conflict']) {
      const answer = await world.ann.call('GET', contacts, undefined, { 'x-sandbox-fault': fault });
      assertProblem(answer, 'invalid_request');
      for (const code of problemCodes) assert.ok(answer.body.detail.includes(code), answer.body.detail);
    }
  });

  test('each type resolves to a page that explains the code', async () => {
    for (const code of problemCodes) {
      const { body } = await world.ann.call('GET', contacts, undefined, { 'x-sandbox-fault': code });
      assert.equal(new URL(body.type).origin, world.config.publicUrl);
      const page = await inject(world.app, { method: 'GET', url: new URL(body.type).pathname });
      assert.equal(page.status, 200);
      assert.match(page.headers['content-type'] ?? '', /^text\/html/);
      assert.ok(page.body.includes(code) && page.body.includes(String(body.status)));
      assert.match(page.headers['content-security-policy'] ?? '', /default-src 'none'/);
      assert.doesNotMatch(page.body, /<script|\son\w+=|style="/);
    }
  });

  test('the list of problems links to each page, and the front page to the list', async () => {
    const list = await inject(world.app, { method: 'GET', url: '/problems' });
    for (const code of problemCodes) assert.ok(list.body.includes(`href="/problems/${code}"`));
    const front = await inject(world.app, { method: 'GET', url: '/' });
    assert.ok(front.body.includes('href="/problems"'));
  });

  test('there is no page for a code that is not one of the twelve', async () => {
    assertProblem(await inject(world.app, { method: 'GET', url: '/problems/teapot' }), 'not_found');
  });

  suite('the trace id', () => {
    const traceId = '4bf92f3577b34da6a3ce929d0e0e4736';
    const traced = (traceparent: string) => world.ann.call('GET', contacts, undefined, { traceparent });

    test('comes from the W3C traceparent, on successes and errors', async () => {
      const traceparent = `00-${traceId}-00f067aa0ba902b7-01`;
      assert.equal((await traced(traceparent)).headers['x-trace-id'], traceId);
      const refused = await world.ann.call('GET', `${contacts}?page=0`, undefined, { traceparent });
      assertProblem(refused, 'invalid_request');
      assert.equal(refused.body.traceId, traceId);
    });

    test('is also read from a later version of traceparent', async () => {
      const later = `01-${traceId}-00f067aa0ba902b7-01-what-the-future-brings`;
      assert.equal((await traced(later)).headers['x-trace-id'], traceId);
    });

    test('is a new one if traceparent is invalid', async () => {
      for (const traceparent of [
        '',
        traceId,
        `00-${'0'.repeat(32)}-00f067aa0ba902b7-01`,
        `00-${traceId}-${'0'.repeat(16)}-01`,
        `ff-${traceId}-00f067aa0ba902b7-01`,
        `00-${traceId.toUpperCase()}-00f067aa0ba902b7-01`,
        `00-${traceId}-00f067aa0ba902b7-01-more`,
        `00-${traceId}x-00f067aa0ba902b7-01`,
      ]) {
        const id = (await traced(traceparent)).headers['x-trace-id'];
        assert.match(id ?? '', /^[0-9a-f]{32}$/);
        assert.notEqual(id, traceId, traceparent);
      }
    });

    test('differs from request to request', async () => {
      const ids = await Promise.all(Array.from({ length: 50 }, () => world.ann.call('GET', '/core/enumerations')));
      assert.equal(new Set(ids.map(({ headers }) => headers['x-trace-id'])).size, 50);
    });
  });

  test('instance is the path without the query, which may name a person', async () => {
    const answer = await world.ann.call('GET', `${contacts}?phone=%2B12125550123&page=0`);
    assertProblem(answer, 'invalid_request');
    assert.equal(answer.body.instance, `/v1${contacts}`);
    assert.ok(!JSON.stringify(answer.body).includes('2125550123'));
  });

  test('details are broken rules for bad input: where, which, and a sentence', async () => {
    const answer = await world.ann.call('POST', contacts, { firstName: 7, phone: '0123' });
    assertProblem(answer, 'invalid_request');
    for (const { path, rule, message } of answer.body.details) {
      assert.match(path, /^\/\w+$/);
      assert.equal(typeof rule, 'string');
      assert.match(message, /^\w.*\.$/);
    }
    assert.deepEqual(answer.body.details.map(({ path }: { path: string }) => path).sort(), [
      '/firstName',
      '/lastName',
      '/phone',
    ]);
  });
});

suite('production', () => {
  let world: World;
  before(async () => {
    world = await makeWorld({
      env: {
        ASSENT_ENV: 'production',
        PUBLIC_URL: 'https://api.example.com',
        DATABASE_URL: 'postgres://database.example/assent',
      },
    });
  });
  after(() => world.close());

  test('keys include its name, and sandbox keys are refused', async () => {
    assert.match(world.apiKey, /^ak_production_/);
    const sandboxKey = (await makeSandboxKey()).apiKey;
    const answer = await world.ann.call('GET', contacts, undefined, { 'x-api-key': sandboxKey });
    assertProblem(answer, 'unauthorized', /environment.*production/);
  });

  test('x-sandbox-fault is a header like any other', async () => {
    for (const fault of ['conflict', 'nonsense'])
      assert.equal((await world.ann.call('GET', contacts, undefined, { 'x-sandbox-fault': fault })).status, 200);
  });

  test('the sandbox’s own routes don’t exist', async () => {
    for (const [method, url] of [
      ['GET', '/sandbox/clock'],
      ['POST', '/sandbox/clock'],
      ['GET', '/sandbox/handset/+15005550006/messages'],
    ] as const)
      assertProblem(
        await inject(world.app, { method, url, headers: { 'x-api-key': world.apiKey } }),
        'not_found',
        /no such route/,
      );
  });

  test('types are https URLs under the public URL', async () => {
    const { body } = await world.ann.call('GET', `${contacts}?page=0`);
    assert.equal(body.type, 'https://api.example.com/problems/invalid_request');
  });

  async function makeSandboxKey() {
    const sandbox = { ...world.deps, config: { ...world.deps.config, environment: 'sandbox' as const } };
    return issueApiKey(sandbox, world.clientId);
  }
});

suite('the sandbox’s own routes', () => {
  let world: World;
  before(async () => {
    world = await makeWorld();
  });
  after(() => world.close());

  const clock = (headers: Record<string, string>, body?: object) =>
    inject(world.app, {
      method: body ? 'POST' : 'GET',
      url: '/sandbox/clock',
      headers,
      ...(body ? { payload: body } : {}),
    });

  test('need the API key and no token', async () => {
    assertProblem(await clock({}), 'unauthorized', /x-api-key/);
    assertProblem(await clock({ 'x-api-key': 'nonsense' }), 'unauthorized', /x-api-key/);
    assert.equal((await clock({ 'x-api-key': world.apiKey })).status, 200);
  });

  test('the clock moves forward for every node, and never back', async () => {
    const key = { 'x-api-key': world.apiKey };
    const earlier = (await clock(key)).body;
    const moved = await clock(key, { advanceMs: 3_600_000 });
    assert.equal(moved.status, 200);
    assert.equal(moved.body.offsetMs, earlier.offsetMs + 3_600_000);
    assert.ok(moved.body.now >= earlier.now + 3_600_000);
    for (const advanceMs of [-1, 1.5, '3600000', null, Number.MAX_SAFE_INTEGER])
      assertProblem(await clock(key, { advanceMs }), 'invalid_request');
    assertProblem(await clock(key, {}), 'invalid_request');
    const { body: contact } = await world.ann.call('POST', contacts, { firstName: 'Late', lastName: 'Comer' });
    const { body } = await world.ann.call('GET', `${contacts}/${contact.id}`);
    assert.ok(Date.parse(body.dateTimeCreated) >= moved.body.now, 'a contact’s time is domain time');
  });
});

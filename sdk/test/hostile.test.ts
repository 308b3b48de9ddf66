import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { after, test } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { Assent, AssentError, type AssentOptions } from '@assent/client';

type Handler = (request: IncomingMessage, response: ServerResponse, attempt: number) => void;
const message = { phone: '+15005550006', text: 'Hello' };
const sent = { successes: [{ messageId: 1, memberId: 2 }], failures: [], failureDetails: [] };
const unhandled: unknown[] = [];
process.on('unhandledRejection', (reason) => unhandled.push(reason));

/** A server whose nth answer the handler gives, and what it was asked. */
async function hostile(handler: Handler, options: Partial<AssentOptions> = {}) {
  const requests: { method: string; url: string; key: string | undefined; token: string | undefined }[] = [];
  const server = createServer((request, response) => {
    const { method = '', url = '', headers } = request;
    requests.push({ method, url, key: headers['idempotency-key'] as string, token: headers.authorization });
    request.resume();
    handler(request, response, requests.length);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  after(() => server.closeAllConnections());
  after(() => server.close());
  const { port } = server.address() as AddressInfo;
  const baseUrl = `http://127.0.0.1:${port}/v1`;
  return { requests, assent: new Assent({ baseUrl, apiKey: 'key', token: 'token', timeout: 20_000, ...options }) };
}

function json(response: ServerResponse, status: number, body: unknown, headers: Record<string, string> = {}): void {
  response.writeHead(status, {
    'content-type': status < 300 ? 'application/json' : 'application/problem+json',
    ...headers,
  });
  response.end(JSON.stringify(body));
}

function problem(
  response: ServerResponse,
  status: number,
  code: string,
  headers: Record<string, string> = {},
  details?: unknown,
): void {
  const retryable = status === 429 || status >= 500;
  const detail = `It is ${code}.`;
  json(
    response,
    status,
    { type: 'x', title: code, status, detail, instance: '/', code, traceId: 't1', retryable, details },
    headers,
  );
}

async function failure(work: PromiseLike<unknown>): Promise<AssentError> {
  const error = await Promise.resolve(work).then(
    () => assert.fail('It succeeded.'),
    (thrown: unknown) => thrown,
  );
  assert.ok(error instanceof AssentError, String(error));
  return error;
}

test('an answer that is lost is asked for again with the same key, so nobody is texted twice', async () => {
  const { assent, requests } = await hostile((request, response, attempt) => {
    if (attempt === 1) request.socket.destroy();
    else if (attempt === 2) response.writeHead(200, { 'content-type': 'application/json' }).end('{"successes":[');
    else json(response, 200, sent);
  });
  assert.deepEqual(await assent.messages.send(message), sent);
  assert.equal(requests.length, 3);
  assert.equal(new Set(requests.map(({ key }) => key)).size, 1);
});

test('the error of a send has its key, so that the caller’s next one texts nobody twice', async () => {
  const { assent, requests } = await hostile(
    (request, response, attempt) => {
      if (attempt === 1) request.socket.destroy();
      else json(response, 200, sent);
    },
    { maxRetries: 0 },
  );
  const { idempotencyKey } = await failure(assent.messages.send(message));
  await assent.messages.send(message, { idempotencyKey });
  assert.equal(requests.length, 2);
  assert.equal(idempotencyKey, requests[0]?.key);
  assert.equal(idempotencyKey, requests[1]?.key);
});

test('calls that share the error of a token source have each their own key', async () => {
  const lost = new AssentError('The connection failed.', { code: 'connection', retryable: true });
  const { assent } = await hostile(() => {}, { token: () => Promise.reject(lost) });
  const errors = await Promise.all([failure(assent.messages.send(message)), failure(assent.messages.send(message))]);
  assert.deepEqual(
    errors.map(({ code, retryable }) => [code, retryable]),
    [
      ['connection', true],
      ['connection', true],
    ],
  );
  assert.ok(errors[0]?.idempotencyKey);
  assert.notEqual(errors[0]?.idempotencyKey, errors[1]?.idempotencyKey);
});

test('a server that stalls, before the answer or in its middle, is a timeout', async () => {
  // On a busy machine, a request may be given up before the server sees it: the tries are counted here.
  const tries: number[] = [];
  const { assent } = await hostile(
    (_, response, attempt) => {
      if (attempt > 1) response.writeHead(200, { 'content-type': 'application/json' }).write('{');
    },
    { maxRetries: 1, timeout: 300, hooks: { request: ({ attempt }) => tries.push(attempt) } },
  );
  const error = await failure(assent.messages.send(message));
  assert.deepEqual([error.code, error.status, error.retryable, tries], ['timeout', 0, true, [1, 2]]);
});

test('nobody listening is a connection error, after so many retries', async () => {
  const tries: number[] = [];
  const assent = new Assent({
    baseUrl: 'http://127.0.0.1:1/v1',
    apiKey: 'key',
    token: 'token',
    maxRetries: 2,
    hooks: { request: ({ attempt }) => tries.push(attempt) },
  });
  const error = await failure(assent.account.get());
  assert.deepEqual([error.code, error.status, tries], ['connection', 0, [1, 2, 3]]);
});

test('an option that is undefined is as if it were left out', async () => {
  const unset = { fetch: undefined, timeout: undefined, maxRetries: undefined, hooks: undefined };
  const { assent, requests } = await hostile((_, response) => problem(response, 502, 'x'), unset);
  const error = await failure(assent.account.get({ signal: AbortSignal.timeout(20_000) }));
  assert.deepEqual([error.code, requests.length], ['x', 4]);
});

test('a page where JSON was expected is a bad response, and not retried', async () => {
  const { assent, requests } = await hostile((_, response) => {
    response.writeHead(200, { 'content-type': 'text/html' }).end('<h1>Welcome</h1>');
  });
  const error = await failure(assent.account.get());
  assert.deepEqual([error.code, error.status, requests.length], ['bad_response', 200, 1]);
});

test('a redirect isn’t followed: the credentials stay here', async () => {
  const { assent, requests } = await hostile((_, response) => {
    response.writeHead(302, { location: '/elsewhere' }).end();
  });
  assert.equal((await failure(assent.account.get())).code, 'bad_response');
  assert.equal(requests.length, 1);
});

test('a problem has its code, trace and details, and is retried only if it says so', async () => {
  const { assent, requests } = await hostile((_, response) => problem(response, 409, 'conflict'));
  const error = await failure(assent.messages.send(message));
  assert.deepEqual([error.code, error.status, error.traceId, error.retryable], ['conflict', 409, 't1', false]);
  assert.equal(requests.length, 1);
});

test('a storm of 429 is waited out by Retry-After, and one of more than a minute isn’t waited for', async () => {
  const calm = await hostile((_, response, attempt) =>
    attempt < 2 ? problem(response, 429, 'rate_limited', { 'retry-after': '1' }) : json(response, 200, sent),
  );
  const started = performance.now();
  await calm.assent.messages.send(message);
  assert.ok(performance.now() - started >= 950);
  const storm = await hostile((_, response) => problem(response, 429, 'rate_limited', { 'retry-after': '3600' }));
  const error = await failure(storm.assent.messages.send(message));
  assert.deepEqual([error.code, error.retryAfterMs, storm.requests.length], ['rate_limited', 3_600_000, 1]);
});

test('a date in Retry-After counts from the server’s clock', async () => {
  const date = new Date('2001-01-01T00:00:00Z');
  const later = new Date(date.getTime() + 7_200_000);
  const { assent } = await hostile((_, response) =>
    problem(response, 429, 'rate_limited', { date: date.toUTCString(), 'retry-after': later.toUTCString() }),
  );
  assert.equal((await failure(assent.account.get())).retryAfterMs, 7_200_000);
});

test('a token that is refused is renewed once, and a loop of 401s ends', async () => {
  const asked: boolean[] = [];
  const source = async ({ refresh }: { refresh: boolean }) => {
    asked.push(refresh);
    return `token ${asked.length}`;
  };
  const { assent, requests } = await hostile(
    (_, response) => problem(response, 401, 'unauthorized', { 'www-authenticate': 'Bearer error="invalid_token"' }),
    { token: source },
  );
  assert.equal((await failure(assent.account.get())).code, 'unauthorized');
  assert.deepEqual(asked, [false, true]);
  assert.deepEqual(
    requests.map(({ token }) => token),
    ['Bearer token 1', 'Bearer token 2'],
  );
});

test('a wrong API key asks for no new token', async () => {
  const asked: boolean[] = [];
  const { assent } = await hostile(
    (_, response) => problem(response, 401, 'unauthorized', { 'www-authenticate': 'Bearer' }),
    {
      token: async ({ refresh }) => {
        asked.push(refresh);
        return 'token';
      },
    },
  );
  assert.equal((await failure(assent.account.get())).status, 401);
  assert.deepEqual(asked, [false]);
});

test('a key that no header can carry is the caller’s mistake, and nothing is sent', async () => {
  const { assent, requests } = await hostile((_, response) => json(response, 200, sent));
  await assert.rejects(() => assent.messages.send(message, { idempotencyKey: '生日' }), TypeError);
  assert.deepEqual(requests, []);
});

test('a DELETE that answers 404 after a lost answer is done', async () => {
  const { assent } = await hostile((request, response, attempt) => {
    if (attempt === 1) request.socket.destroy();
    else problem(response, 404, 'not_found');
  });
  await assent.contacts.delete(7);
  const { assent: other } = await hostile((_, response) => problem(response, 404, 'not_found'));
  assert.equal((await failure(other.contacts.delete(7))).code, 'not_found');
});

test('a DELETE that failed without doing anything, and then answers 404, is an error', async () => {
  const { assent } = await hostile((_, response, attempt) => {
    if (attempt === 1) problem(response, 502, 'downstream_unavailable');
    else problem(response, 404, 'not_found');
  });
  assert.equal((await failure(assent.contacts.delete(7))).code, 'not_found');
});

test('a DELETE whose outcome the server doesn’t know, and then answers 404, is done', async () => {
  const { assent } = await hostile((_, response, attempt) => {
    if (attempt === 1) problem(response, 504, 'downstream_timeout', {}, { outcome: 'unknown' });
    else problem(response, 404, 'not_found');
  });
  await assent.contacts.delete(7);
});

test('a cancellation whose answer was lost is done only if the schedule says so: its text may have gone out', async () => {
  const canceling = async (status: string) => {
    const { assent, requests } = await hostile((request, response, attempt) => {
      if (attempt === 1) request.socket.destroy();
      else if (request.method === 'DELETE') problem(response, 404, 'not_found');
      else json(response, 200, { scheduledMessageId: 7, status });
    });
    return { done: assent.scheduledMessages.cancel(7), requests };
  };
  const canceled = await canceling('canceled');
  await canceled.done;
  assert.deepEqual(
    canceled.requests.map(({ method }) => method),
    ['DELETE', 'DELETE', 'GET'],
  );
  const error = await failure((await canceling('completed')).done);
  assert.deepEqual([error.code, error.message], ['not_found', 'It is not_found.']);
});

test('an abort rejects with the signal’s reason: before, during and between attempts', async () => {
  const { assent } = await hostile(() => {}, { timeout: 5_000 });
  const reason = new Error('Enough.');
  await assert.rejects(assent.account.get({ signal: AbortSignal.abort(reason) }), reason);
  const controller = new AbortController();
  const during = assent.account.get({ signal: controller.signal });
  setTimeout(() => controller.abort(reason), 50);
  await assert.rejects(during, reason);
  const storm = await hostile((_, response) => problem(response, 503, 'x', { 'retry-after': '30' }));
  const between = new AbortController();
  setTimeout(() => between.abort(reason), 100);
  await assert.rejects(storm.assent.account.get({ signal: between.signal }), reason);
});

test('a token that fails after the abort of the only call that waits for it ends nothing else', async () => {
  const { assent } = await hostile(() => {}, { token: () => Promise.reject(new Error('The disk is full.')) });
  const reason = new Error('Enough.');
  await assert.rejects(assent.account.get({ signal: AbortSignal.abort(reason) }), reason);
});

test('a fetch that ignores its signal doesn’t outlive the timeout', async () => {
  const assent = new Assent({
    baseUrl: 'https://api.example.com/v1',
    apiKey: 'key',
    token: 'token',
    timeout: 50,
    maxRetries: 0,
    fetch: () => new Promise(() => {}),
  });
  assert.equal((await failure(assent.account.get())).code, 'timeout');
});

test('hooks see each attempt without personal data, and one that throws fails nothing', async () => {
  const told: unknown[] = [];
  const { assent } = await hostile(
    (_, response) => json(response, 200, { memberId: 1, state: 'accepted', lastChanged: 1 }),
    {
      hooks: {
        request: (info) => told.push(info),
        response() {
          throw new Error('A logger broke.');
        },
      },
    },
  );
  await assent.consents.get({ phone: '+15005550006' });
  assert.deepEqual(told, [{ method: 'GET', path: '/text/messaging/consents', attempt: 1 }]);
});

test('nothing was rejected without somebody to handle it', async () => {
  await pause(50);
  assert.deepEqual(unhandled, []);
});

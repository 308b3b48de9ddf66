import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Assent, type ConsentFlowState } from '@assent/client';

const message = { phone: '+15005550006', text: 'Hello' };
const accepted = { successes: [{ messageId: 1, memberId: 2, phone: message.phone, status: 'queued' }] };

const dayMs = 24 * 60 * 60 * 1000;

type Call = { path: string; key: string | null };

/** A client of a server where one person's answer is `answer`, and what it was asked. */
function clientOf(answer: (path: string, calls: Call[]) => unknown) {
  const calls: Call[] = [];
  const assent = new Assent({
    baseUrl: 'https://api.example.com/v1',
    apiKey: 'key',
    token: 'token',
    maxRetries: 0,
    fetch: async (url, init) => {
      const path = new URL(url).pathname.replace('/v1/text/messaging/', '');
      calls.push({ path, key: new Headers(init.headers).get('idempotency-key') });
      return Response.json({ failures: [], failureDetails: [], successes: [], ...(answer(path, calls) as object) });
    },
  });
  return { assent, calls };
}

const failing = (code: string) => ({ failureDetails: [{ phone: message.phone, memberId: 2, code }] });
const count = (calls: Call[], path: string) => calls.filter((call) => call.path === path).length;

test('somebody who is asked and says STOP is a failure that says so', async () => {
  const { assent } = clientOf((path, calls) => {
    if (path === 'messages') return failing(count(calls, 'messages') === 1 ? 'not_consented' : 'opted_out');
    return path === 'consents' ? { state: 'opted_out' } : accepted;
  });
  const { failureDetails } = await assent.messages.sendWithConsent(message, { poll: true });
  assert.equal(failureDetails[0]?.code, 'opted_out');
});

test('somebody who says STOP before they are asked is a failure that says so', async () => {
  const { assent, calls } = clientOf((path) => {
    if (path === 'messages') return failing(count(calls, 'messages') === 1 ? 'not_consented' : 'opted_out');
    return failing('opted_out');
  });
  const { failureDetails } = await assent.messages.sendWithConsent(message, { poll: true });
  assert.equal(failureDetails[0]?.code, 'opted_out');
});

for (const [what, state] of [
  ['by an earlier run', { idempotencyKey: 'mine', askedAt: Date.now() - dayMs - 1 }],
  ['by somebody else', undefined],
] as const)
  test(`somebody who was asked ${what} more than 24 hours ago is asked again`, async () => {
    const { assent, calls } = clientOf((path) => {
      const isAsked = count(calls, 'consent-requests') > 0;
      if (path === 'messages') return isAsked ? accepted : failing('consent_pending');
      if (path === 'consents') return { state: isAsked ? 'accepted' : 'pending', lastChanged: Date.now() - dayMs - 1 };
      return accepted;
    });
    const states: ConsentFlowState[] = [];
    const onState = (each: ConsentFlowState) => void states.push({ ...each });
    const began = Date.now();
    const { successes } = await assent.messages.sendWithConsent(message, { poll: true, state, onState });
    assert.equal(successes.length, 1);
    assert.equal(count(calls, 'consent-requests'), 1);
    assert.ok((states.at(-1)?.askedAt ?? 0) >= began, 'the next run waits for this request');
    const [first, ...keys] = calls.filter(({ path }) => path !== 'consents').map(({ key }) => key);
    assert.notEqual(keys[0], first, 'with the first request’s key, nobody might be asked');
    assert.equal(keys[1], first);
  });

test('somebody who was asked today is waited for', async () => {
  const { assent, calls } = clientOf((path) => {
    if (path === 'messages') return count(calls, 'messages') === 1 ? failing('consent_pending') : accepted;
    return { state: count(calls, 'consents') === 1 ? 'pending' : 'accepted', lastChanged: Date.now() - 1_000 };
  });
  const sending: boolean[] = [];
  const onState = ({ sendingAt }: ConsentFlowState) => void sending.push(sendingAt !== undefined);
  await assent.messages.sendWithConsent(message, { poll: true, onState });
  assert.deepEqual(
    calls.map(({ path }) => path),
    ['messages', 'consents', 'consents', 'messages'],
  );
  assert.deepEqual(sending, [true, false, true], 'a run that stops while it waits was not in a send');
});

test('a flow that stopped in a send is gone on with while the server knows its key, and not after that', async () => {
  const states: ConsentFlowState[] = [];
  const onState = (each: ConsentFlowState) => void states.push({ ...each });
  const { assent, calls } = clientOf((path) => {
    if (path === 'messages') return count(calls, 'messages') === 1 ? failing('not_consented') : accepted;
    return path === 'consents' ? { state: 'accepted' } : accepted;
  });
  await assent.messages.sendWithConsent(message, { poll: true, onState });
  assert.deepEqual(
    states.map(({ sendingAt, askedAt }) => [sendingAt !== undefined, askedAt !== undefined]),
    [
      [true, false],
      [false, true],
      [true, true],
    ],
  );
  const last = states.at(-1) ?? assert.fail();
  const hoursAgo = (hours: number) => ({ ...last, sendingAt: Date.now() - (hours / 24) * dayMs });
  const repeated = await assent.messages.sendWithConsent(message, { poll: true, state: hoursAgo(23), onState });
  assert.equal(repeated.successes.length, 1);
  assert.ok(Date.now() - (states.at(-1)?.sendingAt ?? 0) > 22 * 60 * 60 * 1000, 'the key is as old as it was');
  const sends = calls.length;
  const late = assent.messages.sendWithConsent(message, { poll: true, state: hoursAgo(25) });
  await assert.rejects(late, { code: 'in_doubt' });
  assert.equal(calls.length, sends, 'nobody is texted');
  const waited = { ...last, sendingAt: undefined, askedAt: Date.now() - 2 * dayMs };
  assert.equal((await assent.messages.sendWithConsent(message, { poll: true, state: waited })).successes.length, 1);
});

test('waiting for a consent asks no sooner than Retry-After says', async (context) => {
  context.mock.timers.enable({ apis: ['setTimeout', 'Date'] });
  const asked: number[] = [];
  const assent = new Assent({
    baseUrl: 'https://api.example.com/v1',
    apiKey: 'key',
    token: 'token',
    maxRetries: 0,
    fetch: async () => {
      asked.push(Date.now());
      if (asked.length === 1) return Response.json({ state: 'pending' });
      if (asked.length === 3) return Response.json({ state: 'accepted' });
      const problem = { code: 'rate_limited', detail: 'Slow down.', retryable: true };
      const headers = { 'content-type': 'application/problem+json', 'retry-after': '120' };
      return new Response(JSON.stringify(problem), { status: 429, headers });
    },
  });
  const waiting = assent.consents.waitFor({ phone: message.phone });
  for (let seconds = 0; asked.length < 3; seconds++) {
    assert.ok(seconds < 600);
    await new Promise((resolve) => setImmediate(resolve));
    context.mock.timers.tick(1_000);
  }
  assert.equal((await waiting).state, 'accepted');
  const [, refused = 0, again = 0] = asked;
  assert.ok(again - refused >= 120_000, `after ${again - refused} ms`);
});

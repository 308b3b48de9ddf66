import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Assent } from '@assent/client';

const message = { phone: '+15005550006', text: 'Hello' };
const accepted = { successes: [{ messageId: 1, memberId: 2, phone: message.phone, status: 'queued' }] };

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

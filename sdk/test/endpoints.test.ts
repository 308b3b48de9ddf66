import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { Assent } from '@assent/client';

type Document = { paths: Record<string, Record<string, { operationId?: string }>> };
const document: Document = JSON.parse(readFileSync('openapi.json', 'utf8'));

/** A client that answers every call with empty success, and what it called. */
function recording() {
  const calls: { method: string; url: URL; headers: Headers; body: unknown }[] = [];
  const page = { data: [], pageInfo: { page: 1, pageSize: 25, totalRecord: 0 }, cursor: 'c', more: false };
  const assent = new Assent({
    baseUrl: 'https://api.example.com/v1/',
    apiKey: 'key',
    token: 'token',
    fetch: async (url, init) => {
      const body = init.body === undefined ? undefined : JSON.parse(String(init.body));
      calls.push({ method: String(init.method), url: new URL(url), headers: new Headers(init.headers), body });
      return init.method === 'DELETE' ? new Response(null, { status: 204 }) : Response.json(page);
    },
  });
  return { assent, calls };
}

test('every endpoint has a method, and every method an endpoint', async () => {
  const { assent, calls } = recording();
  const message = { phone: '+15005550006', text: 'Hello' };
  await assent.messages.send(message);
  await assent.messages.check(message);
  await assent.messages.get(7);
  await assent.messages.list();
  await assent.consents.request({ phoneNumbers: ['+15005550006'] });
  await assent.consents.get({ phone: '+15005550006' });
  await assent.consents.search({ phoneNumbers: ['+15005550006'] });
  await assent.scheduledMessages.list();
  await assent.scheduledMessages.get(7);
  await assent.scheduledMessages.update(7, { text: 'Hello' });
  await assent.scheduledMessages.cancel(7);
  await assent.contacts.create({ firstName: 'Pia', lastName: 'Plain' });
  await assent.contacts.update(7, { nickname: 'P' });
  await assent.contacts.get(7);
  await assent.contacts.list();
  await assent.contacts.delete(7);
  await assent.contacts.replaceGroups(7, { groupIds: [] });
  for await (const _ of assent.contacts.changes());
  await assent.groups.create({ name: 'Friends' });
  await assent.groups.list();
  await assent.groups.delete(7);
  await assent.content.search({ searchText: 'tax' });
  await assent.events.list();
  await assent.account.get();
  await assent.account.enumerations();

  const called = calls.map(
    ({ method, url }) => `${method} ${url.pathname.slice('/v1'.length).replace(/\/7\b/, '/{id}')}`,
  );
  const documented = Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.keys(methods)
      .filter((method) => methods[method]?.operationId)
      .map((method) => `${method.toUpperCase()} ${path.replace(/\{\w+\}/, '{id}')}`),
  );
  assert.deepEqual(called.toSorted(), documented.toSorted());
});

test('every call has both credentials, and every POST a key of its own', async () => {
  const { assent, calls } = recording();
  await assent.account.get();
  await assent.messages.send({ phone: '+15005550006', text: 'Hello' });
  await assent.messages.send({ phone: '+15005550006', text: 'Hello' }, { idempotencyKey: 'mine' });
  await assent.messages.send({ phone: '+15005550006', text: 'Hello' });
  for (const { headers } of calls) {
    assert.equal(headers.get('authorization'), 'Bearer token');
    assert.equal(headers.get('x-api-key'), 'key');
  }
  const keys = calls.map(({ headers }) => headers.get('idempotency-key'));
  assert.deepEqual([keys[0], keys[2]], [null, 'mine']);
  assert.notEqual(keys[1], keys[3]);
  assert.match(keys[1] ?? '', /^[0-9a-f-]{36}$/);
});

test('a plus sign in a query arrives as one', async () => {
  const { assent, calls } = recording();
  await assent.consents.get({ phone: '+15005550006' }, { wait: 5 });
  assert.equal(calls[0]?.url.search, '?phone=%2B15005550006&wait=5');
});

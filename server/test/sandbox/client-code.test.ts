import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Assent } from '../../../sdk/src/index.ts';
import { clientCodeOf, clientOf, placeholders } from '../../src/domain/sandbox/client-code.ts';

const publicUrl = 'http://localhost:8080';
const calls: [method: string, path: string, body?: object][] = [
  ['POST', '/v1/text/messaging/messages', { phone: '+15005550006', text: `It's "new" \\ ☂\nand more`, frequency: 4 }],
  ['POST', '/v1/text/messaging/messages/check', { phoneNumbers: ['+15005550006', '+15005550008'], text: 'x' }],
  ['POST', '/v1/text/messaging/consent-requests', { phoneNumbers: ['+15005550006'] }],
  ['GET', '/v1/text/messaging/consents?phone=%2B15005550006'],
  ['PUT', '/v1/text/messaging/scheduled-messages/7', { text: 'x', deliveryDate: 1795701600000 }],
  ['DELETE', '/v1/text/messaging/scheduled-messages/7'],
  ['POST', '/v1/core/contact/contacts', { firstName: 'Ana', lastName: 'Ortiz', birthDate: null }],
  ['PUT', '/v1/core/contact/contacts/7', { firstName: 'Ana' }],
  ['PUT', '/v1/core/contact/contacts/7/groups', { groupIds: [1, 2], isSelectAllGroup: false }],
  ['DELETE', '/v1/core/contact/contacts/7'],
  ['POST', '/v1/core/contact/groups', { name: 'Austin' }],
  ['DELETE', '/v1/core/contact/groups/7'],
  ['POST', '/sandbox/clock', { advanceMs: 3600000 }],
  ['POST', '/sandbox/reset'],
];

test('code for the client makes the call that it stands for', async () => {
  for (const [method, path, body] of calls) {
    const made: unknown[] = [];
    const answering = async (url: string, init: RequestInit) => {
      made.push([init.method, url, init.body ? JSON.parse(String(init.body)) : undefined]);
      return Response.json({});
    };
    const { apiKey, accessToken: token } = placeholders;
    const assent = new Assent({ baseUrl: `${publicUrl}/v1`, apiKey, token, fetch: answering as typeof fetch });
    const code = clientCodeOf({ method, path, body }, publicUrl);
    assert.equal(code.startsWith('await assent.'), path.startsWith('/v1/'), code);
    await new Function('assent', 'fetch', `return (async () => { ${code}; })();`)(assent, answering);
    assert.deepEqual(made, [[method, `${publicUrl}${path}`, body]], code);
  }
});

test('the client is set up with the address and places for the credentials', () => {
  const code = clientOf(publicUrl);
  for (const part of [`'${publicUrl}/v1'`, placeholders.apiKey, placeholders.accessToken])
    assert.ok(code.includes(part));
});

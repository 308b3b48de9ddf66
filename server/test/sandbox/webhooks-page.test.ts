import assert from 'node:assert/strict';
import { after, before, suite, test } from 'node:test';
import { setWebhook } from '../../src/domain/webhooks/webhooks.ts';
import { type AdvisorApp, makeAdvisorApp } from '../support/advisor-app.ts';
import type { Visitor } from '../support/visitor.ts';
import { inject } from '../support/world.ts';
import { makeReceiver, type Receiver } from '../webhooks/receiver.ts';

suite('the webhooks’ page', () => {
  let pages: AdvisorApp;
  let visitor: Visitor;
  let receiver: Receiver;
  let first: string;
  before(async () => {
    pages = await makeAdvisorApp({ PORT: '8098' });
    visitor = pages.visitor('127.0.0.1');
    first = (await visitor.get('/webhooks')).body;
    receiver = await makeReceiver(() => secret);
    const secret = await setWebhook(pages.world.deps, pages.world.clientId, receiver.url);
  });
  after(async () => {
    await receiver.close();
    await pages.close();
  });

  test('shows the command that sets the first one', () => {
    assert.ok(first.includes(`webhooks set ${pages.world.clientId} http://localhost:3000/hook`), first);
  });

  test('needs no key, and answers only at this machine’s own host names', async () => {
    for (const [host, expected] of Object.entries({ 'localhost:8098': 200, 'evil.example': 403, '10.0.0.1': 403 }))
      assert.equal((await inject(pages.app, { method: 'GET', url: '/webhooks', headers: { host } })).status, expected);
  });

  test('sends nothing that another site makes the browser send', async () => {
    const { clientId } = pages.world;
    await visitor.get('/webhooks');
    const foreign = [
      await visitor.post('/webhooks', { clientId, formToken: '' }),
      await visitor.post('/webhooks', { clientId }, { origin: 'https://evil.example' }),
    ];
    assert.deepEqual(
      foreign.map(({ status }) => status),
      [403, 403],
    );
    assert.equal(receiver.came.length, 0);
    assert.equal((await visitor.post('/webhooks', { clientId })).status, 303);
    assert.equal(receiver.came.length, 1);
  });

  test('goes back to the page if the event or the application is gone', async () => {
    const { clientId } = pages.world;
    for (const fields of [{ clientId, eventId: 'evt_1_999999' }, { clientId: 'x' }, {}] as Record<string, string>[])
      assert.equal((await visitor.post('/webhooks', fields)).status, 303);
  });
});

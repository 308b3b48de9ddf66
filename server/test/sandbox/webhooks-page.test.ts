import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { after, before, suite, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { Webhook } from 'standardwebhooks';
import { addWebhook, disableWebhook, listWebhooks } from '../../src/domain/webhooks/webhooks.ts';
import { type AdvisorApp, makeAdvisorApp } from '../support/advisor-app.ts';
import { freePort } from '../support/programs.ts';
import type { Visitor } from '../support/visitor.ts';
import { inject } from '../support/world.ts';
import { makeReceiver, type Receiver } from '../webhooks/receiver.ts';

suite('the webhooks’ page', () => {
  let pages: AdvisorApp;
  let visitor: Visitor;
  let receiver: Receiver;
  let secret = '';
  before(async () => {
    pages = await makeAdvisorApp({ PORT: '8098' });
    visitor = pages.visitor('127.0.0.1');
    receiver = await makeReceiver(() => secret);
  });
  after(async () => {
    await receiver.close();
    await pages.close();
  });

  const post = (act: string, fields: Record<string, string> = {}, headers?: Record<string, string>) =>
    visitor.post('/webhooks', { act, clientId: pages.world.clientId, url: receiver.url, ...fields }, headers);
  const statuses = async () => (await listWebhooks(pages.world.deps)).map(({ url, status }) => [url, status]);

  test('adds an endpoint, and shows its secret once', async () => {
    assert.match((await visitor.get('/webhooks')).body, /Nothing has been pushed yet/);
    const { status, body } = await post('add', { 'type consent.changed': '1' });
    assert.equal(status, 200);
    secret = textIn(body, 'data-secret');
    assert.match(secret, /^whsec_/);
    const shown = (await visitor.get('/webhooks')).body;
    assert.equal(shown.includes(secret), false);
    assert.ok(shown.includes(receiver.url));
    assert.deepEqual((await listWebhooks(pages.world.deps))[0]?.types, ['consent.changed']);
    const refused = await post('add', { url: 'http://partner.example/' });
    assert.equal(refused.status, 400);
    assert.match(refused.body, /must begin with https/);
  });

  test('needs no key, and answers only at this machine’s own host names', async () => {
    for (const [host, expected] of Object.entries({ 'localhost:8098': 200, 'evil.example': 403, '10.0.0.1': 403 }))
      assert.equal((await inject(pages.app, { method: 'GET', url: '/webhooks', headers: { host } })).status, expected);
  });

  test('does nothing that another site makes the browser send', async () => {
    await visitor.get('/webhooks');
    for (const act of ['test', 'add', 'remove']) {
      const foreign = [await post(act, { formToken: '' }), await post(act, {}, { origin: 'https://evil.example' })];
      assert.deepEqual(
        foreign.map(({ status }) => status),
        [403, 403],
      );
    }
    assert.equal(receiver.came.length, 0);
    assert.equal((await listWebhooks(pages.world.deps)).length, 1);
    assert.equal((await post('test')).status, 303);
    assert.equal(receiver.came.length, 1);
  });

  test('shows the request as it was sent, and what came back, by type and endpoint', async () => {
    receiver.answer = () => 503;
    await post('test');
    receiver.answer = () => 200;
    const { body } = await visitor.get('/webhooks');
    const [request = '', response = ''] = [...body.matchAll(/<pre>([\s\S]*?)<\/pre>/g)].map(([, text = '']) =>
      plain(text),
    );
    assert.match(response, /^503\nnot now$/);
    const [head = '', sent = ''] = request.split('\n\n');
    const headers = Object.fromEntries(head.split('\n').map((line) => line.split(': ')));
    assert.deepEqual(new Webhook(secret).verify(sent, headers), receiver.came.at(-1)?.body);
    const count = async (query: string) =>
      (await visitor.get(`/webhooks?${query}`)).body.split('<li id="delivery-').length - 1;
    const url = encodeURIComponent(receiver.url);
    assert.deepEqual(
      [await count('type=webhook.test'), await count(`endpoint=${url}`), await count('type=consent.changed')],
      [2, 2, 0],
    );
    assert.equal(await count('endpoint=https%3A%2F%2Felse.example%2F&type=%00'), 0);
  });

  test('sends again, switches on and removes', async () => {
    const { deps, clientId } = pages.world;
    const eventId = receiver.came[0]?.body.id;
    await post('redeliver', { eventId });
    assert.equal(receiver.came.at(-1)?.body.id, eventId);
    await disableWebhook(deps, { clientId });
    await post('enable');
    assert.deepEqual(await statuses(), [[receiver.url, 'on']]);
    await post('remove');
    assert.deepEqual(await statuses(), []);
    // What was pushed is still there, but can't be sent again.
    const { body } = await visitor.get('/webhooks');
    assert.ok(body.includes(eventId));
    assert.doesNotMatch(body, /Send again/);
  });

  test('goes back to the page if the event, the endpoint or the application is gone', async () => {
    for (const fields of [{ eventId: 'evt_1_999999' }, { clientId: 'x' }, { url: 'x' }] as Record<string, string>[])
      for (const act of ['redeliver', 'remove', 'test', 'x']) assert.equal((await post(act, fields)).status, 303);
  });

  test('lets one choose the application where there are several', async () => {
    const { body } = await visitor.get('/webhooks');
    for (const { clientId } of [pages.world, pages.client]) assert.ok(body.includes(`<option value="${clientId}">`));
  });

  test('has a receiver that verifies what comes, and refuses the rest', async () => {
    const { deps, clientId } = pages.world;
    const port = await freePort();
    const url = `http://127.0.0.1:${port}/hook`;
    const sdk = fileURLToPath(new URL('../../../sdk/src/index.ts', import.meta.url));
    const example = textIn((await visitor.get('/webhooks')).body, 'data-example')
      .replace('@assent/client', sdk)
      .replace('3000', `${port}, () => console.log('ready')`);
    const WEBHOOK_SECRET = await addWebhook(deps, clientId, url);
    const child = spawn(process.execPath, ['--input-type=module', '--eval', example], {
      env: { ...process.env, WEBHOOK_SECRET },
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    const exited = once(child, 'exit');
    await once(child.stdout, 'data');
    await post('test', { url });
    assert.equal((await fetch(url, { method: 'POST', body: '{}' })).status, 401);
    child.kill();
    await exited;
    assert.match((await visitor.get('/webhooks')).body, /<span class="chip good">204<\/span>/);
  });
});

/** What an element with this attribute shows, without elements inside. */
function textIn(body: string, attribute: string): string {
  return plain(new RegExp(`<\\w+ ${attribute}>([^<]*)<`).exec(body)?.[1] ?? '');
}

function plain(markup: string): string {
  return markup
    .replace(/<[^>]*>/g, '')
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&quot;', '"')
    .replaceAll('&#39;', "'")
    .replaceAll('&amp;', '&');
}

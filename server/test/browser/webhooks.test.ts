import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { Browser } from 'playwright-core';
import { deliverer } from '../../src/domain/webhooks/deliverer.ts';
import { testWebhook } from '../../src/domain/webhooks/deliveries.ts';
import { setWebhook } from '../../src/domain/webhooks/webhooks.ts';
import { launchBrowser, skip } from '../support/browser.ts';
import { freePort } from '../support/programs.ts';
import { newPhone, setConsent } from '../support/texting.ts';
import { makeWorld, type World } from '../support/world.ts';
import { makeReceiver, type Receiver } from '../webhooks/receiver.ts';
import { inspect } from './inspect.ts';

const screens = {
  'on a phone': { viewport: { width: 360, height: 740 } },
  'on a desktop': { viewport: { width: 1280, height: 800 } },
};

let world: World;
let browser: Browser;
let origin: string;
let receiver: Receiver;

before(async () => {
  if (skip) return;
  const port = await freePort();
  world = await makeWorld({ env: { PORT: String(port) } });
  await world.app.listen({ host: '127.0.0.1', port });
  origin = `http://localhost:${port}`;
  browser = await launchBrowser();
});
after(async () => {
  if (skip) return;
  await browser.close();
  await receiver.close();
  await world.close();
});

test('without a webhook, the page says how to set one', { skip }, async () => {
  const page = await browser.newPage();
  await page.goto(`${origin}/webhooks`);
  await page.getByText('No application has a webhook yet').waitFor();
  await page.close();
  receiver = await makeReceiver(() => secret);
  const secret = await setWebhook(world.deps, world.clientId, receiver.url);
  await setConsent(world, world.ann, newPhone(), 'accepted');
  const webhooks = deliverer(world.deps, world.app.log as never);
  await webhooks.tick();
  await webhooks.settled();
});

for (const [name, options] of Object.entries(screens))
  test(`the page shows what was pushed and what came back, and sends it again, ${name}`, { skip }, async () => {
    const context = await browser.newContext(options);
    const page = await context.newPage();
    page.setDefaultTimeout(10_000);
    const complaints: string[] = [];
    page.on('console', (message) => message.type() === 'error' && complaints.push(message.text()));
    receiver.answer = () => 500;
    await testWebhook(world.deps, world.clientId);
    receiver.answer = () => 200;
    await page.goto(`${origin}/webhooks`);
    const items = page.locator('.deliveries li');
    const before = await items.count();
    await page.getByRole('button', { name: 'Send a test event' }).click();
    await page.waitForFunction((count) => document.querySelectorAll('.deliveries li').length > count, before);
    assert.match(await items.first().innerText(), /200[\s\S]*webhook\.test/);
    const consent = items.filter({ hasText: 'consent.changed' }).last();
    const came = receiver.came.length;
    await consent.getByRole('button', { name: /Send again/ }).click();
    await page.waitForFunction((count) => document.querySelectorAll('.deliveries li').length > count, before + 1);
    assert.equal(receiver.came.length, came + 1);
    assert.match(await items.first().innerText(), /consent\.changed[\s\S]*attempt \d/);
    await items.first().locator('summary').click();
    assert.match(await items.first().locator('pre').first().innerText(), /"previousState": "none"/);
    assert.match(await items.first().locator('pre').last().innerText(), /thanks/);
    await inspect(page);
    assert.deepEqual(complaints, []);
    await context.close();
  });

import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { Browser } from 'playwright-core';
import { deliverer } from '../../src/domain/webhooks/deliverer.ts';
import { testWebhook } from '../../src/domain/webhooks/deliveries.ts';
import { closeBrowser, launchBrowser, skip, stepMsMax } from '../support/browser.ts';
import { freePort } from '../support/programs.ts';
import { newPhone, setConsent } from '../support/texting.ts';
import { makeWorld, type World } from '../support/world.ts';
import { makeReceiver, type Receiver } from '../webhooks/receiver.ts';
import { complaintsOf, inspect } from './inspect.ts';

const phone = { viewport: { width: 360, height: 740 } };
const desk = { viewport: { width: 1280, height: 800 } };

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
  await closeBrowser();
  await receiver.close();
  await world.close();
});

/** Pushes everything that is due now. */
async function push(): Promise<void> {
  const webhooks = deliverer(world.deps, world.app.log as never);
  await webhooks.tick();
  await webhooks.settled();
}

test('an endpoint is added on the page, which shows its secret', { skip }, async () => {
  const page = await browser.newPage();
  page.setDefaultTimeout(stepMsMax);
  receiver = await makeReceiver(() => secret);
  let secret = '';
  await page.goto(`${origin}/webhooks`);
  await page.getByText('Nothing has been pushed yet').waitFor();
  await page.getByLabel('Address').fill(receiver.url);
  await page.getByRole('button', { name: 'Add endpoint' }).click();
  secret = await page.locator('[data-secret]').innerText();
  await inspect(page, 'the secret');
  await page.close();
});

test('the page shows what is pushed and what comes back as it happens, and sends it again', {
  skip,
}, async () => {
  const context = await browser.newContext({ ...phone, reducedMotion: 'reduce' });
  const page = await context.newPage();
  page.setDefaultTimeout(stepMsMax);
  const complaints = complaintsOf(page);
  receiver.answer = () => 500;
  await testWebhook(world.deps, { clientId: world.clientId });
  receiver.answer = () => 200;
  await page.goto(`${origin}/webhooks`);
  const items = page.locator('[data-deliveries] > li');
  const first = async (text: RegExp) => {
    await items.first().filter({ hasText: text }).waitFor();
    return items.first();
  };
  await first(/500.*webhook\.test/s);
  await page.getByRole('button', { name: 'Send a test event' }).click();
  await first(/200.*webhook\.test/s);
  await setConsent(world, world.ann, newPhone(), 'accepted');
  await push();
  await (await first(/200.*consent\.changed/s)).locator('summary').click();
  const count = await items.count();
  await items
    .first()
    .getByRole('button', { name: /Send again/ })
    .click();
  await first(/consent\.changed.*attempt 2/s);
  assert.equal(await items.count(), count + 1);
  // What was opened stays open.
  const opened = items.nth(1);
  assert.match(await opened.locator('pre').first().innerText(), /webhook-signature: v1,.*"previousState":"none"/s);
  assert.match(await opened.locator('pre').last().innerText(), /200\s+thanks/);
  await inspect(page, 'deliveries', desk);
  await page.getByLabel('Type', { exact: true }).selectOption('webhook.test');
  await page.waitForURL(/type=webhook\.test/);
  assert.equal(await items.filter({ hasText: 'consent.changed' }).count(), 0);
  assert.deepEqual(complaints, []);
  await context.close();
});

test('a removed endpoint leaves the page', { skip }, async () => {
  const page = await browser.newPage();
  page.setDefaultTimeout(stepMsMax);
  await page.goto(`${origin}/webhooks`);
  await page.locator('summary', { hasText: 'Remove' }).click();
  await page.getByRole('button', { name: 'Remove this endpoint' }).click();
  await page.waitForFunction(() => document.querySelectorAll('[data-endpoints] > li').length === 0);
  await page.close();
});

import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { after, before, test } from 'node:test';
import { type Browser, chromium } from 'playwright-core';
import { routes } from '../../src/http/partner/routes.ts';
import { makeWorld, type World } from '../support/world.ts';

const executablePath = '/usr/bin/chromium';
const skip = existsSync(executablePath) ? false : 'there is no /usr/bin/chromium';
let world: World;
let browser: Browser;
let origin: string;

before(async () => {
  if (skip) return;
  world = await makeWorld();
  origin = await world.app.listen({ host: '127.0.0.1', port: 0 });
  const args = ['--no-sandbox', '--disable-gpu', '--disable-background-networking', '--disable-component-update'];
  browser = await chromium.launch({ executablePath, args });
});
after(async () => {
  if (skip) return;
  await browser.close();
  await world.close();
});

test('the reference page shows every endpoint and makes a call with both credentials', { skip }, async () => {
  const page = await browser.newPage();
  page.setDefaultTimeout(10_000);
  const complaints: string[] = [];
  page.on('console', (message) => message.type() === 'error' && complaints.push(message.text()));
  page.on('pageerror', (error) => complaints.push(error.message));
  await page.goto(`${origin}/docs`);

  await page.getByRole('button', { name: 'Authorize' }).click();
  await page.locator('#auth-bearer-value').fill(world.ann.token);
  await page.locator('#api_key_value').fill(world.apiKey);
  // Each turns into Logout once it is clicked.
  await page.getByRole('button', { name: 'Apply credentials' }).first().click();
  await page.getByRole('button', { name: 'Apply credentials' }).first().click();
  await page.getByRole('button', { name: 'Close' }).first().click();

  await page.locator('#operations-Reference-listEnumerations .opblock-summary-control').click();
  await page.getByRole('button', { name: 'Execute' }).click();
  const answer = page.locator('.live-responses-table .response-col_status').last();
  assert.match(await answer.innerText(), /200/);
  assert.match(await page.locator('.live-responses-table').innerText(), /life partner/);
  assert.equal(await page.locator('.opblock').count(), routes.length);
  assert.deepEqual(complaints, []);
});

test('the public pages fit a phone and load nothing from other sites', { skip }, async () => {
  const page = await browser.newPage({ viewport: { width: 360, height: 740 } });
  const foreign: string[] = [];
  page.on('request', (request) => {
    if (!request.url().startsWith(origin) && !request.url().startsWith('data:')) foreign.push(request.url());
  });
  for (const path of ['/', '/problems', '/problems/invalid_request', '/docs']) {
    const response = await page.goto(`${origin}${path}`);
    assert.equal(response?.status(), 200, path);
    const overflow = await page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth);
    assert.ok(overflow <= 0, `${path} is ${overflow} px too wide`);
  }
  assert.deepEqual(foreign, []);
});

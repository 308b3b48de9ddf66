import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import type { Page } from 'playwright-core';
import { writeSandboxFile } from '../../src/domain/sandbox/sandbox-start.ts';
import { skip } from '../support/browser.ts';
import { until } from '../support/waiting.ts';
import { composer, desk, phoneWide, useApp } from './app-windows.ts';
import { inspect } from './inspect.ts';

const folder = mkdtempSync(join(tmpdir(), 'assent-demonstration-'));
const app = useApp({
  env: { ASSENT_DATA_DIR: folder },
  prepare: ({ deps, config }) => writeSandboxFile({ ...deps, config }),
});
after(() => rmSync(folder, { recursive: true }));

const line = (page: Page, text: string) => page.locator('.coded li', { hasText: text }).first();

test('the call is copied as it can be run, in both languages, and shown without credentials', { skip }, async () => {
  const { page, context } = await app.open('/demonstration', desk);
  await context.grantPermissions(['clipboard-read', 'clipboard-write']);
  await page.getByRole('button', { name: 'An hour' }).click();
  await line(page, '/sandbox/clock').click();
  await page.getByRole('button', { name: 'curl', exact: true }).click();
  await page.getByLabel('The call as code').getByText('$KEY').waitFor();
  // It says so for two seconds: the page itself looks, from before the click on.
  const said = page.waitForFunction(() =>
    [...document.querySelectorAll('button')].some(({ textContent }) => textContent === 'Copied'),
  );
  await page.getByRole('button', { name: 'Copy' }).click();
  await said;
  const copied = String(await page.evaluate('navigator.clipboard.readText()'));
  assert.match(
    copied,
    /^curl 'http:\/\/localhost:\d+\/sandbox\/clock' [\s\S]*x-api-key: ak_sandbox_[\s\S]*"advanceMs":3600000/,
  );
  await page.getByRole('button', { name: 'SDK', exact: true }).click();
  await page.getByLabel('The call as code').getByText('YOUR_API_KEY').waitFor();
  assert.doesNotMatch(await page.content(), /ak_sandbox_/);
});

test('the reset asks first, and gives the focus back', { skip }, async () => {
  const { page } = await app.open('/demonstration', desk);
  const reset = page.getByRole('button', { name: 'Reset' });
  await reset.click();
  await page.getByRole('dialog').getByText('become as they were after the first start').waitFor();
  await page.keyboard.press('Escape');
  await page.getByRole('dialog').waitFor({ state: 'hidden' });
  await until('the focus is back', () => reset.evaluate((button) => button === document.activeElement));
});

test('on a phone one part is shown at a time, and axe finds no barriers in it', { skip }, async () => {
  const { page } = await app.open('/demonstration', { ...phoneWide, bypassCSP: true });
  await composer(page).waitFor();
  assert.equal(await page.locator('.handset:visible').count(), 0);
  for (const [pane, shown] of [
    ['Phones', '.handset'],
    ['API', '.code-panes'],
  ] as const) {
    await page.getByRole('button', { name: pane, exact: true }).click();
    assert.equal(await page.locator(`${shown}:visible`).count(), 1);
    await inspect(page, pane);
  }
});

test('in production it is a page that isn’t found', { skip }, async () => {
  const { page, context } = await app.open('/demonstration', desk);
  await context.route('**/app/api/session', async (route) => {
    const answer = await route.fetch();
    await route.fulfill({ json: { ...(await answer.json()), environment: 'production' } });
  });
  await page.goto('about:blank');
  const files: string[] = [];
  page.on('request', (request) => files.push(request.url()));
  await page.goto(`${app.origin()}/app/demonstration`);
  await page.getByRole('heading', { name: 'Page not found' }).waitFor();
  await page.getByRole('navigation', { name: 'Assent' }).waitFor();
  assert.deepEqual(
    files.filter((file) => /handset|assets\/demonstration/.test(file)),
    [],
  );
});

import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import type { Page } from 'playwright-core';
import { writeSandboxFile } from '../../src/domain/sandbox/sandbox-start.ts';
import { skip } from '../support/browser.ts';
import { until } from '../support/waiting.ts';
import { composer, desk, phoneWide, say, useApp } from './app-windows.ts';
import { inspect } from './inspect.ts';

const folder = mkdtempSync(join(tmpdir(), 'assent-demonstration-'));
const app = useApp({
  env: { ASSENT_DATA_DIR: folder },
  prepare: ({ deps, config }) => writeSandboxFile({ ...deps, config }),
});
after(() => rmSync(folder, { recursive: true }));

const phoneOf = (page: Page, name: string) => page.getByRole('region', { name: `${name}’s phone`, exact: true });
const next = (page: Page) => page.getByRole('region', { name: 'What to do next' });
const line = (page: Page, text: string) => page.locator('.coded li', { hasText: text }).first();

test('the story on one screen: asked, accepted, answered, planned, arrived and stopped, each live on both sides', {
  skip,
}, async () => {
  const { page, complaints } = await app.open('/', desk);
  await page.getByRole('link', { name: 'See the demonstration' }).click();
  const ana = phoneOf(page, 'Ana Ortiz');
  const window = page.getByRole('region', { name: 'What the advisor sees' });
  const code = page.getByLabel('The call as code');
  await code.getByText('assent.contacts.create').waitFor();

  await page.getByRole('button', { name: 'Send once they accept' }).click();
  await ana.getByText('Reply ACCEPT to agree').waitFor();
  await window.locator('.say.wait', { hasText: 'annual review' }).waitFor();
  await line(page, 'none → pending').waitFor();
  await code.getByText('whenConsented: true').waitFor();
  assert.match(await line(page, '…/messages').innerText(), /200.*awaiting_consent/s);

  await ana.getByRole('button', { name: 'ACCEPT' }).focus();
  await page.keyboard.press('Enter');
  await say(ana as never, 'annual review').waitFor();
  await window.locator('.item', { hasText: 'annual review' }).getByText('Delivered').waitFor();
  await line(page, 'pending → accepted').waitFor();
  await ana.getByRole('button', { name: 'Tuesday works' }).click();
  await say(window as never, 'Tuesday works').waitFor();

  await next(page).getByRole('button', { name: 'Plan it' }).click();
  await window.getByText(/Every year · next/).waitFor();
  await code.getByText('scheduleDelivery: true').waitFor();
  const before = await page.locator('.clock time').innerText();
  await page.keyboard.press('Enter');
  // A minute later it shows something else.
  await page.locator('.clock time', { hasText: /9:00 AM$/ }).waitFor();
  assert.notEqual(await page.locator('.clock time').innerText(), before);
  await say(ana as never, 'Happy birthday').waitFor();
  await window.locator('.day', { hasText: 'Today' }).waitFor();

  await ana.getByRole('button', { name: 'STOP' }).click();
  await window.getByText('Ana opted out.').waitFor();
  await composer(page).fill('Please come back');
  assert.equal(await window.locator('button[type=submit]').isDisabled(), true);
  await next(page).getByText('That is the whole loop').waitFor();

  await ana.getByLabel('Reply from Ana’s phone').fill('START');
  await page.keyboard.press('Enter');
  await window.locator('.chip', { hasText: 'Accepted' }).first().waitFor();
  assert.deepEqual(
    complaints.filter((each) => !/status of 401/.test(each)),
    [],
  );
});

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

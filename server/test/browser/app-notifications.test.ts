import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Page } from 'playwright-core';
import { skip } from '../support/browser.ts';
import { acceptedPhone, reply, send } from '../support/texting.ts';
import { desk, useApp } from './app-windows.ts';

const app = useApp();

/** Keeps what would be shown, and a tab's focus, which no browser without a window can lose. */
const recorder = `
  window.shown = [];
  window.Notification = class {
    static permission = 'default';
    static async requestPermission() { return (this.permission = window.answer ?? 'granted'); }
    constructor(title, options) { window.shown.push(title + (options.body ?? '')); }
  };
  document.hasFocus = () => !window.isAway;
`;
const look = (page: Page, isAway: boolean) =>
  page.evaluate(`window.isAway = ${isAway}; window.dispatchEvent(new Event('${isAway ? 'blur' : 'focus'}'))`);

test('somebody who looks elsewhere is told who wrote, once, if they want that and the browser allows it', {
  skip,
}, async () => {
  const world = app.world();
  const phone = await acceptedPhone(world, world.ann);
  await send(world.ann, { phone, text: 'Hello' });
  const { page, context } = await app.openApp('/app/settings', { ...desk, bypassCSP: true });
  await context.addInitScript(recorder);
  await page.reload();
  const box = page.getByLabel('Notify me of new texts');
  await page.evaluate(`window.answer = 'denied'`);
  await box.click();
  await page.getByText('Your browser doesn’t allow notifications').waitFor();
  assert.equal(await box.isChecked(), false);
  await page.evaluate(`window.answer = 'granted'`);
  await box.click();
  await page.waitForFunction('window.shown.length === 1');
  await page.getByRole('checkbox', { name: 'Notify me of new texts', checked: true }).waitFor();

  const other = await app.openTab(context, '/app');
  const unread = (count: number) => other.page.locator('.talk', { has: other.page.getByLabel(`${count} unread`) });
  const write = (text: string) => reply(world, phone, world.ann.advisor.textingNumber ?? '', text);
  await other.page.locator('.talk', { hasText: 'Hello' }).waitFor();
  await look(page, true);
  await write('First');
  await unread(1).waitFor();
  assert.deepEqual(await page.evaluate('window.shown.slice(1)'), [], 'the other tab is looked at');
  await look(other.page, true);
  await write('A secret');
  await page.waitForFunction('window.shown.length > 1');
  await unread(2).waitFor();
  const titles = [page, other.page].map((tab) => tab.evaluate('window.shown'));
  const [here, there] = (await Promise.all(titles)) as string[][];
  assert.equal(here?.length, 2);
  assert.match(here?.[1] ?? '', /^New text from \+1 \(\d{3}\) \d{3}-\d{4}$/);
  assert.deepEqual(there, []);
});

test('the sheet of keys lists what the composer knows', { skip }, async () => {
  const { page } = await app.openApp('/app', desk);
  await page.keyboard.press('?');
  await page.getByRole('dialog', { name: 'Keyboard shortcuts' }).waitFor();
  await page.getByText('Saved replies, at the beginning of a text').waitFor();
});

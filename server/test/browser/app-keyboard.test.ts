import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Locator, Page } from 'playwright-core';
import { skip } from '../support/browser.ts';
import { acceptedPhone, received, send } from '../support/texting.ts';
import { until } from '../support/waiting.ts';
import { desk, holdFrames, phoneWide, say, useApp } from './app-windows.ts';

const app = useApp();

const isInPlace = () => document.querySelector('main')?.contains(document.activeElement);

/** With the keyboard alone: what opened a dialog has the focus again when it is closed, and after `closed`. */
async function assertGivesBack(page: Page, opener: Locator, closed = async () => {}): Promise<void> {
  await opener.focus();
  await page.keyboard.press('Enter');
  await page.getByRole('dialog').waitFor();
  await page.waitForFunction(() => document.querySelector('[role=dialog]')?.contains(document.activeElement));
  await page.keyboard.press('Escape');
  await page.getByRole('dialog').waitFor({ state: 'hidden' });
  await closed();
  await until(`the focus is back: ${opener}`, () => opener.evaluate((element) => element === document.activeElement));
}

test('a conversation has one person’s texts; dialogs give the focus back, and a place that is left hands it to the next', {
  skip,
}, async () => {
  const world = app.world();
  for (const text of ['Good evening', 'Hello']) {
    const phone = await acceptedPhone(world, world.ann);
    await send(world.ann, { phone, text });
    await received(world, phone);
  }
  const { page } = await app.openApp('/app', { ...desk, reducedMotion: 'reduce' });
  await page.locator('.talk', { hasText: 'You: Hello' }).focus();
  await page.keyboard.press('Enter');
  await say(page, 'Hello').waitFor();
  for (const [key, shown, gone] of [
    ['j', 'Good evening', 'Hello'],
    ['k', 'Hello', 'Good evening'],
  ] as const) {
    await page.keyboard.press(key);
    await say(page, shown).waitFor();
    assert.equal(await say(page, gone).count(), 0, 'one person’s texts are not in another’s conversation');
  }
  await assertGivesBack(page, page.locator('.person').getByRole('button', { name: /^(Edit|Add to contacts)$/ }));
  await assertGivesBack(page, page.getByRole('button', { name: 'Keyboard shortcuts' }));

  await page.getByRole('button', { name: 'Mark as done' }).focus();
  await page.keyboard.press('Enter');
  await page.getByText('Choose a conversation').waitFor();
  await page.waitForFunction(isInPlace);
  await page.getByRole('button', { name: 'Undo' }).focus();
  await page.keyboard.press('Enter');
  await page.waitForFunction(isInPlace);

  await page.setViewportSize(phoneWide.viewport);
  await page.locator('.talk', { hasText: 'You: Hello' }).focus();
  const drawLate = await holdFrames(page);
  await page.keyboard.press('Enter');
  await assertGivesBack(page, page.getByRole('button', { name: 'About this person' }), drawLate);
  await page.getByRole('link', { name: 'Back to the conversations' }).focus();
  await page.keyboard.press('Enter');
  await page.waitForFunction(isInPlace);
});

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { skip } from '../support/browser.ts';
import { acceptedPhone, received, send } from '../support/texting.ts';
import { until } from '../support/waiting.ts';
import { composer, desk, holdFrames, phoneWide, say, useApp } from './app-windows.ts';
import { inspect } from './inspect.ts';

const app = useApp();

/** Somebody in the book whom Ann may text, with a conversation. */
async function personCalled(firstName: string): Promise<string> {
  const world = app.world();
  const phone = await acceptedPhone(world, world.ann);
  await world.ann.call('POST', '/core/contact/contacts', { firstName, lastName: 'Ortiz', phone });
  await send(world.ann, { phone, text: `Hello ${firstName}` });
  return phone;
}

test('a reply is saved from the composer, and chosen for somebody else with the keyboard alone', {
  skip,
}, async () => {
  const world = app.world();
  const [, ben] = [await personCalled('Ana'), await personCalled('Ben')];
  const { page, context, complaints } = await app.openApp('/app', desk);
  await page.locator('.talk', { hasText: 'Hello Ana' }).click();
  await composer(page).fill('Hi Ana, or {nickname}? Shall we talk?');
  await page.getByText('{nickname} isn’t known for Ana.').waitFor();
  assert.ok(await page.locator('.compose button[type=submit]').isDisabled(), 'what isn’t resolved isn’t sent');
  await page.getByRole('button', { name: 'Replies' }).click();
  const drawLate = await holdFrames(page);
  await page.getByRole('button', { name: 'Save as reply' }).click();
  await page.locator('[role=dialog] :focus').waitFor();
  await drawLate();
  await page.keyboard.type('Talk');
  await page.getByRole('button', { name: 'Use a field instead of “Ana”' }).click();
  await page.locator('.preview .say', { hasText: 'Hi Ana, or Annie?' }).waitFor();
  await page.getByRole('button', { name: 'Save', exact: true }).click();
  await page.getByText('Saved “Talk”.').waitFor();

  const other = await app.openTab(context, '/app/settings');
  await other.page.getByText('Hi {firstName|there}, or {nickname}?').waitFor();
  await other.page.getByRole('button', { name: 'New reply' }).click();
  await other.page.getByLabel('Title').fill('Again');
  await other.page.getByLabel('Text', { exact: true }).fill('Talk again?');
  await other.page.keyboard.press('Enter');
  await other.page.getByRole('button', { name: 'Save', exact: true }).click();
  await other.page.getByRole('button', { name: 'Edit Again' }).waitFor();

  await page.locator('.talk', { hasText: 'Hello Ben' }).click();
  await say(page, 'Hello Ben').waitFor();
  await page.keyboard.press('r');
  await page.keyboard.press('/');
  await page.getByRole('option', { name: 'Again' }).waitFor();
  await page.locator('[role=combobox]:focus').waitFor();
  await page.keyboard.type('talk');
  await page.keyboard.press('ArrowDown');
  await page.locator('[aria-selected=true]', { hasText: 'Hi Ben, or {nickname}?' }).waitFor();
  await page.keyboard.press('Enter');
  await page.getByText('{nickname} isn’t known for Ben.').waitFor();
  await page.waitForFunction(() => {
    const { selectionStart, selectionEnd } = document.activeElement as HTMLTextAreaElement;
    return selectionEnd > selectionStart;
  });
  await page.keyboard.type('Benny');
  await page.keyboard.press('Control+Enter');
  await say(page, 'Hi Ben, or Benny? Shall we talk?').waitFor();
  const texts = await received(world, ben, 2);
  assert.ok(texts.some(({ text }) => text === 'Hi Ben, or Benny? Shall we talk?'));

  await other.page.getByRole('button', { name: 'Delete Again' }).click();
  await other.page.getByText('Deleted “Again”.').waitFor();
  await page.keyboard.press('/');
  await page.getByRole('option', { name: 'Talk Hi' }).waitFor();
  await page.getByRole('option', { name: 'Again' }).waitFor({ state: 'detached' });
  await page.keyboard.press('Escape');
  await until('the focus is back', () => composer(page).evaluate((field) => field === document.activeElement));
  assert.deepEqual(complaints, []);
});

test('axe finds no barriers in the picker and the editor', { skip }, async () => {
  await personCalled('Chiara');
  const { page } = await app.openApp('/app', { ...desk, bypassCSP: true });
  await page.locator('.talk', { hasText: 'Chiara Ortiz' }).click();
  await composer(page).fill('/');
  await page.getByRole('option', { name: 'Talk Hi' }).waitFor();
  await inspect(page, 'the picker', phoneWide);
  await page.keyboard.press('Enter');
  await page.getByText('{nickname} isn’t known for Chiara.').waitFor();
  await page.getByRole('button', { name: 'Replies' }).click();
  await page.getByRole('button', { name: 'Save as reply' }).click();
  await page.getByLabel('Title').waitFor();
  await inspect(page, 'the editor on a phone', desk);
});

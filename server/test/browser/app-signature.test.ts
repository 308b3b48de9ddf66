import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createSavedReply } from '../../src/domain/conversations/saved-replies.ts';
import { setSignature } from '../../src/domain/conversations/signatures.ts';
import { skip } from '../support/browser.ts';
import { acceptedPhone, received, send } from '../support/texting.ts';
import { composer, desk, say, useApp } from './app-windows.ts';

const app = useApp();

test('a signature stands in every new text, is no draft by itself, and can be removed', { skip }, async () => {
  const world = app.world();
  const phone = await acceptedPhone(world, world.ann);
  await send(world.ann, { phone, text: 'Hello' });
  const { page, context, complaints } = await app.openApp('/app', desk);
  await page.locator('.talk', { hasText: 'You: Hello' }).click();
  await composer(page).waitFor();
  const settings = await app.openTab(context, '/app/settings');
  await settings.page.getByLabel('Below every text').fill('– An');
  await settings.page.reload();
  await settings.page.getByRole('button', { name: 'Discard changes' }).waitFor();
  await settings.page.getByLabel('Below every text').press('End');
  await settings.page.keyboard.type('n');
  await settings.page.getByRole('button', { name: 'Save signature' }).click();
  const shows = (text: string) =>
    page.waitForFunction((text) => document.querySelector('textarea')?.value === text, text);
  await shows('\n– Ann');

  await page.keyboard.press('r');
  assert.ok(await page.locator('.compose button[type=submit]').isDisabled(), 'there is nothing to send');
  await page.keyboard.type('On my way');
  await page.getByText('15 of 70 · 1 text').waitFor();
  await page.keyboard.press('Control+Enter');
  await say(page, 'On my way\n– Ann').waitFor();
  assert.deepEqual((await received(world, phone, 2)).at(-1)?.text, 'On my way\n– Ann');
  await shows('\n– Ann');
  await page.reload();
  await shows('\n– Ann');
  assert.equal(await page.locator('.talk', { hasText: 'Draft' }).count(), 0);

  await composer(page).fill('');
  await shows('');
  await composer(page).fill('Yes');
  await page.keyboard.press('Control+Enter');
  await say(page, 'Yes').waitFor();
  assert.deepEqual((await received(world, phone, 3)).at(-1)?.text, 'Yes');
  await shows('\n– Ann');
  assert.deepEqual([...complaints, ...settings.complaints], []);
});

test('letters that follow a slash at once are searched for, and those that follow the choice are in the text', {
  skip,
}, async () => {
  const world = app.world();
  const { advisorId } = world.ann.advisor;
  await send(world.ann, { phone: await acceptedPhone(world, world.ann), text: 'To a third' });
  await setSignature(world.deps, advisorId, '– Ann');
  for (const [title, text] of [
    ['Office', 'We are open.'],
    ['Holidays', 'We are closed.'],
  ] as const)
    await createSavedReply(world.deps, advisorId, { title, text });
  const { page } = await app.openApp('/app', desk);
  await page.locator('.talk', { hasText: 'You: To a third' }).click();
  const field = () => composer(page).inputValue();
  await page.waitForFunction(() => document.querySelector('textarea')?.value === '\n– Ann');
  /** All in one task, as keys that wait while the page is busy. */
  const type = (keys: string[]) =>
    page.evaluate((keys) => {
      for (const key of keys) {
        const target = document.activeElement;
        const isOn = target?.dispatchEvent(new KeyboardEvent('keydown', { key, bubbles: true, cancelable: true }));
        if (isOn && key.length === 1) document.execCommand('insertText', false, key);
      }
    }, keys);
  await composer(page).focus();
  await type(['/', 'h', 'o', 'l']);
  const search = page.getByRole('combobox', { name: 'Search your saved replies' });
  await search.and(page.locator(':focus')).waitFor();
  assert.equal(await search.inputValue(), 'hol');
  await page.getByRole('option', { name: 'Holidays' }).waitFor();
  await type(['Enter', ' ', 'O', 'K']);
  assert.equal(await field(), 'We are closed. OK\n– Ann');
  await search.waitFor({ state: 'hidden' });
  await composer(page).fill('');
  await type(['/', '/', '1']);
  assert.equal(await field(), '/1');
  await search.waitFor({ state: 'hidden' });

  // What stands there is replaced by a click, and typing goes on above the signature.
  const long = 'ha '.repeat(30);
  await composer(page).fill(`“${long}\n– Ann`);
  await composer(page).evaluate((text: HTMLTextAreaElement, at) => text.setSelectionRange(at, at), 1 + long.length);
  await page.getByRole('button', { name: /^plain/ }).click();
  await type(['!']);
  assert.equal(await field(), `"${long}!\n- Ann`);
});

test('what is typed first stays first, however fast it comes after the focus', { skip }, async () => {
  const world = app.world();
  for (const text of ['To one', 'To the other'])
    await send(world.ann, { phone: await acceptedPhone(world, world.ann), text });
  await setSignature(world.deps, world.ann.advisor.advisorId, '– Ann');
  const { page } = await app.openApp('/app', desk);
  await page.locator('.talk', { hasText: 'You: To one' }).waitFor();
  const typed = await page.evaluate(async () => {
    const [one, other] = [...document.querySelectorAll<HTMLElement>('.talk')];
    const frame = () => new Promise((resolve) => requestAnimationFrame(resolve));
    const wrong: string[] = [];
    for (let turn = 0; turn < 100; turn++) {
      const before = document.querySelector('textarea');
      (turn % 2 ? one : other)?.click();
      const field = () => document.querySelector('textarea');
      while (field() === before || field()?.value !== '\n– Ann') await frame();
      field()?.focus();
      for (const letter of 'Happy') {
        document.execCommand('insertText', false, letter);
        if (letter !== 'H') await frame();
      }
      if (field()?.value !== 'Happy\n– Ann') wrong.push(field()?.value ?? '');
      document.execCommand('selectAll');
      document.execCommand('delete');
    }
    return wrong;
  });
  assert.deepEqual(typed, []);
});

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { skip } from '../support/browser.ts';
import { acceptedPhone, consentRequestsPath, newPhone, received, reply, send } from '../support/texting.ts';
import { desk, phoneWide, say, useApp } from './app-windows.ts';
import { inspect } from './inspect.ts';

const app = useApp();

test('the evidence is one click from every consent, and the settings show what people are asked', {
  skip,
}, async () => {
  const world = app.world();
  const phone = newPhone();
  await world.ann.call('POST', consentRequestsPath, { phoneNumbers: [phone] });
  await received(world, phone);
  await reply(world, phone, world.ann.advisor.textingNumber ?? '', 'ACCEPT');
  const { page } = await app.openApp('/app', { ...desk, bypassCSP: true });
  await page.locator('.talk').click();
  const panel = page.getByLabel('Person', { exact: true });
  await panel.getByRole('button', { name: 'Evidence' }).first().click();
  const dialog = page.getByRole('dialog', { name: 'Consent on record' });
  const change = dialog.locator('details[open]');
  await change.locator('.say.out', { hasText: 'would like to text you. Reply ACCEPT' }).waitFor();
  await change.locator('.say.in', { hasText: 'ACCEPT' }).waitFor();
  await change.getByText('Assent, from their text').waitFor();
  await inspect(page, 'the evidence', phoneWide, desk);
  await page.keyboard.press('Escape');
  await page.locator('.note', { hasText: 'You asked' }).getByRole('button', { name: 'Evidence' }).click();
  await change.getByText('Test CRM').waitFor();

  await page.goto(`${app.origin()}/app/settings`);
  await page.locator('.phone .say.in', { hasText: 'ann of Test Wealth would like to text you.' }).waitFor();
  await page.getByRole('button', { name: 'After STOP' }).click();
  await page.locator('.phone .say.in', { hasText: 'You have opted out' }).waitFor();
});

test('a text that is found is shown at its place, and marked', { skip }, async () => {
  const world = app.world();
  const phone = await acceptedPhone(world, world.ann);
  for (let index = 0; index < 70; index++)
    await send(world.ann, { phone, text: index === 5 ? 'The needle' : `Hay ${index}` });
  const { page, complaints } = await app.openApp('/app', desk);
  await page.keyboard.press('/');
  await page.keyboard.type('needle');
  // It is marked for three seconds: the page itself looks, from before the click on.
  const isMarked = () => document.querySelector('[data-found] .say')?.textContent?.includes('The needle');
  const marked = page.waitForFunction(isMarked);
  await page.locator('.found .talk', { hasText: 'needle' }).click();
  await marked;
  assert.match(page.url(), /\/app\/c\/\d+\?at=m\d+$/);
  assert.ok(
    await say(page, 'The needle').evaluate((bubble) => bubble.getBoundingClientRect().top > 0),
    'it is in sight',
  );
  await page.locator('[data-found]').waitFor({ state: 'detached' });
  const markedAgain = page.waitForFunction(isMarked);
  await page.reload();
  await markedAgain;
  assert.deepEqual(complaints, []);
});

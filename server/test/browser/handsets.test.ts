import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Page } from 'playwright-core';
import { skip } from '../support/browser.ts';
import { acceptedPhone, newPhone, received, reply, send, setConsent } from '../support/texting.ts';
import type { Person, World } from '../support/world.ts';
import { desk, useApp } from './app-windows.ts';
import { assertFits, inspect } from './inspect.ts';

const phoneWide = { viewport: { width: 360, height: 740 } };

let world: World;
const { open, origin } = useApp({
  async prepare(made) {
    world = made;
  },
});

async function text(person: Person, phone: string, words: string): Promise<void> {
  const { body } = await send(person, { phone, text: words });
  assert.equal(body.failures.length, 0, JSON.stringify(body));
}

const bubbles = (page: Page) => page.locator('.bubble').allInnerTexts();
const stateOf = (page: Page, name: string) => page.locator('[data-consents] li', { hasText: name }).locator('.state');

test('a text appears without a reload, STOP is sent, and its confirmation appears', { skip }, async () => {
  const phone = await acceptedPhone(world, world.ann);
  const { page, complaints } = await open(`/handset/${phone}`, phoneWide);
  await page.getByText('No texts yet.').waitFor();
  await text(world.ann, phone, 'Shall we meet\non Tuesday? <b>Ann</b>');
  await page.locator('.received .bubble').waitFor();
  assert.deepEqual(await bubbles(page), ['Shall we meet\non Tuesday? <b>Ann</b>']);

  await page.getByLabel('Your reply').fill('Gladly!');
  await page.keyboard.press('Enter');
  await page.locator('.sent .bubble', { hasText: 'Gladly!' }).waitFor();
  assert.equal(await page.getByLabel('Your reply').inputValue(), '');
  await page.getByRole('button', { name: 'Picture' }).click();
  await page.locator('.sent .attached').waitFor();
  await page.getByRole('button', { name: 'STOP' }).click();
  await page.locator('.received .bubble', { hasText: 'You have opted out' }).waitFor();
  const [, mine, stop] = await bubbles(page);
  assert.deepEqual([mine, stop], ['Gladly!', 'STOP']);
  await stateOf(page, 'ann').getByText('opted out').waitFor();
  assert.deepEqual(complaints, []);
});

test('each text shows what became of it, and held texts say why they are held', { skip }, async () => {
  const { ann } = world;
  const phone = await acceptedPhone(world, ann);
  const { page, complaints } = await open(`/handset/${phone}`, desk);
  await text(ann, phone, 'Shall we meet?');
  const below = page.locator('.received .below').first();
  await below.getByText('Delivered').waitFor();
  assert.equal(await page.locator('.held').count(), 0);

  await page.getByLabel('Your reply').fill('wrong number');
  await page.keyboard.press('Enter');
  const held = page.locator('[data-consents] li', { hasText: 'ann' }).locator('.held');
  await held.getByText('Texts are held because a reply may mean stop. START releases them.').waitFor();
  await text(ann, phone, 'Are you there?');
  await held.getByText('1 text is waiting.').waitFor();
  await text(ann, phone, 'This fund has guaranteed returns');
  await held.getByText('until a reviewer approves them. 1 text is waiting.').waitFor();
  await page.getByRole('button', { name: 'START' }).click();
  await page.locator('.received .bubble', { hasText: 'Are you there?' }).waitFor();
  await held.filter({ hasText: /^The firm’s supervision rules hold texts/ }).waitFor();
  assert.deepEqual(complaints, []);
});

test('a text whose answer was lost is in doubt', { skip }, async () => {
  const phone = '+15005550022';
  await setConsent(world, world.ann, phone, 'accepted');
  await text(world.ann, phone, 'Did it arrive?');
  const { page } = await open(`/handset/${phone}`, desk);
  await page.locator('.received .below', { hasText: 'In doubt: the answer was lost' }).waitFor();
});

test('without JavaScript a reload shows new texts, and replies are still sent', { skip }, async () => {
  const phone = await acceptedPhone(world, world.ann);
  await text(world.ann, phone, 'Hello');
  await received(world, phone);
  const { page } = await open(`/handset/${phone}`, { ...phoneWide, javaScriptEnabled: false });
  await page.getByRole('button', { name: 'STOP' }).click();
  await page.locator('.sent .bubble').waitFor();
  await received(world, phone, 2);
  await page.reload();
  const [hello, stop, confirmation] = await bubbles(page);
  assert.deepEqual([hello, stop], ['Hello', 'STOP']);
  assert.match(confirmation ?? '', /^You have opted out/);
  await page.getByRole('button', { name: 'Send' }).click();
  assert.equal(await page.getByRole('alert').innerText(), 'Write something first.');
});

test('a reply goes to the advisor who texted last, until another is chosen', { skip }, async () => {
  const phone = await acceptedPhone(world, world.ann);
  await setConsent(world, world.bob, phone, 'accepted');
  const { page, complaints } = await open(`/handset/${phone}`);
  await text(world.bob, phone, 'From Bob');
  await page.locator('.bubble', { hasText: 'From Bob' }).waitFor();
  await page.getByRole('button', { name: 'STOP' }).click();
  await stateOf(page, 'bob').getByText('opted out').waitFor();
  assert.equal(await stateOf(page, 'ann').innerText(), 'accepted');

  await page.getByLabel('To').selectOption({ label: 'ann · +15005552001' });
  await page.getByRole('button', { name: 'HELP' }).click();
  await page.locator('.sent .whose', { hasText: 'to ann' }).waitFor();
  assert.deepEqual(complaints, []);
});

test('a reply that can’t be sent shows why, and can be fixed', { skip }, async () => {
  const { page } = await open(`/handset/${newPhone()}`);
  await page.getByLabel('Your reply').fill('   ');
  await page.getByRole('button', { name: 'Send' }).click();
  await page.getByRole('alert').filter({ hasText: 'Write something first.' }).waitFor();
  await page.getByLabel('Your reply').fill('Hi');
  await page.getByRole('button', { name: 'Send' }).click();
  await page.locator('.sent .bubble', { hasText: 'Hi' }).waitFor();
  // The text may be on the page before its sender hears that it was taken.
  await page.getByRole('alert').waitFor({ state: 'hidden' });
});

test('an emoji counts as one character: 1,600 of them can be typed and sent', { skip }, async () => {
  const { page, complaints } = await open(`/handset/${newPhone()}`);
  const emoji = '😀'.repeat(1_600);
  await page.getByLabel('Your reply').click();
  // Typed, because `fill` ignores maxlength.
  await page.keyboard.insertText(emoji);
  assert.equal(await page.getByLabel('Your reply').inputValue(), emoji);
  await page.getByRole('button', { name: 'Send' }).click();
  await page.locator('.sent .bubble').waitFor();
  assert.deepEqual(await bubbles(page), [emoji]);
  assert.deepEqual(complaints, []);
});

test('a page that was asked for before a reply, and comes after it, doesn’t take it away', { skip }, async () => {
  const path = `/handset/${newPhone()}`;
  const [fetched, shown] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const { page, complaints } = await open(path);
  await page.route(
    `**${path}`,
    async (route) => {
      const response = await route.fetch();
      fetched.resolve();
      await shown.promise;
      await route.fulfill({ response });
    },
    { times: 1 },
  );
  await fetched.promise;
  await page.getByRole('button', { name: 'STOP' }).click();
  await page.locator('.sent .bubble').waitFor();
  const isGone = page.waitForFunction(() => !document.querySelector('.sent .bubble'), undefined, { timeout: 0 });
  const next = page.waitForResponse(`**${path}`).then(() => page.waitForResponse(`**${path}`));
  shown.resolve();
  await Promise.race([next, isGone.then(() => assert.fail('The reply is gone.'))]);
  assert.deepEqual(complaints, []);
});

test('any number can be opened from the list, in any notation', { skip }, async () => {
  const { page, complaints } = await open('/handset', phoneWide);
  await page.getByLabel('Any number').fill('(212) 555-9876');
  await page.keyboard.press('Enter');
  await page.getByRole('heading', { name: '+12125559876' }).waitFor();
  await page.getByRole('link', { name: 'All phones' }).click();
  await page.getByRole('link', { name: /\+15005550011.*with STOP/ }).click();
  await page.getByRole('heading', { name: '+15005550011' }).waitFor();
  assert.deepEqual(complaints, []);
  await page.goto(`${origin()}/handset/nobody`);
  assert.match(await page.getByRole('alert').innerText(), /“nobody” is not a phone number/);
});

test('the phones’ pages fit a phone, and axe finds no barriers where a number is refused', { skip }, async () => {
  const phone = await acceptedPhone(world, world.ann);
  await text(world.ann, phone, `Long: ${'x'.repeat(300)}`);
  await received(world, phone);
  await reply(world, phone, '+15005552001', `https://example.com/${'y'.repeat(200)}`);
  // Our pages' policy allows no other scripts, so it is bypassed for the one that inspects them.
  const { page } = await open('/handset?phone=nobody', { ...phoneWide, bypassCSP: true });
  await inspect(page);
  // With the others, `npm run faces` asks axe.
  for (const path of ['/handset', `/handset/${phone}`, `/handset/${newPhone()}`]) {
    await page.goto(`${origin()}${path}`);
    await assertFits(page);
  }
});

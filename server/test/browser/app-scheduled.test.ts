import assert from 'node:assert/strict';
import { test } from 'node:test';
import { skip } from '../support/browser.ts';
import { acceptedPhone, messagesPath } from '../support/texting.ts';
import { desk, phoneWide, useApp } from './app-windows.ts';
import { assertFits } from './inspect.ts';

const app = useApp();
const dayMs = 24 * 60 * 60 * 1000;

test('a month has repeated texts on their days, by keyboard, and an agenda on a phone; one click cancels', {
  skip,
}, async () => {
  const world = app.world();
  const phone = await acceptedPhone(world, world.ann);
  await world.ann.call('POST', '/core/contact/contacts', { firstName: 'Hugo', lastName: 'Brandt', phone });
  const deliveryDate = world.deps.clock.now().getTime() + dayMs;
  const weekly = { phone, text: 'How is the week?', scheduleDelivery: true, deliveryDate, frequency: 2 };
  assert.equal((await world.ann.call('POST', messagesPath, weekly)).status, 200);
  const narrow = await app.openApp('/app/scheduled', phoneWide);
  const { page, complaints } = await app.openApp('/app/scheduled', desk);
  const entries = page.locator('.month .entry', { hasText: 'Hugo Brandt' });
  // The next month has four of them whatever today is; this one has none if it ends on a Saturday, and today.
  for (const each of [page, narrow.page]) {
    await each.getByRole('button', { name: 'Next month' }).waitFor();
    await each.keyboard.press('j');
    await each.locator('.month .entry:visible').nth(3).waitFor();
  }
  await entries.first().press('Enter');
  await page.locator('[role=dialog] textarea').fill('How was the week?');
  await page.getByRole('button', { name: 'Save' }).click();
  await page.getByText('Saved.').waitFor();
  await page.getByRole('dialog').waitFor({ state: 'hidden' });
  for (const each of [page, narrow.page]) await assertFits(each);

  const lastOfJanuary = Date.UTC(world.deps.clock.now().getUTCFullYear() + 1, 0, 31, 15);
  const monthly = { phone, text: 'How was the month?', scheduleDelivery: true, frequency: 3 };
  await world.ann.call('POST', messagesPath, { ...monthly, deliveryDate: lastOfJanuary });
  await world.database.asOwner(
    `update scheduled_messages set delivery_date = first_date + interval '28 days' where text = $1`,
    [monthly.text],
  );
  await page.reload();
  await page.getByRole('button', { name: 'List' }).click();
  await page.getByText('How was the week?').waitFor();
  await page.locator('.planned', { hasText: monthly.text }).getByRole('button', { name: 'Edit' }).click();
  await page.getByText(/Next: .*Feb 2\d, .* · .*Mar 31, .* · .*Apr 30/).waitFor();
  await page.getByRole('button', { name: 'Keep as it was' }).click();
  await page.getByRole('button', { name: 'Month', exact: true }).click();
  await page.getByRole('button', { name: 'Next month' }).click();
  await entries.first().click();
  await page.getByRole('button', { name: 'Cancel the text' }).click();
  await page
    .getByRole('dialog', { name: /^Cancel this text/ })
    .getByRole('button', { name: 'Cancel the text' })
    .click();
  await entries.first().waitFor({ state: 'hidden' });
  assert.deepEqual(complaints, []);
});

import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { BrowserContextOptions, Page } from 'playwright-core';
import { addStaff } from '../../src/domain/accounts/staff.ts';
import { decisions } from '../../src/domain/consent/review-decisions.ts';
import { doDueActions } from '../../src/domain/shared/pending-actions.ts';
import { skip } from '../support/browser.ts';
import { say, stateOf } from '../support/people.ts';
import { acceptedPhone, send } from '../support/texting.ts';
import type { World } from '../support/world.ts';
import { desk, phoneWide, useApp } from './app-windows.ts';
import { assertFits, inspect } from './inspect.ts';

const phones: Record<string, string> = {};

async function prepare(world: World): Promise<void> {
  const { firmId } = world.ann.advisor;
  await addStaff(world.deps, { firmId, name: 'Cameron Ortiz', email: 'cameron@staff.example' });
  for (const firstName of ['Elle', 'Chiara', 'Hugo', 'Kira']) {
    const phone = await acceptedPhone(world, world.ann);
    phones[firstName] = phone;
    await world.ann.call('POST', '/core/contact/contacts', { firstName, lastName: 'Marsh', phone });
  }
  await say(world, world.ann, phones.Elle ?? '', 'that’s enough');
  await send(world.ann, { phone: phones.Elle, text: 'Your seat is reserved' });
  await send(world.ann, { phone: phones.Chiara, text: 'It has guaranteed returns of 8 %' });
  await send(world.ann, { phone: phones.Hugo, text: 'Message me on WhatsApp instead' });
  await send(world.ann, { phone: phones.Kira, text: 'You can’t lose money here' });
}

const app = useApp({ prepare });

async function openConsole(path: string, options: BrowserContextOptions) {
  const opened = await app.open(`/console/sign-in?next=${path}`, options);
  await opened.page.getByRole('button', { name: /Cameron Ortiz/ }).click();
  await opened.page.locator('.console-main').waitFor();
  return opened;
}

/** As if the eight seconds had passed. */
async function pass(): Promise<void> {
  const { database, deps } = app.world();
  await database.asOwner(`update pending_actions set due_at = now() - interval '1 second'`);
  await doDueActions(deps, decisions, (fault) => assert.fail(String(fault)));
}

const head = (page: Page, words: string) => page.getByRole('heading', { name: words }).waitFor();
const rows = (page: Page) => page.locator('.queued');

test('a review is decided with one key, undone with another, and takes effect without the page', { skip }, async () => {
  const { page, complaints } = await openConsole('/console/reviews', desk);
  await head(page, 'Elle Marsh → Ann');
  await page.locator('.reviewed mark', { hasText: 'enough' }).waitFor();
  await page.getByText('the held text is refused').waitFor();
  await app.keepUndo(page, /\/reviews\/\d+\/decision$/);
  await page.keyboard.press('o');
  await head(page, 'Ann → Chiara Marsh');
  assert.equal(await rows(page).count(), 3);
  await page.reload();
  await page.getByRole('button', { name: 'Undo' }).waitFor();
  await page.keyboard.press('z');
  await page.getByText('Undone: it is open again.').waitFor();
  await rows(page).nth(3).waitFor();
  await pass();
  assert.equal(await stateOf(app.world(), app.world().ann, phones.Elle ?? ''), 'accepted');
  await page.keyboard.press('k');
  await head(page, 'Elle Marsh → Ann');
  await page.keyboard.press('n');
  await page.getByRole('textbox', { name: 'Note' }).fill('Called them');
  await page.keyboard.press('Escape');
  await page.reload();
  await page.getByRole('button', { name: 'Note, not finished' }).click();
  // The note is the first to meet the end of the session: what the page reads by itself would ask before it is pressed.
  const pressed = Promise.withResolvers<void>();
  await page.route(/\/console\/api\//, async (route) => {
    if (route.request().method() === 'GET') await pressed.promise;
    await route.fallback();
  });
  await page.context().clearCookies();
  await page.getByRole('button', { name: 'Add note' }).click();
  const again = page.getByRole('button', { name: 'Sign in again' });
  await again.waitFor();
  pressed.resolve();
  const opened = page.waitForEvent('popup');
  await again.click();
  await (await opened).getByRole('button', { name: /Cameron Ortiz/ }).click();
  await page.locator('.margin').getByText('Called them').waitFor();
  await page.keyboard.press('o');
  await head(page, 'Ann → Chiara Marsh');
  await page.goto('about:blank');
  await pass();
  assert.equal(await stateOf(app.world(), app.world().ann, phones.Elle ?? ''), 'opted_out');
  // Whatever was asked before they signed in again was refused.
  assert.deepEqual(
    complaints.filter((each) => !/status of 401/.test(each)),
    [],
  );
});

test('several are decided at once, and one is given to somebody else', { skip }, async () => {
  const { page, complaints } = await openConsole('/console/reviews?view=held', desk);
  await head(page, 'Ann → Chiara Marsh');
  await page.keyboard.press('/');
  await page.keyboard.type('kira');
  await page.locator('.queued:only-child, li:only-child > .queued', { hasText: 'Kira' }).waitFor();
  await page.keyboard.press('Escape');
  await rows(page).nth(2).waitFor();
  await page.getByRole('button', { name: 'Assign or escalate' }).click();
  await page.getByRole('menuitem', { name: 'Escalate to a compliance officer' }).click();
  await page.getByRole('button', { name: 'Escalate', exact: true }).click();
  await page.getByRole('button', { name: 'Escalated 1' }).waitFor();
  await page.keyboard.press('j');
  await head(page, 'Ann → Hugo Marsh');
  await page.keyboard.press('s');
  await page.keyboard.press('j');
  await head(page, 'Ann → Kira Marsh');
  await page.getByLabel('Select the review of Kira Marsh').check();
  await page.getByText('2 held texts go out').waitFor();
  await page.getByText('2 reviews are selected in the list').waitFor();
  await page.route('**/reviews/decisions', (route) => route.abort(), { times: 1 });
  await page.keyboard.press('r');
  await page.getByText('It may not have been decided.').waitFor();
  await page.getByText('2 reviews are selected in the list').waitFor();
  // The answer is lost on its way: they are decided all the same.
  await page.route('**/reviews/decisions', async (route) => {
    await route.fetch();
    await route.abort();
  });
  // A key decides what is selected, and not what is open.
  await page.keyboard.press('k');
  await page.keyboard.press('k');
  await head(page, 'Ann → Chiara Marsh');
  // Nor does one do anything while the first try isn't over.
  await page.locator('.several button:enabled', { hasText: 'Reject' }).waitFor();
  await page.keyboard.press('r');
  await page.getByText('Rejected: 2 reviews.').waitFor();
  complaints.length = 0;
  await head(page, 'Ann → Chiara Marsh');
  assert.equal(await rows(page).count(), 1);
  await pass();
  assert.deepEqual(complaints, []);
});

test('J goes through all of a long queue, which keeps up', { skip }, async () => {
  const { firmId, advisorId } = app.world().ann.advisor;
  await app.world().database.asOwner(
    `insert into reviews (advisor_id, firm_id, kind, archive_number, date_time_created)
     select $1, $2, 'sample', 1, now() from generate_series(1, 60)`,
    [advisorId, firmId],
  );
  const { page, complaints } = await openConsole('/console/reviews?view=sample', desk);
  for (let place = 1; place < 60; place++) {
    await page.getByText(`${place} of 60`, { exact: true }).waitFor();
    await page.keyboard.press('j');
  }
  await page.getByText('60 of 60', { exact: true }).waitFor();
  await page.locator('.talk[aria-current]').waitFor();
  assert.deepEqual(complaints, []);
  await app.world().database.asOwner(`delete from reviews where kind = 'sample'`);
});

test('the lexicon is tried before it is saved, and the report has what was decided', { skip }, async () => {
  const { page, complaints } = await openConsole('/console/lexicon', { ...phoneWide, bypassCSP: true });
  await page.getByRole('button', { name: 'Add a rule' }).click();
  await page.getByPlaceholder('Such as: Gifts').last().fill('Seats');
  await page.getByLabel('Phrases, one per line').fill('seat is reserved');
  await page.reload();
  await page.getByLabel('A text to try').fill('The SEAT is  reserved');
  await page.getByText('It would be held: Seats.').waitFor();
  await page.getByRole('button', { name: 'Dry run' }).click();
  await page.getByText('1 text would be treated otherwise.').waitFor();
  await inspect(page, 'the lexicon');
  await page.getByRole('button', { name: 'Save as version 1' }).click();
  await page.getByText('In the dry run 1 of').waitFor();
  await page.getByRole('button', { name: 'Save and use it' }).click();
  await page.getByText('Version 1 is in force', { exact: true }).waitFor();

  await page.getByRole('button', { name: 'Navigation' }).click();
  await page.getByRole('link', { name: 'Report' }).click();
  await page.getByText('0 approved, 3 rejected').waitFor();
  await page.getByRole('button', { name: 'Other days' }).click();
  const year = (await page.getByLabel('First day').inputValue()).slice(0, 4);
  await page.getByLabel('First day').pressSequentially(`0101${year}`);
  await page.getByText(`January 1, ${year} to`).waitFor();
  await page.getByRole('button', { name: 'Navigation' }).click();
  await page.getByRole('link', { name: 'Reviews' }).click();
  await rows(page).first().click();
  await head(page, 'Ann → Chiara Marsh');
  await inspect(page, 'a review on a phone');
  await page.getByRole('button', { name: 'All reviews' }).click();
  await assertFits(page);
  assert.deepEqual(complaints, []);
});

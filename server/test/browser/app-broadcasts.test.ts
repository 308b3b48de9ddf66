import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Page } from 'playwright-core';
import { sendBroadcasts } from '../../src/domain/broadcasts/sending.ts';
import { addContact, addGroup, putInGroups } from '../address-book/address-book.ts';
import { skip } from '../support/browser.ts';
import { acceptedPhone, handset, newPhone, received, setConsent } from '../support/texting.ts';
import { desk, phoneWide, useApp } from './app-windows.ts';
import { inspect } from './inspect.ts';

const app = useApp();
const night = '+15005550042';
const writing = (page: Page) => page.getByLabel('Your text to the group');

/** Three who can be texted, one of them in the morning, and two who can't. */
async function makeGroup(name: string): Promise<{ groupId: number; phones: [string, string] }> {
  const world = app.world();
  const phones: [string, string] = [await acceptedPhone(world, world.ann), await acceptedPhone(world, world.ann)];
  await setConsent(world, world.ann, night, 'accepted');
  const groupId = await addGroup(world.ann, name);
  const people = [
    { firstName: 'Ana', lastName: 'Ortiz', nickname: 'Annie', phone: phones[0] },
    { firstName: 'Ben', lastName: 'Okafor', phone: phones[1] },
    { firstName: 'Eve', lastName: 'Nightingale', phone: night },
    { firstName: 'Cy', lastName: 'Tran', phone: newPhone() },
    { firstName: 'Dee', lastName: 'Lindqvist', phone: null },
  ];
  for (const person of people) await putInGroups(world.ann, await addContact(world.ann, person), [groupId]);
  return { groupId, phones };
}

test('a group is texted: seen person by person before, once each though the answer is lost, live, and stopped', {
  skip,
}, async () => {
  const world = app.world();
  const { phones } = await makeGroup('Retirees');
  const { page, context, complaints } = await app.openApp('/app/contacts', desk);
  await page.getByRole('button', { name: 'Retirees' }).click();
  await page.getByRole('link', { name: 'Text this group' }).click();
  await writing(page).fill('Dear {nickname}, ');
  await page.getByText('Their nickname isn’t known.').first().waitFor();
  await page.getByRole('button', { name: 'Use “there”' }).click();
  await writing(page).press('End');
  await page.getByRole('button', { name: 'Name', exact: true }).click();
  await page.getByRole('button', { name: 'Last name' }).click();
  await page.getByText('Dear Annie, Ortiz').waitFor();
  await page.getByText('Dear there, Okafor').waitFor();
  for (const words of [
    '2 people get it now',
    '1 person gets it from',
    'not agreed to texts (1)',
    'no phone number (1)',
  ])
    await page.getByText(words).waitFor();
  await page.getByRole('button', { name: /^Don’t get it/ }).click();
  assert.equal(await page.locator('.broadcast-person').count(), 2);
  await page.getByRole('button', { name: 'Ask for consent' }).click();
  const asking = page.getByRole('dialog', { name: 'Ask 1 person for consent?' });
  const { data: wordings } = await page.evaluate(async () => (await fetch('/app/api/wordings')).json());
  const wording = wordings.find(({ kind }: { kind: string }) => kind === 'consent_request').text;
  await asking.getByText(wording).waitFor();
  await asking.getByRole('listitem').filter({ hasText: 'Agreed already 3' }).waitFor();
  await asking.getByRole('listitem').filter({ hasText: 'No phone number 1' }).waitFor();
  await asking.getByRole('button', { name: 'Cancel' }).click();
  assert.deepEqual(await world.database.asOwner('select from broadcasts'), []);
  await page.getByRole('button', { name: 'Ask for consent' }).click();
  // The answer is lost, and the same button asks nobody twice.
  const requests = '**/app/api/broadcasts/consent';
  await page.route(requests, async (route) => {
    await route.fetch();
    await route.abort();
  });
  await asking.getByRole('button', { name: 'Ask 1 person' }).click();
  await page.getByText('Try again: nobody is asked twice.').waitFor();
  await page.unroute(requests);
  await page.getByRole('dialog').locator('button[type=submit]').click();
  await page.getByText('being asked.').waitFor();
  await page.getByRole('button', { name: 'Follow it' }).click();
  await page.getByText('Its turn comes').waitFor();
  await sendBroadcasts(world.deps);
  await page.getByText('1 not answered').waitFor();
  await page.goBack();
  await page.getByText('not answered your request (1)').waitFor();
  await page.reload();
  assert.equal(await writing(page).inputValue(), 'Dear {nickname|there}, {lastName}', 'what was typed is kept');

  const other = await app.openTab(context, new URL(page.url()).pathname);
  await other.page.getByRole('button', { name: 'Send to 3 people' }).waitFor();
  const starts = '**/app/api/broadcasts';
  await page.route(starts, async (route) => {
    await route.fetch();
    await route.abort();
  });
  await page.getByRole('button', { name: 'Send to 3 people' }).click();
  await page.getByText('No answer from the server').waitFor();
  await page.unroute(starts);
  await other.page.locator('button[type=submit]:enabled').click();
  await other.page.getByText('No answer from the server').waitFor();
  const ageBy = (ms: number) =>
    page.evaluate((ms) => {
      const name = Object.keys(localStorage).find((name) => name.startsWith('broadcast-start-')) ?? '';
      const start = JSON.parse(localStorage.getItem(name) ?? '');
      localStorage.setItem(name, JSON.stringify({ ...start, at: start.at - ms }));
    }, ms);
  const again = page.getByRole('button', { name: 'Send it again' });
  // The server knows a key for a day.
  await ageBy(86_400_000);
  await page.reload();
  await page.getByRole('button', { name: 'Leave it' }).waitFor();
  assert.equal(await again.count(), 0);
  await ageBy(-86_400_000);
  await page.reload();
  await again.click();
  await page.getByRole('heading', { name: 'Retirees' }).waitFor();
  await other.page.waitForFunction(() => document.querySelector('textarea')?.value === '');
  await page.getByText('Its turn comes').first().waitFor();
  await sendBroadcasts(world.deps);
  await page.locator('.broadcast-person', { hasText: 'Ana Ortiz' }).getByText('Delivered').waitFor();
  await page.locator('.broadcast-person', { hasText: 'Eve Nightingale' }).getByText('Goes out').waitFor();
  await page.locator('.broadcast-person', { hasText: 'Cy Tran' }).getByText('Not answered your request').waitFor();

  await page.getByRole('button', { name: 'Stop' }).click();
  await page.getByText('1 person hasn’t got it yet').waitFor();
  await page.getByRole('dialog').getByRole('button', { name: 'Stop' }).click();
  await page.locator('.chip', { hasText: /^Stopped$/ }).waitFor();
  await page.locator('.broadcast-person', { hasText: 'Eve Nightingale' }).getByText('Stopped before').waitFor();
  await world.clock.advance(9 * 3_600_000);
  await sendBroadcasts(world.deps);
  assert.deepEqual(
    (await Promise.all([...phones, night].map((phone) => handset(world, phone)))).map(({ length }) => length),
    [1, 1, 0],
  );
  await page.getByRole('link', { name: 'Ana Ortiz' }).click();
  await page.locator('.say', { hasText: 'Dear Annie, Ortiz' }).waitFor();
  const unexpected = complaints.filter((each) => !/ERR_FAILED|Failed to load resource/.test(each));
  assert.deepEqual(unexpected, []);
});

test('axe finds no barriers on the pages of group texts, light or dark, and they fit a phone', { skip }, async () => {
  const world = app.world();
  const { groupId, phones } = await makeGroup('Austin clients');
  const { page } = await app.openApp('/app/contacts', { ...phoneWide, bypassCSP: true });
  await page.getByRole('combobox', { name: 'Which contacts' }).selectOption('Austin clients');
  await page.getByRole('link', { name: 'Text this group' }).click();
  await writing(page).fill('Hi {firstName|there}, our office is closed on Friday. – Ann');
  await page.getByText('Hi Ana, our office').waitFor();
  await inspect(page, 'composing', desk);
  await page.getByRole('button', { name: 'Send to 3 people' }).click();
  await page.getByText('Its turn comes').first().waitFor();
  await sendBroadcasts(world.deps);
  await page.locator('.broadcast-person').getByText('Delivered').first().waitFor();
  await inspect(page, 'the outcome', phoneWide);
  await received(world, phones[0]);
  await page.goto(`${app.origin()}/app/broadcasts/to/${groupId + 1}`);
  await page.getByRole('heading', { name: 'There is no such group' }).waitFor();
});

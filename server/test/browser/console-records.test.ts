import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { test } from 'node:test';
import type { BrowserContextOptions } from 'playwright-core';
import { addStaff } from '../../src/domain/accounts/staff.ts';
import { archive, byPerson } from '../../src/domain/archive/archive.ts';
import { growTree } from '../../src/domain/archive/archive-tree.ts';
import { indexArchive } from '../../src/domain/record-keeping/archive-index.ts';
import { ensureMembers } from '../../src/domain/texting/recipients.ts';
import { signer } from '../archive/small-archive.ts';
import { skip } from '../support/browser.ts';
import type { World } from '../support/world.ts';
import { desk, useApp } from './app-windows.ts';

const name = 'Cameron Ortiz';

async function prepare({ deps, ann }: World): Promise<void> {
  const { advisorId, firmId } = ann.advisor;
  await addStaff(deps, { firmId, name, email: 'cameron@staff.example' });
  const [member] = await ensureMembers(deps, [{ advisorId, phone: '+12125550188' }]);
  const from = { advisorId, kind: 'text_in', memberId: member?.memberId ?? 0, meta: {} } as const;
  for (const body of ['Good morning', 'Please sell the annuity', 'My card is 4111 1111 1111 1111'])
    await archive(deps, byPerson, { ...from, body });
  await indexArchive(deps);
}

const app = useApp({ prepare });

async function open(path: string, options: BrowserContextOptions) {
  const opened = await app.open(`/console/sign-in?next=${path}`, options);
  await opened.page.getByRole('button', { name: `${name}, compliance officer` }).click();
  await opened.page.getByRole('heading', { level: 1 }).waitFor();
  return opened;
}

test('an officer finds a text with its thread, shares the search, and holds the person’s records', {
  skip,
}, async () => {
  const { page, complaints } = await open('/console/archive', desk);
  await page.getByPlaceholder('All of these words').fill('annuity');
  await page.getByRole('button', { name: 'Search', exact: true }).click();
  await page.locator('.archive-list mark', { hasText: 'annuity' }).waitFor();
  await page.getByRole('button', { name: 'Share this search' }).click();
  await page.waitForURL(/\/console\/archive\?search=\d+$/);
  await page.reload();
  await page.locator('.archive-list a').click();
  await page.locator('[aria-current=true]', { hasText: 'Please sell the annuity' }).waitFor();
  await page.getByText('Good morning').waitFor();
  const proof = page.getByRole('complementary', { name: 'Proof' });
  await proof.getByText('Not signed yet').waitFor();
  while (await growTree({ ...app.world().deps, signer }));
  await proof.getByText('In the signed archive').waitFor();
  await proof.getByText(/^[\w+/]{43}=$/).waitFor();
  await page.getByText('My card is ■■■■ ■■■■ ■■■■ 1111').waitFor();
  await page.getByRole('button', { name: 'Show the number' }).click();
  await page.getByText('My card is 4111 1111 1111 1111').waitFor();
  await page.emulateMedia({ media: 'print', colorScheme: 'dark' });
  await page.getByText(/Printed by Cameron Ortiz/).waitFor();
  assert.equal(await page.getByRole('navigation').isVisible(), false);
  assert.equal(
    await page
      .locator('.say')
      .first()
      .evaluate((said) => getComputedStyle(said).color),
    'rgb(0, 0, 0)',
  );
  await page.emulateMedia({ media: 'screen', colorScheme: 'light' });
  await page.getByRole('link', { name: 'Back to the archive' }).click();
  await page.getByPlaceholder('All of these words').fill('sell');
  await page.keyboard.press('Enter');
  await page.locator('.archive-list mark', { hasText: 'sell' }).click();
  await page.locator('[aria-current=true]', { hasText: 'Please sell the annuity' }).waitFor();
  await page.goBack();
  await page.locator('.archive-list mark', { hasText: 'sell' }).click();
  await page.getByRole('main').getByRole('link', { name: 'Consent' }).click();
  await page.getByRole('heading', { name: /^Consent of/ }).waitFor();

  await page.getByRole('link', { name: 'Holds and retention' }).click();
  await page.getByRole('button', { name: 'Add a hold' }).click();
  await page.getByRole('button', { name: 'One person' }).click();
  await page.getByLabel('Person', { exact: true }).fill('+12125550188');
  await page.locator('.person-choices button').click();
  await page.getByLabel('Reason').fill('Matter 2026-117');
  await page.getByRole('button', { name: 'Hold these records' }).click();
  await page.getByText('In force', { exact: true }).waitFor();
  await page.getByRole('button', { name: 'Lift' }).click();
  await page.getByLabel('Why it is lifted').fill('Settled');
  await page.getByRole('button', { name: 'Lift the hold' }).click();
  await page.getByText(/Lifted by Cameron Ortiz/).waitFor();

  await page.getByRole('link', { name: 'Archive' }).click();
  await page.getByLabel('From', { exact: true }).fill('2026-02-03');
  await page.getByLabel('To', { exact: true }).fill('2026-02-01');
  const isValid = (input: Element) => (input as HTMLInputElement).validity.valid;
  assert.equal(
    await page.getByLabel('To', { exact: true }).evaluate(isValid),
    false,
    'a period doesn’t end before it begins',
  );
  for (const field of ['From', 'To']) await page.getByLabel(field, { exact: true }).fill('');
  await page.getByPlaceholder('All of these words').fill('annuity');
  await page.keyboard.press('Enter');
  await page.locator('.archive-list mark', { hasText: 'annuity' }).waitFor();
  const file = page.waitForEvent('download');
  await page.getByRole('button', { name: 'CSV of 1 entry' }).click();
  assert.match(await readFile(await (await file).path(), 'utf8'), /Please sell the annuity/);
  await page.locator('.archive-list a').click();
  await page.getByRole('link', { name: 'Add a hold' }).click();
  await page.getByRole('dialog').getByText('known to Ann').waitFor();
  await page.getByRole('button', { name: 'Cancel' }).click();
  await page.goBack();
  await page.getByRole('link', { name: 'an export' }).click();
  assert.equal(await page.getByLabel('First day').inputValue(), await page.getByLabel('Last day').inputValue());
  assert.equal(await page.getByRole('button', { name: 'Start the export' }).isEnabled(), true);
  await page.getByRole('button', { name: 'Cancel' }).click();

  await page.getByRole('link', { name: 'Wordings' }).click();
  await page.getByRole('button', { name: 'After HELP' }).click();
  await page.getByLabel('Wording').fill('{advisor} of {firm}: call us. Text STOP to opt out.');
  await page.getByRole('link', { name: 'Exports' }).click();
  await page.goBack();
  await page.reload();
  for (const each of ['After STOP', 'After HELP']) await page.getByRole('button', { name: each }).click();
  await page.locator('.wordings-preview', { hasText: 'call us' }).waitFor();
  await page.getByRole('button', { name: 'Use this from now on' }).click();
  await page.getByRole('button', { name: 'Use it' }).click();
  await page.getByText('Version 1', { exact: true }).waitFor();
  assert.deepEqual(complaints, []);
});

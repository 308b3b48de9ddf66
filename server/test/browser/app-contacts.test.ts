import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Page } from 'playwright-core';
import { runImports } from '../../src/domain/address-book/file-imports.ts';
import { deletes } from '../../src/domain/address-book/pending-deletes.ts';
import { sendBroadcasts } from '../../src/domain/broadcasts/sending.ts';
import { doDueActions } from '../../src/domain/shared/pending-actions.ts';
import { password } from '../support/advisor-app.ts';
import { skip } from '../support/browser.ts';
import { acceptedPhone, newPhone } from '../support/texting.ts';
import { desk, phoneWide, useApp } from './app-windows.ts';
import { inspect } from './inspect.ts';

const app = useApp();
const row = (page: Page, name: string) => page.locator('tr.row-of', { hasText: name });
/** By itself in a wide window, below the number in a narrow one. */
const consent = (page: Page, name: string) => row(page, name).locator('.chip:visible');

async function add(firstName: string, phone = newPhone()): Promise<number> {
  const { body } = await app
    .world()
    .ann.call('POST', '/core/contact/contacts', { firstName, lastName: 'Shown', phone });
  return body.id;
}

/** As if eight seconds had passed. */
async function doHeld(): Promise<void> {
  await app.world().database.asOwner(`update pending_actions set due_at = now() - interval '1 second'`);
  await doDueActions(app.world().deps, deletes, (fault) => assert.fail(String(fault)));
}

test('people are filtered by consent, put into a group together, and deleted on the server', { skip }, async () => {
  const world = app.world();
  await add('Yasmin', await acceptedPhone(world, world.ann));
  const ids = [await add('Nora'), await add('Nils')];
  const addGroup = async (name: string) => (await world.ann.call('POST', '/core/contact/groups', { name })).body.id;
  const chicago = await addGroup('Chicago');
  const { page, context, complaints } = await app.openApp('/app/contacts', desk);
  await consent(page, 'Yasmin').getByText('Accepted').waitFor();
  await page.getByRole('button', { name: /^Not asked/ }).click();
  await row(page, 'Yasmin').waitFor({ state: 'hidden' });
  await page.getByRole('button', { name: 'New group' }).click();
  await page.getByLabel('Name').fill('Austin');
  await page.reload();
  await page.getByRole('button', { name: 'Add', exact: true }).click();
  await page.getByText('This group has no members.').waitFor();
  await page.getByRole('button', { name: 'Everybody' }).click();
  for (const name of ['Nora', 'Nils']) await page.getByLabel(`Select ${name} Shown`).check();
  await page.getByRole('region', { name: 'Selected' }).getByRole('button', { name: 'Groups' }).click();
  await page.getByLabel('Austin').check();
  await page.getByRole('button', { name: 'Add to group' }).click();
  await row(page, 'Nora').getByText('Austin').waitFor();
  const selected = page.getByRole('region', { name: 'Selected' });
  await selected.getByRole('button', { name: 'Ask for consent' }).click();
  await page.getByRole('button', { name: 'Ask 2 people' }).click();
  await page.getByText('2 people are being asked.').waitFor();
  await sendBroadcasts(world.deps);
  await consent(page, 'Nora').getByText('Asked').waitFor();
  await selected.getByRole('button', { name: 'Ask for consent' }).click();
  await page.getByRole('listitem').filter({ hasText: 'Asked in the last 24 hours 2' }).waitFor();
  assert.equal(await page.getByRole('button', { name: 'Ask', exact: true }).isEnabled(), false);
  await page.getByRole('button', { name: 'Cancel' }).click();
  await page.getByRole('button', { name: /^Austin/ }).click();
  await page.getByRole('button', { name: 'The group Austin: more' }).click();
  await page.getByRole('menuitem', { name: 'Rename Austin' }).click();
  await page.getByRole('textbox', { name: 'Name', exact: true }).fill('Boston');
  await page.reload();
  await page.getByRole('button', { name: 'Rename' }).click();
  await page.getByRole('button', { name: /^Boston 2/ }).waitFor();

  // What is edited in one tab is so in every other, and leaves what was changed meanwhile as it is.
  const other = await app.openTab(context, '/app/contacts');
  await row(other.page, 'Nora').waitFor();
  await page.getByRole('button', { name: 'Nils Shown' }).click();
  await page.getByLabel('Last name').fill('Seen');
  await page.getByRole('checkbox', { name: 'Chicago' }).check();
  await world.ann.call('PUT', `/core/contact/contacts/${ids[1]}`, { birthDate: '1980-02-29' });
  const [boston] = (await world.ann.call('GET', `/core/contact/contacts/${ids[1]}`)).body.groupIds;
  const denver = await addGroup('Denver');
  await world.ann.call('PUT', `/core/contact/contacts/${ids[1]}/groups`, { groupIds: [boston, denver] });
  await page.getByRole('button', { name: 'Save' }).click();
  await page.getByRole('dialog').waitFor({ state: 'hidden' });
  await row(other.page, 'Nils Seen').waitFor();
  const { body } = await world.ann.call('GET', `/core/contact/contacts/${ids[1]}`);
  assert.deepEqual([body.birthDate, body.groupIds], ['1980-02-29', [chicago, boston, denver]]);

  // Undone in one tab, it is back in every other.
  const selectBoth = async () => {
    for (const name of ['Nora Shown', 'Nils Seen']) await page.getByLabel(`Select ${name}`).check();
  };
  await selectBoth();
  await app.keepUndo(page, /\/app\/api\/deletes$/);
  await page.getByRole('button', { name: 'Delete', exact: true }).click();
  await row(other.page, 'Nora').waitFor({ state: 'hidden' });
  await page.getByRole('button', { name: 'Undo' }).click();
  await row(other.page, 'Nora').waitFor();
  await row(page, 'Nora').waitFor();
  await selectBoth();
  await page.getByRole('button', { name: 'Delete', exact: true }).click();
  await page.getByText('2 people are being deleted.').waitFor();
  await page.reload();
  await page.getByText('2 people are being deleted.').waitFor();
  await page.getByRole('button', { name: 'Undo' }).waitFor();
  assert.deepEqual([...complaints, ...other.complaints], []);
  await context.close();
  for (const id of ids) assert.equal((await world.ann.call('GET', `/core/contact/contacts/${id}`)).status, 200);
  await doHeld();
  for (const id of ids) assert.equal((await world.ann.call('GET', `/core/contact/contacts/${id}`)).status, 404);
});

test('a file is shown before it is imported, and what it refused can be downloaded', { skip }, async () => {
  const { page, complaints } = await app.openApp('/app/contacts', { ...desk, acceptDownloads: true, bypassCSP: true });
  await page.getByRole('button', { name: 'Import' }).focus();
  await page.keyboard.press('Enter');
  const csv = 'First Name,Last Name,Mobile Phone,Shoe size\nIda,Imported,(212) 555-0142,39\n,,,41\n';
  const file = { name: 'people.csv', mimeType: 'text/csv', buffer: Buffer.from(csv) };
  await page.getByLabel('CSV file').focus();
  await page.getByLabel('CSV file').setInputFiles(file);
  await page.getByRole('cell', { name: '+1 (212) 555-0142' }).waitFor();
  await page.locator('[role=dialog]:focus').waitFor();
  await page.keyboard.press('Escape');
  await page.locator('button:focus', { hasText: 'Import' }).waitFor();
  await page.keyboard.press('Enter');
  await page.getByLabel('CSV file').setInputFiles(file);
  await page.getByText('1 can’t be imported').waitFor();
  await inspect(page, 'a preview of an import');
  await page.getByRole('button', { name: 'Import 1 row' }).click();
  await page.getByText('0 of 2 rows').waitFor();
  await page.getByRole('button', { name: 'Stop' }).waitFor();
  await runImports(app.world().deps, (fault) => assert.fail(String(fault)));
  await page.getByText('1 added').waitFor();
  await row(page, 'Ida Imported').waitFor();
  await page.getByRole('button', { name: 'See 1' }).click();
  const [refused] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('link', { name: 'Download 1 row as CSV' }).click(),
  ]);
  assert.equal(refused.suggestedFilename(), 'refused.csv');
  await page.keyboard.press('Escape');
  const [exported] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('button', { name: 'Export' }).click(),
  ]);
  assert.equal(exported.suggestedFilename(), 'contacts.csv');
  await page.getByRole('button', { name: 'Dismiss' }).click();
  await page.getByText('1 added').waitFor({ state: 'hidden' });
  assert.deepEqual(complaints, []);
});

test('Back brings the list as it was left, and a form what was typed before the session ended', { skip }, async () => {
  const id = await add('Olga');
  await add('Otto');
  const { page, context } = await app.openApp('/app/contacts', desk);
  await page.getByRole('button', { name: /^Not asked/ }).click();
  await page.getByLabel('Search contacts').fill('olga shown');
  // A list that is being read shows nobody, Otto neither.
  await page.waitForFunction(() => history.state.searched === 'olga shown');
  await row(page, 'Otto').waitFor({ state: 'hidden' });
  await row(page, 'Olga').getByTitle('Write a text').click();
  await page.getByRole('heading', { name: 'Olga Shown' }).first().waitFor();
  await page.goBack();
  await row(page, 'Olga').waitFor();
  assert.equal(await page.getByLabel('Search contacts').inputValue(), 'olga shown');
  assert.equal(await row(page, 'Otto').count(), 0);
  await page.getByRole('button', { name: /^Not asked/, pressed: true }).waitFor();

  await page.getByRole('button', { name: 'Olga Shown' }).click();
  await page.getByLabel('Last name').fill('Typed');
  await context.clearCookies();
  await page.getByRole('button', { name: 'Save' }).click();
  await page.getByLabel('Password').fill(password);
  await page.getByLabel('Email').fill('ann@test.example');
  await page.getByRole('button', { name: 'Sign in', exact: true }).click();
  await page.getByLabel('Last name').waitFor();
  assert.equal(await page.getByLabel('Last name').inputValue(), 'Typed');
  await page.getByRole('button', { name: 'Save' }).click();
  await page.getByRole('dialog').waitFor({ state: 'hidden' });
  const { body } = await app.world().ann.call('GET', `/core/contact/contacts/${id}`);
  assert.equal(body.lastName, 'Typed');
  assert.deepEqual(await page.evaluate(() => Object.keys(localStorage)), ['owner']);

  // Enter before the answer takes whom it was typed for, and not who was found before.
  await page.goto(`${app.origin()}/app/new`);
  const to = page.getByPlaceholder('Name or phone number');
  await to.fill('olga');
  await page.getByRole('button', { name: 'Olga Typed' }).waitFor();
  await to.fill('otto');
  await to.press('Enter');
  await page.getByRole('heading', { name: 'Otto Shown' }).first().waitFor();
});

test('axe finds no barriers in lists, selections and dialogs, and they fit a phone', { skip }, async () => {
  await add('Wide');
  const { page } = await app.openApp('/app/contacts', { ...desk, bypassCSP: true });
  await consent(page, 'Wide').getByText('Not asked').waitFor();
  await page.getByLabel('Select Wide Shown').check();
  await inspect(page, 'a selection', phoneWide);
  await page.getByRole('region', { name: 'Selected' }).getByRole('button', { name: 'Groups' }).click();
  await page.getByRole('dialog').waitFor();
  await inspect(page, 'groups of a selection on a phone', desk);
  await page.keyboard.press('Escape');
  await page.getByRole('region', { name: 'Selected' }).getByRole('button', { name: 'Ask for consent' }).click();
  await page.getByRole('dialog', { name: 'Ask 1 person for consent?' }).waitFor();
  await inspect(page, 'whom a request for consent asks', phoneWide);
});

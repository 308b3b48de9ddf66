import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { BrowserContextOptions } from 'playwright-core';
import { addStaff } from '../../src/domain/accounts/staff.ts';
import { listCarriers } from '../../src/domain/carriers/carriers.ts';
import { skip } from '../support/browser.ts';
import { send, setConsent, statusOf } from '../support/texting.ts';
import type { World } from '../support/world.ts';
import { desk, phoneWide, useApp } from './app-windows.ts';
import { inspect } from './inspect.ts';

const name = 'Oakley Tran';
const lost = '+15005550022';

async function prepare(world: World): Promise<void> {
  await addStaff(world.deps, { firmId: null, name, email: 'oakley@staff.example', role: 'operator' });
  await setConsent(world, world.ann, lost, 'accepted');
  const { messageId } = (await send(world.ann, { phone: lost, text: 'Something private' })).body.successes[0];
  await statusOf(world.ann, messageId, 'in_doubt');
}

const app = useApp({ prepare });

async function signIn(path: string, options: BrowserContextOptions) {
  const opened = await app.open(`/console/sign-in?next=${path}`, options);
  await opened.page.getByRole('button', { name: `${name}, operator` }).click();
  await opened.page.getByRole('heading', { level: 1 }).waitFor();
  return opened;
}

test('an operator registers an application and issues a key, each secret shown once, and explains times', {
  skip,
}, async () => {
  const { page, complaints } = await signIn('/console/applications', desk);
  await page.getByRole('button', { name: 'Register', exact: true }).click();
  await page.getByLabel('Name, as advisors read it').fill('Plan Desk');
  await page.getByRole('dialog').getByRole('button', { name: 'Register' }).click();
  await page.getByRole('button', { name: 'Copy Client secret' }).waitFor();
  await page.getByRole('button', { name: 'Done' }).click();
  await page.getByRole('link', { name: 'Plan Desk' }).click();
  await page.getByRole('button', { name: 'Issue a key' }).click();
  await page.getByLabel('Requests per day').fill('1000');
  // They signed in too long ago for a secret. In a small window they do so again, and the page goes on by itself.
  await app.world().database.asOwner(`update sessions set date_time_created = now() - interval '6 minutes'`);
  await page.getByRole('button', { name: 'Issue', exact: true }).click();
  const opened = page.waitForEvent('popup');
  await page.getByRole('button', { name: 'Sign in again' }).click();
  await (await opened).getByRole('button', { name: `${name}, operator` }).click();
  await page.getByRole('button', { name: 'Done' }).click();
  await page.getByRole('cell', { name: '1,000' }).waitFor();
  await page.getByRole('button', { name: 'Revoke' }).click();
  await page.getByRole('button', { name: 'Revoke it' }).click();
  await page.getByText('Revoked', { exact: true }).waitFor();
  await page.getByRole('link', { name: 'Audit log' }).click();
  await page.getByRole('cell', { name: 'Key revoked' }).waitFor();
  await page.getByRole('button', { name: 'Explain times' }).click();
  await page.getByLabel('From entry').fill('1');
  await page.getByLabel('Why are they wrong?').fill('The database’s machine was an hour ahead');
  await page.getByRole('button', { name: 'Explain them' }).click();
  await page.getByRole('cell', { name: 'Times explained' }).waitFor();
  assert.deepEqual(
    complaints.map((each) => each.match(/\b\d{3}\b/)?.[0]),
    ['403'],
  );
});

test('an operator settles a text in doubt without reading it, and adds a carrier', { skip }, async () => {
  const { page, complaints } = await signIn('/console/doctor', { ...phoneWide, bypassCSP: true });
  await page.locator('.finding').getByRole('link', { name: 'In doubt' }).click();
  await page.getByRole('button', { name: 'Settle' }).click();
  await page.getByRole('dialog').waitFor();
  await inspect(page, 'a dialog on a phone');
  await page.getByText('It never had the text.').click();
  await page.getByRole('button', { name: 'It was not sent' }).click();
  await page.getByText('No text is in doubt.').waitFor();
  assert.doesNotMatch(await page.content(), /Something private/);

  await page.getByRole('button', { name: 'Navigation' }).click();
  await page.getByRole('link', { name: 'Carriers' }).click();
  await page.getByRole('button', { name: 'Add a carrier' }).click();
  await page.getByLabel('Kind').selectOption('SMPP');
  await page.getByLabel('Name', { exact: true }).fill('acme');
  await page.getByLabel('Servers').fill('localhost:1\nlocalhost:2 tls');
  await page.getByLabel('System id').fill('assent');
  await page.getByLabel('Password').fill('secret');
  await inspect(page, 'the form of a carrier');
  await page.getByRole('button', { name: 'Add', exact: true }).click();
  await page.getByText('Nodes open it within seconds.').waitFor();
  const first = page.getByRole('region', { name: 'carriers' }).getByRole('row').first();
  await page.getByLabel('Sort carriers').selectOption('Carrier, descending');
  await first.getByText('sandbox', { exact: true }).waitFor();
  await page.getByLabel('Sort carriers').selectOption('Carrier, ascending');
  await first.getByText('acme').waitFor();
  const { settings } = (await listCarriers(app.world().deps)).find(({ kind }) => kind === 'smpp') ?? {};
  assert.deepEqual(settings?.hosts, [
    { host: 'localhost', port: 1 },
    { host: 'localhost', port: 2, tls: true },
  ]);
  assert.deepEqual(complaints, []);
});

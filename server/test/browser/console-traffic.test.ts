import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import type { BrowserContextOptions } from 'playwright-core';
import { addStaff } from '../../src/domain/accounts/staff.ts';
import { writeTraffic } from '../../src/domain/operations/traffic.ts';
import { addTraffic } from '../../src/store/operations/traffic.ts';
import { skip } from '../support/browser.ts';
import type { World } from '../support/world.ts';
import { desk, useApp } from './app-windows.ts';

const name = 'Oakley Tran';

async function prepare({ deps }: World): Promise<void> {
  await addStaff(deps, { firmId: null, name, email: 'oakley@staff.example', role: 'operator' });
  const { traffic } = deps.signals;
  for (let request = 0; request < 40; request++) traffic.request(1, request % 4 ? 'ok' : 'not_found', 12);
  traffic.request(-1, 'unauthorized', 1);
  traffic.texts(1, 'sent', 1_200);
  traffic.texts(1, 'delivered', 1_188);
  traffic.texts(1, 'undelivered', 12);
  await writeTraffic(deps);
  const minute = new Date(Math.floor(Date.now() / 60_000) * 60_000 - 60_000);
  const notTaken = { kind: 'text', subjectId: 1, outcome: 'not_taken', amount: 3, latencies: [] } as const;
  await addTraffic(deps.db, [{ ...notTaken, grain: 'minute', dateTime: minute, latencies: [] }]);
}

const app = useApp({ prepare });

/** By a link that somebody shared: it leads to the sign-in page, and back to what it shows. */
async function openTraffic(options: BrowserContextOptions, search = '') {
  const opened = await app.open(`/console/traffic${search}`, options);
  await opened.page.getByRole('button', { name: `${name}, operator` }).click();
  await opened.page.getByRole('heading', { name: 'Traffic' }).waitFor();
  // The answer to the first call was that nobody is signed in.
  opened.complaints.length = 0;
  return opened;
}

test('an operator reads figures, charts and tables, by keys too, and shares what is shown', { skip }, async () => {
  const { page, complaints } = await openTraffic({ ...desk, acceptDownloads: true }, '?range=week');
  await page.getByText('Texts sent per hour').waitFor();
  await page.getByRole('button', { name: 'Day', exact: true }).click();
  await page.locator('.tile', { hasText: 'Texts sent in 24 hours' }).getByText('1,200').waitFor();
  await page.locator('.tile', { hasText: 'Delivered' }).getByText('99 %').waitFor();

  const values = page.getByRole('slider', { name: 'Requests per 15 minutes: values' });
  await values.focus();
  const told = () => values.getAttribute('aria-valuetext');
  const last = await told();
  await page.keyboard.press('ArrowLeft');
  assert.notEqual(await told(), last);
  assert.ok(
    [last, await told()].some((text) => text?.includes('Answered 30, Refused 11, Failed 0')),
    String(last),
  );
  await page.locator('.chart-tip').getByText('UTC').waitFor();
  await page.keyboard.press('Escape');
  await page.locator('.chart-tip').waitFor({ state: 'detached' });
  // A click or a tap reads what is under it, as the pointer does.
  const drawn = await page.locator('.chart', { has: values }).locator('.u-over').boundingBox();
  await page.mouse.move((drawn?.x ?? 0) + (drawn?.width ?? 0) / 5, (drawn?.y ?? 0) + 20);
  const pointed = await told();
  await page.mouse.down();
  await page.mouse.up();
  assert.deepEqual([await told(), pointed === last], [pointed, false]);
  await page.getByRole('button', { name: 'API latency: table' }).click();
  await page.getByRole('table', { name: 'API latency, ms' }).getByText('p99').waitFor();

  await page.getByRole('button', { name: 'Year' }).click();
  await page.getByText('Texts sent per day').waitFor();
  await page.getByRole('link', { name: 'Test CRM' }).click();
  await page.waitForURL(/\/console\/traffic\?range=year&key=\d+$/);
  await page.reload();
  await page.locator('.chart-names', { hasText: 'Answered 30' }).waitFor();
  await page.getByLabel('Requests of').selectOption({ label: 'All applications' });
  await page.getByRole('button', { name: 'Errors', exact: true }).click();
  await page.getByRole('columnheader', { name: 'Errors' }).and(page.locator('[aria-sort=ascending]')).waitFor();
  const saved = page.waitForEvent('download');
  await page.locator('.traffic-part', { hasText: 'Applications' }).getByRole('button', { name: 'CSV' }).click();
  assert.match(readFileSync(await (await saved).path(), 'utf8'), /^\uFEFFApplication,Key,Requests,Errors,.*\r\n/);

  await page.getByRole('button', { name: 'The year before' }).click();
  await page.getByText('No request came in this time.').first().waitFor();
  assert.deepEqual(complaints, []);
});

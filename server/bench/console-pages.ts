import type { Page } from 'playwright-core';
import { buildWeb } from '../../scripts/build-web.ts';
import { buildApp } from '../src/app.ts';
import { readConfig } from '../src/config.ts';
import { addStaff } from '../src/domain/accounts/staff.ts';
import { makeLog } from '../src/log.ts';
import type { Pool } from '../src/store/database/db.ts';
import { launchBrowser, skip } from '../test/support/browser.ts';
import { depsOn } from '../test/support/deps.ts';
import { freePort } from './program.ts';
import { ms, say, table } from './tables.ts';

const desk = { viewport: { width: 1440, height: 900 } };
const tries = 3;
const name = 'Bench Officer';
const pages = {
  'the archive': { path: '/console/archive', shown: '.archive-results li' },
  reviews: { path: '/console/reviews', shown: '.queued' },
  overview: { path: '/console', shown: '.console-card' },
};

/** How long each page takes to show its records after it is asked for. Returns the worst, or null without a browser. */
export async function measurePages(pool: Pool, firmId: number): Promise<number | null> {
  if (skip) {
    say(`No page was opened: ${skip}.`);
    return null;
  }
  const port = await freePort();
  const origin = `http://localhost:${port}`;
  const config = readConfig({ LOG_LEVEL: 'silent', PORT: String(port) });
  const deps = depsOn(pool, { config });
  await addStaff(deps, { firmId, name, email: 'officer@bench.example', role: 'compliance_officer' });
  await buildWeb();
  const app = await buildApp({ ...deps, pool, log: makeLog('silent'), deliverDue: async () => {} });
  await app.listen({ host: '127.0.0.1', port });
  const browser = await launchBrowser();
  try {
    const page = await (await browser.newContext(desk)).newPage();
    await page.goto(`${origin}/console/sign-in`);
    await page.getByRole('button', { name }).click();
    await page.waitForURL(/console\/?$/);
    const measured: Record<string, number> = {};
    for (const [title, { path, shown }] of Object.entries(pages))
      measured[title] = await worstOf(() => showsAfterMs(page, origin + path, shown));
    table(Object.entries(measured).map(([page, worst]) => ({ page, 'shown after (worst)': `${ms(worst)} ms` })));
    return Math.max(...Object.values(measured));
  } finally {
    await browser.close();
    await app.close();
  }
}

async function showsAfterMs(page: Page, url: string, shown: string): Promise<number> {
  await page.goto(url, { waitUntil: 'commit' });
  await page.locator(shown).first().waitFor();
  return page.evaluate(() => performance.now());
}

async function worstOf(measure: () => Promise<number>): Promise<number> {
  let worst = 0;
  for (let attempt = 0; attempt < tries; attempt++) worst = Math.max(worst, await measure());
  return worst;
}

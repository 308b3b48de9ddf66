import type { Browser, Page } from 'playwright-core';

const desk = { width: 1440, height: 900 };
const typedText = 'Dear client, your annual review is due and I would like to find a time that suits you. '.repeat(3);
const typedLength = 200;
const wheelSteps = 60;
const wheelPixels = 2_000;
const settleMs = 1_500;

type SpeedFigures = { longestTaskMs: number; slowestInputMs: number; rows: number };

/** How quick the app is with a large book and inbox, measured in the browser. These are figures of this machine, so none fails. */
export async function measureSpeed(
  browser: Browser,
  { origin, signIn }: { origin: string; signIn(page: Page): Promise<void> },
): Promise<void> {
  const context = await browser.newContext({ viewport: desk });
  const page = await context.newPage();
  await page.addInitScript(watch);
  await signIn(page);
  const say = (what: string, { longestTaskMs, slowestInputMs, rows }: SpeedFigures) =>
    process.stdout.write(
      `${what}: longest task ${Math.round(longestTaskMs)} ms, slowest input to paint ${Math.round(slowestInputMs)} ms, ${rows} rows\n`,
    );

  await page.goto(`${origin}/app`);
  await page.locator('.talk').nth(5).waitFor();
  const shownMs = await page.evaluate(
    () =>
      performance.now() -
      ((performance.getEntriesByType('navigation') as PerformanceNavigationTiming[])[0]?.responseEnd ?? 0),
  );
  process.stdout.write(`Inbox: its conversations stand there ${Math.round(shownMs)} ms after the server’s response\n`);

  await page.locator('.talk').first().click();
  const composer = page.getByLabel('Your text');
  await composer.waitFor();
  await page.waitForTimeout(settleMs);
  await begin(page);
  await composer.pressSequentially(typedText.slice(0, typedLength), { delay: 20 });
  say(`Typing ${typedLength} characters`, await end(page, '.talk'));
  await composer.fill('');

  await page.goto(`${origin}/app/contacts`);
  const table = page.locator('.row-of').first();
  await table.waitFor();
  await page.waitForTimeout(settleMs);
  await table.hover();
  await begin(page);
  for (let step = 0; step < wheelSteps; step++) {
    await page.mouse.wheel(0, wheelPixels);
    await page.waitForTimeout(50);
  }
  say(`Scrolling ${(wheelSteps * wheelPixels) / 48} rows`, await end(page, '.row-of'));
  await context.close();
}

/** Runs in the page, before anything else. */
function watch(): void {
  const seen = { longestTaskMs: 0, slowestInputMs: 0 };
  Object.assign(window, { seen });
  new PerformanceObserver((list) => {
    for (const { duration } of list.getEntries()) seen.longestTaskMs = Math.max(seen.longestTaskMs, duration);
  }).observe({ type: 'longtask' });
  new PerformanceObserver((list) => {
    for (const { duration } of list.getEntries()) seen.slowestInputMs = Math.max(seen.slowestInputMs, duration);
  }).observe({ type: 'event', durationThreshold: 16 } as PerformanceObserverInit);
}

type WatchedWindow = { seen: Omit<SpeedFigures, 'rows'> };

async function begin(page: Page): Promise<void> {
  await page.evaluate(() =>
    Object.assign((window as unknown as WatchedWindow).seen, { longestTaskMs: 0, slowestInputMs: 0 }),
  );
}

async function end(page: Page, row: string): Promise<SpeedFigures> {
  await page.waitForTimeout(settleMs);
  const seen = await page.evaluate(() => (window as unknown as WatchedWindow).seen);
  return { ...seen, rows: await page.locator(row).count() };
}

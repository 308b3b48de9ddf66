import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { Page } from 'playwright-core';

const axeSource = readFileSync(fileURLToPath(import.meta.resolve('axe-core')), 'utf8');

/** The errors that the page complains about from now on, violations of its policy too. */
export function complaintsOf(page: Page): string[] {
  const complaints: string[] = [];
  page.on('console', (message) => message.type() === 'error' && complaints.push(message.text()));
  page.on('pageerror', (error) => complaints.push(error.message));
  return complaints;
}

/** Of everything that is as it should be, axe keeps one element: half of its work is to describe them all. */
const few = `resultTypes: ['violations']`;

type Screen = { viewport: { width: number; height: number } };

/**
 * axe finds no barriers on the page, light or dark, and it fits the screen, and then other screens. Its policy must be bypassed for axe.
 * What `npm run faces` visits isn't inspected here.
 */
export async function inspect(page: Page, shown = page.url(), ...others: Screen[]): Promise<void> {
  // After a key that leads to another page, its styles may still be on their way.
  await page.waitForLoadState();
  if (!(await page.evaluate('window.axe'))) await page.evaluate(axeSource);
  // What fades in has less contrast on the way.
  await page.emulateMedia({ colorScheme: 'light', reducedMotion: 'reduce' });
  assert.deepEqual(await barriers(page, `axe.run({ ${few} })`), [], `${shown}, light`);
  await assertFits(page, shown);
  for (const { viewport } of others) {
    await page.setViewportSize(viewport);
    assert.deepEqual(await barriers(page, `axe.run({ ${few} })`), [], `${shown}, ${viewport.width} px`);
    await assertFits(page, `${shown}, ${viewport.width} px`);
  }
  // Nothing but colors is different.
  await page.emulateMedia({ colorScheme: 'dark' });
  assert.deepEqual(await barriers(page, `axe.run({ runOnly: ['cat.color'], ${few} })`), [], `${shown}, dark`);
}

/** Each rule that is broken, with the first element that breaks it. Needs axe on the page. */
async function barriers(page: Page, inspection: string): Promise<string[]> {
  const violations = await page.evaluate(`${inspection}.then(({ violations }) => violations)`);
  return (violations as { id: string; nodes: { html: string }[] }[]).map(({ id, nodes }) => `${id} ${nodes[0]?.html}`);
}

export async function assertFits(page: Page, shown = page.url()): Promise<void> {
  const overflow = await page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth);
  assert.ok(overflow <= 0, `${shown} is ${overflow} px too wide`);
}

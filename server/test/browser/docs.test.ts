import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, afterEach, before, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import type { Browser, BrowserContext, BrowserContextOptions, Page } from 'playwright-core';
import { routes } from '../../src/http/partner/routes.ts';
import { writeSandboxFile } from '../../src/sandbox/sandbox-start.ts';
import { launchBrowser, skip } from '../support/browser.ts';
import { freePort } from '../support/programs.ts';
import { makeWorld, type World } from '../support/world.ts';

const axeSource = readFileSync(fileURLToPath(import.meta.resolve('axe-core')), 'utf8');
const phoneWide = { viewport: { width: 360, height: 740 } };
const desk = { viewport: { width: 1200, height: 900 } };
const dataDir = mkdtempSync(join(tmpdir(), 'assent-docs-'));

let world: World;
let browser: Browser;
let origin: string;
let contexts: BrowserContext[] = [];

before(async () => {
  if (skip) return;
  const port = await freePort();
  world = await makeWorld({ env: { PORT: String(port), ASSENT_DATA_DIR: dataDir } });
  await writeSandboxFile({ ...world.deps, config: world.config });
  await world.app.listen({ host: '127.0.0.1', port });
  origin = `http://localhost:${port}`;
  browser = await launchBrowser();
});
after(async () => {
  rmSync(dataDir, { recursive: true });
  if (skip) return;
  await browser.close();
  await world.close();
});
afterEach(async () => {
  await Promise.all(contexts.map((context) => context.close()));
  contexts = [];
});

type Opened = { page: Page; complaints: string[]; foreign: string[] };

/** A page in its own browser context. It collects errors, violations of the policy too, and requests to other servers. */
async function open(path: string, options: BrowserContextOptions = {}): Promise<Opened> {
  const context = await browser.newContext({ ...desk, ...options });
  contexts.push(context);
  const page = await context.newPage();
  page.setDefaultTimeout(20_000);
  const complaints: string[] = [];
  const foreign: string[] = [];
  page.on('console', (message) => message.type() === 'error' && complaints.push(message.text()));
  page.on('pageerror', (error) => complaints.push(error.message));
  page.on('request', (request) => {
    if (new URL(request.url()).origin !== origin && !request.url().startsWith('data:')) foreign.push(request.url());
  });
  const response = await page.goto(`${origin}${path}`);
  assert.equal(response?.status(), 200, path);
  return { page, complaints, foreign };
}

async function openReference(options: BrowserContextOptions = {}): Promise<Opened> {
  const opened = await open('/docs', options);
  await opened.page.getByRole('heading', { name: 'Assent partner API' }).waitFor();
  return opened;
}

/** Opens an operation from the navigation, tries it, and returns what the page shows as the answer. */
async function tryOut(page: Page, name: string, operation: string): Promise<string> {
  await page.getByRole('link', { name }).first().click();
  await page.getByRole('button', { name: `Test Request (${operation})` }).click();
  await page.getByRole('button', { name: 'Send Request' }).first().click();
  const answer = page.getByLabel('Response', { exact: true });
  await answer
    .getByText(/^\d{3} \w+/)
    .first()
    .waitFor();
  const shown = await answer.innerText();
  await page.keyboard.press('Escape');
  return shown;
}

test('every endpoint is shown, a click calls it with the sandbox’s credentials, and all on this server', {
  skip,
}, async () => {
  const { page, complaints, foreign } = await openReference();
  const navigation = page.getByRole('complementary');
  for (const { summary } of routes) await navigation.getByRole('link', { name: summary }).first().waitFor();
  const answer = await tryOut(page, 'Search contacts', 'get /core/contact/contacts');
  assert.match(answer, /200 OK/);
  assert.match(answer, /Ada Accept/);
  assert.match(await tryOut(page, 'Send message', 'post /text/messaging/messages'), /200 OK/);
  assert.deepEqual(complaints, []);
  assert.deepEqual(foreign, []);
  const stored = await page.evaluate(() => JSON.stringify([{ ...localStorage }, { ...sessionStorage }]));
  assert.doesNotMatch(stored, /ak_sandbox|eyJ/);
});

test('calls act for the advisor who is chosen, and without one they have no credentials', { skip }, async () => {
  const { page } = await openReference();
  const choose = async (label: string) => {
    const filled = label.startsWith('nobody') ? undefined : page.waitForResponse('**/sandbox/credentials');
    await page.getByLabel('Calls as').selectOption({ label });
    await filled;
  };
  await choose('Devon Okafor');
  await page.getByText('with an empty book').waitFor();
  assert.match(await tryOut(page, 'Search contacts', 'get /core/contact/contacts'), /"totalRecord": 0/);
  await choose('nobody: your own token');
  assert.match(await tryOut(page, 'List enumerations', 'get /core/enumerations'), /401 Unauthorized/);
});

test('the token is renewed before it expires', { skip }, async () => {
  const { page } = await open('/');
  await page.clock.install();
  await page.goto(`${origin}/docs`);
  await page.getByRole('heading', { name: 'Assent partner API' }).waitFor();
  const renewed = page.waitForResponse('**/sandbox/credentials');
  await page.clock.fastForward('11:00');
  assert.equal((await renewed).status(), 200);
  assert.match(await tryOut(page, 'List enumerations', 'get /core/enumerations'), /200 OK/);
});

for (const [colorScheme, size] of [
  ['light', desk],
  ['dark', phoneWide],
] as const)
  test(`axe finds no barriers in our part of the reference page, which fits the screen, ${colorScheme}`, {
    skip,
  }, async () => {
    // Our pages' policy allows no other scripts, so it is bypassed for the one that inspects them.
    const { page } = await openReference({ ...size, colorScheme, bypassCSP: true });
    await assertFits(page);
    await page.evaluate(axeSource);
    // The colors are ours everywhere; the rest of Scalar's part is not.
    for (const inspection of [`axe.run('.bar')`, `axe.run({ runOnly: ['color-contrast'] })`]) {
      const violations = await page.evaluate(`${inspection}.then(({ violations }) => violations)`);
      assert.deepEqual(
        (violations as { id: string; nodes: { html: string }[] }[]).map(({ id, nodes }) => `${id} ${nodes[0]?.html}`),
        [],
      );
    }
  });

test('the other public pages fit a phone and load nothing from other sites', { skip }, async () => {
  for (const path of ['/', '/problems', '/problems/invalid_request']) {
    const { page, foreign, complaints } = await open(path, phoneWide);
    await assertFits(page);
    assert.deepEqual([foreign, complaints], [[], []], path);
  }
});

async function assertFits(page: Page): Promise<void> {
  const overflow = await page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth);
  assert.ok(overflow <= 0, `${page.url()} is ${overflow} px too wide`);
}

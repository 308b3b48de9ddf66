import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, suite, test } from 'node:test';
import type { Browser, BrowserContextOptions, Page } from 'playwright-core';
import { writeSandboxFile } from '../../src/domain/sandbox/sandbox-start.ts';
import { routes } from '../../src/http/partner/routes.ts';
import { closeBrowser, launchBrowser, skip, stepMsMax } from '../support/browser.ts';
import { freePort } from '../support/programs.ts';
import { acceptedPhone, received, send } from '../support/texting.ts';
import { until } from '../support/waiting.ts';
import { makeWorld, type World } from '../support/world.ts';
import { assertFits, complaintsOf } from './inspect.ts';

const phoneWide = { viewport: { width: 360, height: 740 } };
const desk = { viewport: { width: 1200, height: 900 } };
const dataDir = mkdtempSync(join(tmpdir(), 'assent-docs-'));

let world: World;
let browser: Browser;
let origin: string;

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
  await closeBrowser();
  await world.close();
});

type OpenPage = { page: Page; complaints: string[]; foreign: string[] };

/** A page in its own browser context, whose clock can be moved. It collects errors, violations of the policy too, and requests to other servers. */
async function open(path: string, options: BrowserContextOptions = {}): Promise<OpenPage> {
  const page = await browser.newPage({ ...desk, reducedMotion: 'reduce', ...options });
  await page.clock.install();
  page.setDefaultTimeout(stepMsMax);
  const complaints = complaintsOf(page);
  const foreign: string[] = [];
  page.on('request', (request) => {
    if (new URL(request.url()).origin !== origin && !request.url().startsWith('data:')) foreign.push(request.url());
  });
  const response = await page.goto(`${origin}${path}`);
  assert.equal(response?.status(), 200, path);
  return { page, complaints, foreign };
}

/** “Copied” is said for two seconds: with this, until the clock is moved. */
async function stopClock(page: Page): Promise<void> {
  await page.clock.pauseAt(Date.now() + 60_000);
}

async function openReference(): Promise<OpenPage> {
  const opened = await open('/docs/reference');
  await opened.page.getByRole('heading', { name: 'Assent partner API' }).waitFor();
  return opened;
}

/** Opens an operation from the navigation, tries it, and waits until the page shows all of this as the answer. */
async function tryOut(page: Page, name: string, operation: string, ...expected: RegExp[]): Promise<void> {
  await page.getByRole('link', { name }).first().click();
  await page.getByRole('button', { name: `Test Request (${operation})` }).click();
  await page.getByRole('button', { name: 'Send Request' }).first().click();
  const answer = page.getByLabel('Response', { exact: true });
  await answer
    .getByText(/^\d{3} \w+/)
    .first()
    .waitFor();
  // What came is drawn after its status.
  const shows = async () => {
    const shown = await answer.innerText();
    return expected.every((each) => each.test(shown));
  };
  await until(`${name} shows ${expected}`, shows);
  await page.keyboard.press('Escape');
}

/** One page for all of it: a browser takes seconds to load it. Each test tries other operations. */
suite('the reference page', { skip }, () => {
  let page: Page;
  let complaints: string[];
  let foreign: string[];
  before(async () => {
    ({ page, complaints, foreign } = await openReference());
  });
  after(() => page.close());

  test('shows every endpoint, and a click calls it with the sandbox’s credentials, all on this server', async () => {
    const navigation = page.getByRole('complementary');
    for (const { summary } of routes) await navigation.getByRole('link', { name: summary }).first().waitFor();
    await tryOut(page, 'Search contacts', 'get /core/contact/contacts', /200 OK/, /Ada Accept/);
    await tryOut(page, 'Send message', 'post /text/messaging/messages', /200 OK/);
    assert.deepEqual(complaints, []);
    assert.deepEqual(foreign, []);
    const stored = await page.evaluate(() => JSON.stringify([{ ...localStorage }, { ...sessionStorage }]));
    assert.doesNotMatch(stored, /ak_sandbox|eyJ/);
  });

  test('renews the token before it expires', async () => {
    const renewed = page.waitForResponse('**/sandbox/credentials');
    await page.clock.fastForward('11:00');
    assert.equal((await renewed).status(), 200);
    await tryOut(page, 'List enumerations', 'get /core/enumerations', /200 OK/);
  });

  test('calls for the advisor who is chosen, and without one it has no credentials', async () => {
    const choose = async (label: string) => {
      const filled = label.startsWith('nobody') ? undefined : page.waitForResponse('**/sandbox/credentials');
      await page.getByLabel('Calls as').selectOption({ label });
      // Its headers come before the credentials.
      await (await filled)?.finished();
    };
    await choose('Devon Okafor');
    await page.getByText('with an empty book').waitFor();
    await tryOut(page, 'Get account', 'get /core/account', /Devon Okafor/);
    await choose('nobody: your own token');
    await tryOut(page, 'Search groups', 'get /core/contact/groups', /401 Unauthorized/);
  });
});

suite('the home page', { skip }, () => {
  let page: Page;
  let complaints: string[];
  let foreign: string[];
  before(async () => {
    ({ page, complaints, foreign } = await open('/', {
      ...phoneWide,
      permissions: ['clipboard-read', 'clipboard-write'],
    }));
    await stopClock(page);
  });
  after(() => page.close());

  const press = (name: string) => page.getByRole('button', { name, exact: true }).click();
  const copied = async () => {
    await page.locator('[data-done=Copied]').last().waitFor();
    return page.evaluate(() => navigator.clipboard.readText());
  };

  test('keeps what it says apart, and its steps in line', async () => {
    const boxOf = async (selector: string, nth = 0) => await page.locator(selector).nth(nth).boundingBox();
    const [ways, more] = [await boxOf('.next'), await boxOf('.next + .facts')];
    assert.ok(ways && more && more.y - ways.y - ways.height >= 16, 'what follows the ways on is apart from them');
    assert.equal((await boxOf('.steps label span'))?.x, (await boxOf('.steps label span', 1))?.x);
  });

  test('has no credentials until they are asked for, and Copy puts them into the code', async () => {
    assert.doesNotMatch(await page.content(), /ak_sandbox|eyJ/);
    for (const language of ['Node', 'curl', 'Python']) {
      await page.getByText(language, { exact: true }).click();
      await press('Copy');
      const code = await copied();
      assert.match(code, /ak_sandbox\w+[\s\S]*eyJ|eyJ[\s\S]*ak_sandbox/, language);
      assert.ok(code.includes(`${origin}/v1`), language);
      await page.clock.fastForward('00:03');
    }
    await press('copy a new one');
    assert.match(await copied(), /^eyJ/);
  });

  test('Run makes each of the three calls, and the text is on the phone', async () => {
    const answers = {
      'Send a text': /^200 OK · \d+ ms$/,
      'See it on the phone, and reply': /^202/,
      'Read their consent': /^200/,
    };
    for (const [step, answer] of Object.entries(answers)) {
      await page.getByText(step).click();
      await press('Run');
      await page.locator('[data-answer-status]', { hasText: answer }).waitFor();
    }
    assert.match(await page.locator('[data-answer-body]').innerText(), /"state": "accepted"/);
    const phone = await open('/handset/+15005550006');
    await phone.page.locator('.received', { hasText: 'Your annual review is due.' }).first().waitFor();
    await phone.page.locator('.sent', { hasText: 'Thanks!' }).waitFor();
    await phone.page.close();
  });

  test('its forms move the clock, and the texts of today are counted', async () => {
    // Those of the tests above may be of yesterday.
    const phone = await acceptedPhone(world, world.ann);
    await send(world.ann, { phone, text: 'Hello' });
    await received(world, phone);
    await page.goto(origin);
    await page.getByText(/[1-9] sent, \d delivered, 0 held/).waitFor();
    const before = world.clock.now().getTime();
    await page.getByText('move', { exact: true }).click();
    await press('+ 1 hour');
    await page.getByText(', moved').waitFor();
    assert.ok(world.clock.now().getTime() - before >= 60 * 60 * 1000);
    assert.deepEqual([complaints, foreign], [[], []]);
  });
});

suite('the guides', { skip }, () => {
  test('can be copied as Markdown', async () => {
    const { page } = await open('/docs', { permissions: ['clipboard-read', 'clipboard-write'] });
    await stopClock(page);
    await page.getByRole('link', { name: 'Copy as Markdown' }).click();
    await page.getByRole('link', { name: 'Copied' }).waitFor();
    assert.match(await page.evaluate(() => navigator.clipboard.readText()), /^# Documentation/);
    await page.close();
  });

  test('have their contents behind a button on a phone', async () => {
    const { page } = await open('/docs/partners/texting', phoneWide);
    await page.getByRole('button', { name: 'Contents' }).click();
    await page.getByRole('navigation', { name: 'Guides' }).getByRole('link', { name: 'Overview' }).click();
    await page.getByRole('heading', { name: 'Documentation' }).waitFor();
    await page.goto(`${origin}/docs/reference/configuration`);
    const meaning = await page.locator('td', { hasText: 'Port to listen on.' }).boundingBox();
    assert.ok(meaning && meaning.x + meaning.width <= phoneWide.viewport.width, 'all columns of a table are in sight');
    await page.close();
  });
});

test('the other public pages fit a phone and load nothing from other sites', { skip }, async () => {
  for (const path of ['/problems', '/problems/invalid_request']) {
    const { page, foreign, complaints } = await open(path, phoneWide);
    await assertFits(page);
    assert.deepEqual([foreign, complaints], [[], []], path);
    await page.close();
  }
});

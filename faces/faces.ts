// Looks at every face of the sandbox: screenshots at three widths, light and dark, into faces/shots; axe on each; and Lighthouse on the
// pages that people come to first. Fails if axe finds a barrier, or if a score is below 95 that doesn't depend on the machine.
//
//   npm run faces                  everything above
//   npm run faces -- --shots       only screenshots and axe
//   npm run faces -- --scores      only Lighthouse
//   npm run faces -- --picture     only the README's picture, docs/app.png
//   npm run faces -- --large       only how quick the app is with 100,000 contacts and 5,000 conversations; takes minutes
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { fileURLToPath } from 'node:url';
import { type Browser, chromium, type Page } from 'playwright-core';
import { buildWeb } from '../scripts/build-web.ts';
import { optionsGiven } from '../scripts/options.ts';
import { findBrowser } from '../server/test/support/browser.ts';
import { assent, freePort, makeDataFolder, startServer } from '../server/test/support/programs.ts';
import { judge } from './scores.ts';
import { measureSpeed } from './speed.ts';

const folder = fileURLToPath(new URL('.', import.meta.url));
const axeSource = readFileSync(fileURLToPath(import.meta.resolve('axe-core')), 'utf8');
const phone = '+15005550006';
const dayMs = 24 * 60 * 60 * 1000;
const widths = { 390: 844, 768: 1024, 1440: 900 };
/** The layouts of both are those of other widths, too. */
const inspectedWidths = ['390', '1440'];
/** The file's name, the path, and what axe looks at: the flaws of Scalar's part aren't ours to fix, its colors are. */
const pages: [name: string, path: string, inspections?: string[]][] = [
  ['home', '/'],
  ['guides', '/docs'],
  ['guide', '/docs/partners/texting'],
  ['settings', '/docs/reference/configuration'],
  ['reference', '/docs/reference', [`axe.run('.bar')`, `axe.run({ runOnly: ['color-contrast'] })`]],
  ['log', '/log'],
  ['webhooks', '/webhooks'],
  ['phones', '/handset'],
  ['phone', `/handset/${phone}`],
  ['sign-in', '/sign-in'],
  ['not-found', '/no-such-page'],
];
/** Of an advisor who is signed in. A conversation is found by its person's name. */
const appPages: [name: string, path: string, opens?: string][] = [
  ['app-inbox', '/app'],
  ['app-thread', '/app', 'Pia Plain'],
  ['app-new', '/app/new'],
  ['app-contacts', '/app/contacts'],
  ['app-scheduled', '/app/scheduled'],
  ['app-broadcasts', '/app/broadcasts'],
  ['app-settings', '/app/settings'],
  ['app-demonstration', '/app/demonstration'],
  ['app-not-found', '/app/nowhere'],
];
/** Of staff who are signed in to the console, by who sees them. */
const consolePages: Record<string, string[]> = {
  'Cameron Ortiz': [
    'overview',
    'reviews',
    'archive',
    'consent',
    'lexicon',
    'wordings',
    'holds',
    'exports',
    'report',
    'staff',
  ],
  'Oakley Tran': [
    'traffic',
    'carriers',
    'firms',
    'advisors',
    'applications',
    'webhooks',
    'jobs',
    'doubts',
    'doctor',
    'alerts',
    'audit',
  ],
};
/** The site as a phone, and the app as a desk. */
const judged = {
  phone: ['/', '/docs/partners/texting', `/handset/${phone}`],
  desk: ['/app', '/app/contacts'],
};

const isSwitch = { type: 'boolean' } as const;
const { values: options } = optionsGiven({
  options: { shots: isSwitch, scores: isSwitch, picture: isSwitch, large: isSwitch },
});
const data = makeDataFolder();
const env = { ASSENT_DATA_DIR: data.path };
await buildWeb();
const server = await startServer(env);
const origin = `http://localhost:${server.port}`;
const debugging = await freePort();
const browser = await chromium.launch({
  executablePath: findBrowser(process.env),
  args: ['--no-sandbox', '--disable-gpu', `--remote-debugging-port=${debugging}`],
});
const complaints: string[] = [];
try {
  if (options.large) {
    await makeMuch();
    await measureSpeed(browser, { origin, signIn: (page) => signIn(page, 'Casey Lindgren') });
  } else {
    await makeSomethingToSee();
    if (options.picture) await takePicture(browser);
    else {
      if (!options.scores) await takeShots(browser);
      if (!options.shots) await judge({ origin, debugging, judged, cookie: await signedIn(browser) }, complaints);
    }
  }
} finally {
  await browser.close();
  await server.stop();
  data.remove();
}
for (const complaint of complaints) process.stderr.write(`${complaint}\n`);
process.exitCode = complaints.length > 0 ? 1 : 0;

/** 100,000 contacts of Casey, who needs no consent, and conversations with 5,000 of them. */
async function makeMuch(): Promise<void> {
  const { baseUrl } = data.sandbox();
  const casey = 'casey@sandbox.example';
  const phoneOf = (index: number) => `+1212${5_000_000 + index}`;
  const file = `${data.path}/book.csv`;
  const rows = Array.from({ length: 100_000 }, (_, index) => `Ann,Number${index},${phoneOf(index)}`);
  writeFileSync(file, ['First Name,Last Name,Phone', ...rows].join('\n'));
  await assent(['contacts', 'import', file, '--advisor', casey], env);
  const post = await poster(casey);
  for (let start = 0; start < 5_000; start += 1_000) {
    const phoneNumbers = Array.from({ length: 1_000 }, (_, index) => phoneOf(start + index));
    await post(`${baseUrl}/text/messaging/messages`, { phoneNumbers, text: 'Your annual review is due.' });
  }
}

/** Posts as the sandbox's application, for that advisor. */
async function poster(advisor: string): Promise<(url: string, body: object) => Promise<Response>> {
  const token = (await assent(['token', '--advisor', advisor], env)).stdout.trim();
  return (url, body) =>
    fetch(url, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${token}`,
        'x-api-key': data.sandbox().apiKey,
        'content-type': 'application/json',
      },
      body: JSON.stringify(body),
    });
}

/** Texts both ways, and a webhook that was told about them. */
async function makeSomethingToSee(): Promise<void> {
  const receiver = createServer((request, response) => request.resume().once('end', () => response.end('thanks')));
  await new Promise<void>((resolve) => receiver.listen(0, '127.0.0.1', resolve));
  const { baseUrl, clientId, advisors } = data.sandbox();
  const to = advisors[0]?.textingNumber;
  await assent(['webhooks', 'add', clientId, `http://127.0.0.1:${(receiver.address() as AddressInfo).port}/hook`], env);
  const post = await poster('avery@sandbox.example');
  for (const text of ['Your annual review is due. Does Tuesday at 10 suit you?', 'I sent you the agenda.']) {
    await post(`${baseUrl}/text/messaging/messages`, { phone, text });
    await new Promise((resolve) => setTimeout(resolve, 1500));
    await post(`${origin}/sandbox/handset/${phone}/replies`, { to, text: 'Thanks, that works for me.' });
  }
  for (const [digits, text] of [
    ['0001', 'Nobody gets this.'],
    ['0041', 'Shall we talk about your plan for next year?'],
    ['0022', 'Did you get my letter?'],
    ['0007', 'Your documents are ready.'],
    ['0042', 'The market opens at 9:30 tomorrow.'],
    ['0008', 'Happy birthday, Theo!'],
  ])
    await post(`${baseUrl}/text/messaging/messages`, { phone: `+1500555${digits}`, text });
  // The README's picture shows neither.
  const planned = { scheduleDelivery: true, frequency: 2, deliveryDate: Date.now() + dayMs };
  const more = [
    { text: 'Shall we talk about the quarter?', ...planned },
    { text: 'It has guaranteed returns of 8 %.' },
  ];
  for (const each of options.picture ? [] : more) await post(`${baseUrl}/text/messaging/messages`, { phone, ...each });
  await new Promise((resolve) => setTimeout(resolve, 2000));
  receiver.close();
}

async function takeShots(browser: Browser): Promise<void> {
  rmSync(`${folder}shots`, { recursive: true, force: true });
  mkdirSync(`${folder}shots`);
  await Promise.all(Object.entries(widths).map(([width, height]) => takeShotsAt(browser, Number(width), height)));
  process.stdout.write(`${readdirSync(`${folder}shots`).length} screenshots are in faces/shots.\n`);
}

async function takeShotsAt(browser: Browser, width: number, height: number): Promise<void> {
  // Our policy allows no other scripts, so it is bypassed for axe.
  const context = await browser.newContext({ viewport: { width, height }, bypassCSP: true });
  const page = await context.newPage();
  for (const [name, path, inspections] of pages) {
    await page.goto(`${origin}${path}`, { waitUntil: 'load' });
    if (name === 'reference') await page.getByRole('heading', { name: 'Assent partner API' }).waitFor();
    await page.evaluate(() => document.fonts.ready);
    await look(page, name, inspections);
  }
  await signIn(page);
  for (const [name, path, opens] of appPages) {
    await openApp(page, path, opens);
    await look(page, name);
  }
  for (const [name, paths] of Object.entries(consolePages)) {
    await signInToConsole(page, name);
    for (const path of paths) {
      await page.goto(`${origin}/console/${path}`);
      await page.locator('main h1').first().waitFor();
      await settled(page);
      await look(page, `console-${path}`);
    }
  }
  await context.close();
}

/** In light and in dark, which differs by its colors alone. */
async function look(page: Page, name: string, inspections = ['axe.run()']): Promise<void> {
  const width = String(page.viewportSize()?.width);
  const inDark = `axe.run({ runOnly: ['color-contrast'] })`;
  if (inspectedWidths.includes(width)) await page.evaluate(axeSource);
  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme });
    // As it is once everything has moved into place.
    await page.screenshot({ path: `${folder}shots/${name}-${width}-${colorScheme}.png`, animations: 'disabled' });
    const shown = `${name}, ${width} px, ${colorScheme}`;
    if (inspectedWidths.includes(width)) await inspect(page, shown, colorScheme === 'light' ? inspections : [inDark]);
    const overflow = await page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth);
    if (overflow > 0) complaints.push(`${shown}: ${overflow} px too wide`);
  }
}

async function takePicture(browser: Browser): Promise<void> {
  const context = await browser.newContext({ viewport: { width: 1200, height: 760 }, colorScheme: 'light' });
  const page = await context.newPage();
  await signIn(page);
  await openApp(page, '/app', 'Pia Plain');
  await page.screenshot({ path: `${folder}../docs/app.png` });
  await context.close();
}

async function signIn(page: Page, name = 'Avery Quinn'): Promise<void> {
  await page.goto(`${origin}/sign-in?next=/app`);
  await page.getByRole('button', { name }).click();
  await page.waitForURL('**/app');
}

async function signInToConsole(page: Page, name: string): Promise<void> {
  await page.context().clearCookies();
  await page.goto(`${origin}/console/sign-in`);
  await page.getByRole('button', { name }).click();
  await page.waitForURL('**/console/*');
}

/** What the browser of somebody who is signed in sends. */
async function signedIn(browser: Browser): Promise<string> {
  const context = await browser.newContext();
  await signIn(await context.newPage());
  const cookies = await context.cookies();
  return cookies.map(({ name, value }) => `${name}=${value}`).join('; ');
}

async function openApp(page: Page, path: string, opens?: string): Promise<void> {
  await page.goto(`${origin}${path}`);
  await page.getByRole('main').waitFor();
  if (opens) await page.getByText(opens).first().click();
  await settled(page);
}

/** Everything is loaded that the page shows at first. The app waits for events, so its network is never idle. */
async function settled(page: Page): Promise<void> {
  await page.waitForFunction(() => !document.querySelector('.skeleton'));
  await page.evaluate(() => document.fonts.ready);
}

async function inspect(page: Page, shown: string, inspections: string[]): Promise<void> {
  for (const inspection of inspections) {
    const violations = await page.evaluate(`${inspection}.then(({ violations }) => violations)`);
    for (const { id, nodes } of violations as { id: string; nodes: { html: string }[] }[])
      complaints.push(`${shown}: ${id} ${nodes[0]?.html}`);
  }
}

import { after, afterEach, before } from 'node:test';
import type { Browser, BrowserContext, BrowserContextOptions, Page } from 'playwright-core';
import { buildWeb } from '../../../scripts/build-web.ts';
import { startRequestJobs } from '../../src/jobs/requests.ts';
import { makeLog } from '../../src/log.ts';
import { type AdvisorApp, makeAdvisorApp, password } from '../support/advisor-app.ts';
import { closeBrowser, launchBrowser, skip, stepMsMax } from '../support/browser.ts';
import { freePort } from '../support/programs.ts';
import type { World } from '../support/world.ts';
import { complaintsOf } from './inspect.ts';

export const desk = { viewport: { width: 1440, height: 900 } };
export const phoneWide = { viewport: { width: 390, height: 844 } };
/** What moves costs as much as what it shows. */
const still = { reducedMotion: 'reduce' } as const;

/** How long a page says what was just done, in web/src/shell/toasts.tsx; and here, where a busy machine may look late. */
const toastMs = 6_000;
const keptToastMs = 30_000;

export type Tab = { page: Page; complaints: string[] };
export type Window = Tab & { context: BrowserContext };

type AppOptions = {
  env?: Record<string, string>;
  /** Adds to the world what the file needs. */
  prepare?(world: World): Promise<unknown>;
};

/** A device that has passkeys, and always agrees. */
export async function addAuthenticator(page: Page) {
  const devtools = await page.context().newCDPSession(page);
  await devtools.send('WebAuthn.enable');
  const { authenticatorId } = await devtools.send('WebAuthn.addVirtualAuthenticator', {
    options: {
      protocol: 'ctap2',
      transport: 'internal',
      hasResidentKey: true,
      hasUserVerification: true,
      isUserVerified: true,
      automaticPresenceSimulation: true,
    },
  });
  return { devtools, authenticatorId };
}

/** A server with the app, its jobs and a browser, for the tests of one file. */
export function useApp({ env = {}, prepare = async () => {} }: AppOptions = {}) {
  let pages: AdvisorApp;
  let browser: Browser;
  let jobs: ReturnType<typeof startRequestJobs>;
  let origin: string;
  let contexts: BrowserContext[] = [];
  let session: Parameters<BrowserContext['addCookies']>[0] = [];

  before(async () => {
    if (skip) return;
    const port = await freePort();
    // The application is at a different origin on the same machine, which puts the policy for forms to the test.
    const application = makeAdvisorApp({ ...env, PORT: String(port) }, `http://127.0.0.1:${port}/problems`);
    [pages] = await Promise.all([application, buildWeb()]);
    await prepare(pages.world);
    jobs = startRequestJobs(pages.world.deps, makeLog('silent'));
    await pages.app.listen({ host: '127.0.0.1', port });
    origin = `http://localhost:${port}`;
    browser = await launchBrowser();
  });
  after(async () => {
    if (skip) return;
    await closeBrowser();
    // As a server does: otherwise who waits for an event keeps the process for a quarter of a minute.
    pages.world.deps.signals.stopping.abort();
    await jobs.stop();
    await pages.close();
  });
  afterEach(async () => {
    await Promise.all(contexts.map((context) => context.close()));
    contexts = [];
  });

  /** A window of a browser of its own. Any complaint, such as a policy violation, fails the test. */
  async function open(
    path: string,
    options: BrowserContextOptions = {},
    cookies: typeof session = [],
  ): Promise<Window> {
    const context = await browser.newContext({ ...still, ...options });
    contexts.push(context);
    await context.addCookies(cookies);
    return { context, ...(await openTab(context, path)) };
  }

  async function openTab(context: BrowserContext, path: string): Promise<Tab> {
    const page = await context.newPage();
    page.setDefaultTimeout(stepMsMax);
    await page.addInitScript(
      ([toastMs, keptToastMs]) => {
        const wait = window.setTimeout;
        const longer = (run: () => void, ms?: number, ...args: never[]) =>
          wait(run, ms === toastMs ? keptToastMs : ms, ...args);
        Object.assign(window, { setTimeout: longer });
        // Nor does it lie over a button for so long.
        const style = new CSSStyleSheet();
        style.replaceSync('.toasts { pointer-events: none } .toasts button { pointer-events: auto }');
        document.adoptedStyleSheets.push(style);
      },
      [toastMs, keptToastMs] as const,
    );
    const complaints = complaintsOf(page);
    await page.goto(`${origin}${path}`);
    return { page, complaints };
  }

  /** Opens the app as Ann. If nobody is signed in yet, the app leads to the sign-in page and back; the next windows are hers at once. */
  async function openApp(path: string, options: BrowserContextOptions): Promise<Window> {
    const opened = await open(path, options, session);
    const { page, context } = opened;
    const account = page.getByRole('button', { name: /: account$/ });
    const email = page.getByLabel('Email');
    await account.or(email).waitFor();
    if (!(await email.isVisible())) return opened;
    await email.fill('ann@test.example');
    await page.getByLabel('Password').fill(password);
    await page.getByRole('button', { name: 'Sign in', exact: true }).click();
    await account.waitFor();
    session = await context.cookies();
    // The answer to the first call was that nobody is signed in.
    opened.complaints.length = 0;
    return opened;
  }

  /** What is done from now on can be undone for a minute, not for eight seconds: on the page, and on the server. */
  async function keepUndo(page: Page, path: RegExp): Promise<void> {
    await page.route(path, async (route) => {
      if (route.request().method() !== 'POST') return route.fallback();
      const response = await route.fetch();
      await pages.world.database.asOwner(`update pending_actions set due_at = now() + interval '1 minute'`);
      await route.fulfill({ response, json: { ...(await response.json()), undoMs: 60_000 } });
    });
  }

  return {
    world: () => pages.world,
    client: () => pages.client,
    origin: () => origin,
    open,
    openTab,
    openApp,
    keepUndo,
  };
}

export const say = (page: Page, text: string) => page.locator('.say', { hasText: text });
export const composer = (page: Page) => page.getByLabel('Your text');

/** A page that is too busy to draw: what waits for the next frame waits until the function that it returns is called. */
export async function holdFrames(page: Page): Promise<() => Promise<void>> {
  await page.evaluate(() => {
    const draw = window.requestAnimationFrame;
    const held: FrameRequestCallback[] = [];
    const drawLate = () =>
      new Promise((resolve) => {
        window.requestAnimationFrame = draw;
        for (const run of [...held, resolve]) draw(run);
      });
    Object.assign(window, { drawLate, requestAnimationFrame: (run: FrameRequestCallback) => held.push(run) });
  });
  return () => page.evaluate('drawLate()');
}

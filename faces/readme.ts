// README.md, as its reader goes through it: every block as printed, every command in a sentence, and every link, in a browser.
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { Browser, BrowserContext, Page } from 'playwright-core';
import { until } from '../server/test/support/waiting.ts';
import type { Stranger } from './stranger.ts';

export type Walk = {
  stranger: Stranger;
  browser: Browser;
  origin: string;
  /** Where the server was started. */
  cwd: string;
  readme: string;
  say(done: string): void;
};

const stepMsMax = 60_000;

/** The six steps of the demonstration. The first is done when the text is on the phone. */
export async function walkDemonstration({ browser, origin, say }: Walk): Promise<void> {
  const page = await openPage(await browser.newContext(), origin);
  await page.getByRole('link', { name: 'See the demonstration' }).click();
  const phone = page.getByRole('region', { name: 'Ana Ortiz’s phone', exact: true });
  const next = page.getByRole('region', { name: 'What to do next' });
  await untilBuilt(page);
  await page.getByRole('button', { name: 'Send once they accept' }).click();
  await phone.getByRole('button', { name: 'ACCEPT' }).click();
  await phone.locator('.say', { hasText: 'annual review' }).waitFor();
  say('a text on the demonstration’s phone');
  await phone.getByRole('button', { name: 'Tuesday works' }).click();
  await next.getByRole('button', { name: 'Plan it' }).click();
  await page.getByText(/Every year · next/).waitFor();
  await page.keyboard.press('Enter');
  await phone.locator('.say', { hasText: 'Happy birthday' }).waitFor();
  await phone.getByRole('button', { name: 'STOP' }).click();
  await next.getByText('That is the whole loop').waitFor();
  await page.context().close();
  say('/demonstration, to its sixth step');
}

/** A text in the app that arrives on the phone in a second window, and the console's first page. */
export async function walkApp({ browser, origin, say }: Walk): Promise<void> {
  const context = await browser.newContext();
  const page = await openPage(context, `${origin}/app`);
  await page.getByRole('button', { name: 'Avery Quinn' }).click();
  await page.getByRole('button', { name: /: account$/ }).waitFor();
  await page.keyboard.press('c');
  await page.getByPlaceholder('Name or phone number').fill('+15005550006');
  await page.keyboard.press('Enter');
  await page.getByLabel('Your text').fill('See you on Tuesday');
  await page.getByLabel('Your text').press('Control+Enter');
  const phone = await openPage(context, `${origin}/handset/+15005550006`);
  await phone.locator('.received', { hasText: 'See you on Tuesday' }).waitFor();
  await context.close();
  say('a text in /app');

  const staff = await openPage(await browser.newContext(), `${origin}/console`);
  await staff.getByRole('button', { name: 'Cameron Ortiz' }).click();
  await staff.locator('.console-main h1').first().waitFor();
  await staff.context().close();
  say('/console');
}

export async function walkReadme(walk: Walk): Promise<void> {
  const { stranger, readme, cwd, origin, browser, say } = walk;
  const blocks = [...readme.matchAll(/^```sh\n([\s\S]*?)\n```$/gm)].map(([, block = '']) => block);
  for (const block of blocks.filter((each) => each !== 'npm start'))
    await stranger.run(block.replaceAll('http://localhost:8080', origin), cwd);
  const commands = [...readme.matchAll(/`(npx --no-install assent[^`]*)`/g)].map(([, command = '']) => command);
  for (const command of commands) await stranger.run(command, cwd);
  say(`${blocks.length} blocks and ${commands.length} commands of README.md`);

  const page = await openPage(await browser.newContext(), origin);
  const links = [...readme.matchAll(/(?:\]\(|<)(http:\/\/localhost:8080[^)>]*|[\w./-]+(?:#[\w-]+)?)[)>]/g)];
  const addresses = links.map(([, link = '']) => link).filter((link) => !/\.png$/.test(link));
  for (const link of addresses) await open(link);
  await page.context().close();
  say(`${addresses.length} links of README.md`);

  /** A page of the documentation is a file beside README.md, and the site has it too. */
  async function open(link: string): Promise<void> {
    const [file = '', anchor] = link.replace('http://localhost:8080', '').split('#');
    const isFile = !link.startsWith('http');
    if (isFile && !existsSync(join(cwd, file))) throw new Error(`README.md leads to ${file}, which isn’t there.`);
    const path = /^docs\/(.+?)(?:\/README)?\.md$/.exec(file)?.[1];
    if (isFile && path === undefined) return;
    const address = isFile ? `${origin}/docs${path === 'README' ? '' : `/${path}`}` : origin + file;
    const status = (await page.goto(address))?.status();
    if (status !== 200) throw new Error(`${address} answered ${status}.`);
    if (anchor) await page.locator(`[id="${anchor}"]`).waitFor({ state: 'attached' });
    await page.locator('h1, main').first().waitFor();
  }
}

/** What the start page gives: its command, and each call in each language, by Copy and by Run. */
export async function walkStartPage({ browser, stranger, origin, say }: Walk): Promise<void> {
  const page = await openPage(await browser.newContext({ permissions: ['clipboard-read', 'clipboard-write'] }), origin);
  const project = join(stranger.folder, `project-${new URL(origin).port}-${Date.now()}`);
  await stranger.run(`mkdir -p ${project}`, stranger.folder);
  await stranger.run(`echo '{}' > package.json`, project);
  const install = await copied(page, page.getByRole('button', { name: /^npm i / }));
  await stranger.run(install, project);
  say(install);
  const programs: Record<string, string> = {
    Node: 'node --input-type=module --eval "$(cat)"',
    curl: 'bash -euo pipefail',
    Python: 'python3',
  };
  for (const [language, program] of Object.entries(programs)) {
    await page.getByText(language, { exact: true }).click();
    for (const step of await page.locator('.steps label').all()) {
      await step.click();
      const code = await copied(page, page.getByRole('button', { name: 'Copy', exact: true }));
      const printed = await stranger.run(`${program} <<'CODE'\n${code}\nCODE`, project);
      if (/problem|error/i.test(printed)) throw new Error(`${language} printed: ${printed}`);
    }
    say(`three calls in ${language}`);
  }
  for (const step of await page.locator('.steps label').all()) {
    await step.click();
    await page.getByRole('button', { name: 'Run', exact: true }).click();
    await page.locator('[data-answer-status]', { hasText: /^20[02]/ }).waitFor();
  }
  await page.context().close();
  say('three calls by Run');
}

async function openPage(context: BrowserContext, address: string): Promise<Page> {
  const page = await context.newPage();
  page.setDefaultTimeout(stepMsMax);
  await page.goto(address);
  return page;
}

/** It opens by itself once it is built. */
async function untilBuilt(page: Page): Promise<void> {
  const button = page.getByRole('button', { name: 'Send once they accept' });
  const failure = page.getByRole('heading', { name: / built$/ });
  await button.or(failure).waitFor();
  if (await failure.isVisible()) throw new Error(await page.locator('main').innerText());
}

/** What a button puts into the clipboard. */
async function copied(page: Page, button: ReturnType<Page['getByRole']>): Promise<string> {
  await page.evaluate(() => navigator.clipboard.writeText(''));
  await button.click();
  const read = () => page.evaluate(() => navigator.clipboard.readText());
  await until('the button copies', async () => (await read()) !== '');
  return read();
}

// The first ten minutes of somebody who has never heard of Assent, from a fresh clone: starts it as README.md says, runs each of its
// blocks as printed, in order, and then what the start page says: its command, and each call in each language, by Copy and by Run.
import { execFileSync, spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { chromium, type Page } from 'playwright-core';
import { findBrowser } from '../server/test/support/browser.ts';
import { freePort } from '../server/test/support/programs.ts';
import { until } from '../server/test/support/waiting.ts';

const root = fileURLToPath(new URL('..', import.meta.url));
const walkMs = 10 * 60 * 1000;
const begun = Date.now();
const folder = mkdtempSync(join(tmpdir(), 'assent-walk-'));
const clone = join(folder, 'assent');
const port = await freePort();
const origin = `http://localhost:${port}`;

say('a fresh clone');
execFileSync('git', ['clone', '--quiet', root, clone]);
const blocks = blocksOf(readFileSync(join(clone, 'README.md'), 'utf8'));
if (blocks[0] !== 'npm start') throw new Error(`README.md begins with ${blocks[0]}, not with npm start.`);
const server = spawn('npm', ['start'], {
  cwd: clone,
  env: { ...process.env, PORT: String(port), LOG_LEVEL: 'warn' },
  stdio: ['ignore', 'ignore', 'inherit'],
});
try {
  await until('npm start serves', isReady, walkMs);
  say('npm start');
  for (const block of blocks.slice(1)) run('bash', ['-euo', 'pipefail', '-c', block], clone);
  say(`${blocks.length} blocks of README.md`);
  await walkStartPage();
  if (Date.now() - begun > walkMs) throw new Error('That took more than ten minutes.');
} finally {
  server.kill('SIGINT');
  await new Promise((resolve) => (server.exitCode === null ? server.once('exit', resolve) : resolve(null)));
  rmSync(folder, { recursive: true, force: true, maxRetries: 10 });
}

async function walkStartPage(): Promise<void> {
  const browser = await chromium.launch({
    executablePath: findBrowser(process.env),
    args: ['--no-sandbox', '--disable-gpu'],
  });
  const context = await browser.newContext({ permissions: ['clipboard-read', 'clipboard-write'] });
  const page = await context.newPage();
  await page.goto(origin);
  const project = join(folder, 'project');
  mkdirSync(project);
  writeFileSync(join(project, 'package.json'), '{}');
  const install = await copied(page, page.getByRole('button', { name: /^npm i / }));
  run('bash', ['-euo', 'pipefail', '-c', install], project);
  say(install);
  const programs: Record<string, [program: string, ...args: string[]]> = {
    Node: [process.execPath, '--input-type=module', '--eval'],
    curl: ['bash', '-euo', 'pipefail', '-c'],
    Python: ['python3', '-c'],
  };
  for (const [language, [program, ...args]] of Object.entries(programs)) {
    await page.getByText(language, { exact: true }).click();
    for (const step of await page.locator('.steps label').all()) {
      await step.click();
      const code = await copied(page, page.getByRole('button', { name: 'Copy', exact: true }));
      const printed = run(program, [...args, code], project);
      if (/problem|error/i.test(printed)) throw new Error(`${language} printed: ${printed}`);
    }
    say(`three calls in ${language}`);
  }
  for (const step of await page.locator('.steps label').all()) {
    await step.click();
    await page.getByRole('button', { name: 'Run', exact: true }).click();
    await page.locator('[data-answer-status]', { hasText: /^20[02]/ }).waitFor();
  }
  say('three calls by Run');
  await browser.close();
}

/** What a button puts into the clipboard. */
async function copied(page: Page, button: ReturnType<Page['getByRole']>): Promise<string> {
  await page.evaluate(() => navigator.clipboard.writeText(''));
  await button.click();
  const read = () => page.evaluate(() => navigator.clipboard.readText());
  await until('the button copies', async () => (await read()) !== '');
  return read();
}

/** The blocks for a shell, at this server's address. */
function blocksOf(markdown: string): string[] {
  const found = [...markdown.matchAll(/^```sh\n([\s\S]*?)\n```$/gm)].map(([, block = '']) => block);
  return found.map((block) => block.replaceAll('localhost:8080', `localhost:${port}`));
}

function run(program: string, args: string[], cwd: string): string {
  return execFileSync(program, args, { cwd, encoding: 'utf8', stdio: ['ignore', 'pipe', 'inherit'] });
}

async function isReady(): Promise<boolean> {
  if (server.exitCode !== null) throw new Error('npm start ended.');
  const answer = await fetch(`${origin}/readyz`).catch(() => null);
  return answer?.status === 200;
}

function say(done: string): void {
  process.stdout.write(`${String(Math.round((Date.now() - begun) / 1000)).padStart(4)} s  ${done}\n`);
}

// The first ten minutes of somebody who has never heard of Assent, on a machine where nothing is prepared (stranger.ts): from a fresh clone
// through README.md and the start page, and once more with the packed server in an empty folder, without the checkout.
//
//   npm run walk
import { type ChildProcess, execFileSync } from 'node:child_process';
import { globSync, readFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { chromium } from 'playwright-core';
import { optionsGiven } from '../scripts/options.ts';
import { findBrowser } from '../server/test/support/browser.ts';
import { freePort } from '../server/test/support/programs.ts';
import { until } from '../server/test/support/waiting.ts';
import { walkApp, walkDemonstration, walkReadme, walkStartPage } from './readme.ts';
import { makeStranger } from './stranger.ts';

optionsGiven({ options: {} });
const root = fileURLToPath(new URL('..', import.meta.url));
const walkMs = 10 * 60 * 1000;
const saidMax = 2_000;
const stranger = makeStranger();
const browser = await chromium.launch({
  executablePath: findBrowser(process.env),
  args: ['--no-sandbox', '--disable-gpu'],
});
const clone = join(stranger.folder, 'assent');
// As printed, if nothing else is there.
const PORT = (await isFree(8080)) ? undefined : String(await freePort());
const origin = `http://localhost:${PORT ?? 8080}`;
let begun = Date.now();
try {
  await walkCheckout();
  await walkPacked();
} finally {
  await browser.close();
  stranger.remove();
}

async function walkCheckout(): Promise<void> {
  begin(`a fresh clone, with Node.js ${stranger.nodeVersion}`);
  execFileSync('git', ['clone', '--quiet', root, clone]);
  stranger.takes(clone);
  const readme = readFileSync(join(clone, 'README.md'), 'utf8');
  if (!/^```sh\nnpm start\n```$/m.test(readme)) throw new Error('README.md doesn’t begin with npm start.');
  await serving('npm', ['start'], clone, async () => {
    const walk = { stranger, browser, origin, cwd: clone, readme, say };
    await walkDemonstration(walk);
    await walkReadme(walk);
    await walkApp(walk);
    await walkStartPage(walk);
  });
}

/** What an operator installs. It has no README.md, and the checkout's holds for it from the first text on. */
async function walkPacked(): Promise<void> {
  const folder = join(stranger.folder, 'packed');
  await stranger.run(`mkdir ${folder}`, stranger.folder);
  await stranger.run(`npm pack --silent --workspace server --pack-destination ${folder}`, clone);
  begin('the packed server, in an empty folder');
  await stranger.run(`mv ${clone} ${clone}.away`, stranger.folder);
  await stranger.run(`npm init -y && npm install --silent ./*.tgz`, folder);
  say('npm install');
  const unwanted = globSync('node_modules/@assent/server/{**/*.ts,test,fuzz,bench,faults}', { cwd: folder });
  if (unwanted.length > 0) throw new Error(`The package has ${unwanted.join(', ')}.`);
  const shown = await stranger.run(
    'npx --no-install assent --version && npx --no-install assent help keys issue',
    folder,
  );
  if (!/^assent \d[\s\S]*assent keys issue/.test(shown)) throw new Error(`The command says: ${shown}`);
  await serving('npx', ['--no-install', 'assent', 'serve'], folder, async () => {
    const walk = { stranger, browser, origin, cwd: folder, readme: firstText(), say };
    await walkDemonstration(walk);
    await walkReadme(walk);
    await walkApp(walk);
    await walkStartPage(walk);
    await stranger.run('npx --no-install assent example web-app --port 3000', folder);
    if (!/^ASSENT_WEBHOOK_SECRET=whsec_/m.test(readFileSync(join(folder, 'web-app/.env'), 'utf8')))
      throw new Error('The example has no secret of its webhook.');
  });
}

/** README.md without the ways to other files, which the package doesn't have. */
function firstText(): string {
  const readme = readFileSync(join(`${clone}.away`, 'README.md'), 'utf8');
  return readme.replaceAll(/\]\((?!http)[^)]*\)/g, ']');
}

async function serving(program: string, args: string[], cwd: string, visit: () => Promise<void>): Promise<void> {
  const server = stranger.launch(program, args, {
    cwd,
    detached: true,
    stdio: ['ignore', 'pipe', 'pipe'],
    ...(PORT && { PORT }),
  });
  let said = '';
  for (const stream of [server.stdout, server.stderr])
    stream?.setEncoding('utf8').on('data', (text: string) => {
      said += text;
      const [, seconds] = /Installed them in (\d+) s/.exec(text) ?? [];
      if (seconds) say(`npm ci, which took ${seconds} s`);
    });
  const ended = new Promise((resolve) => server.once('close', (code, signal) => resolve(code ?? signal)));
  try {
    await until('it serves', () => isReady(server), walkMs);
    say([program, ...args].join(' '));
    await visit();
    if (Date.now() - begun > walkMs) throw new Error('That took more than ten minutes.');
    interrupt(server);
    const end = await ended;
    // npx ends by the signal, and the server by itself.
    if (end !== 0 && !(program === 'npx' && end === 'SIGINT')) throw new Error(`It ended with ${end}.`);
    if (!(await isFree(Number(new URL(origin).port)))) throw new Error('The server goes on.');
  } catch (error) {
    throw new Error(`${(error as Error).message}\n\nThe server said at last:\n${said.slice(-saidMax)}`, {
      cause: error,
    });
  } finally {
    interrupt(server);
    await ended;
  }
}

/** As Ctrl-C does: everything that a terminal started gets it. */
function interrupt({ pid, exitCode, signalCode }: ChildProcess): void {
  if (pid && exitCode === null && signalCode === null) process.kill(-pid, 'SIGINT');
}

async function isReady(server: ChildProcess): Promise<boolean> {
  if (server.exitCode !== null) throw new Error('It ended.');
  const answer = await fetch(`${origin}/readyz`).catch(() => null);
  return answer?.status === 200;
}

function isFree(port: number): Promise<boolean> {
  const server = createServer();
  return new Promise((resolve) => {
    server.once('error', () => resolve(false));
    server.listen(port, '127.0.0.1', () => server.close(() => resolve(true)));
  });
}

function begin(what: string): void {
  begun = Date.now();
  say(what);
}

function say(done: string): void {
  process.stdout.write(`${String(Math.round((Date.now() - begun) / 1000)).padStart(4)} s  ${done}\n`);
}

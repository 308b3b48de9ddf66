// Which test files share a process, and in which order they run. To start a process and load the server takes over a second, more
// than most files' tests.
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, dirname, join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import durations from '../server/test/durations.json' with { type: 'json' };

/** Files with at least so many seconds are in durations.json: `npm test -- --record` writes it. */
export const slowSeconds = 1.5;
/** Those that share a process have begun by then: at the end there should only be short ones. */
const sharedPart = 0.8;
/** Each of their files starts servers or browsers, and waits for them. So many of a folder share a process, one after another. */
const waitingFolders: Record<string, number> = { story: 1, browser: 7, process: 4, root: 1 };
/** What a machine, another program, a kill or a browser's third page can break. The rest is everyday's. */
const otherFolders = ['browser', 'process', 'root'];
const others = [
  'server/test/access/shared-rate.test.ts',
  'server/test/carriers/smpp/peers.test.ts',
  'server/test/database/citus.test.ts',
  'server/test/database/crashed-commits.test.ts',
  'server/test/database/embedded.test.ts',
  'server/test/docs/deploy.test.ts',
  'server/test/http/openapi.clients.test.ts',
  'server/test/http/openapi.lint.test.ts',
  'server/test/record-keeping/second-verifier.test.ts',
];
/** Its files share a browser, too. */
const withBrowser = 'server/test/browser/';
const browserModule = 'server/test/support/browser.ts';
/** A file that changes its process for good, or measures what all of it uses, runs in its own. */
const changing = /^mock\.|\bprocess\.(env\.\w+ =|memoryUsage|cpuUsage)|\bcpuMsOf\(/m;
/** It starts programs: servers, commands, other people's software. */
const starting =
  /'node:child_process'|support\/(programs|redis|replicated-postgres|citus|certificates|shared-home)\.ts'/;

/** What to run: files, and scripts that run several files, each as a suite with its own hooks. */
export type Groups = { entries: string[]; remove(): void };

/**
 * Up to `filesMax` share a process. Those that start servers wait a lot and the others hardly, so the processor is busy if both run.
 * The longest come first.
 */
export function groupFiles(files: string[], filesMax: number): Groups {
  const folder = mkdtempSync(join(tmpdir(), 'assent-tests-'));
  const alone = files.filter(isChanging).map((file) => [file]);
  const gather = (max: number, isIncluded: (file: string) => boolean) =>
    chunksOf(
      files.filter((file) => !isChanging(file) && isIncluded(file)),
      max,
    );
  const waiting = Object.entries(waitingFolders).flatMap(([name, max]) =>
    gather(max, (file) => folderOf(file) === name),
  );
  const shared = gather(filesMax, (file) => !isWaiting(file));
  const separate = [...alone, ...waiting];
  const entries = [...spread(separate), ...spread(shared, sharedPart)]
    .sort((one, other) => one.place - other.place)
    .map(({ group }, index) => (group.length === 1 ? String(group[0]) : write(group, index)));

  function write(group: string[], index: number): string {
    const script = join(folder, `shared-${index + 1}.mjs`);
    const urlOf = (file: string) => JSON.stringify(pathToFileURL(resolve(file)).href);
    const suites = group.map((file) => {
      // A file is loaded once the one before it is done: many start a world when they are loaded.
      return `await suite(${JSON.stringify(file)}, async () => { await import(${urlOf(file)}); });\n`;
    });
    if (group[0]?.startsWith(withBrowser)) {
      suites.unshift(`import { keepBrowser } from ${urlOf(browserModule)};\nconst close = keepBrowser();\n`);
      suites.push('await close();\n');
    }
    writeFileSync(script, `import { suite } from 'node:test';\n${suites.join('')}`);
    return script;
  }

  return { entries, remove: () => rmSync(folder, { recursive: true, force: true }) };
}

/** Whether `npm test` runs it. Those of the client's that need a server run with the others. */
export function isEveryday(file: string): boolean {
  return file.startsWith('server/') && !otherFolders.includes(folderOf(file)) && !others.includes(file);
}

/** Whether `npm run check` runs it: it starts no program, needs no process of its own, and is done in a moment. */
export function isFast(file: string): boolean {
  const isSmall = !isChanging(file) && !starting.test(readFileSync(file, 'utf8')) && secondsOf(file) < slowSeconds;
  return isEveryday(file) && !isWaiting(file) && isSmall;
}

function isWaiting(file: string): boolean {
  return folderOf(file) in waitingFolders;
}

function isChanging(file: string): boolean {
  return changing.test(readFileSync(file, 'utf8'));
}

function folderOf(file: string): string {
  return basename(dirname(file));
}

/** Their places in the run, from 0 to `part`, the longest first. */
function spread(groups: string[][], part = 1): { group: string[]; place: number }[] {
  const sorted = groups.toSorted((one, other) => secondsOf(...other) - secondsOf(...one));
  return sorted.map((group, index) => ({ group, place: (index / groups.length) * part }));
}

/** As few as possible, which take about the same time: each file goes to the one that has the least to do so far. */
function chunksOf(files: string[], filesMax: number): string[][] {
  const chunks = Array.from({ length: Math.ceil(files.length / filesMax) }, (): string[] => []);
  for (const file of files.toSorted((one, other) => secondsOf(other) - secondsOf(one)))
    chunks.sort((one, other) => secondsOf(...one) - secondsOf(...other))[0]?.push(file);
  return chunks;
}

/** How long they took when that was recorded; half a second for each that took little. */
function secondsOf(...files: string[]): number {
  const each = files.map((file) => (durations as Record<string, number>)[file] ?? 0.5);
  return each.reduce((sum, seconds) => sum + seconds, 0);
}

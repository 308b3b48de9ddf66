// Which test files share a process, and in which order they run. To start a process and load the server takes over a second, more
// than most files' tests.
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, dirname, join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import durations from '../server/test/durations.json' with { type: 'json' };

/** Files with at least so many seconds are in durations.json: `npm test -- --record` writes it. */
export const slowSeconds = 2;
/** Those that share a process have begun by then: at the end there should only be short ones. */
const sharedPart = 0.8;
/** Each of their files starts servers or browsers. */
const separateFolders = ['process', 'browser', 'root'];
/** A file that changes its process for good, or measures what all of it uses, runs in its own. */
const changing = /^mock\.|\bprocess\.(env\.\w+ =|memoryUsage|cpuUsage)|\bcpuMsOf\(/m;
/** It starts programs: servers, commands, other people's software. */
const starting =
  /'node:child_process'|support\/(programs|radicale|redis|replicated-postgres|citus|certificates|shared-home)\.ts'/;

/** What to run: files, and scripts that run several files, each as a suite with its own hooks. */
export type Groups = { entries: string[]; remove(): void };

/**
 * Up to `filesMax` share a process. Those that start servers wait a lot and the others hardly, so the processor is busy if both run.
 * The longest come first.
 */
export function groupFiles(files: string[], filesMax: number): Groups {
  const folder = mkdtempSync(join(tmpdir(), 'assent-tests-'));
  const separate = files.filter(isSeparate).map((file) => [file]);
  const shared = chunksOf(
    files.filter((file) => !isSeparate(file)),
    filesMax,
  );
  const entries = [...spread(separate), ...spread(shared, sharedPart)]
    .sort((one, other) => one.place - other.place)
    .map(({ group }, index) => (group.length === 1 ? String(group[0]) : write(group, index)));

  function write(group: string[], index: number): string {
    const script = join(folder, `shared-${index + 1}.mjs`);
    const suites = group.map((file) => {
      const url = pathToFileURL(resolve(file)).href;
      // A file is loaded once the one before it is done: many start a world when they are loaded.
      return `await suite(${JSON.stringify(file)}, async () => { await import(${JSON.stringify(url)}); });\n`;
    });
    writeFileSync(script, `import { suite } from 'node:test';\n${suites.join('')}`);
    return script;
  }

  return { entries, remove: () => rmSync(folder, { recursive: true, force: true }) };
}

/** Whether `npm run check` runs it: it starts no program, needs no process of its own, and is done in a moment. */
export function isFast(file: string): boolean {
  return !isSeparate(file) && !starting.test(readFileSync(file, 'utf8')) && secondsOf(file) < slowSeconds;
}

function isSeparate(file: string): boolean {
  return separateFolders.includes(basename(dirname(file))) || changing.test(readFileSync(file, 'utf8'));
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

// Which test files share a process. To start one and load the server takes over a second, more than most files' tests.
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, dirname, join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';

const filesMax = 9;
/** Each of their files starts servers or browsers. */
const separateFolders = ['process', 'browser', 'root'];
/** A file that changes its process for good, or measures what all of it uses, runs in its own. */
const separate = /^mock\.|\bprocess\.(env\.\w+ =|memoryUsage|cpuUsage)|\bcpuMsOf\(/m;

/** It starts programs: servers, commands, other people's software. */
const starting =
  /'node:child_process'|support\/(programs|radicale|redis|replicated-postgres|citus|certificates|shared-home)\.ts'/;

/** Whether `npm run check` runs it: it starts no program, and shares its process with others. */
export function isFast(file: string): boolean {
  return kindOf(file) === 'shared' && !starting.test(readFileSync(file, 'utf8'));
}

/** What to run: files, and scripts that run several files, each as a suite with its own hooks. */
export type Groups = { entries: string[]; remove(): void };

export function groupFiles(files: string[]): Groups {
  const folder = mkdtempSync(join(tmpdir(), 'assent-tests-'));
  const { slow = [], shared = [], alone = [] } = Object.groupBy(files, kindOf);

  function write(chunk: string[], index: number): string {
    const script = join(folder, `shared-${index + 1}.mjs`);
    const suites = chunk.map((file) => {
      const url = pathToFileURL(resolve(file)).href;
      // A file is loaded once the one before it is done: many start a world when they are loaded.
      return `await suite(${JSON.stringify(file)}, async () => { await import(${JSON.stringify(url)}); });\n`;
    });
    writeFileSync(script, `import { suite } from 'node:test';\n${suites.join('')}`);
    return script;
  }

  return {
    // Those that start servers wait a lot and the others hardly, so the processor is busy if both run. Short ones come last.
    entries: [...inTurns(slow, chunksOf(shared).map(write)), ...alone],
    remove: () => rmSync(folder, { recursive: true, force: true }),
  };
}

function kindOf(file: string): 'slow' | 'shared' | 'alone' {
  if (separateFolders.includes(basename(dirname(file)))) return 'slow';
  return separate.test(readFileSync(file, 'utf8')) ? 'alone' : 'shared';
}

/** As few as possible, of about the same size, and with files of every folder: so they take about the same time. */
function chunksOf(files: string[]): string[][] {
  const count = Math.ceil(files.length / filesMax);
  return Array.from({ length: count }, (_, chunk) => files.filter((_file, index) => index % count === chunk));
}

function inTurns(some: string[], others: string[]): string[] {
  const longer = Math.max(some.length, others.length);
  return Array.from({ length: longer }, (_, index) => [some[index] ?? [], others[index] ?? []].flat()).flat();
}

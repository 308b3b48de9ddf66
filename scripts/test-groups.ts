// Which test files share a process. To start one and load the server takes over a second, more than most files' tests.
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, dirname, join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';

const filesMax = 6;
/** Each of their files starts servers or browsers. */
const separateFolders = ['process', 'browser'];
/** A file that changes its process or measures time runs in its own. */
const separate = /\b(mock|process|performance)\./;

/** What to run: files, and scripts that run several files of a folder, each as a suite with its own hooks. */
export type Groups = { entries: string[]; remove(): void };

export function groupFiles(files: string[]): Groups {
  const folder = mkdtempSync(join(tmpdir(), 'assent-tests-'));
  const entries = [...Map.groupBy(files, dirname)].flatMap(([path, ofFolder]) => {
    const alone = ofFolder.filter((file) => runsAlone(path, file));
    return [...alone, ...chunksOf(ofFolder.filter((file) => !alone.includes(file))).map(write)];
  });

  function write(chunk: string[], index: number): string {
    const [first = ''] = chunk;
    if (chunk.length === 1) return first;
    const script = join(folder, `${basename(dirname(first))}-${index + 1}.mjs`);
    const suites = chunk.map((file) => {
      const url = pathToFileURL(resolve(file)).href;
      return `suite(${JSON.stringify(file)}, async () => { await import(${JSON.stringify(url)}); });\n`;
    });
    writeFileSync(script, `import { suite } from 'node:test';\n${suites.join('')}`);
    return script;
  }

  return { entries, remove: () => rmSync(folder, { recursive: true, force: true }) };
}

function runsAlone(folder: string, file: string): boolean {
  return separateFolders.includes(basename(folder)) || separate.test(readFileSync(file, 'utf8'));
}

/** As few as possible, and of about the same size. */
function chunksOf(files: string[]): string[][] {
  const count = Math.ceil(files.length / filesMax);
  return Array.from({ length: count }, (_, chunk) => files.filter((_file, index) => index % count === chunk));
}

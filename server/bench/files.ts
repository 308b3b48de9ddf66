import { once } from 'node:events';
import { createWriteStream } from 'node:fs';
import { join } from 'node:path';
import { itemOf } from './content.ts';
import { assent, measureCommand, type Program, startProgram } from './program.ts';
import type { Scratch } from './scratch.ts';
import type { Sizes } from './sizes.ts';
import { heading, ms, table, whole } from './tables.ts';

/** The bar for an import into an empty book, with the start of the command. */
const importRowsPerSecond = 20_000;

/** Imports and exports with the real command next to a running server, as an operator would. */
export async function measureFiles(scratch: Scratch, sizes: Sizes): Promise<string[]> {
  const program = await startProgram(scratch, join(scratch.folder, 'files'));
  const bars = await measureImports(program, scratch.folder, sizes.importRows);

  heading(`Files of ${whole(sizes.fileRows)} rows, including the start of the command`);
  const [input, output, content] = ['input.csv', 'output.csv', 'content.ndjson'].map((name) =>
    join(scratch.folder, name),
  ) as [string, string, string];
  await writeContacts(input, sizes.fileRows);
  await writeContent(content, sizes.fileRows);
  const advisor = ['--advisor', 'devon@sandbox.example'];

  const rows = [];
  for (const [what, words] of [
    ['contacts: import', ['contacts', 'import', input, ...advisor]],
    ['contacts: import again, all in the book already', ['contacts', 'import', input, ...advisor]],
    ['contacts: export', ['contacts', 'export', output, ...advisor]],
    ['contacts: import of the export, all in the book already', ['contacts', 'import', output, ...advisor]],
    ['content: import', ['content', 'import', content]],
    ['content: import again, all as it was', ['content', 'import', content]],
  ] as [string, string[]][]) {
    const { elapsedMs, peakMiB } = await measureCommand(program.dataDir, words);
    rows.push({ what, ms: ms(elapsedMs), 'rows/s': perSecond(sizes.fileRows, elapsedMs), 'peak MiB': peakMiB ?? '–' });
  }
  table(rows);
  await program.stop();
  return bars;
}

async function measureImports(program: Program, folder: string, sizes: number[]): Promise<string[]> {
  heading('Imports into an empty book, including the start of the command');
  const [{ firmId }] = JSON.parse(await assent(program.dataDir, ['firms', 'list', '--json']));
  const rows = [];
  const bars: string[] = [];
  for (const count of sizes) {
    const email = `import-${count}@bench.example`;
    await assent(program.dataDir, ['advisors', 'add', String(firmId), '--name', 'Import', '--email', email]);
    const path = join(folder, `import-${count}.csv`);
    await writeContacts(path, count);
    const words = ['contacts', 'import', path, '--advisor', email];
    const { elapsedMs, peakMiB } = await measureCommand(program.dataDir, words);
    const rate = perSecond(count, elapsedMs);
    rows.push({ rows: whole(count), ms: ms(elapsedMs), 'rows/s': rate, 'peak MiB': peakMiB ?? '–' });
    bars.push(`Import of ${whole(count)}: ${rate} rows/s; the bar is ${whole(importRowsPerSecond)}.`);
  }
  table(rows);
  return bars.slice(0, 1);
}

function perSecond(count: number, elapsedMs: number): string {
  return whole((count / elapsedMs) * 1000);
}

/** Distinct items, like those of a feed of articles. */
async function writeContent(path: string, count: number): Promise<void> {
  const file = createWriteStream(path);
  for (let number = 0; number < count; number++)
    if (!file.write(`${JSON.stringify(itemOf(number))}\n`)) await once(file, 'drain');
  file.end();
  await once(file, 'close');
}

/** Distinct people with most fields filled in. */
export async function writeContacts(path: string, count: number): Promise<void> {
  const file = createWriteStream(path);
  file.write('First Name,Last Name,Email,Phone,Birthday,Address,City,State,Zip\n');
  for (let number = 0; number < count; number++) {
    const name = `${'Ann Bob Carla Dieter Émile Fatima Grace Hugo'.split(' ')[number % 8]},Number${number}`;
    const phone = `+1212${String(2_000_000 + number).padStart(7, '0')}`;
    const line = `${name},person${number}@mail.example,${phone},1961-07-14,${number} Main Street,Springfield,IL,62701\n`;
    if (!file.write(line)) await once(file, 'drain');
  }
  file.end();
  await once(file, 'close');
}

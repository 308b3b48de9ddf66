import { once } from 'node:events';
import { createWriteStream } from 'node:fs';
import { join } from 'node:path';
import { assent, startProgram } from './program.ts';
import type { Scratch } from './scratch.ts';
import type { Sizes } from './sizes.ts';
import { heading, ms, table, whole } from './tables.ts';

/** Import and export through the real command, beside a running server, as an operator would. */
export async function measureFiles(scratch: Scratch, sizes: Sizes): Promise<string[]> {
  heading(`Import and export of ${whole(sizes.fileRows)} contacts as CSV, the start of the command included`);
  const program = await startProgram(scratch, join(scratch.folder, 'files'));
  const [input, output] = ['input.csv', 'output.csv'].map((name) => join(scratch.folder, name)) as [string, string];
  await writeContacts(input, sizes.fileRows);

  const rows = [];
  for (const [what, verb, file] of [
    ['import', 'import', input],
    ['import again, all in the book already', 'import', input],
    ['export', 'export', output],
  ] as const) {
    const began = performance.now();
    await assent(program.dataDir, ['contacts', verb, file, '--advisor', 'devon@sandbox.example']);
    const elapsedMs = performance.now() - began;
    rows.push({ what, ms: ms(elapsedMs), 'rows/s': whole((sizes.fileRows / elapsedMs) * 1000) });
  }
  table(rows);
  await program.stop();
  return [];
}

/** People who all differ, with most fields filled. */
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

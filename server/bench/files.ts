import { once } from 'node:events';
import { createWriteStream } from 'node:fs';
import { join } from 'node:path';
import { itemOf } from './content.ts';
import { assent, startProgram } from './program.ts';
import type { Scratch } from './scratch.ts';
import type { Sizes } from './sizes.ts';
import { heading, ms, table, whole } from './tables.ts';

/** Imports, exports and syncs with the real command next to a running server, as an operator would. */
export async function measureFiles(scratch: Scratch, sizes: Sizes): Promise<string[]> {
  heading(`Files of ${whole(sizes.fileRows)} rows, including the start of the command`);
  const program = await startProgram(scratch, join(scratch.folder, 'files'));
  const [input, output, content] = ['input.csv', 'output.csv', 'content.ndjson'].map((name) =>
    join(scratch.folder, name),
  ) as [string, string, string];
  await writeContacts(input, sizes.fileRows);
  await writeContent(content, sizes.fileRows);
  const advisor = ['--advisor', 'devon@sandbox.example'];
  const other = ['--advisor', 'casey@sandbox.example'];
  const file = ['--kind', 'file', '--file', input, '--daily', 'no', '--no-check'];
  await assent(program.dataDir, ['crm', 'connect', ...other, ...file]);

  const rows = [];
  for (const [what, words] of [
    ['contacts: import', ['contacts', 'import', input, ...advisor]],
    ['contacts: import again, all in the book already', ['contacts', 'import', input, ...advisor]],
    ['contacts: export', ['contacts', 'export', output, ...advisor]],
    ['CRM: first sync of a file', ['crm', 'sync', ...other]],
    ['CRM: sync again, nothing changed', ['crm', 'sync', ...other]],
    ['content: import', ['content', 'import', content]],
    ['content: import again, all as it was', ['content', 'import', content]],
  ] as [string, string[]][]) {
    const began = performance.now();
    await assent(program.dataDir, words);
    const elapsedMs = performance.now() - began;
    rows.push({ what, ms: ms(elapsedMs), 'rows/s': whole((sizes.fileRows / elapsedMs) * 1000) });
  }
  table(rows);
  await program.stop();
  return [];
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
  file.write('Id,First Name,Last Name,Email,Phone,Birthday,Address,City,State,Zip\n');
  for (let number = 0; number < count; number++) {
    const name = `${'Ann Bob Carla Dieter Émile Fatima Grace Hugo'.split(' ')[number % 8]},Number${number}`;
    const phone = `+1212${String(2_000_000 + number).padStart(7, '0')}`;
    const line = `${number},${name},person${number}@mail.example,${phone},1961-07-14,${number} Main Street,Springfield,IL,62701\n`;
    if (!file.write(line)) await once(file, 'drain');
  }
  file.end();
  await once(file, 'close');
}

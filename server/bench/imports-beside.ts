import { join } from 'node:path';
import { checkOut, type Running, startCheckout, thisCheckout } from './checkout.ts';
import { writeContacts } from './contacts-file.ts';
import { cpuTimeOf } from './cpu.ts';
import type { Scratch } from './scratch.ts';
import type { Sizes } from './sizes.ts';
import { heading, median, ratio, table, whole } from './tables.ts';

type Round = { rowsPerSecond: number; cpu: number };

const rounds = 3;

/** Imports of contacts into an empty book by this checkout and another commit of ours, in turn, each into a book of its own. */
export async function measureImportsBeside(scratch: Scratch, sizes: Sizes, ref: string): Promise<string[]> {
  const count = sizes.importRows;
  const path = join(scratch.folder, 'import.csv');
  await writeContacts(path, count);
  const other = await startCheckout(scratch, await checkOut(ref));
  const own = await startCheckout(scratch, thisCheckout);
  const sides = new Map<Running, Round[]>([
    [other, []],
    [own, []],
  ]);
  for (let round = 0; round < rounds; round++)
    for (const side of round % 2 === 0 ? [other, own] : [own, other])
      sides.get(side)?.push(await importOnce(side, path, { count, round }));

  heading(`Imports of ${whole(count)} contacts, including the start of the command, in turn`);
  table(
    [...sides].flatMap(([{ name }, each]) =>
      each.map(({ rowsPerSecond, cpu }) => ({
        checkout: name,
        'rows/s': whole(rowsPerSecond),
        'µs of PostgreSQL’s CPU for a row': cpu.toFixed(1),
      })),
    ),
  );
  const [before, now] = [...sides.values()].map((each) => ({
    rowsPerSecond: median(each.map(({ rowsPerSecond }) => rowsPerSecond)),
    cpu: median(each.map(({ cpu }) => cpu)),
  })) as [Round, Round];
  return [
    `Imports: rows/s ${ratio(now.rowsPerSecond / before.rowsPerSecond)} times as many, CPU of PostgreSQL ${ratio(now.cpu / before.cpu)} times as much`,
  ];
}

async function importOnce(
  { assent, postmasters }: Running,
  path: string,
  { count, round }: { count: number; round: number },
): Promise<Round> {
  const [{ firmId }] = JSON.parse(await assent('firms', 'list', '--json'));
  const email = `import-${round}@bench.example`;
  await assent('advisors', 'add', String(firmId), '--name', 'Import', '--email', email);
  const cpuMs = () => cpuTimeOf([], postmasters)?.postgresql ?? Number.NaN;
  const [began, used] = [performance.now(), cpuMs()];
  await assent('contacts', 'import', path, '--advisor', email);
  return {
    rowsPerSecond: (count / (performance.now() - began)) * 1000,
    cpu: ((cpuMs() - used) * 1000) / count,
  };
}

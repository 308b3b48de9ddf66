import { join } from 'node:path';
import { startProgram } from './program.ts';
import type { Scratch } from './scratch.ts';
import type { Sizes } from './sizes.ts';
import { heading, median, ms, table } from './tables.ts';

/** From process start until /readyz answers 200. */
export async function measureStarts(scratch: Scratch, sizes: Sizes): Promise<string[]> {
  heading('Time to ready, ms');
  const first = [];
  for (let start = 0; start < sizes.firstStarts; start++)
    first.push(await readyMs(scratch, join(scratch.folder, `start-${start}`)));
  const later = [];
  for (let start = 0; start < sizes.laterStarts; start++)
    later.push(await readyMs(scratch, join(scratch.folder, 'start-0')));
  table([summary('first start, empty data folder', first), summary('later start', later)]);
  return [];
}

async function readyMs(scratch: Scratch, dataDir: string): Promise<number> {
  const program = await startProgram(scratch, dataDir);
  await program.stop();
  return program.readyMs;
}

function summary(start: string, times: number[]) {
  return { start, starts: times.length, median: ms(median(times)), slowest: ms(Math.max(...times)) };
}

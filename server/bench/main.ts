// Runs every measurement on this machine, so that numbers are compared within a run and not with another day's.
// `--quick` uses smaller sizes and takes a minute; `--only growth` runs one section.
import { availableParallelism, cpus } from 'node:os';
import { parseArgs } from 'node:util';
import { measureArchive } from './archive.ts';
import { measureCarriers } from './carriers.ts';
import { measureCitus } from './citus.ts';
import { measureContent } from './content.ts';
import { measureEvents } from './events.ts';
import { measureFiles } from './files.ts';
import { measureGrowth } from './growth.ts';
import { measureNodes } from './nodes.ts';
import { measureOverload } from './overload.ts';
import { measureRequests } from './requests.ts';
import { makeScratch, type Scratch } from './scratch.ts';
import { measureHistory } from './send-history.ts';
import { measureSends } from './sends.ts';
import { fullSizes, quickSizes, type Sizes } from './sizes.ts';
import { measureStarts } from './starts.ts';
import { say } from './tables.ts';

const { values } = parseArgs({ options: { quick: { type: 'boolean' }, only: { type: 'string' } } });
const sizes = values.quick ? quickSizes : fullSizes;

/** A section measures, prints its tables, and returns lines for the end of the run. */
type Section = (scratch: Scratch, sizes: Sizes) => Promise<string[]>;
const sections: Record<string, Section> = {
  starts: measureStarts,
  files: measureFiles,
  requests: measureRequests,
  growth: measureGrowth,
  sends: measureSends,
  history: measureHistory,
  nodes: measureNodes,
  citus: measureCitus,
  overload: measureOverload,
  carriers: measureCarriers,
  events: measureEvents,
  archive: measureArchive,
  content: measureContent,
};

if (values.only !== undefined && !(values.only in sections)) {
  process.stderr.write(`--only must be one of ${Object.keys(sections).join(', ')}.\n`);
  process.exit(2);
}

const began = performance.now();
const scratch = makeScratch();
try {
  say(`${cpus()[0]?.model ?? 'unknown processor'}, ${availableParallelism()} cores, Node ${process.version}`);
  const bars: string[] = [];
  for (const [name, measure] of Object.entries(sections))
    if (values.only === undefined || values.only === name) bars.push(...(await measure(scratch, sizes)));
  say(`\nMeasured in ${Math.round((performance.now() - began) / 1000)} s.`);
  for (const bar of bars) say(bar);
} finally {
  await scratch.remove();
}

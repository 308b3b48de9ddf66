// Runs every measurement on this machine, so that numbers are compared within a run and not with another day's.
// `--quick` uses smaller sizes and takes a minute; `--only growth` runs one section; `--only sends --beside REF` or
// `--only imports --beside REF` compares this checkout with another commit.
import { availableParallelism, cpus } from 'node:os';
import { optionsGiven } from '../../scripts/options.ts';
import { makeScratch, type Scratch } from './scratch.ts';
import { fullSizes, quickSizes, type Sizes } from './sizes.ts';
import { say } from './tables.ts';

const { values } = optionsGiven({
  options: { quick: { type: 'boolean' }, only: { type: 'string' }, beside: { type: 'string' } },
});
const { beside } = values;
const sizes = values.quick ? quickSizes : fullSizes;

/** A section measures, prints its tables, and returns lines for the end of the run. */
type Section = (scratch: Scratch, sizes: Sizes) => Promise<string[]>;
/** Each is loaded when it runs, so that one whose imports have moved doesn't keep the others from running. */
const sections: Record<string, () => Promise<Section>> = {
  requests: async () => (await import('./requests.ts')).measureRequests,
  growth: async () => (await import('./growth.ts')).measureGrowth,
  sends: async () => (beside === undefined ? (await import('./sends.ts')).measureSends : measureBesideRef(beside)),
  citus: async () => {
    const { measureCitus, measureCitusBeside } = await import('./citus.ts');
    return beside === undefined ? measureCitus : (scratch, sizes) => measureCitusBeside(scratch, sizes, beside);
  },
  overload: async () => (await import('./overload.ts')).measureOverload,
  console: async () => (await import('./console.ts')).measureConsole,
  // Only ever beside another commit.
  ...(beside !== undefined && { imports: () => measureImportsBesideRef(beside) }),
};

async function measureBesideRef(ref: string): Promise<Section> {
  const { measureBeside } = await import('./beside.ts');
  return (scratch, sizes) => measureBeside(scratch, sizes, ref);
}

async function measureImportsBesideRef(ref: string): Promise<Section> {
  const { measureImportsBeside } = await import('./imports-beside.ts');
  return (scratch, sizes) => measureImportsBeside(scratch, sizes, ref);
}

if (beside !== undefined && !['sends', 'citus', 'imports'].includes(values.only ?? '')) {
  process.stderr.write('--beside compares sends or imports: add --only sends, --only citus or --only imports.\n');
  process.exit(2);
}
if (values.only !== undefined && !(values.only in sections)) {
  process.stderr.write(`--only must be one of ${Object.keys(sections).join(', ')}.\n`);
  process.exit(2);
}

const began = performance.now();
const scratch = makeScratch();
try {
  say(`${cpus()[0]?.model ?? 'unknown processor'}, ${availableParallelism()} cores, Node ${process.version}`);
  const bars: string[] = [];
  for (const [name, section] of Object.entries(sections))
    if (values.only === undefined || values.only === name) bars.push(...(await (await section())(scratch, sizes)));
  say(`\nMeasured in ${Math.round((performance.now() - began) / 1000)} s.`);
  for (const bar of bars) say(bar);
} finally {
  await scratch.remove();
}

// Searches for faults at length, on a database of its own: requests made from the OpenAPI document, valid ones and nearly
// valid ones, and random histories of texts, replies and crashes. `--requests 20000` and `--histories 2000` say how many,
// `--only requests` or `--only histories` which, and `--seed 1` repeats a run. Exits with 1 when it has found a fault.
import { parseArgs } from 'node:util';
import { globalSetup, globalTeardown } from '../test/support/global-setup.ts';
import { makeWorld, type World } from '../test/support/world.ts';
import { playHistories } from '../test/texting/histories.ts';
import { type Fuzzed, fuzz } from './fuzz.ts';

const parts = { requests: fuzzRequests, histories: fuzzHistories };
const text = { type: 'string' } as const;
const { values } = parseArgs({ options: { requests: text, histories: text, seed: text, only: text } });
const requests = wholeNumber('--requests', values.requests ?? '20000');
const histories = wholeNumber('--histories', values.histories ?? '2000');
const seed = wholeNumber('--seed', values.seed ?? String(Date.now() % 2 ** 31));
if (values.only !== undefined && !(values.only in parts))
  refuse(`--only must be one of ${Object.keys(parts).join(', ')}.`);

await globalSetup();
let world: World | undefined;
let tornDown: Promise<void> | undefined;
for (const signal of ['SIGINT', 'SIGTERM'] as const)
  process.once(signal, () => tearDown().finally(() => process.exit(130)));
try {
  for (const [name, part] of Object.entries(parts)) {
    if (values.only !== undefined && values.only !== name) continue;
    const failure = await part();
    // After a Ctrl-C the database is gone, and nothing else has failed.
    if (!failure || tornDown) continue;
    process.stderr.write(
      `\n${failure}\n\nAgain: npm run fuzz -- --only ${name} --${name} ${name === 'requests' ? requests : histories} --seed ${seed}\n`,
    );
    process.exitCode = 1;
  }
} finally {
  await tearDown();
}

/** Once, whether the search or a Ctrl-C ends first. */
function tearDown(): Promise<void> {
  tornDown ??= (async () => {
    await world?.close();
    await globalTeardown();
  })();
  return tornDown;
}

async function fuzzRequests(): Promise<string | undefined> {
  world = await makeWorld();
  process.stdout.write(`${requests} requests, seed ${seed}\n`);
  const began = performance.now();
  const fuzzed = await fuzz(world, { requests, seed });
  show(fuzzed, (performance.now() - began) / 1000);
  return fuzzed.failure;
}

async function fuzzHistories(): Promise<string | undefined> {
  process.stdout.write(`${histories} histories, seed ${seed}\n`);
  const began = performance.now();
  try {
    const seen = await playHistories({ histories, seed });
    process.stdout.write(
      `${histories} histories in ${Math.round((performance.now() - began) / 1000)} s; messages were ${[...seen].sort().join(', ')}\n`,
    );
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}

function show({ counts }: Fuzzed, seconds: number): void {
  const kinds = [...new Set([...counts.values()].flatMap((each) => [...each.keys()]))].sort();
  const lines = [
    ['operation', 'requests', ...kinds],
    ...[...counts].map(([operation, each]) => [
      operation,
      String(total(each)),
      ...kinds.map((kind) => String(each.get(kind) ?? '·')),
    ]),
  ];
  const widths = lines[0]?.map((_, column) => Math.max(...lines.map((line) => line[column]?.length ?? 0))) ?? [];
  for (const [first = '', ...rest] of lines) {
    const cells = rest.map((text, index) => text.padStart(widths[index + 1] ?? 0));
    process.stdout.write(`${[first.padEnd(widths[0] ?? 0), ...cells].join('  ')}\n`);
  }
  const sent = [...counts.values()].reduce((sum, each) => sum + total(each), 0);
  process.stdout.write(`${sent} requests in ${Math.round(seconds)} s, ${Math.round(sent / seconds)} a second\n`);
}

function total(kinds: Map<string, number>): number {
  return [...kinds.values()].reduce((sum, each) => sum + each, 0);
}

function wholeNumber(name: string, text: string): number {
  if (!/^\d{1,10}$/.test(text)) refuse(`${name} must be a whole number, not "${text}".`);
  return Number(text);
}

function refuse(why: string): never {
  process.stderr.write(`${why}\n`);
  process.exit(2);
}

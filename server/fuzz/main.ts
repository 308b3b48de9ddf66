// Searches for faults at length, on its own PostgreSQL: valid and nearly valid requests made from the OpenAPI document;
// histories of texts, replies and crashes; texts of random characters, compared from the phone to the examiner; and texts
// that may take long to judge; and odd values for the app's and the console's own calls. `--requests 20000`, `--histories 2000`,
// `--texts 10000`, `--judgments 5000`, `--app 20000` and `--console 20000` say how many, `--only histories` runs one of them, and `--seed 1` repeats all but the texts. Exits with 1 if it finds a fault.
import { optionsGiven } from '../../scripts/options.ts';
import { compareBytes } from '../test/record-keeping/archive-export-bytes.ts';
import { globalSetup, globalTeardown } from '../test/support/global-setup.ts';
import { makeWorld, type World } from '../test/support/world.ts';
import { playHistories } from '../test/texting/histories.ts';
import { appDoor, consoleDoor, fuzzDoor } from './doors.ts';
import { type FuzzResult, fuzz } from './fuzz.ts';
import { fuzzJudgments } from './judgments.ts';

/** Each returns the fault that it found, if any. */
const parts = {
  requests: fuzzRequests,
  histories: fuzzHistories,
  texts: fuzzTexts,
  judgments: async (texts: number) => fuzzJudgments(texts, seed),
  app: (requests: number) => fuzzDoor(appDoor, { requests, seed }),
  console: (requests: number) => fuzzDoor(consoleDoor, { requests, seed }),
};
type Part = keyof typeof parts;
const names = Object.keys(parts) as Part[];

const text = { type: 'string' } as const;
const { values } = optionsGiven({
  options: {
    requests: text,
    histories: text,
    texts: text,
    judgments: text,
    app: text,
    console: text,
    seed: text,
    only: text,
  },
});
const counts: Record<Part, number> = {
  requests: wholeNumber('--requests', values.requests ?? '20000'),
  histories: wholeNumber('--histories', values.histories ?? '2000'),
  texts: wholeNumber('--texts', values.texts ?? '10000'),
  judgments: wholeNumber('--judgments', values.judgments ?? '5000'),
  app: wholeNumber('--app', values.app ?? '20000'),
  console: wholeNumber('--console', values.console ?? '20000'),
};
const seed = wholeNumber('--seed', values.seed ?? String(Date.now() % 2 ** 31));
const chosen = names.filter((name) => values.only === undefined || values.only === name);
if (chosen.length === 0) refuse(`--only must be one of ${names.join(', ')}.`);

await globalSetup();
let world: World | undefined;
let tornDown: Promise<void> | undefined;
for (const signal of ['SIGINT', 'SIGTERM'] as const)
  process.once(signal, () => tearDown().finally(() => process.exit(130)));
try {
  for (const name of chosen) await search(name);
} finally {
  await tearDown();
}

async function search(name: Part): Promise<void> {
  const count = counts[name];
  say(`${count} ${name}, seed ${seed}`);
  const began = performance.now();
  const failure = await parts[name](count).catch((error) => (error instanceof Error ? error.message : String(error)));
  // After a Ctrl-C the database is gone, and nothing else has failed.
  if (tornDown) return;
  const seconds = (performance.now() - began) / 1000;
  if (!failure) return say(`${count} ${name} in ${Math.round(seconds)} s, ${Math.round(count / seconds)} a second\n`);
  say(`stopped after ${Math.round(seconds)} s\n`);
  process.stderr.write(`${failure}\n\nAgain: npm run fuzz -- --only ${name} --${name} ${count} --seed ${seed}\n`);
  process.exitCode = 1;
}

/** Once, whether the search or a Ctrl-C ends first. */
function tearDown(): Promise<void> {
  tornDown ??= (async () => {
    await world?.close();
    await globalTeardown();
  })();
  return tornDown;
}

async function fuzzRequests(requests: number): Promise<string | undefined> {
  world = await makeWorld();
  const fuzzed = await fuzz(world, { requests, seed });
  show(fuzzed);
  return fuzzed.failure;
}

async function fuzzHistories(histories: number): Promise<undefined> {
  const seen = await playHistories({ histories, seeds: [0, 1, 2, 3].map((lane) => seed + lane) });
  say(`messages were ${[...seen].sort().join(', ')}`);
}

async function fuzzTexts(texts: number): Promise<undefined> {
  await compareBytes(texts, say);
}

function show({ counts }: FuzzResult): void {
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
    say([first.padEnd(widths[0] ?? 0), ...cells].join('  '));
  }
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

function say(line: string): void {
  process.stdout.write(`${line}\n`);
}

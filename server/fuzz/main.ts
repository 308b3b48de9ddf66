// Requests made from the OpenAPI document, valid ones and nearly valid ones, against the whole server on a database of
// its own. `--requests 20000`, `--seed 1` to send the same ones again.
import { parseArgs } from 'node:util';
import { globalSetup, globalTeardown } from '../test/support/global-setup.ts';
import { makeWorld, type World } from '../test/support/world.ts';
import { type Fuzzed, fuzz } from './fuzz.ts';

const { values } = parseArgs({ options: { requests: { type: 'string' }, seed: { type: 'string' } } });
const requests = wholeNumber('--requests', values.requests ?? '20000');
const seed = wholeNumber('--seed', values.seed ?? String(Date.now() % 2 ** 31));

await globalSetup();
let world: World | undefined;
let tornDown: Promise<void> | undefined;
for (const signal of ['SIGINT', 'SIGTERM'] as const)
  process.once(signal, () => tearDown().finally(() => process.exit(130)));
try {
  world = await makeWorld();
  process.stdout.write(`${requests} requests, seed ${seed}\n`);
  const began = performance.now();
  const fuzzed = await fuzz(world, { requests, seed });
  show(fuzzed, (performance.now() - began) / 1000);
  // After a Ctrl-C the server is gone, and that is all that failed.
  if (fuzzed.failure && !tornDown) {
    process.stderr.write(`\n${fuzzed.failure}\n\nAgain: npm run fuzz -- --requests ${requests} --seed ${seed}\n`);
    process.exitCode = 1;
  }
} finally {
  await tearDown();
}

/** Once, whether the requests or a Ctrl-C come to an end first. */
function tearDown(): Promise<void> {
  tornDown ??= (async () => {
    await world?.close();
    await globalTeardown();
  })();
  return tornDown;
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
  if (/^\d{1,10}$/.test(text)) return Number(text);
  process.stderr.write(`${name} must be a whole number, not "${text}".\n`);
  process.exit(2);
}

